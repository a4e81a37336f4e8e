import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { BytesFileError } from './bytes-file.ts';
import { entryAt } from './inspect.ts';

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
