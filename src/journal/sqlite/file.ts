import { CliError } from '../../base/errors.ts';
import type { Database } from '../../sqlite/database.ts';
import { SnapshotError, writeSnapshot } from '../../sqlite/snapshot.ts';
import type { Queries } from '../store.ts';

/** The queries of a file, as those of a server. */
export const queriesOf = (database: Database, now: () => number): Queries => ({
  engine: 'sqlite',
  all: async (sql, ...values) => database.all(sql, ...values),
  get: async (sql, ...values) => database.get(sql, ...values),
  run: async (sql, ...values) => database.run(sql, ...values),
  now,
});

/** Runs work in a transaction that was begun. Rolls it back if the work rejects. */
export async function ended<T>(database: Database, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    try {
      database.exec('ROLLBACK');
    } catch {
      // A full disk has rolled it back already; the first error matters.
    }
    throw error;
  }
}

const WHY = { exists: 'the file already exists', missing: 'the folder does not exist' } as const;

/** Copies a file to a new private one, also while other processes use it. Returns its bytes. Throws CliError usage. */
export function backUp(database: Database, path: string): number {
  try {
    return writeSnapshot(database, path);
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    const why = WHY[error.problem as keyof typeof WHY] ?? 'the file cannot be written';
    throw new CliError('usage', `${path}: ${why}`, {
      code: 'UNUSABLE_FILE',
      hint: 'backup needs a path that does not exist yet',
      cause: error,
    });
  }
}
