import type { Client, QueryResult } from 'pg';
import { CliError } from '../../base/errors.ts';
import { oneAtATime } from '../../base/one-at-a-time.ts';
import type { Secret } from '../../base/secret.ts';
import { entryAt, readSharedFile } from '../../files/inspect.ts';
import { isOwnedBy } from '../../files/owner.ts';
import type { SqlValue } from '../../sqlite/database.ts';
import { hostId } from '../host-id.ts';
import { clearedText, joinChains } from '../joint.ts';
import type { Queries, Store } from '../store.ts';
import type { JournalWorld } from '../transitions.ts';
import { type Beginning, type Begun, READ, writeSql } from './begin.ts';
import { preparedJournal, requireVersion, WRITTEN } from './create.ts';
import { problemOf, ServerError } from './errors.ts';
import { guard, MAX_SCRAM_ITERATIONS } from './guard.ts';
import type { ServerPlace } from './place.ts';
import { IS_OWNER } from './roles.ts';

/** What a store on a server needs besides its place. */
interface ServerAccess {
  /** The folder of the files that this host keeps beside the journal. */
  readonly dir: string;
  /** The path of this host's own journal. */
  readonly localPath: string;
  /** Returns the password, if there is one; called only when the server asks for it. Throws CliError usage. */
  password(user: string): Promise<Secret | undefined>;
  /** How long the user wants to wait for the server. */
  readonly limitMs?: number | undefined;
  /** Shows a warning. */
  readonly warn?: ((text: string) => Promise<void>) | undefined;
}

/** How long connecting may take. */
const CONNECT_MS = 10_000;
/** Longer than any query waits for a lock: by then the connection is dead. */
const QUERY_MS = 60_000;
/** How long it takes to look again for a server that is not there. */
const TRY_AGAIN_MS = 200;

/** Integers of any width, as bigint; everything else as text. */
const INTEGERS: readonly number[] = [20, 21, 23, 1700];
const TYPES = { getTypeParser: (oid: number) => (INTEGERS.includes(oid) ? BigInt : String) };

/**
 * Opens the journal on a PostgreSQL server, creating its tables on first use. All that lasts longer than a transaction is in tables, so
 * a pooler may give each transaction another connection. Throws ServerError, and CliError usage.
 */
export async function openPostgresStore(place: ServerPlace, access: ServerAccess, world: JournalWorld): Promise<Store> {
  const server = await connected(place, access, world);
  // Only until the journal is open: later, an answer may have to be recorded, whatever the user wants.
  world.interrupted?.addEventListener('abort', server.interrupt);
  try {
    const { id, digestKey, isJoined } = await preparedJournal(server, world.ids);
    const host = `${world.host.name}/${hostId(access.dir, world.ids)}`;
    const at = { name: server.name, localPath: access.localPath };
    const store = storeOn(server, { id, path: `${access.dir}/journal-${id}`, host, digestKey, server: at });
    if (!isJoined) {
      const cleared = await store.write((queries) => joinChains({ queries, host }, digestKey));
      if (cleared > 0) await access.warn?.(clearedText(cleared));
    }
    return store;
  } catch (error) {
    await server.close();
    throw error;
  } finally {
    world.interrupted?.removeEventListener('abort', server.interrupt);
  }
}

function storeOn(server: Server, place: Pick<Store, 'id' | 'path' | 'host' | 'digestKey' | 'server'>): Store {
  const inTurn = oneAtATime();
  return {
    ...place,
    read: (work) => inTurn(() => server.transaction(READ, work)),
    write: (work, waitMs) => inTurn(() => server.transaction(writeSql(waitMs), work, waitMs)),
    now: server.now,
    backUp: async () => {
      throw new CliError('usage', `the journal is on a server, ${server.name}, and cannot be copied as a file`, {
        code: 'JOURNAL_ON_SERVER',
        hint: 'export it with: fiatrail ops export --with-digest-key; a backup of the database that is restored lacks later once keys, so every host stops until you accept it',
      });
    },
    distrust: () =>
      inTurn(() =>
        server.transaction(writeSql(undefined, { acceptsServer: true }), async (queries) => {
          await queries.run(`UPDATE setting SET value = '' WHERE name = 'server'`);
        }),
      ),
    isReplaced: async () => {
      try {
        await inTurn(() => server.transaction(writeSql(), async () => {}));
      } catch (error) {
        if (error instanceof ServerError && error.server === 'replaced') return true;
        // What else is wrong is said by the command that writes.
        if (!(error instanceof ServerError)) throw error;
      }
      return false;
    },
    isOwner: async () => {
      const rows = await inTurn(() => server.statements(`SELECT ${IS_OWNER} AS owns`));
      return rows[0]?.['owns'] === 't';
    },
    accept: () =>
      inTurn(() =>
        server.transaction(writeSql(undefined, { acceptsServer: true }), async (queries) => {
          await queries.run(`UPDATE setting SET value = ${WRITTEN} WHERE name = 'server'`);
        }),
      ),
    close: server.close,
  };
}

