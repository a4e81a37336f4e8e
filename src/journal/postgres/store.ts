import { advice } from '../../base/advice.ts';
import { oneAtATime } from '../../base/calls.ts';
import { CliError } from '../../base/errors.ts';
import type { SqlValue } from '../../sqlite/database.ts';
import { beginJournal } from '../digest-key.ts';
import type { Queries, Store } from '../store.ts';
import type { JournalWorld } from '../transitions.ts';
import { ownsSql } from './catalog.ts';
import {
  type Client,
  connectionTo,
  limitOf,
  QUERY_MS,
  type QueryResult,
  type ServerAccess,
  type ServerConnection,
} from './connection.ts';
import { EXPECTED, gateToJournal, identityOf, requireVersion, SERVER, WRITTEN } from './create.ts';
import { problemOf, ServerError } from './errors.ts';
import { pathTo } from './gate.ts';
import { hostNameIn } from './host-id.ts';
import { LOCK, SCHEMA } from './schema.ts';
import type { ServerAddress } from './server-address.ts';
import { numbered } from './session.ts';

/** How long a transaction waits for the one before it. */
const WAIT_MS = 20_000;
/** The server ends a transaction of a host that stopped in the middle, so that it holds up no other host. */
const IDLE_MS = 30_000;

const TIME = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now';
const STATE = `(SELECT value FROM ${SCHEMA}.setting WHERE name = 'version') AS version,
  (SELECT value FROM ${SCHEMA}.setting WHERE name = 'server') AS known`;

/** What the first statements of a transaction tell. */
interface Begun {
  readonly now: bigint;
  readonly version: string | null;
  readonly server: string | null;
  readonly known: string | null;
  /** What is known of these tables, if they were not restored. */
  readonly tables: string | null;
}

/** The first statements of a transaction, and whether it writes. */
interface Beginning {
  readonly sql: string;
  readonly writes: boolean;
  /** Whether a server that took over, and may have lost entries, forbids writing. */
  readonly needsServer: boolean;
  /** How long the server lets it wait for the transaction before it. */
  readonly lockMs: number;
}

/** The first statements of a transaction that reads. */
export const readSql = (): Beginning => ({
  sql: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${pathTo(SCHEMA)}; SELECT ${TIME}, ${STATE}, NULL AS server, NULL AS tables`,
  writes: false,
  needsServer: false,
  lockMs: 0,
});

/**
 * Returns the first statements of a transaction that writes. One does at a time, in the order in which they get the lock; the last SELECT
 * waits for it.
 */
export function writeSql(waitMs = WAIT_MS, { acceptsServer = false } = {}): Beginning {
  const sql = [
    'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE',
    pathTo(SCHEMA),
    `SET LOCAL lock_timeout = ${Math.max(1, Math.ceil(waitMs))}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}`,
    // A commit that is only in memory could be lost, and its idempotency key with it.
    `SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') IN ('off', 'local')`,
    `SELECT pg_advisory_xact_lock(${LOCK})`,
    `SELECT ${TIME}, ${STATE}, ${SERVER} AS server, ${EXPECTED} AS tables`,
  ].join('; ');
  return { sql, writes: true, needsServer: !acceptsServer, lockMs: waitMs };
}

/** How long it takes to look again for a server that is not there. */
const TRY_AGAIN_MS = 200;

/**
 * Opens the journal on a PostgreSQL server, creating its tables on first use. All that lasts longer than a transaction is in tables, so
 * a pooler may give each transaction another connection. Throws ServerError, and CliError usage.
 */
export async function openPostgresStore(
  address: ServerAddress,
  access: ServerAccess,
  world: JournalWorld,
): Promise<Store> {
  const server = await connected(address, access, world);
  try {
    const { id, digestKey, isBegun } = await identityOf(server);
    const host = hostNameIn(access.dir, world);
    const at = { name: server.name, localPath: access.localPath };
    const store = storeOn(server, { id, path: `${access.dir}/journal-${id}`, host, digestKey, server: at });
    if (!isBegun) await store.write((queries) => beginJournal({ queries, host }, digestKey));
    return store;
  } catch (error) {
    await server.close();
    throw error;
  }
}

