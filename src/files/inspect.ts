import { accessSync, constants, lstatSync, readdirSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Mode bits that let others read or write. */
const OTHERS = 0o077;

/** What stands at a path, links not followed. */
export interface Entry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** The number of its owner. */
  readonly ownerId: number;
  /** Whether anybody but its owner may read or write it. */
  readonly isOpenToOthers: boolean;
}

/** Undefined when there is nothing. Throws the error of the system. */
export function entryAt(path: string): Entry | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  const kind = found.isSymbolicLink() ? 'link' : found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'other';
  return { path, kind, ownerId: found.uid, isOpenToOthers: kind !== 'link' && (found.mode & OTHERS) !== 0 };
}

/** Everything below a folder. What goes while it is looked at is left out. Throws the error of the system. */
export function entriesBelow(folder: string): Entry[] {
  return readdirSync(folder).flatMap((name) => {
    const entry = entryAt(join(folder, name));
    if (!entry) return [];
    return entry.kind === 'folder' ? [entry, ...entriesBelow(entry.path)] : [entry];
  });
}

/** The folder itself, or the nearest one above it that is there. */
export function nearestExisting(path: string): string {
  return entryAt(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

export function isWritableFolder(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Bytes that this user can still write on the disk of a path that is there. Throws the error of the system. */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}
