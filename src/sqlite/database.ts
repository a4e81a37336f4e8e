import { closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { entryAt } from '../files/inspect.ts';
import { takeName } from '../files/names.ts';
import { makeFilePrivate, removePrivateFile, requireOwnFile } from '../files/private-file.ts';
import { DatabaseError, guardOf } from './errors.ts';
import { changeOfFile, PARTS_OF_FILE, type Part, type Parts } from './parts.ts';

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

/** What SQLite adds to the name of a database for the files beside it. */
const SUFFIXES = ['', '-wal', '-shm'] as const;

/**
 * Rejects a link, a FIFO, a device or a file of another user in the place of a database: opening a FIFO would block this
 * process, signals included. Throws CliError usage.
 */
export function requireOwnDatabase(path: string): void {
  onEachFile(path, requireOwnFile);
}

/** Rejects what `requireOwnDatabase` rejects, and restricts the files to their owner. Throws CliError usage. */
export function makeDatabasePrivate(path: string): void {
  onEachFile(path, makeFilePrivate);
}

/** Removes a database, whatever is in it. Throws CliError usage, or the system's error. */
export function removeDatabase(path: string): void {
  // The log goes first: without it, a database that is left over is only older.
  for (const suffix of SUFFIXES.toReversed()) removePrivateFile(path + suffix);
}

function onEachFile(path: string, act: (path: string) => void): void {
  for (const suffix of SUFFIXES) {
    // A folder is reported by the open call itself.
    if (entryAt(path + suffix)?.kind !== 'folder') act(path + suffix);
  }
}

/**
 * Returns the URI by which SQLite opens a file, with a parameter such as `mode=ro`. On Windows, where `separator` is a backslash, the path begins
 * with a drive (`C:\`) or a server (`\\HOST\`).
 */
export function databaseUri(path: string, parameter: string, separator: string = sep): string {
  const location = encodeURI(path.replaceAll(separator, '/')).replaceAll('?', '%3F').replaceAll('#', '%23');
  // The host stays empty: SQLite opens no file of another one, so a server has to be part of the path.
  return `file:${'/'.repeat(location.startsWith('/') ? 2 : 3)}${location}?${parameter}`;
}

/** A value that SQLite stores. Every INTEGER is read as bigint, so that money is never a double. */
export type SqlValue = string | bigint | number | null;

type SqlRow = Record<string, string | bigint | number | null>;

/** A SQLite database. Calls are synchronous, so nothing else in this process runs between two of them. */
export interface Database {
  /** Why it can only be read; undefined if it can be written. */
  readonly unwritable?: DatabaseError | undefined;
  all<R extends object = SqlRow>(sql: string, ...values: SqlValue[]): R[];
  get<R extends object = SqlRow>(sql: string, ...values: SqlValue[]): R | undefined;
  /** Returns the number of changed rows. */
  run(sql: string, ...values: SqlValue[]): number;
  /** Returns the rowid of the last inserted row. */
  insert(sql: string, ...values: SqlValue[]): bigint;
  exec(sql: string): void;
  /** Runs `work` in a transaction, which is rolled back if it throws. `write` takes the write lock first. */
  transaction<T>(kind: 'read' | 'write', work: () => T): T;
  /** Runs `work` inside a transaction; if it throws, only its own changes are rolled back. */
  savepoint<T>(work: () => T): T;
  close(): void;
}

/** How long a process waits for another process's write to finish. */
export const BUSY_TIMEOUT_MS = 20_000;

export interface OpenOptions {
  /**
   * FULL: a commit is flushed to disk before it returns. NORMAL: it survives a crash of the process, but not of the machine. OFF: a
   * crash of the machine may damage the file.
   */
  readonly synchronous: 'FULL' | 'NORMAL' | 'OFF';
  /** How long it waits for another process's write, if not `BUSY_TIMEOUT_MS`. */
  readonly busyTimeoutMs?: number;
  /** Whether a file that cannot be written, such as on a full disk, is opened anyway: reading works, and each write throws. */
  readonly isReadable?: boolean;
  /** Whether a file that something else changed is opened for reading anyway, to find out what is wrong with it. */
  readonly isReadChanged?: boolean;
  /** Creates and upgrades the tables. `version` is the version of their layout. */
  readonly layout: {
    readonly version: number;
    /** SQLite's application_id, which identifies the kind of file. */
    readonly applicationId: number;
    create(database: Database): void;
    /** What must be in it, and nothing else; left out for a file in which a stranger's trigger does no harm. */
    readonly parts?: () => Parts;
    /** Upgrades each earlier version to the next, by SQL or by code. A version without an upgrade is rejected as `older`. */
    readonly upgrades?: Readonly<Record<number, string | ((database: Database) => void)>>;
    /** Whether the file is copied before an upgrade; it is, unless this says otherwise. */
    readonly isCopied?: false;
  };
}

/** Opens or creates a SQLite file that only its owner can read. Throws DatabaseError, `changed` if it is not as this version makes it, or CliError usage for a link, a FIFO or another user's file. */
export async function openDatabase(path: string, options: OpenOptions): Promise<Database> {
  const { DatabaseSync } = await import('node:sqlite');
  const guard = guardOf(path);
  const timeout = options.busyTimeoutMs ?? BUSY_TIMEOUT_MS;
  const open = () => {
    if (path !== ':memory:') {
      makeDatabasePrivate(path);
      closeSync(openSync(path, 'a', 0o600));
    }
    const connection = new DatabaseSync(path, { timeout });
    try {
      const database = wrap(connection, guard);
      const openReader = () => wrap(new DatabaseSync(path, { readOnly: true, timeout }), guard);
      prepareFile(database, path, options, openReader);
      requireParts(database, path, options.layout);
      return database;
    } catch (error) {
      connection.close();
      throw error;
    }
  };
  try {
    return guard(open);
  } catch (error) {
    const isRead = (problem: string) => (problem === 'changed' ? options.isReadChanged : options.isReadable);
    if (!(error instanceof DatabaseError) || !UNWRITTEN.has(error.problem) || !isRead(error.problem)) throw error;
    const connect = (location: string) => new DatabaseSync(location, { readOnly: true, timeout });
    const database = openUnwritable(path, options.layout, error, connect);
    if (!options.isReadChanged) requireParts(database, path, options.layout);
    return database;
  }
}

/** Opens an empty database for as long as this process lives. SQLite keeps it in a private file without a name once it is large. */
export async function openScratch(create: (database: Database) => void): Promise<Database> {
  const { DatabaseSync } = await import('node:sqlite');
  const database = wrap(new DatabaseSync(''), guardOf('a temporary file'));
  create(database);
  return database;
}

/** The problems of a file that can be read anyway. */
const UNWRITTEN = new Set(['full', 'unwritable', 'changed']);

/**
 * Opens a file for reading that cannot be written because of `problem`, which each write throws. What it reads is always whole: throws
 * DatabaseError `unread` if its log has entries that cannot be read here, and `busy` if another process writes it.
 */
function openUnwritable(
  path: string,
  layout: OpenOptions['layout'],
  problem: DatabaseError,
  connect: (location: string) => DatabaseSync,
): Database {
  const guard = guardOf(path);
  const toRead: GuardedRun = (work) => {
    try {
      return guard(work);
    } catch (error) {
      throw error instanceof DatabaseError && error.problem === 'unwritable' ? problem : error;
    }
  };
  const live = ofLayout(() => connect(path), layout, toRead);
  if (live) return { ...live, unwritable: problem };
  const stateOf = (file: string) => statSync(file, { bigint: true, throwIfNoEntry: false });
  if (stateOf(`${path}-wal`)?.size) throw new DatabaseError('unread', path, problem);
  // SQLite reads such a file without a lock and without its log, as if it could not change.
  const written = () => [path, `${path}-wal`].map((file) => [stateOf(file)?.mtimeNs, stateOf(file)?.size]).join();
  const before = written();
  const unchanged: GuardedRun = (work) => {
    const result = toRead(work);
    if (written() !== before) throw new DatabaseError('busy', path, undefined);
    return result;
  };
  const still = ofLayout(() => connect(databaseUri(path, 'immutable=1')), layout, unchanged);
  if (!still) throw problem;
  return { ...still, unwritable: problem };
}

/** Opens a file of this layout for reading; undefined if it cannot be read, or has another layout. */
function ofLayout(
  connect: () => DatabaseSync,
  { version, applicationId }: OpenOptions['layout'],
  guard: GuardedRun,
): Database | undefined {
  let database: Database | undefined;
  try {
    database = wrap(connect(), guard);
    const sql = 'SELECT application_id, user_version FROM pragma_application_id, pragma_user_version';
    const found = database.get<{ application_id: bigint; user_version: bigint }>(sql);
    if (Number(found?.application_id) === applicationId && Number(found?.user_version) === version) return database;
  } catch {
    // What is wrong with it was said when it was opened for writing.
  }
  database?.close();
  return undefined;
}

/** How long an optional read waits for a lock. */
const SHORT_TIMEOUT_MS = 200;

/** Opens an existing SQLite file for reading; returns undefined if it is missing or unreadable. */
export async function openForReading(path: string): Promise<Pick<Database, 'all' | 'close'> | undefined> {
  const { DatabaseSync } = await import('node:sqlite');
  try {
    requireOwnDatabase(path);
    return wrap(new DatabaseSync(path, { readOnly: true, timeout: SHORT_TIMEOUT_MS }), (work) => work());
  } catch {
    return undefined;
  }
}

/** Creates or upgrades the tables. `openReader` opens a second connection, which sees only committed data. */
function prepareFile(
  database: Database,
  path: string,
  { synchronous, layout, busyTimeoutMs = BUSY_TIMEOUT_MS }: OpenOptions,
  openReader: () => Database,
): void {
  const pragma = (name: string) => Number(Object.values(database.get(`PRAGMA ${name}`) ?? {})[0] ?? 0n);
  const isEmpty = () => database.get('SELECT 1 FROM sqlite_schema LIMIT 1') === undefined;
  const isOurs = () => pragma('application_id') === layout.applicationId;
  // The order matters: a file that another process is creating is ours as soon as it is not empty.
  if (!isEmpty() && !isOurs()) throw new DatabaseError('corrupt', path, undefined);
  // The journal mode is stored in the file. Setting it only once means that opening the file later needs no lock. A copy that
  // SQLite made does not have it.
  const isCopy = () => database.get<{ journal_mode: string }>('PRAGMA journal_mode')?.journal_mode === 'delete';
  if (!isOurs() || isCopy()) useWal(database, path, busyTimeoutMs);
  // On macOS, a flush without the second leaves what was written in the cache of the disk.
  database.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA fullfsync = ${synchronous === 'FULL' ? 1 : 0}`);
  const before = pragma('user_version');
  if (before === layout.version) return;
  database.transaction('write', () => {
    const found = pragma('user_version');
    if (found > layout.version) throw new DatabaseError('newer', path, undefined);
    if (found === 0) layout.create(database);
    // If another process has created or upgraded it in the meantime, there is nothing to do.
    else if (found < layout.version) {
      if (layout.upgrades?.[found] && layout.isCopied !== false) backUp(openReader, path, found);
      for (let version = found; version < layout.version; version++) upgrade(database, path, version, layout);
    }
    database.exec(`PRAGMA application_id = ${layout.applicationId}; PRAGMA user_version = ${layout.version}`);
  });
}

/** Throws DatabaseError if a file has something other than its layout says, such as a trigger that someone planted. */
export function requireParts(database: Database, path: string, { parts }: OpenOptions['layout']): void {
  const change = parts && changeOfFile(database.all<Part>(PARTS_OF_FILE), parts());
  if (change !== undefined) throw new DatabaseError('changed', path, new Error(change));
}

function upgrade(database: Database, path: string, version: number, { upgrades }: OpenOptions['layout']): void {
  const step = upgrades?.[version];
  if (!step) throw new DatabaseError('older', path, undefined);
  if (typeof step === 'string') database.exec(step);
  else step(database);
}

/**
 * Copies the file next to itself before an upgrade, unless there is a copy already. The copy is renamed into place when it
 * is complete. The caller holds the write lock, so no other process upgrades or copies the file, and the second connection
 * still sees the old content.
 */
function backUp(openReader: () => Database, path: string, version: number): void {
  const copy = `${path}.v${version}`;
  if (existsSync(copy)) return;
  const part = `${copy}.part`;
  rmSync(part, { force: true });
  closeSync(openSync(part, 'wx', 0o600));
  const database = openReader();
  try {
    database.run('VACUUM INTO ?', part);
  } finally {
    database.close();
  }
  takeName(part, copy);
}

/** Switches to WAL mode. SQLite's busy timeout does not apply to this, so we retry ourselves. */
function useWal(database: Database, path: string, busyTimeoutMs: number): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let left = busyTimeoutMs; left > 0; left -= WAL_RETRY_MS) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!(error instanceof DatabaseError && error.problem === 'busy')) throw error;
      Atomics.wait(pause, 0, 0, WAL_RETRY_MS);
    }
  }
  throw new DatabaseError('busy', path, undefined);
}

const WAL_RETRY_MS = 20;

type GuardedRun = <T>(work: () => T) => T;

/** SQLite compiles a statement again before each run if a value is its whole limit, in order to plan for that number of rows. */
const compiledOnce = (sql: string) => sql.replace(/\bLIMIT (\?\d*)/g, 'LIMIT ($1 + 0)');

/**
 * Returns what makes a row of a list of values. For rows as objects, Node looks up the name of every column again for each row, which takes
 * longer than the query.
 */
function rowMaker(statement: StatementSync): (values: readonly unknown[]) => SqlRow {
  statement.setReturnArrays(true);
  let names = statement.columns().map(({ name }) => name);
  return (values) => {
    // The table may have been upgraded since.
    if (values.length !== names.length) names = statement.columns().map(({ name }) => name);
    const row: SqlRow = {};
    for (let at = 0; at < names.length; at++) row[names[at] as string] = values[at] as SqlValue;
    return row;
  };
}

/** A statement that was prepared. `toRow` makes its rows; it is missing until the second read, because most commands read once. */
interface Prepared {
  readonly statement: StatementSync;
  isRead: boolean;
  toRow?: ReturnType<typeof rowMaker>;
}

/** The statements of a connection. Each is prepared once. */
function statementsOf(connection: DatabaseSync) {
  const known = new Map<string, Prepared>();
  const prepared = (sql: string) => {
    let found = known.get(sql);
    if (!found) {
      const statement = connection.prepare(compiledOnce(sql));
      statement.setReadBigInts(true);
      found = { statement, isRead: false };
      known.set(sql, found);
    }
    return found;
  };
  const toRead = (sql: string) => {
    const found = prepared(sql);
    if (found.isRead) found.toRow ??= rowMaker(found.statement);
    found.isRead = true;
    return found;
  };
  return {
    statement: (sql: string) => prepared(sql).statement,
    all: (sql: string, values: SqlValue[]) => {
      const { statement, toRow } = toRead(sql);
      const rows = statement.all(...values);
      return toRow ? (rows as unknown as unknown[][]).map(toRow) : rows;
    },
    get: (sql: string, values: SqlValue[]) => {
      const { statement, toRow } = toRead(sql);
      const row = statement.get(...values);
      return toRow && row ? toRow(row as unknown as unknown[]) : row;
    },
    forget: () => known.clear(),
  };
}

function wrap(connection: DatabaseSync, guard: GuardedRun): Database {
  const { statement, all, get, forget } = statementsOf(connection);
  const finish =
    (done: string, undone: string) =>
    <T>(work: () => T) => {
      try {
        const result = work();
        statement(done).run();
        return result;
      } catch (error) {
        // Some errors, such as a full disk, have already rolled the transaction back.
        if (connection.isTransaction) connection.exec(undone);
        throw error;
      }
    };
  const inTransaction = finish('COMMIT', 'ROLLBACK');
  const inSavepoint = finish('RELEASE unit', 'ROLLBACK TO unit; RELEASE unit');
  return {
    all: <R>(sql: string, ...values: SqlValue[]) => guard(() => all(sql, values) as R[]),
    get: <R>(sql: string, ...values: SqlValue[]) => guard(() => get(sql, values) as R | undefined),
    run: (sql, ...values) => guard(() => Number(statement(sql).run(...values).changes)),
    insert: (sql, ...values) => guard(() => statement(sql).run(...values).lastInsertRowid as bigint),
    exec: (sql) => guard(() => connection.exec(sql)),
    transaction: (kind, work) =>
      guard(() => {
        // Prepared once: compiling such a statement takes longer than running it.
        statement(kind === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN').run();
        return inTransaction(work);
      }),
    savepoint: (work) =>
      guard(() => {
        statement('SAVEPOINT unit').run();
        return inSavepoint(work);
      }),
    close: () => {
      forget();
      connection.close();
    },
  };
}
