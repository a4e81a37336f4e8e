import { CliError } from '../base/errors.ts';
import { type Entry, entryAt } from './inspect.ts';

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
 * Throws CliError usage if others may still write to a folder after its mode was restricted, as on a disk without modes: they
 * could replace any file in it. Systems without user ids have no such modes and are not checked.
 */
export function requireUnshared(path: string): void {
  if (process.getuid === undefined || !entryAt(path)?.isWritableByOthers) return;
  throw new CliError('usage', `other users can write to ${path}, and its mode cannot be changed`, {
    code: 'SHARED_FOLDER',
    hint: 'move the folder with everything in it to a disk with file permissions, then name it in FIATRAIL_CONFIG_DIR or FIATRAIL_STATE_DIR: an empty one has no once keys',
  });
}