function storeOn(server: Server, address: Pick<Store, 'id' | 'path' | 'host' | 'digestKey' | 'server'>): Store {
  const inTurn = oneAtATime();
  return {
    ...address,
    read: (work) => inTurn(() => server.transaction(readSql(), work)),
    write: (work, waitMs) => inTurn(() => server.transaction(writeSql(waitMs ?? server.lockMs), work, waitMs)),
    aheadMs: server.aheadMs,
    backUp: async () => {
      throw new CliError('usage', `the journal is on a server, ${server.name}, and cannot be copied as a file`, {
        code: 'JOURNAL_ON_SERVER',
        hint: advice`export it with: [fiatrail ops journal export --with-digest-key]; a backup of the database that is restored lacks later idempotency keys, so every host stops until you accept it`,
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
      const rows = await inTurn(() => server.statements(`SELECT ${ownsSql(SCHEMA)} AS owns`));
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
  /** How long a transaction waits for the one before it. */
  readonly lockMs: number;
  aheadMs(): number;
  /**
   * Runs work in a transaction. With `patienceMs`, it records an outcome, which an interrupt may not prevent: the server has at least so long
   * to answer, and is looked for again if it is not there.
   */
  transaction<T>(beginning: Beginning, work: (queries: Queries) => Promise<T>, patienceMs?: number): Promise<T>;
  /** Runs statements outside a transaction of the journal. */
  statements(sql: string): Promise<readonly Record<string, unknown>[]>;
  close(): Promise<void>;
}

function failureOf(error: unknown, address: string): CliError | ServerError {
  if (error instanceof CliError || error instanceof ServerError) return error;
  return new ServerError(problemOf(error), address, error);
}

/** Connects to a server; connects again when the connection is lost between two transactions. Throws ServerError. */
async function connected(address: ServerAddress, access: ServerAccess, world: JournalWorld): Promise<Server> {
  const { clock, interrupted } = world;
  const connection = await connectionTo(address, access, world, gateToJournal(address.name, world.ids));
  const { drop, interrupt } = connection;
  const limitMs = limitOf(access);
  const failed = (error: unknown) => failureOf(error, address.name);
  let aheadMs = 0;
  const now = () => clock.now() + aheadMs;
  const begin = async (
    query: { readonly text: string },
    patienceMs: number,
  ): Promise<{ client: Client; begun: Begun }> => {
    const untilMs = clock.now() + patienceMs;
    for (;;) {
      const isFresh = connection.isNew();
      try {
        const client = await connection.open();
        const begun = lastRow(await client.query(query)) as unknown as Begun;
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
    name: address.name,
    lockMs: Math.min(WAIT_MS, limitMs),
    aheadMs: () => aheadMs,
    statements: async (sql) => {
      using _ = whenAborted(interrupted, interrupt);
      try {
        const found = await (await connection.open()).query(sql);
        return (Array.isArray(found) ? found : [found]).flatMap(({ rows }: QueryResult) => rows);
      } catch (error) {
        await drop();
        throw failed(error);
      }
    },
    transaction: async (beginning, work, patienceMs) => {
      const answerMs = Math.max(limitMs, patienceMs ?? 0);
      using waiting = patienceMs === undefined ? whenAborted(interrupted, interrupt) : undefined;
      const first = { text: beginning.sql, query_timeout: Math.min(QUERY_MS, beginning.lockMs + answerMs) };
      const { client, begun } = await begin(first, patienceMs ?? 0);
      const to = { client, failed, drop, now, answerMs };
      // Whether a commit that is cut off was made would not be known.
      const beforeCommit = () => waiting?.[Symbol.dispose]();
      return await inTransaction(to, { ...beginning, begun, name: address.name, beforeCommit }, work);
    },
    close: connection.close,
  };
}

interface Transaction extends Pick<Beginning, 'writes' | 'needsServer'> {
  readonly begun: Begun;
  readonly name: string;
  beforeCommit(): void;
}

/** Runs work in a transaction that was begun, and ends it. */
async function inTransaction<T>(
  {
    client,
    failed,
    drop,
    now,
    answerMs,
  }: Pick<ServerConnection, 'drop'> & {
    readonly client: Client;
    readonly answerMs: number;
    failed(error: unknown): unknown;
    now(): number;
  },
  { begun, writes, needsServer, name, beforeCommit }: Transaction,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  const run = async (sql: string, values: readonly SqlValue[]) => {
    try {
      const query = { text: numbered(sql), values: [...values], query_timeout: answerMs };
      return await client.query(query);
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
    const result = await work(queries);
    beforeCommit();
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

/** Each of several statements has a result; the last one is the SELECT. */
function lastRow(found: QueryResult | readonly QueryResult[]): Record<string, unknown> {
  const last = Array.isArray(found) ? found.at(-1) : found;
  return last?.rows[0] ?? {};
}

/** Throws ServerError if the tables are of another version, or what this server may have lost was not accepted yet. */
function requireOurs({ version, server, known, tables }: Begun, needsServer: boolean, name: string): void {
  requireVersion(version, name);
  if (needsServer && known !== `${server}/${tables}`) throw new ServerError('replaced', name);
}
