import { rmSync } from 'node:fs';
import { createPrivateBytes, readPlainBytes } from '../files/bytes-file.ts';
import type { Database, OpenOptions } from './database.ts';
import { restoreSnapshot, writeSnapshot } from './snapshot.ts';

/**
 * Returns a consistent copy of the database as the bytes of a file. `unique` keeps two copies apart. No transaction may
 * be open. Throws SnapshotError.
 */
export function snapshotBytes(database: Database, unique: string): Uint8Array {
  return withFile(database, unique, (path) => {
    writeSnapshot(database, path);
    return readPlainBytes(path, Number.MAX_SAFE_INTEGER);
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
