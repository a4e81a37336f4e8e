import { closeSync, linkSync, openSync, renameSync } from 'node:fs';

/** How often, and after what pause, a name is tried again that Windows does not give: a second altogether. */
const [TRIES, PAUSE_MS] = [40, 25];

/** What Windows says of a file that a virus scanner or an indexer has open at the moment. */
const HELD: readonly unknown[] = ['EPERM', 'EACCES', 'EBUSY'];

/** Gives a file another name, in place of the file that has it. Throws the system's error, and then nothing has changed. */
export function takeName(from: string, to: string): void {
  for (let triesLeft = process.platform === 'win32' ? TRIES : 0; ; triesLeft--) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if (triesLeft === 0 || !HELD.includes(codeOf(error))) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

/** What a disk without hard links says, such as a USB stick; Windows says EISDIR. */
const NO_LINKS: readonly unknown[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR'];

/** Gives a file a name that no other one has; whether it keeps its own depends on the disk. Throws the system's error: EEXIST if the name is taken. */
export function takeFreeName(from: string, to: string): void {
  try {
    // Unlike a rename, this never replaces a file that appeared meanwhile.
    linkSync(from, to);
  } catch (error) {
    if (!NO_LINKS.includes(codeOf(error))) throw error;
    // Of two processes, one creates this file. A kill before it is replaced leaves it empty.
    closeSync(openSync(to, 'wx', 0o600));
    takeName(from, to);
  }
}

const codeOf = (error: unknown) => (error as { readonly code?: unknown }).code;