interface Server {
  readonly name: string;
  now(): number;
  /** Runs work in a transaction. If the server is not there when it begins, looks again for `patienceMs`. */
  transaction<T>(beginning: Beginning, work: (queries: Queries) => Promise<T>, patienceMs?: number): Promise<T>;
  /** Runs statements outside a transaction of the journal. */
  statements(sql: string): Promise<readonly Record<string, unknown>[]>;
  /** Ends what the connection waits for, with CliError interrupted. */
  interrupt(): void;
  close(): Promise<void>;
}

function failureOf(error: unknown, place: string): CliError | ServerError {
  if (error instanceof CliError || error instanceof ServerError) return error;
  return new ServerError(problemOf(error), place, error);
}

/** Makes a guarded connection, which nothing has been sent on. */
function driverOf(Driver: typeof Client, place: ServerPlace, access: ServerAccess, user: string): Client {
  const { limitMs = QUERY_MS } = access;
  const made = new Driver({
    ...{ host: place.host, port: place.port, database: place.database, user, types: TYPES },
    ...{ connectionTimeoutMillis: Math.min(CONNECT_MS, limitMs), query_timeout: Math.min(QUERY_MS, limitMs) },
    keepAlive: true,
    // Queries that are asked together travel together.
    pipeline: true,
    ...{ application_name: 'fiatrail', options: '', client_encoding: 'UTF8' },
    password: async () => {
      const password = await access.password(user);
      if (password === undefined) throw new ServerError('rejected', place.name);
      return password.reveal();
    },
    ...{ scramMaxIterations: MAX_SCRAM_ITERATIONS },
    ssl: place.tls ? { rejectUnauthorized: true, ...caOf(place.tls) } : false,
  });
  guard(made.connection, place.name, !place.tls && !isSocket(place));
  return made;
}

/** The connection of a process; another one is made when it is lost. */
interface Connection {
  open(): Promise<Client>;
  /** Whether the next `open` makes a connection. */
  isNew(): boolean;
  /** Ends what it waits for, with CliError interrupted. */
  interrupt(): void;
  drop(): Promise<void>;
}

async function connectionTo(place: ServerPlace, access: ServerAccess, user: string): Promise<Connection> {
  const { default: Driver } = await import('pg/lib/client.js');
  let client: Client | undefined;
  let stream: Pick<Client['connection']['stream'], 'destroy'> | undefined;
  return {
    open: async () => {
      if (client) return client;
      requireSocketOwner(place);
      const made = driverOf(Driver, place, access, user);
      // A connection that ends between two transactions is found when the next one begins.
      made.on('error', () => {
        if (client === made) client = undefined;
      });
      try {
        const connecting = made.connect();
        stream = made.connection.stream;
        await connecting;
        stream = made.connection.stream;
      } catch (error) {
        // The server waits a minute for the password of a connection that stays open, and the process with it.
        made.end().catch(() => {});
        throw error;
      }
      client = made;
      return made;
    },
    isNew: () => client === undefined,
    interrupt: () => stream?.destroy(new CliError('interrupted', 'interrupted while the journal was being read')),
    drop: async () => {
      const old = client;
      client = undefined;
      await old?.end().catch(() => {});
    },
  };
}

/** Connects to a server; connects again when the connection is lost between two transactions. Throws ServerError. */
async function connected(place: ServerPlace, access: ServerAccess, world: JournalWorld): Promise<Server> {
  const { clock, host } = world;
  const connection = await connectionTo(place, access, place.user ?? host.user);
  const { drop, interrupt } = connection;
  const failed = (error: unknown) => failureOf(error, place.name);
  let aheadMs = 0;
  const now = () => clock.now() + aheadMs;
  const begin = async (sql: string, patienceMs: number): Promise<{ client: Client; begun: Begun }> => {
    const untilMs = clock.now() + patienceMs;
    for (;;) {
      const isFresh = connection.isNew();
      try {
        const client = await connection.open();
        const begun = lastRow(await client.query(sql)) as unknown as Begun;
        aheadMs = Number(begun.now) - clock.now();
        return { client, begun };
      } catch (error) {
        const problem = failed(error);
        await drop();
        // Nothing was begun, so beginning again does nothing twice.
        if (!(problem instanceof ServerError) || problem.server !== 'unreachable') throw problem;
        if (isFresh && clock.now() >= untilMs) throw problem;
        if (isFresh) await clock.sleep(TRY_AGAIN_MS, new AbortController().signal);
      }
    }
  };
  return {
    name: place.name,
    now,
    statements: async (sql) => {
      try {
        const found = await (await connection.open()).query(sql);
        return (Array.isArray(found) ? found : [found]).flatMap(({ rows }: QueryResult) => rows);
      } catch (error) {
        await drop();
        throw failed(error);
      }
    },
    transaction: async (beginning, work, patienceMs = 0) => {
      // What a command only reads is not waited for when the user ends it; what it writes may be an outcome.
      using _ = beginning.writes ? undefined : whenAborted(world.interrupted, interrupt);
      const { client, begun } = await begin(beginning.sql, patienceMs);
      return inTransaction({ client, failed, drop, now }, { ...beginning, begun, name: place.name }, work);
    },
    interrupt,
    close: drop,
  };
}

