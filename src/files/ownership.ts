import { dirname } from 'node:path';
import { CliError } from '../base/errors.ts';
import { type Entry, entryAt, readSharedFile, realPathOf } from './inspect.ts';

/**
 * Throws CliError usage if a file or folder belongs to another user, who could change it at any time. Applies to root too,
 * although root can open everything. Systems without user ids are not checked.
 */
export function requireOwner({ path, ownerId }: Pick<Entry, 'path' | 'ownerId'>): void {
  const userId = process.getuid?.();
  if (userId === undefined || ownerId === userId) return;
  throw new CliError('usage', `${path} belongs to another user (user id ${ownerId})`, {
    code: 'FOREIGN_OWNER',
    hint: 'take it over with chown, or run the command as its owner',
  });
}

/**
 * Whether something belongs to root, to this user or to another one who is named or given by id. True for a system without user ids. A
 * name is looked for in /etc/passwd only.
 */
export function isOwnedBy(ownerId: number, other: string | undefined): boolean {
  const userId = process.getuid?.();
  if (userId === undefined || ownerId === userId || ownerId === 0) return true;
  if (other === undefined) return false;
  return ownerId === (/^\d{1,10}$/.test(other) ? Number(other) : userIdOf(other));
}

/**
 * Whether a path, what it links to or the folder of that belongs to a user whom `isOwnedBy` does not know, who could put something else there.
 * False if nothing is there.
 */
export function belongsToOthers(path: string, other: string | undefined): boolean {
  if (!entryAt(path)) return false;
  const real = realPathOf(path);
  return [path, real, dirname(real)].some((each) => {
    const entry = entryAt(each);
    return entry !== undefined && !isOwnedBy(entry.ownerId, other);
  });
}

function userIdOf(name: string): number | undefined {
  try {
    const line = readSharedFile('/etc/passwd')
      .split('\n')
      .find((each) => each.startsWith(`${name}:`));
    return line === undefined ? undefined : Number(line.split(':')[2]);
  } catch {
    return undefined;
  }
}

/**
 * Throws CliError usage if others may still write to a folder after its mode was restricted, as on a disk without modes: they
 * could replace any file in it. Systems without user ids have no such modes and are not checked.
 */
export function requireUnshared(path: string): void {
  if (process.getuid === undefined || !entryAt(path)?.isWritableByOthers) return;
  throw new CliError('usage', `other users can write to ${path}, and its mode cannot be changed`, {
    code: 'SHARED_FOLDER',
    hint: 'move the folder with everything in it to a disk with file permissions, then name it in FIATRAIL_CONFIG_DIR or FIATRAIL_STATE_DIR: an empty one has no idempotency keys',
  });
}
