import { closeSync, fstatSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { entryAt } from './inspect.ts';
import { FILE_MODE } from './private-file.ts';

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