interface Transaction extends Pick<Beginning, 'writes' | 'needsServer'> {
  readonly begun: Begun;
  readonly name: string;
}

/** Runs work in a transaction that was begun, and ends it. */
async function inTransaction<T>(
  {
    client,
    failed,
    drop,
    now,
  }: Pick<Connection, 'drop'> & {
    readonly client: Client;
    failed(error: unknown): unknown;
    now(): number;
  },
  { begun, writes, needsServer, name }: Transaction,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  const run = async (sql: string, values: readonly SqlValue[]) => {
    try {
      return await client.query(numbered(sql), [...values]);
    } catch (error) {
      throw failed(error);
    }
  };
  const queries: Queries = {
    engine: 'postgres',
    all: async <R extends object>(sql: string, ...values: SqlValue[]) => (await run(sql, values)).rows as R[],
    get: async <R extends object>(sql: string, ...values: SqlValue[]) =>
      (await run(sql, values)).rows[0] as R | undefined,
    run: async (sql, ...values) => (await run(sql, values)).rowCount ?? 0,
    now,
  };
  try {
    requireOurs(begun, needsServer, name);
    if (needsServer && begun.known === begun.server)
      await run(`UPDATE setting SET value = ${WRITTEN} WHERE name = 'server'`, []);
    const result = await work(queries);
    const ended = run('COMMIT', []);
    // What was read is known. If the connection is lost now, the next transaction finds that out.
    if (!writes) ended.catch(() => {});
    // Where a statement failed, the server answers COMMIT with ROLLBACK, and no error.
    else if ((await ended).command !== 'COMMIT') throw new ServerError('lost', name);
    return result;
  } catch (error) {
    // A connection that cannot even roll back is of no use.
    await run('ROLLBACK', []).catch(drop);
    throw error;
  }
}

/** Runs work when a signal aborts, until the result is disposed of. */
function whenAborted(signal: AbortSignal | undefined, run: () => void): Disposable {
  signal?.addEventListener('abort', run);
  return { [Symbol.dispose]: () => signal?.removeEventListener('abort', run) };
}

const isSocket = ({ host }: ServerPlace) => host.startsWith('/');

/** Throws ServerError if a socket belongs to a stranger, who could be whoever listens there. */
function requireSocketOwner(place: ServerPlace): void {
  if (!isSocket(place)) return;
  const socket = entryAt(`${place.host}/.s.PGSQL.${place.port}`);
  if (socket && !isOwnedBy(socket.ownerId, place.peer)) throw new ServerError('peer', place.name);
}

function caOf({ caPath }: { readonly caPath: string | undefined }) {
  if (caPath === undefined) return {};
  try {
    return { ca: readSharedFile(caPath) };
  } catch (error) {
    throw new CliError('usage', `the certificate of the journal’s server cannot be read: ${caPath}`, {
      code: 'UNUSABLE_FILE',
      hint: 'check sslrootcert in the journal’s URL',
      cause: error,
    });
  }
}

/** Each of several statements has a result; the last one is the SELECT. */
function lastRow(found: QueryResult | readonly QueryResult[]): Record<string, unknown> {
  const last = Array.isArray(found) ? found.at(-1) : found;
  return last?.rows[0] ?? {};
}

/** Throws ServerError if the tables are of another version, or what this server may have lost was not accepted yet. */
function requireOurs({ version, server, known, tables }: Begun, needsServer: boolean, name: string): void {
  requireVersion(version, name);
  // An earlier version wrote the server alone.
  if (needsServer && known !== server && known !== `${server}/${tables}`) throw new ServerError('replaced', name);
}

/** Returns SQL with `$1`, `$2`… in the place of each `?`. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => {
    count += 1;
    return `$${count}`;
  });
}
