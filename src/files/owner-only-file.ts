import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** Why a file is not read. `foreign`: it belongs to another user. `shared`: other users may write to it. */
export type OwnerOnlyFileProblem = 'missing' | 'link' | 'not plain' | 'foreign' | 'shared' | 'too long' | 'unusable';

const OTHERS_WRITE = 0o022;

/**
 * Reads a regular file that belongs to this user and that nobody else may write to. What is checked is the file that was opened, so
 * that nobody can exchange it in between. Systems without user ids have no such modes and are not checked.
 */
export function readOwnerOnlyFile(
  path: string,
  maxBytes: number,
): { readonly bytes: Uint8Array } | { readonly problem: OwnerOnlyFileProblem } {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as { code?: unknown };
    return { problem: code === 'ENOENT' ? 'missing' : code === 'ELOOP' ? 'link' : 'unusable' };
  }
  try {
    const found = fstatSync(file);
    const userId = process.getuid?.();
    if (!found.isFile()) return { problem: 'not plain' };
    if (userId !== undefined && found.uid !== userId) return { problem: 'foreign' };
    if (userId !== undefined && found.mode & OTHERS_WRITE) return { problem: 'shared' };
    if (found.size > maxBytes) return { problem: 'too long' };
    return { bytes: readFileSync(file) };
  } finally {
    closeSync(file);
  }
}
