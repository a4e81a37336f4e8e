import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { entryAt, fileErrors } from './inspect.ts';
import { takeName } from './names.ts';
import { FILE_MODE, replaceFile } from './private-file.ts';
import { makePrivateFolder } from './private-folder.ts';

/** Why a file of bytes cannot be created or read. */
export type BytesProblem = 'exists' | 'missing' | 'not plain' | 'too long' | 'unusable';

export class BytesFileError extends Error {
  override name = 'BytesFileError';
  readonly problem: BytesProblem;

  constructor(problem: BytesProblem, cause?: unknown) {
    super(problem, { cause });
    this.problem = problem;
  }
}

/**
 * Creates a file that only its owner can read, flushed to disk. An existing file or link is never written to.
 * Throws BytesFileError and then leaves no new file behind.
 */
export function createPrivateBytes(path: string, bytes: Uint8Array): void {
  const file = opened(path, 'wx');
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw new BytesFileError('unusable', error);
  } finally {
    closeSync(file);
  }
}

/** Creates such a file of pieces as they come, and returns its size in bytes. Throws BytesFileError, or what the pieces throw, and then leaves no new file behind. */
export async function createPrivateFile(path: string, pieces: AsyncIterable<Uint8Array>): Promise<number> {
  const file = opened(path, 'wx');
  let size = 0;
  try {
    for await (const piece of pieces) {
      for (let at = 0; at < piece.length; ) at += written(() => writeSync(file, piece, at));
      size += piece.length;
    }
    written(() => fsyncSync(file));
    return size;
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

function written<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw new BytesFileError('unusable', error);
  }
}

/** Reads a regular file of at most `maxBytes`. Throws BytesFileError. */
export function readPlainBytes(path: string, maxBytes: number): Uint8Array {
  const kind = entryAt(path)?.kind;
  if (kind !== undefined && kind !== 'file') throw new BytesFileError('not plain');
  const file = opened(path, 'r');
  try {
    if (fstatSync(file).size > maxBytes) throw new BytesFileError('too long');
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function opened(path: string, flag: 'r' | 'wx'): number {
  try {
    return openSync(path, flag, FILE_MODE);
  } catch (error) {
    const { code } = error as { code?: unknown };
    throw new BytesFileError(code === 'EEXIST' ? 'exists' : code === 'ENOENT' ? 'missing' : 'unusable', error);
  }
}

const CHUNK_BYTES = 1024 * 1024;

/** Yields the lines of a regular file without reading it whole. Throws BytesFileError, also for a line longer than `maxLength` characters. */
export function* linesOf(path: string, maxLength: number): Generator<string> {
  const kind = entryAt(path)?.kind;
  if (kind === undefined) throw new BytesFileError('missing');
  const file = openPlain(path);
  try {
    const decoder = new TextDecoder();
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let rest = '';
    for (;;) {
      const length = readSync(file, chunk);
      const text = decoder.decode(chunk.subarray(0, length), { stream: length > 0 });
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
      if (rest.length > maxLength) throw new BytesFileError('too long');
      if (length === 0) break;
    }
    if (rest !== '') yield rest;
  } finally {
    closeSync(file);
  }
}

/** Opens a regular file. Without O_NONBLOCK, opening a FIFO would block. */
function openPlain(path: string): number {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw new BytesFileError('unusable', error);
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new BytesFileError('not plain');
}

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

/** A text that other programs of this user read; nothing in it is secret. Undefined if there is none. Throws CliError usage. */
export function readText(path: string): string | undefined {
  return fileErrors('read', path, () => (entryAt(path)?.kind === 'file' ? readFileSync(path, 'utf8') : undefined));
}

/** Writes such a text as a whole or not at all, and creates the folders above it. Throws CliError usage. */
export function writeText(path: string, text: string, unique: string): void {
  fileErrors('written', path, () => {
    makePrivateFolder(dirname(path));
    replaceFile(path, text, unique);
  });
}

/** Removes such a text. Throws CliError usage. */
export function removeText(path: string): void {
  fileErrors('removed', path, () => rmSync(path));
}

/**
 * Changes a text that the user wrote, such as ~/.bashrc, as a whole or not at all. Keeps its mode, every byte that is not changed and,
 * if it is a link, the link. `change` gets and returns one character per byte. Throws CliError usage.
 */
export function changeText(path: string, change: (text: string) => string, unique: string): void {
  fileErrors('written', path, () => {
    const at = entryAt(path) ? realpathSync(path) : path;
    const found = statSync(at, { throwIfNoEntry: false });
    const before = found ? readFileSync(at, 'latin1') : '';
    const after = change(before);
    if (after === before) return;
    const next = `${at}.${unique}`;
    writeFileSync(next, after, { encoding: 'latin1', flag: 'wx', mode: FILE_MODE });
    chmodSync(next, found ? found.mode & 0o777 : 0o644);
    takeName(next, at);
  });
}
