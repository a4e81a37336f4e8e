import { entryAt } from '../files/inspect.ts';
import { makeFilePrivate, removePrivateFile, requireOwnFile } from '../files/private-file.ts';

/** What SQLite adds to the name of a database for the files beside it. */
const SUFFIXES = ['', '-wal', '-shm'] as const;

/**
 * Rejects a link, a FIFO, a device or a file of another user in the place of a database: opening a FIFO would block this
 * process, signals included. Throws CliError usage.
 */
export function requireOwnDatabase(path: string): void {
  onEachFile(path, requireOwnFile);
}

/** Rejects what `requireOwnDatabase` rejects, and restricts the files to their owner. Throws CliError usage. */
export function makeDatabasePrivate(path: string): void {
  onEachFile(path, makeFilePrivate);
}

/** Removes a database, whatever is in it. Throws CliError usage, or the system's error. */
export function removeDatabase(path: string): void {
  // The log goes first: without it, a database that is left over is only older.
  for (const suffix of SUFFIXES.toReversed()) removePrivateFile(path + suffix);
}

function onEachFile(path: string, act: (path: string) => void): void {
  for (const suffix of SUFFIXES) {
    // A folder is reported by the open call itself.
    if (entryAt(path + suffix)?.kind !== 'folder') act(path + suffix);
  }
}

/** Returns the URI by which SQLite opens a file, with a parameter such as `mode=ro`. */
export function databaseUri(path: string, parameter: string): string {
  const location = encodeURI(path.replaceAll('\\', '/')).replaceAll('?', '%3F').replaceAll('#', '%23');
  return `file:${location.startsWith('/') ? '' : '/'}${location}?${parameter}`;
}
