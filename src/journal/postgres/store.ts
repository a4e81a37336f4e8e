import type { Client, QueryResult } from 'pg';
import { CliError } from '../../base/errors.ts';
import { oneAtATime } from '../../base/one-at-a-time.ts';
import type { Secret } from '../../base/secret.ts';
import { readSharedFile } from '../../files/inspect.ts';
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

/** Connects to a server; connects again when the connection is lost between two transactions. Throws ServerError. */
async function connected(place: ServerPlace, access: ServerAccess, { clock, host }: JournalWorld): Promise<Server> {
  const { default: Driver } = await import('pg/lib/client.js');
  const user = place.user ?? host.user;
  let client: Client | undefined;
  let stream: Pick<Client['connection']['stream'], 'destroy'> | undefined;
  let aheadMs = 0;
  const now = () => clock.now() + aheadMs;
  const drop = async () => {
    const old = client;
    client = undefined;
    await old?.end().catch(() => {});
  };
  const failed = (error: unknown) => {
    if (error instanceof CliError || error instanceof ServerError) return error;
    return new ServerError(problemOf(error), place.name, error);
  };
  const connect = async (): Promise<Client> => {
    if (client) return client;
    const made = new Driver({
      ...{ host: place.host, port: place.port, database: place.database, user, types: TYPES },
      ...{ connectionTimeoutMillis: CONNECT_MS, query_timeout: QUERY_MS, keepAlive: true },
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
    guard(made.connection, place.name);
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
  };
  const begin = async (sql: string, patienceMs: number): Promise<{ client: Client; begun: Begun }> => {
    const untilMs = clock.now() + patienceMs;
    for (;;) {
      const isFresh = client === undefined;
      try {
        const found = await connect();
        const begun = lastRow(await found.query(sql)) as unknown as Begun;
        aheadMs = Number(begun.now) - clock.now();
        return { client: found, begun };
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
        const found = await (await connect()).query(sql);
        return (Array.isArray(found) ? found : [found]).flatMap(({ rows }: QueryResult) => rows);
      } catch (error) {
        await drop();
        throw failed(error);
      }
    },
    transaction: async (beginning, work, patienceMs = 0) => {
      const { client: current, begun } = await begin(beginning.sql, patienceMs);
      const run = async (sql: string, values: readonly SqlValue[]) => {
        try {
          return await current.query(numbered(sql), [...values]);
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
        requireOurs(begun, beginning, place.name);
        if (beginning.needsServer && begun.known === begun.server)
          await run(`UPDATE setting SET value = ${WRITTEN} WHERE name = 'server'`, []);
        const result = await work(queries);
        const ended = run('COMMIT', []);
        // What was read is known. If the connection is lost now, the next transaction finds that out.
        if (!beginning.writes) ended.catch(() => {});
        // Where a statement failed, the server answers COMMIT with ROLLBACK, and no error.
        else if ((await ended).command !== 'COMMIT') throw new ServerError('lost', place.name);
        return result;
      } catch (error) {
        // A connection that cannot even roll back is of no use.
        await run('ROLLBACK', []).catch(drop);
        throw error;
      }
    },
    interrupt: () => stream?.destroy(new CliError('interrupted', 'interrupted before the journal was open')),
    close: drop,
  };
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
function requireOurs({ version, server, known, tables }: Begun, { needsServer }: Beginning, name: string): void {
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
