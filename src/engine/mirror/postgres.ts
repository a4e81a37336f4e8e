import { CliError } from '../../base/errors.ts';
import { oneAtATime } from '../../base/one-at-a-time.ts';
import { type Client, connectionTo, type QueryResult, type ServerAccess } from '../../journal/postgres/connection.ts';
import { problemOf, ServerError } from '../../journal/postgres/errors.ts';
import type { ServerAddress } from '../../journal/postgres/server-address.ts';
import type { Queries } from '../../journal/store.ts';
import type { JournalWorld } from '../../journal/transitions.ts';
import type { SqlValue } from '../../sqlite/database.ts';
import type { Mirror } from './database.ts';
import { creation, FILE_ID, SCHEMA, stored, VERSION } from './schema.ts';
import { TABLES } from './tables.ts';

const PATH = `SET LOCAL search_path = ${SCHEMA}, pg_catalog, pg_temp`;

/** A transaction waits this long for a lock, so that a fill never waits behind somebody who readBy at its tables. */
const LOCK_MS = 20_000;

/** For so long, nobody else fills the mirror after the last write: longer than a rate limit and its retries take. By the server's clock. */
const LEASE_SECONDS = 300;

/** A session on the server, of which one thing happens at a time. */
interface ServerSession {
  /** Runs work on a connection, which is given up if that fails. Rejects with ServerError and CliError. */
  run<T>(work: (client: Client) => Promise<T>): Promise<T>;
  transaction<T>(begin: string, work: (queries: Queries) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

async function sessionOn(address: ServerAddress, access: ServerAccess, world: JournalWorld): Promise<ServerSession> {
  const connection = await connectionTo(address, access, world);
  const inTurn = oneAtATime();
  const failed = (error: unknown) => {
    if (error instanceof CliError) return error;
    if (error instanceof ServerError) return new ServerError(error.server, error.path, error.cause, 'mirror');
    return new ServerError(problemOf(error), address.name, error, 'mirror');
  };
  const run: ServerSession['run'] = (work) =>
    inTurn(async () => {
      try {
        return await work(await connection.open());
      } catch (error) {
        // A connection in the middle of something is of no use.
        if (!(error instanceof CliError)) await connection.drop();
        throw failed(error);
      }
    });
  return {
    run,
    transaction: (begin, work) =>
      run(async (client) => {
        await client.query(`BEGIN ${begin}; ${PATH}; SET LOCAL lock_timeout = ${LOCK_MS}`);
        try {
          const result = await work(queriesOf(client, world.clock.now));
          // Where a statement failed, the server answers COMMIT with ROLLBACK, and no error.
          if ((await client.query('COMMIT')).command !== 'COMMIT') throw new ServerError('lost', address.name);
          return result;
        } catch (error) {
          await client.query('ROLLBACK').catch(() => {});
          throw error;
        }
      }),
    close: connection.close,
  };
}

/** Opens the mirror in a PostgreSQL database, creating its schema on first use. Rejects with ServerError and CliError. */
export async function openMirrorServer(
  address: ServerAddress,
  access: ServerAccess,
  world: JournalWorld,
): Promise<Mirror> {
  const { run, transaction, close } = await sessionOn(address, access, world);
  const holder = `${world.host.name.replaceAll(' ', '_')}/${world.host.processId}/${world.ids.uuid()}`;
  let holds = false;
  const write: Mirror['write'] = (work) =>
    transaction('ISOLATION LEVEL READ COMMITTED READ WRITE', async (queries) => {
      if (holds && !(await renew(queries, holder))) throw taken(address.name, await holderIn(queries));
      return work(queries);
    });
  try {
    await run((client) => create(client, address.name));
  } catch (error) {
    await close();
    throw error;
  }
  const release = async () => {
    holds = false;
    // Nobody waits longer than the lease if this fails.
    await write((queries) => giveUp(queries, holder)).catch(() => {});
  };
  return {
    ...{ engine: 'postgres', name: address.name, write, close },
    read: (work) => transaction('ISOLATION LEVEL REPEATABLE READ READ ONLY', work),
    lock: async () => {
      holds = await write((queries) => claim(queries, holder));
      return holds ? { [Symbol.asyncDispose]: release } : undefined;
    },
    erase: () =>
      run(async (client) => {
        // A plain VACUUM leaves the bytes of deleted rows in their pages.
        for (const name of [...TABLES.map(stored), 'person_name'])
          await client.query(`VACUUM (FULL, ANALYZE) ${SCHEMA}.${name}`);
      }),
    backUp: () => undefined,
  };
}

function queriesOf(client: Client, now: () => number): Queries {
  const run = (sql: string, values: readonly SqlValue[]): Promise<QueryResult> => {
    let count = 0;
    const numbered = sql.replaceAll('?', () => {
      count += 1;
      return `$${count}`;
    });
    return client.query({ text: numbered, values: [...values] });
  };
  return {
    engine: 'postgres',
    all: async <R extends object>(sql: string, ...values: SqlValue[]) => (await run(sql, values)).rows as R[],
    get: async <R extends object>(sql: string, ...values: SqlValue[]) =>
      (await run(sql, values)).rows[0] as R | undefined,
    run: async (sql, ...values) => (await run(sql, values)).rowCount ?? 0,
    now,
  };
}

/** Creates the schema, or what an earlier version of it lacks; two hosts may do it at once. */
async function create(client: Client, name: string): Promise<void> {
  const version = async () => {
    const { rows } = await client.query(
      `SELECT to_regclass('${SCHEMA}.setting') IS NOT NULL AS made,
         (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '${SCHEMA}') AS tables`,
    );
    const [state] = rows as { made: string; tables: bigint }[];
    if (state?.made !== 't') {
      if (state?.tables !== 0n) throw new ServerError('foreign', name);
      return undefined;
    }
    const found = await client.query(`SELECT value FROM ${SCHEMA}.setting WHERE name = 'version'`);
    return (found.rows[0] as { value: string } | undefined)?.value;
  };
  const found = await version();
  if (found === String(VERSION)) return;
  if (found !== undefined && !(Number(found) < VERSION))
    throw new ServerError(Number(found) > VERSION ? 'newer' : 'foreign', name);
  await client.query(
    `BEGIN; SELECT pg_advisory_xact_lock(${FILE_ID}); CREATE SCHEMA IF NOT EXISTS ${SCHEMA}; ${PATH}; ${creation('postgres')};
     INSERT INTO setting VALUES ('version', '${VERSION}')
       ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE setting.value::int < ${VERSION}; COMMIT`,
  );
}

const UNTIL = `(extract(epoch FROM clock_timestamp()) + ${LEASE_SECONDS})::bigint`;
const NOW = 'extract(epoch FROM clock_timestamp())::bigint';

async function claim(queries: Queries, holder: string): Promise<boolean> {
  const count = await queries.run(
    `INSERT INTO setting (name, value) VALUES ('filler', ? || ' ' || ${UNTIL})
     ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE split_part(setting.value, ' ', 2)::bigint < ${NOW}`,
    holder,
  );
  return count > 0;
}

async function renew(queries: Queries, holder: string): Promise<boolean> {
  const sql = `UPDATE setting SET value = split_part(value, ' ', 1) || ' ' || ${UNTIL} WHERE name = 'filler' AND split_part(value, ' ', 1) = ?`;
  return (await queries.run(sql, holder)) > 0;
}

async function giveUp(queries: Queries, holder: string): Promise<void> {
  await queries.run(`DELETE FROM setting WHERE name = 'filler' AND split_part(value, ' ', 1) = ?`, holder);
}

async function holderIn(queries: Queries): Promise<string | undefined> {
  const row = await queries.get<{ value: string }>(`SELECT value FROM setting WHERE name = 'filler'`);
  return row?.value.split('/', 1)[0];
}

function taken(name: string, host: string | undefined): CliError {
  return new CliError('declined', `another host fills the mirror ${name} now${host ? `: ${host}` : ''}`, {
    code: 'MIRROR_BUSY',
    hint: 'what was read is kept; run fiatrail sync again later',
  });
}
