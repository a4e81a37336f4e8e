import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder } from '../files/private-folder.ts';
import { makeDatabasePrivate } from './database.ts';
import { DatabaseError, guardOf } from './errors.ts';

export interface Lock {
  /** Releases the lock; calling it again does nothing. */
  release(): void;
}

/**
 * Acquires an exclusive lock that the system releases however the process ends. It locks an empty SQLite file at `path`,
 * which is never deleted. Blocks this process for up to `waitMs`; returns undefined if the lock is still taken then.
 * Throws DatabaseError, or CliError usage for a link, a FIFO or another user's file.
 */
export async function acquireLock(path: string, waitMs: number): Promise<Lock | undefined> {
  const { DatabaseSync } = await import('node:sqlite');
  const guard = guardOf(path);
  return guard(() => {
    makeDatabasePrivate(path);
    makeLockFile(path);
    const connection = new DatabaseSync(path, { timeout: waitMs });
    try {
      // Prevents a journal file, which would stay behind if the process is killed.
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

/** Does not open an existing file: under POSIX rules, closing it would release any lock this process has on it. */
function makeLockFile(path: string): void {
  makePrivateFolder(dirname(path));
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
  }
}
