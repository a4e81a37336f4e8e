import { join } from 'node:path';
import { rotationsDir } from '../account/paths.ts';
import type { World } from '../base/world.ts';
import { namesIn } from '../files/inspect.ts';
import {
  fillReservedFile,
  readPrivateFile,
  removePrivateFile,
  renamePrivateFile,
  replaceFile,
  reservePrivateFile,
  writePrivateFile,
} from '../files/private-file.ts';
import { acquireLock } from '../sqlite/lock.ts';

/** The first word that starts the keeper: the process that sends the request and keeps its answer. */
export const KEEPER_WORD = '__keeper';

type Place = Pick<World, 'env' | 'homeDir' | 'platform'>;

/** An answer has a few hundred bytes, sealed or not. */
const ROOM_BYTES = { answer: 32 * 1024, key: 4 * 1024 } as const;

/** What is kept of a replacement until it is at an end: the service's answer as it came, and then the new key in clear. */
type RotationPart = keyof typeof ROOM_BYTES;

const PARTS = Object.keys(ROOM_BYTES) as RotationPart[];

const roomOf = (place: Place, operationId: string, part: RotationPart) =>
  join(rotationsDir(place), `${operationId}.${part}`);

/** Where it goes when its room is gone: the folder of the state was taken away in the midst. */
const elsewhere = ({ homeDir }: Place, operationId: string, part: RotationPart) =>
  join(homeDir, `.fiatrail-${operationId}.${part}`);

/** The same key under a name that says it is for a person: no store of this machine has it. */
const leftName = (path: string) => path.replace(/\.key$/, '.api-key');

function pathsOf(place: Place, operationId: string, part: RotationPart): string[] {
  const usual = [roomOf(place, operationId, part), elsewhere(place, operationId, part)];
  return part === 'key' ? usual.flatMap((path) => [path, leftName(path)]) : usual;
}

/** Takes the room for all that may have to be kept, so that a disk that is full by then loses nothing. Throws the error of the system. */
export function reserveRotation(place: Place, operationId: string): void {
  for (const part of PARTS) reservePrivateFile(roomOf(place, operationId, part), ROOM_BYTES[part]);
}

/** The file that has it, and its text; undefined when nothing was kept yet. */
function found(place: Place, operationId: string, part: RotationPart) {
  for (const path of pathsOf(place, operationId, part)) {
    const text = readable(path)?.trim();
    if (text) return { path, text };
  }
  return undefined;
}

function readable(path: string): string | undefined {
  try {
    return readPrivateFile(path);
  } catch {
    // Something else stands there by now: it is not what we kept.
    return undefined;
  }
}

/** What is kept; undefined when nothing was yet. */
export function readRotation(place: Place, operationId: string, part: RotationPart): string | undefined {
  return found(place, operationId, part)?.text;
}

/** The file that has it; undefined when none has. */
export function rotationFile(place: Place, operationId: string, part: RotationPart): string | undefined {
  return found(place, operationId, part)?.path;
}

/** On the disk when this returns: in its room, or elsewhere, which gives back false. Throws the error of the system when it is nowhere. */
export function saveRotationPart(place: Place, operationId: string, part: RotationPart, text: string): boolean {
  const path = roomOf(place, operationId, part);
  const unique = `${operationId}.${part}`;
  try {
    fillReservedFile(path, text);
    return true;
  } catch {
    try {
      writePrivateFile(path, text, unique);
    } catch {
      replaceFile(elsewhere(place, operationId, part), text, unique);
    }
    return false;
  }
}

/** Leaves the key to a person; gives back its file, or undefined when it stands in none of its own. Throws the error of the system. */
export function saveKeyForUser(place: Place, operationId: string): string | undefined {
  const path = rotationFile(place, operationId, 'key');
  if (path) renamePrivateFile(path, leftName(path));
  return path && leftName(path);
}

/** Forgets parts of a replacement; a key that was left to a person stays. */
export function removeRotation(place: Place, operationId: string, parts: readonly RotationPart[] = PARTS): void {
  for (const part of parts) {
    remove(roomOf(place, operationId, part));
    remove(elsewhere(place, operationId, part));
  }
}

/** What cannot be removed does no harm where it is. */
function remove(path: string): void {
  try {
    removePrivateFile(path);
  } catch {
    // A folder that was replaced, or a disk that is read-only by now.
  }
}

/** The operations of which something is here: the replacements that may not be at an end, or were not tidied away. */
export function unfinishedRotations(place: Place): string[] {
  try {
    const names = namesIn(rotationsDir(place)).flatMap((name) => KEPT.exec(name)?.[1] ?? []);
    return [...new Set(names)].sort();
  } catch {
    return [];
  }
}

const KEPT = /^([^.]+)\.(?:answer|key|send\.db|work\.db)$/;

/** send: the keeper, until the answer is on the disk. work: the command that brings the replacement to its end. */
type RotationHolder = 'send' | 'work';
const HOLDERS: readonly RotationHolder[] = ['send', 'work'];

const lockFile = (place: Place, operationId: string, holder: RotationHolder) =>
  join(rotationsDir(place), `${operationId}.${holder}.db`);

/** Undefined when another process holds it for longer than `waitMs`. */
export function lockRotation(place: Place, operationId: string, holder: RotationHolder, waitMs: number) {
  return acquireLock(lockFile(place, operationId, holder), waitMs);
}

/** Of a replacement that is at an end: whoever gets a lock after this finds it so in the journal, and does nothing. */
export function removeRotationLocks(place: Place, operationId: string): void {
  for (const holder of HOLDERS) remove(lockFile(place, operationId, holder));
}
