import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { CliError } from '../base/errors.ts';

/** A file that someone else wrote, open for reading from its start to its end. */
interface FileParts {
  readonly bytes: number;
  /** Whether users other than its owner, who must be this one, can read it. */
  readonly isOpenToOthers: boolean;
  /** Yields its bytes, and closes it. Throws CliError usage if it changes meanwhile. */
  parts(): Generator<Uint8Array>;
}

/** Little enough that the rows of one part are gone before the garbage collector has to move them. */
const PART_BYTES = 64 * 1024;

const GROUP_AND_OTHERS = 0o077;

/** Opens a file for a user; `userId` is undefined on systems without user ids. Throws CliError usage if it cannot be read, or is no file. */
export function openFileParts(path: string, userId: number | undefined): FileParts {
  // Without NONBLOCK, opening a pipe would wait for someone who writes to it.
  const file = orUnusable(path, () => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
  const opened = fstatSync(file);
  if (!opened.isFile()) {
    closeSync(file);
    throw unusable(path, opened.isDirectory() ? 'it is a folder' : 'it is not a file');
  }
  return {
    bytes: opened.size,
    isOpenToOthers: userId !== undefined && (opened.uid !== userId || (opened.mode & GROUP_AND_OTHERS) !== 0),
    *parts() {
      try {
        for (;;) {
          const part = new Uint8Array(PART_BYTES);
          const count = orUnusable(path, () => readSync(file, part));
          if (count === 0) break;
          yield part.subarray(0, count);
        }
        if (!isSame(opened, fstatSync(file)) || !isSame(opened, statSync(path, { throwIfNoEntry: false })))
          throw new CliError('usage', `${path} changed while it was read; nothing was sent`, {
            code: 'FILE_CHANGED',
            hint: 'wait until it is written, then run the command again',
          });
      } finally {
        closeSync(file);
      }
    },
  };
}

const isSame = (one: Stats, other: Stats | undefined): boolean =>
  other !== undefined && one.ino === other.ino && one.size === other.size && one.mtimeMs === other.mtimeMs;

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  EISDIR: 'it is a folder',
};

function orUnusable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const code = String((error as { readonly code?: unknown }).code);
    throw unusable(path, WHY[code] ?? `it cannot be read (${code})`);
  }
}

const unusable = (path: string, why: string) =>
  new CliError('usage', `${path}: ${why}`, { code: 'UNUSABLE_FILE', hint: 'give the path of a CSV file' });
