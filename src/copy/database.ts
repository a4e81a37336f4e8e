import { oneAtATime } from '../base/calls.ts';
import type { World } from '../base/world.ts';
import { backUp, ended, queriesOf } from '../journal/sqlite/file.ts';
import type { Queries } from '../journal/store.ts';
import { type Database, openDatabase, type SqlValue } from '../sqlite/database.ts';
import { acquireLock } from '../sqlite/lock.ts';
import { partsMadeBy } from '../sqlite/parts.ts';
import { tableInFile } from '../store/ddl.ts';
import { insertion, type RowOf, replacing } from '../store/table.ts';
import { booksIn, bookViewInFile } from './book-entries.ts';
import { creation } from './creation.ts';
import { type Filler, fillerOf } from './filler.ts';
import { FILE_ID, FILLER, later, tables, VERSION } from './schema.ts';

/** The copy of an account's lists. Losing it loses nothing but balances over time and rows that the service no longer shows. */
export interface LocalCopy {
  readonly engine: Queries['engine'];
  /** For messages: a path, or the name of a server. */
  readonly name: string;
  /** Runs work that sees one moment of the local copy. Rejects with DatabaseError. */
  read<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Runs work in a transaction, which is rolled back if it throws. Rejects with DatabaseError. */
  write<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Makes this process the one that fills the local copy; undefined if another one is. */
  lock(): Promise<AsyncDisposable | undefined>;
  /** The process that fills it now, as far as this host can tell. */
  filler(): Promise<Filler | undefined>;
  /** Overwrites on disk what was deleted. */
  erase(): Promise<void>;
  /** Copies it to a new private file. Returns its bytes; undefined for a server. Throws CliError usage. */
  backUp(path: string): number | undefined;
  close(): Promise<void>;
}

/** The memory for pages, and for what is sorted into an index, in KiB: the system keeps the file in memory too. */
const CACHE_KIB = 8_192;

/** How many pages are written before SQLite moves them from its log to the file: each is then moved once for many writes, and flushed less often. */
const LOG_PAGES = 8_000;

/** Opens the local copy in a SQLite file, creating it on first use. Throws DatabaseError, or CliError usage for another user's file. */
export async function openCopyFile(
  path: string,
  { clock, host, ids }: Pick<World, 'clock' | 'host' | 'ids'>,
): Promise<LocalCopy> {
  const statements = [...tables().map((table) => tableInFile(table, true)), ...creation('sqlite')];
  const database = await openDatabase(path, {
    synchronous: 'NORMAL',
    isReadable: true,
    layout: {
      version: VERSION,
      applicationId: FILE_ID,
      create: (created) => created.exec(statements.join(';\n')),
      parts: () => ({ needed: partsMadeBy(statements), optional: partsMadeBy(later()) }),
      // A copy would keep what is personal.
      isCopied: false,
    },
  });
  // What was personal must not stay in free pages.
  database.exec(
    `PRAGMA secure_delete = ON; PRAGMA cache_size = -${CACHE_KIB}; PRAGMA wal_autocheckpoint = ${LOG_PAGES}`,
  );
  const inTurn = oneAtATime();
  const queries = withBooks(database, queriesOf(database, clock.now));
  const inTransaction = <T>(begin: string, work: (queries: Queries) => Promise<T>): Promise<T> =>
    inTurn(async () => {
      database.exec(begin);
      return ended(database, () => work(queries));
    });
  const read: LocalCopy['read'] = (work) => inTransaction('BEGIN', work);
  const write: LocalCopy['write'] = (work) => inTransaction('BEGIN IMMEDIATE', work);
  const lockFile = () => acquireLock(`${path}.lock`, 0);
  return {
    engine: 'sqlite',
    name: path,
    read,
    write,
    lock: async () => {
      const lock = await lockFile();
      if (!lock) return undefined;
      const row = {
        id: 1,
        holder: ids.uuid(),
        host: host.name,
        process: host.processId,
        run: host.runOf?.(host.processId),
        since: clock.now(),
      };
      const columns = ['holder', 'host', 'process', 'run', 'since'] as const;
      try {
        await write((queries) => queries.run(...insertion(FILLER, [row], replacing(FILLER, columns))));
      } catch (error) {
        lock.release();
        throw error;
      }
      return { [Symbol.asyncDispose]: async () => lock.release() };
    },
    filler: async () => {
      const found = await read((queries) => queries.get<RowOf<typeof FILLER>>('SELECT * FROM filler'));
      if (!found) return undefined;
      // The system releases the lock of a process that has ended, however it did.
      const lock = await lockFile();
      lock?.release();
      return lock ? undefined : fillerOf(found);
    },
    erase: async () => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
    backUp: (to) => backUp(database, to),
    close: async () => database.close(),
  };
}

/** Gives the connection the views of the books that a statement names, before it runs. */
function withBooks(database: Database, queries: Queries): Queries {
  const prepare = (sql: string) => {
    // What is made in a transaction that is rolled back is gone.
    for (const name of booksIn(sql))
      if (!database.get('SELECT 1 AS found FROM sqlite_temp_schema WHERE name = ?', name))
        database.exec(bookViewInFile(name));
  };
  const after =
    <T>(ask: (sql: string, ...values: readonly SqlValue[]) => Promise<T>) =>
    async (sql: string, ...values: readonly SqlValue[]) => {
      prepare(sql);
      return ask(sql, ...values);
    };
  return {
    ...queries,
    all: after(queries.all) as Queries['all'],
    get: after(queries.get) as Queries['get'],
    run: after(queries.run),
  };
}
