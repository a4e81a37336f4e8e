import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { CliError } from '../base/errors.ts';
import { entryAt } from './inspect.ts';
import { FILE_MODE, readPrivateFile, replaceFileUnflushed, requireOwnFile } from './private-file.ts';

/** A file that gets its name once it is whole. Until then it is beside it, with how far it came, so that a later run can go on. */
export interface PartFile {
  /** Where an earlier run stopped; undefined if there was none. */
  readonly cursor: string | undefined;
  write(text: string): void;
  /** Remembers that everything up to now belongs to this cursor. */
  keep(cursor: string): void;
  /** Gives the file its name. */
  finish(): void;
  close(): void;
}

const partOf = (path: string) => `${path}.part`;
const stateOf = (path: string) => `${path}.part.json`;

/** What an earlier run kept; undefined if there is nothing that this version can use. */
function keptState(path: string): { readonly bytes: number; readonly cursor: string } | undefined {
  try {
    const { bytes, cursor } = JSON.parse(readPrivateFile(stateOf(path)) ?? '{}') as Record<string, unknown>;
    if (typeof cursor === 'string' && typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes >= 0)
      return { bytes, cursor };
  } catch (error) {
    if (error instanceof CliError) throw error;
  }
  return undefined;
}

const exists = (path: string) =>
  new CliError('usage', `--output-file: ${path} already exists; nothing was read`, {
    code: 'UNUSABLE_FILE',
    hint: 'give the path of a file that does not exist',
  });

/** Turns a system error into one sentence. What was written stays, so that a later run can go on. */
function withSentences<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (error instanceof CliError || typeof code !== 'string') throw error;
    const isFull = code === 'ENOSPC' || code === 'EDQUOT';
    const why = isFull ? 'the disk is full' : `it cannot be written (${code})`;
    throw new CliError('usage', `--output-file: ${path}: ${why}`, {
      code: isFull ? 'STORE_FULL' : 'STORE_UNWRITABLE',
      hint: isFull ? 'free some space' : 'give a file in a folder that exists and that you may write to',
      cause: error,
    });
  }
}

/** Opens the part of a file, or creates it. `unique` keeps two writers of its state apart. Throws CliError usage. */
export function openPartFile(path: string, unique: () => string): PartFile {
  if (entryAt(path)) throw exists(path);
  const part = partOf(path);
  return withSentences(path, () => {
    requireOwnFile(part);
    const kept = entryAt(part) ? keptState(path) : undefined;
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
    const file = openSync(part, flags, FILE_MODE);
    // A part that is shorter than what was kept of it was changed by something else.
    const isWhole = kept !== undefined && fstatSync(file).size >= kept.bytes;
    let bytes = isWhole ? kept.bytes : 0;
    return {
      cursor: isWhole ? kept.cursor : undefined,
      write: (text) =>
        withSentences(path, () => {
          const chunk = Buffer.from(text);
          for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at, chunk.length - at, bytes + at);
          bytes += chunk.length;
        }),
      keep: (cursor) =>
        withSentences(path, () => replaceFileUnflushed(stateOf(path), JSON.stringify({ bytes, cursor }), unique())),
      finish: () =>
        withSentences(path, () => {
          ftruncateSync(file, bytes);
          fsyncSync(file);
          try {
            // Unlike a rename, this never replaces a file that appeared meanwhile.
            linkSync(part, path);
          } catch (error) {
            throw (error as { code?: unknown }).code === 'EEXIST' ? exists(path) : error;
          }
          rmSync(part, { force: true });
          rmSync(stateOf(path), { force: true });
        }),
      close: () => closeSync(file),
    };
  });
}
