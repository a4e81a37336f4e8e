import { identityOf } from '../../files/inspect.ts';
import type { Queries as ServerQueries } from '../../journal/store.ts';
import { type Database, type OpenOptions, openDatabase, requireParts, type SqlValue } from '../../sqlite/database.ts';
import { DatabaseError } from '../../sqlite/errors.ts';

/** One queued SQL statement. */
interface Query {
  readonly kind: 'all' | 'get' | 'run';
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/**
 * Work on an inbox: it yields its queries, and is given what they return. So a file answers in the same step, in which nothing else of this
 * process runs that could wait for the lock of the file, and a server when it can.
 */
export type Work<T> = Generator<Query, T, unknown>;

/** The queries of a transaction. The SQL is what SQLite and PostgreSQL have in common, with `?` or `?1` for each value. */
export interface Queries extends Pick<ServerQueries, 'engine' | 'now'> {
  all<R extends object>(sql: string, ...values: SqlValue[]): Work<R[]>;
  get<R extends object>(sql: string, ...values: SqlValue[]): Work<R | undefined>;
  /** Returns the number of changed rows. */
  run(sql: string, ...values: SqlValue[]): Work<number>;
}

function* asked<T>(kind: Query['kind'], sql: string, values: readonly SqlValue[]): Work<T> {
  return (yield { kind, sql, values }) as T;
}

const queriesOf = (engine: Queries['engine'], now: () => number): Queries => ({
  engine,
  now,
  all: (sql, ...values) => asked('all', sql, values),
  get: (sql, ...values) => asked('get', sql, values),
  run: (sql, ...values) => asked('run', sql, values),
});

/** The database of an inbox. Its methods reject with DatabaseError. */
export interface InboxStore {
  read<T>(work: (queries: Queries) => Work<T>): Promise<T>;
  /** Runs work in a transaction, which is rolled back if it throws, and flushed to disk before this resolves. One writes at a time. */
  write<T>(work: (queries: Queries) => Work<T>): Promise<T>;
  /** Rejects with DatabaseError if something other than fiatrail changed the database since it was opened. */
  check(): Promise<void>;
  /** Whether this role could take away what is in the database: it owns the tables on a server, or is a superuser. */
  isOwner(): Promise<boolean>;
  /** The error of an inbox that something other than fiatrail changed; `what` says in which way. */
  changed(what: string): DatabaseError;
  close(): Promise<void>;
}

/**
 * Opens an inbox in a file, creating it on first use; one that cannot be written can be read. Throws DatabaseError. A write into a file that was
 * deleted in the meantime throws `gone`: the system lets it through, and nothing of it would be found again.
 */
export async function openInboxFile(
  path: string,
  layout: OpenOptions['layout'],
  now: () => number,
  isToAdd = false,
): Promise<InboxStore> {
  const database = await openDatabase(path, { synchronous: 'FULL', isReadable: true, layout });
  // Many events at once rewrite the same pages of the indexes: fewer of them reach the disk if they stay in memory and in the log.
  database.exec(`PRAGMA cache_size = -${isToAdd ? 16_000 : 2_000}; PRAGMA wal_autocheckpoint = 4000`);
  // What undoes one statement: storing an event changes so many pages that SQLite would write each of them to a file first.
  database.exec('PRAGMA temp_store = MEMORY');
  const store = storeIn(database, now, { path, layout });
  if (path === ':memory:') return store;
  const identity = identityOf(path);
  return {
    ...store,
    write: async (work) => {
      const done = await store.write(work);
      if (identityOf(path) !== identity) throw new DatabaseError('gone', path, undefined);
      return done;
    },
  };
}

export function storeIn(
  database: Database,
  now: () => number,
  { path, layout }: { readonly path: string; readonly layout: OpenOptions['layout'] },
): InboxStore {
  const queries = queriesOf('sqlite', now);
  const done = <T>(work: Work<T>): T => {
    let step = work.next();
    while (!step.done) step = work.next(answerIn(database, step.value));
    return step.value;
  };
  return {
    read: async (work) => done(work(queries)),
    write: async (work) => database.transaction('write', () => done(work(queries))),
    check: async () => requireParts(database, path, layout),
    // Whoever may write a file owns it.
    isOwner: async () => false,
    changed: (what) => new DatabaseError('changed', path, new Error(what)),
    close: async () => database.close(),
  };
}

const answerIn = (database: Database, { kind, sql, values }: Query) => database[kind](sql, ...values);

/** Does work in a transaction on a server. */
export async function doneOn<T>(queries: ServerQueries, work: (queries: Queries) => Work<T>): Promise<T> {
  const running = work(queriesOf(queries.engine, queries.now));
  let step = running.next();
  while (!step.done) {
    const { kind, sql, values } = step.value;
    step = running.next(await queries[kind](sql, ...values));
  }
  return step.value;
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
