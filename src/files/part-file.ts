import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { CliError, jsonIn } from '../base/errors.ts';
import type { Host } from '../base/world.ts';
import { type Entry, entryAt } from './inspect.ts';
import { takeFreeName } from './names.ts';
import { FILE_MODE, readPrivateFile, replaceFileUnflushed, requireOwnFile } from './private-file.ts';

/** A file that gets its name once it is whole. Until then it is beside it, with how far it came, so that a later run can go on. */
export interface PartFile {
  /** Where an earlier run stopped; undefined if there was none. */
  readonly cursor: string | undefined;
  write(text: string): void;
  /** Saves that everything up to now belongs to this cursor. */
  saveCursor(cursor: string): void;
  /** Gives the file its name. */
  finish(): void;
  close(): void;
}

/** Opens the part of a file, or creates it, for one process at a time. `unique` names its temporary files. Throws CliError usage. */
export function openPartFile(
  path: string,
  unique: () => string,
  host: Pick<Host, 'processId' | 'isRunning'>,
): PartFile {
  const part = partOf(path);
  const saveCursor = (state: PartState) =>
    replaceFileUnflushed(stateOf(path), JSON.stringify({ of: MARK, ...state }), unique());
  return withSentences(path, () => {
    const found = entryAt(path);
    if (found) throw exists(found);
    requireOwnFile(part);
    lock(path, host);
    try {
      const saved = savedCursor(path);
      if (!saved && entryAt(part)) throw foreign(part);
      // Before the part, so that a part without it is not ours.
      if (!saved) saveCursor({ bytes: 0, cursor: null });
      const file = openSync(part, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, FILE_MODE);
      const { size, nlink } = fstatSync(file);
      if (nlink > 1) {
        closeSync(file);
        throw foreign(part);
      }
      // A part that is shorter than what was saved of it was changed by something else.
      return partFile(path, file, saved && size >= saved.bytes ? saved : { bytes: 0, cursor: null }, saveCursor);
    } catch (error) {
      rmSync(lockOf(path), { force: true });
      throw error;
    }
  });
}

const partOf = (path: string) => `${path}.part`;
const stateOf = (path: string) => `${path}.part.json`;
const lockOf = (path: string) => `${path}.part.lock`;

/** What the state of a part begins with. */
const MARK = 'fiatrail output file';

/** How far a part came: its bytes, and the cursor that goes on after them; null before the first page. */
interface PartState {
  readonly bytes: number;
  readonly cursor: string | null;
}

/** Returns how far an earlier run came; undefined if there was none. Throws CliError usage for a file that fiatrail did not write. */
function savedCursor(path: string): PartState | undefined {
  const text = readPrivateFile(stateOf(path));
  if (text === undefined) return undefined;
  const { bytes, cursor, of } = (jsonIn(text) ?? {}) as Record<string, unknown>;
  const isOurs = of === MARK && typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes >= 0;
  if (isOurs && (cursor === null || typeof cursor === 'string')) return { bytes, cursor };
  throw foreign(stateOf(path));
}

const foreign = (path: string) =>
  new CliError('usage', `--output-file: ${path} exists, and fiatrail did not write it; nothing was read`, {
    code: 'UNUSABLE_FILE',
    hint: 'move it away, or give another file',
  });

/** Throws CliError usage if another process writes this file. A process that was killed holds nothing. */
function lock(path: string, { processId, isRunning }: Pick<Host, 'processId' | 'isRunning'>): void {
  const file = lockOf(path);
  for (const _ of ['first', 'after a killed process']) {
    try {
      writeFileSync(file, String(processId), { flag: 'wx', mode: FILE_MODE });
      return;
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
    }
    const holder = Number(readPrivateFile(file) ?? '0');
    if (!Number.isSafeInteger(holder) || holder === processId || isRunning(holder)) break;
    rmSync(file, { force: true });
  }
  throw new CliError('usage', `--output-file: another command is writing ${path}; nothing was read`, {
    code: 'UNUSABLE_FILE',
    hint: 'wait for it, or give another file',
  });
}

/** Whether an earlier run left a part that can be resumed. */
function canResume(path: string): boolean {
  try {
    return entryAt(partOf(path)) !== undefined && savedCursor(path) !== undefined;
  } catch {
    return false;
  }
}

/** Returns the error for an existing path. If a part is next to it, the file appeared while the part was written, and the part can be resumed. */
function exists({ path, kind }: Entry): CliError {
  const isFolder = kind === 'folder';
  const isPart = !isFolder && canResume(path);
  const goOn = `move it away, then run the same command again to resume from ${partOf(path)}`;
  return new CliError(
    'usage',
    `--output-file: ${path} ${isFolder ? 'is a folder' : 'already exists'}; nothing was read`,
    {
      code: 'UNUSABLE_FILE',
      hint: isPart ? goOn : `give the path of a file that does not exist${isFolder ? ', such as one in it' : ''}`,
    },
  );
}

const appeared = (path: string) =>
  new CliError('usage', `--output-file: ${path} appeared meanwhile and was left alone`, {
    code: 'UNUSABLE_FILE',
    hint: `move it away; the rows are in ${partOf(path)}`,
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

/** The methods of an open part. */
function partFile(path: string, file: number, saved: PartState, saveCursor: (state: PartState) => void): PartFile {
  const part = partOf(path);
  let { bytes } = saved;
  return {
    cursor: saved.cursor ?? undefined,
    write: (text) =>
      withSentences(path, () => {
        const chunk = Buffer.from(text);
        for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at, chunk.length - at, bytes + at);
        bytes += chunk.length;
      }),
    saveCursor: (cursor) => withSentences(path, () => saveCursor({ bytes, cursor })),
    finish: () =>
      withSentences(path, () => {
        ftruncateSync(file, bytes);
        fsyncSync(file);
        try {
          takeFreeName(part, path);
        } catch (error) {
          throw (error as { code?: unknown }).code === 'EEXIST' ? appeared(path) : error;
        }
        rmSync(part, { force: true });
        rmSync(stateOf(path), { force: true });
      }),
    close: () => {
      closeSync(file);
      rmSync(lockOf(path), { force: true });
    },
  };
}
