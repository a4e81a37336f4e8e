import { requireOwnDatabase } from './database-files.ts';

/** A damaged database. */
interface Salvage {
  /** Returns the rows up to the first one that cannot be read. */
  rows(sql: string, ...values: string[]): Record<string, unknown>[];
  close(): void;
}

/** Opens a damaged database for reading. Throws CliError usage for a link, a FIFO or another user's file, or SQLite's error. */
export async function openDamaged(path: string): Promise<Salvage> {
  const { DatabaseSync } = await import('node:sqlite');
  requireOwnDatabase(path);
  const connection = new DatabaseSync(path, { readOnly: true });
  return {
    rows: (sql, ...values) => {
      const found: Record<string, unknown>[] = [];
      try {
        for (const row of connection.prepare(sql).iterate(...values)) found.push(row);
      } catch {
        // What follows is damaged.
      }
      return found;
    },
    close: () => connection.close(),
  };
}
