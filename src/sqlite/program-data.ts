import { databaseUri } from './database.ts';

/** A database that the program was built with. It is never written. */
export interface ProgramData {
  all<R extends object>(sql: string, ...values: readonly string[]): R[];
  close(): void;
}

/**
 * Opens a database that is one of the program's own files: its path, or its bytes where the program is a single file. The folder may
 * belong to someone else and may be read-only, so nothing is written beside it. Throws SQLite's error.
 */
export async function openProgramData(file: string | Uint8Array): Promise<ProgramData> {
  const { DatabaseSync } = await import('node:sqlite');
  const isPath = typeof file === 'string';
  const connection = new DatabaseSync(isPath ? new URL(databaseUri(file, 'immutable=1')) : ':memory:', {
    readOnly: isPath,
  });
  if (!isPath) connection.deserialize(file);
  return {
    all: <R extends object>(sql: string, ...values: readonly string[]) => connection.prepare(sql).all(...values) as R[],
    close: () => connection.close(),
  };
}
