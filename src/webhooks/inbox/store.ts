import { oneAtATime } from '../../base/one-at-a-time.ts';
import type { Queries } from '../../journal/store.ts';
import { type Database, type OpenOptions, openDatabase } from '../../sqlite/database.ts';

/** The database of an inbox. Its methods reject with DatabaseError. */
export interface InboxStore {
  read<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Runs work in a transaction, which is rolled back if it throws, and flushed to disk before this resolves. One writes at a time. */
  write<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Opens an inbox in a file, creating it on first use; one that cannot be written can be read. Throws DatabaseError. */
export async function openInboxFile(
  path: string,
  layout: OpenOptions['layout'],
  now: () => number,
): Promise<InboxStore> {
  const database = await openDatabase(path, { synchronous: 'FULL', isReadable: true, layout });
  // Many events at once rewrite the same pages of the indexes: fewer of them reach the disk if they stay in memory and in the log.
  database.exec('PRAGMA cache_size = -16000; PRAGMA wal_autocheckpoint = 4000');
  return storeIn(database, now);
}

export function storeIn(database: Database, now: () => number): InboxStore {
  const inTurn = oneAtATime();
  const queries: Queries = {
    engine: 'sqlite',
    all: async (sql, ...values) => database.all(sql, ...values),
    get: async (sql, ...values) => database.get(sql, ...values),
    run: async (sql, ...values) => database.run(sql, ...values),
    now,
  };
  return {
    // In turn, so that nothing is read in the middle of a transaction.
    read: (work) => inTurn(() => work(queries)),
    write: (work) =>
      inTurn(async () => {
        database.run('BEGIN IMMEDIATE');
        try {
          const result = await work(queries);
          database.run('COMMIT');
          return result;
        } catch (error) {
          try {
            database.run('ROLLBACK');
          } catch {
            // A full disk has rolled it back already; the first error matters.
          }
          throw error;
        }
      }),
    close: () => inTurn(async () => database.close()),
  };
}

/** What SQLite and PostgreSQL write in different words. */
const WORDS = {
  sqlite: {
    bytes: (hex: string) => `unhex(${hex})`,
    numbersIn: (json: string) => `(SELECT value FROM json_each(${json}))`,
    textsIn: (json: string) => `(SELECT value FROM json_each(${json}))`,
    larger: 'max',
    smaller: 'min',
  },
  postgres: {
    bytes: (hex: string) => `decode(${hex}, 'hex')`,
    numbersIn: (json: string) => `(SELECT value::bigint FROM json_array_elements_text(${json}::json) AS each (value))`,
    textsIn: (json: string) => `(SELECT value FROM json_array_elements_text(${json}::json) AS each (value))`,
    larger: 'greatest',
    smaller: 'least',
  },
} as const;

export const wordsOf = ({ engine }: Pick<Queries, 'engine'>) => WORDS[engine];
