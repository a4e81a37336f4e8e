import { accessSync, constants, lstatSync, readdirSync, readFileSync, realpathSync, statfsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CliError } from '../base/errors.ts';

/** Mode bits that let others read or write. */
const OTHERS = 0o077;

/** Mode bits with which the group may read, and nobody else may do anything. */
const GROUP_READS = 0o040;

/** Mode bits that let others write. */
const OTHERS_WRITE = 0o022;

/** A file, folder or link; links are not followed. On Windows, the folder of the user protects it, and nothing is open to others. */
export interface Entry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly sizeBytes: number;
  /** When its content was changed last: milliseconds since the epoch, by the clock of its disk. */
  readonly changedMs: number;
  /** The owner's user id. */
  readonly ownerId: number;
  /** Whether anyone except the owner may read or write it. */
  readonly isOpenToOthers: boolean;
  /** Whether anyone except the owner may write it. */
  readonly isWritableByOthers: boolean;
  /** The group that may read it, if others may do nothing else. */
  readonly readerGroupId: number | undefined;
}

/** Returns undefined when nothing is there. Throws the system's error. */
export function entryAt(path: string): Entry | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  const kind = found.isSymbolicLink() ? 'link' : found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'other';
  // Windows has no user ids and no modes, and says of every file that all may read and write it.
  const othersMay = kind === 'link' || process.getuid === undefined ? 0 : found.mode & OTHERS;
  const isOpenToOthers = othersMay !== 0;
  const isWritableByOthers = (othersMay & OTHERS_WRITE) !== 0;
  const readerGroupId = othersMay === GROUP_READS ? found.gid : undefined;
  const { size: sizeBytes, mtimeMs: changedMs, uid: ownerId } = found;
  return { path, kind, sizeBytes, changedMs, ownerId, isOpenToOthers, isWritableByOthers, readerGroupId };
}

/** Returns what stays while a file is written, and changes when another one takes its place; undefined when nothing is there. Throws the system's error. */
export function identityOf(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  return found && [found.ino, found.birthtimeNs].join(' ');
}

/** Returns a path without links. Throws the system's error. */
export function realPathOf(path: string): string {
  return realpathSync(path);
}

/** Returns the names in a folder. Throws the system's error. */
export function namesIn(folder: string): string[] {
  return readdirSync(folder);
}

/** Returns everything below a folder, or below what has such a name in it, except what disappears in the meantime. Throws the system's error. */
export function entriesBelow(folder: string, isMeant = (_name: string) => true): Entry[] {
  return namesIn(folder).flatMap((name) => {
    const entry = isMeant(name) ? entryAt(join(folder, name)) : undefined;
    if (!entry) return [];
    return entry.kind === 'folder' ? [entry, ...entriesBelow(entry.path)] : [entry];
  });
}

/** Returns the folder itself, or its nearest parent that exists. */
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

/** Returns the bytes that this user can still write to the disk of an existing path. Throws the system's error. */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/** Returns the text of a file that is not private, such as one in a project folder. Throws the system's error. */
export function readSharedFile(path: string): string {
  return readFileSync(path, 'utf8');
}

/** Returns the path of a file in the folder of another one. */
export function siblingPath(path: string, name: string): string {
  return join(dirname(path), name);
}

/** Returns the files in the folder of `path` whose names begin and end like this, sorted. Throws the system's error. */
export function siblingFiles(path: string, start: string, ending: string): string[] {
  const names = namesIn(dirname(path)).filter((name) => name.startsWith(start) && name.endsWith(ending));
  return names.sort().map((name) => siblingPath(path, name));
}

/** Returns the files beside `path` whose names continue its name. Throws the system's error. */
export function filesNamedAfter(path: string, start: string, ending: string): string[] {
  return siblingFiles(path, basename(path) + start, ending);
}

type Action = 'read' | 'written' | 'removed';

/** Runs `work` and turns a system error into CliError usage, which says what failed and what to do. */
export function fileErrors<T>(action: Action, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (error instanceof CliError || typeof code !== 'string' || !/^E[A-Z\d]+$/.test(code)) throw error;
    throw storeError(action, path, code, error);
  }
}

const DISK_FULL = ['ENOSPC', 'EDQUOT'];
const USE_OTHER_FOLDER = 'or set FIATRAIL_CONFIG_DIR to another folder';
const NOT_A_FOLDER = `a file is in the place of a folder: move it away, ${USE_OTHER_FOLDER}`;
const HINTS: Readonly<Record<string, string>> = {
  EROFS: `the disk is read-only: mount it for writing, ${USE_OTHER_FOLDER}`,
  ENOTDIR: NOT_A_FOLDER,
  EEXIST: NOT_A_FOLDER,
};

function storeError(action: Action, path: string, code: string, cause: unknown): CliError {
  if (DISK_FULL.includes(code))
    return new CliError('usage', `${path} cannot be ${action}: the disk is full`, {
      code: 'STORE_FULL',
      hint: 'free some space, then run the command again; the existing file was not changed',
      cause,
    });
  return new CliError('usage', `${path} cannot be ${action} (${code})`, {
    code: action === 'read' ? 'STORE_UNREADABLE' : 'STORE_UNWRITABLE',
    hint: HINTS[code] ?? `make sure that you own it and its folder and may write to them, ${USE_OTHER_FOLDER}`,
    cause,
  });
}
