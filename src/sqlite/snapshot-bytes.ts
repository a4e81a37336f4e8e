import { rmSync } from 'node:fs';
import { BytesFileError, createPrivateBytes, readPlainBytes } from '../files/plain-file.ts';
import type { Database, OpenOptions } from './database.ts';
import { restoreSnapshot, writeSnapshot } from './snapshot.ts';

/**
 * Returns a consistent copy of the database as the bytes of a file. `unique` keeps two copies apart. No transaction may
 * be open. Undefined if it has more bytes than `maxBytes`, which are then not read. Throws SnapshotError.
 */
export function snapshotBytes(database: Database, unique: string, maxBytes: number): Uint8Array | undefined {
  return withFile(database, unique, (path) => {
    writeSnapshot(database, path);
    try {
      return readPlainBytes(path, maxBytes);
    } catch (error) {
      if (error instanceof BytesFileError && error.problem === 'too long') return undefined;
      throw error;
    }
  });
}

/** Replaces the content of the database with that of a snapshot, as `restoreSnapshot` does. Throws SnapshotError. */
export function restoreBytes(
  database: Database,
  bytes: Uint8Array,
  unique: string,
  layout: Pick<OpenOptions['layout'], 'version' | 'applicationId'>,
  finish: () => void,
): void {
  withFile(database, unique, (path) => {
    createPrivateBytes(path, bytes);
    restoreSnapshot(database, path, layout, finish);
  });
}

/** Runs work with the path of a private file beside the database, and removes it with what SQLite adds for a file in WAL mode. */
function withFile<T>(database: Database, unique: string, work: (path: string) => T): T {
  const main = database.get<{ file: string }>(`SELECT file FROM pragma_database_list WHERE name = 'main'`)?.file;
  if (!main) throw new Error('a database in memory has no place for a snapshot');
  const path = `${main}.${unique}.snapshot`;
  try {
    return work(path);
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  }
}
