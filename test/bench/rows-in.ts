import { DatabaseSync } from 'node:sqlite';

/** Counts the rows of a table in a SQLite file that another process may be writing. */
export function rowsIn(path: string, table: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n']);
  } finally {
    database.close();
  }
}
