import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { acquireLock } from '../sqlite/lock.ts';
import type { World } from '../world.ts';
import { rotationsDir } from './paths.ts';
import { fillPrivateFile, readPrivateFile, removePrivateFile, reservePrivateFile } from './private-file.ts';

/** The first word that starts the keeper: the process that sends the request and keeps its answer. */
export const KEEPER_WORD = '__keeper';

type Place = Pick<World, 'env' | 'homeDir' | 'platform'>;

/** An answer has a few hundred bytes, sealed or not. */
const ROOM_BYTES = { answer: 32 * 1024, key: 4 * 1024 } as const;

/** What is kept of a replacement until it is at an end: the service's answer as it came, and then the new key in clear. */
export type RotationPart = keyof typeof ROOM_BYTES;

const PARTS = Object.keys(ROOM_BYTES) as RotationPart[];

export function rotationFile(place: Place, operationId: string, part: RotationPart): string {
  return join(rotationsDir(place), `${operationId}.${part}`);
}

/** Takes the room for all that may have to be kept, so that a disk that is full by then loses nothing. Throws the error of the system. */
export function reserveRotation(place: Place, operationId: string): void {
  for (const part of PARTS) reservePrivateFile(rotationFile(place, operationId, part), ROOM_BYTES[part]);
}

/** What is kept; undefined when nothing was yet. */
export function readRotation(place: Place, operationId: string, part: RotationPart): string | undefined {
  return readPrivateFile(rotationFile(place, operationId, part))?.trim() || undefined;
}

/** On the disk when this returns. */
export function keepRotation(place: Place, operationId: string, part: RotationPart, text: string): void {
  fillPrivateFile(rotationFile(place, operationId, part), text);
}

export function removeRotation(place: Place, operationId: string, parts: readonly RotationPart[] = PARTS): void {
  for (const part of parts) removePrivateFile(rotationFile(place, operationId, part));
  if (parts !== PARTS) return;
  for (const holder of HOLDERS) removePrivateFile(lockFile(place, operationId, holder));
}

/** The operations of which something is kept: the replacements that may not be at an end. */
export function keptRotations(place: Place): string[] {
  try {
    const names = readdirSync(rotationsDir(place)).flatMap((name) => /^(.+)\.(?:answer|key)$/.exec(name)?.[1] ?? []);
    return [...new Set(names)].sort();
  } catch {
    return [];
  }
}

/** send: the keeper, until the answer is on the disk. work: the command that brings the replacement to its end. */
export type RotationHolder = 'send' | 'work';
const HOLDERS: readonly RotationHolder[] = ['send', 'work'];

const lockFile = (place: Place, operationId: string, holder: RotationHolder) =>
  join(rotationsDir(place), `${operationId}.${holder}.db`);

/** Undefined when another process holds it for longer than `waitMs`. */
export function lockRotation(place: Place, operationId: string, holder: RotationHolder, waitMs: number) {
  return acquireLock(lockFile(place, operationId, holder), waitMs);
}
