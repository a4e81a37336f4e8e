import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder } from '../files/folders.ts';
import { DatabaseError, guardOf } from './database.ts';

export interface Lock {
  /** Lets others in; a second time it does nothing. */
  release(): void;
}

/**
 * A lock of one process at a time, which the system itself takes back however the process ends: the lock of an empty SQLite
 * file at `path`, which stays behind and holds nothing. Waits up to `waitMs` milliseconds, during which nothing else of this
 * process runs; undefined when others held it all that time. Throws DatabaseError.
 */
export async function acquireLock(path: string, waitMs: number): Promise<Lock | undefined> {
  const { DatabaseSync } = await import('node:sqlite');
  const guard = guardOf(path);
  return guard(() => {
    makeLockFile(path);
    const connection = new DatabaseSync(path, { timeout: waitMs });
    try {
      // Else a journal stands beside the file as soon as it is locked, and stays there when the process is killed.
      guard(() => connection.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'));
    } catch (error) {
      connection.close();
      if (error instanceof DatabaseError && error.problem === 'busy') return undefined;
      throw error;
    }
    return {
      release: () => {
        if (connection.isOpen) connection.close();
      },
    };
  });
}

/** A file that is there is not opened: closing it would give up, by the rules of POSIX, a lock that this process has on it. */
function makeLockFile(path: string): void {
  makePrivateFolder(dirname(path));
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
  }
}
