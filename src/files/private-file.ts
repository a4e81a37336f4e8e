import {
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from '../base/errors.ts';
import { makePrivateFolder } from './folders.ts';
import { entryAt } from './inspect.ts';

/** Only its owner may read a file, and only they may look into a folder. */
export const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

const linkError = (path: string) =>
  new CliError('usage', `${path} is a symbolic link, and no secret or profile is kept behind one`, {
    code: 'SYMLINK',
    hint: 'remove the link, then run the command again',
  });

const inTheWay = (path: string, isWhat: string) =>
  new CliError('usage', `${path} is no ${isWhat}, and one is needed there`, {
    code: 'IN_THE_WAY',
    hint: 'move it away, then run the command again',
  });

/** Makes a folder private that others can enter; false when there is none. Throws CliError usage, or the error of the system. */
export function makeFolderPrivate(path: string): boolean {
  const found = entryAt(path);
  if (!found) return false;
  if (found.kind === 'link') throw linkError(path);
  if (found.kind !== 'folder') throw inTheWay(path, 'folder');
  if (found.isOpenToOthers) chmodSync(path, FOLDER_MODE);
  return true;
}

/** A folder that is there and private afterwards. Throws CliError usage, or the error of the system. */
export function ensurePrivateFolder(path: string): void {
  if (!makeFolderPrivate(path)) makePrivateFolder(path);
}

/** Refuses a path behind which something else may stand. Throws CliError usage. */
export function requireOwnFile(path: string): void {
  const found = entryAt(path);
  if (found?.kind === 'link') throw linkError(path);
  if (found && found.kind !== 'file') throw inTheWay(path, 'file');
}

/** The text of a private file; undefined when there is none. A mode that lets others read is mended. Throws CliError usage, or the error of the system. */
export function readPrivateFile(path: string): string | undefined {
  requireOwnFile(path);
  const found = entryAt(path);
  if (!found) return undefined;
  if (found.isOpenToOthers) chmodSync(path, FILE_MODE);
  return readFileSync(path, 'utf8');
}

/**
 * Writes a private file whole or not at all: a temporary one beside it is on the disk before it takes the name. `unique`
 * keeps two writers apart. Throws CliError usage, or the error of the system (ENOSPC, EACCES), with the old text still there.
 */
export function writePrivateFile(path: string, text: string, unique: string): void {
  ensurePrivateFolder(dirname(path));
  writeFileWhole(path, text, unique);
}

/** The same in a folder that is not ours to change. */
export function writeFileWhole(path: string, text: string, unique: string): void {
  requireOwnFile(path);
  const temporary = join(dirname(path), `.${unique}.tmp`);
  try {
    writeThrough(temporary, text);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

function writeThrough(path: string, text: string): void {
  // wx: nothing that stands there already is written to, a planted link least of all.
  const file = openSync(path, 'wx', FILE_MODE);
  try {
    writeAll(file, text);
  } finally {
    closeSync(file);
  }
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at);
  fsyncSync(file);
}

/** The new name is on the disk too, where the system has that for folders. By now the text is: a failure changes nothing. */
function syncFolder(path: string): void {
  try {
    const folder = openSync(path, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {
    // Windows opens no folders.
  }
}

/** Removes a private file; a link in its place is removed, not what it points to. Throws CliError usage, or the error of the system. */
export function removePrivateFile(path: string): void {
  // Behind a folder that is a link stands the file of somebody else.
  if (!makeFolderPrivate(dirname(path))) return;
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
  }
}

/** Sees whether a folder has room for so many bytes. Throws the error of the system. */
export function requireSpace(folder: string, bytes: number, unique: string): void {
  const temporary = join(folder, `.${unique}.tmp`);
  try {
    writeThrough(temporary, ' '.repeat(bytes));
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Takes room for a text that must be kept even when the disk is full by then. Throws CliError usage, or the error of the system. */
export function reservePrivateFile(path: string, bytes: number): void {
  ensurePrivateFolder(dirname(path));
  writeThrough(path, ' '.repeat(bytes));
  syncFolder(dirname(path));
}

/** Writes a text into the room that was taken for it: on the disk when this returns. A kill in the midst may leave blanks after it. */
export function fillReservedFile(path: string, text: string): void {
  const file = openSync(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
  try {
    writeAll(file, text);
    ftruncateSync(file, Buffer.byteLength(text));
  } finally {
    closeSync(file);
  }
}
