import { join } from 'node:path';
import { rotationsDir, type UserEnv } from '../../account/paths.ts';
import {
  fillReservedFile,
  readPrivateFile,
  removePrivateFile,
  renamePrivateFile,
  replaceFile,
  reservePrivateFile,
  writePrivateFile,
} from '../../files/private-file.ts';
import { acquireLock } from '../../sqlite/lock.ts';

/** A response has a few hundred bytes, encrypted or not. */
const RESERVED_BYTES = { answer: 32 * 1024, key: 4 * 1024 } as const;

/** What is saved until a rotation is finished: first the response as received, then the new key in plain text. */
type RotationPart = keyof typeof RESERVED_BYTES;

const PARTS = Object.keys(RESERVED_BYTES) as RotationPart[];

/** Reserves disk space for every part, so that a full disk cannot lose the new key. Throws the system error. */
export function reserveRotation(world: UserEnv, operationId: string): void {
  for (const part of PARTS) reservePrivateFile(partPath(world, operationId, part), RESERVED_BYTES[part]);
}

const partPath = (world: UserEnv, operationId: string, part: RotationPart) =>
  join(rotationsDir(world), `${operationId}.${part}`);

/** Where a part is saved if the state folder disappears during the rotation. */
const fallbackPath = ({ homeDir }: UserEnv, operationId: string, part: RotationPart) =>
  join(homeDir, `.fiatrail-${operationId}.${part}`);

/** Where the key is left for the user if no store on this machine has it. */
const userKeyPath = (path: string) => path.replace(/\.key$/, '.api-key');

function pathsOf(world: UserEnv, operationId: string, part: RotationPart): string[] {
  const paths = [partPath(world, operationId, part), fallbackPath(world, operationId, part)];
  return part === 'key' ? paths.flatMap((path) => [path, userKeyPath(path)]) : paths;
}

/** Returns the file of a part and its text; undefined if nothing is saved. */
function findPart(world: UserEnv, operationId: string, part: RotationPart) {
  for (const path of pathsOf(world, operationId, part)) {
    const text = readable(path)?.trim();
    if (text) return { path, text };
  }
  return undefined;
}

function readable(path: string): string | undefined {
  try {
    return readPrivateFile(path);
  } catch {
    // Replaced by a folder or a link, which fiatrail did not write.
    return undefined;
  }
}

/** Returns the text of a part; undefined if nothing is saved. */
export function readRotation(world: UserEnv, operationId: string, part: RotationPart): string | undefined {
  return findPart(world, operationId, part)?.text;
}

/** Returns the path of the file with a part; undefined if nothing is saved. */
export function rotationFile(world: UserEnv, operationId: string, part: RotationPart): string | undefined {
  return findPart(world, operationId, part)?.path;
}

/** Saves a part durably. Returns false if its reserved file could not be used. Throws the system error if it cannot be saved at all. */
export function saveRotationPart(world: UserEnv, operationId: string, part: RotationPart, text: string): boolean {
  const path = partPath(world, operationId, part);
  const unique = `${operationId}.${part}`;
  try {
    fillReservedFile(path, text);
    return true;
  } catch {
    try {
      writePrivateFile(path, text, unique);
    } catch {
      replaceFile(fallbackPath(world, operationId, part), text, unique);
    }
    return false;
  }
}

/** Leaves the saved key for the user and returns its path; undefined if the key has no file. Throws the system error. */
export function saveKeyForUser(world: UserEnv, operationId: string): string | undefined {
  const path = rotationFile(world, operationId, 'key');
  if (path) renamePrivateFile(path, userKeyPath(path));
  return path && userKeyPath(path);
}

/** Removes parts of a rotation. A key left for the user stays. */
export function removeRotation(world: UserEnv, operationId: string, parts: readonly RotationPart[] = PARTS): void {
  for (const part of parts) {
    remove(partPath(world, operationId, part));
    remove(fallbackPath(world, operationId, part));
  }
}

/** A file that cannot be removed does no harm. */
function remove(path: string): void {
  try {
    removePrivateFile(path);
  } catch {
    // Replaced by a folder, or on a disk that is now read-only.
  }
}

/** `send` is held by the rotation process until the response is on disk; `work` by the command that finishes the rotation. */
type RotationLock = 'send' | 'work';
const LOCKS: readonly RotationLock[] = ['send', 'work'];

const lockFile = (world: UserEnv, operationId: string, lock: RotationLock) =>
  join(rotationsDir(world), `${operationId}.${lock}.db`);

/** Takes a lock of a rotation; undefined if another process holds it for longer than `waitMs`. */
export function lockRotation(world: UserEnv, operationId: string, lock: RotationLock, waitMs: number) {
  return acquireLock(lockFile(world, operationId, lock), waitMs);
}

/** Removes a finished rotation's locks; later lockers see in the journal that it is done. */
export function removeRotationLocks(world: UserEnv, operationId: string): void {
  for (const lock of LOCKS) remove(lockFile(world, operationId, lock));
}
