import { CliError } from '../../base/errors.ts';
import { oneAtATime } from '../../base/one-at-a-time.ts';
import type { SqlValue } from '../../sqlite/database.ts';
import type { Queries } from '../store.ts';
import type { JournalWorld } from '../transitions.ts';
import { type Client, connectionTo, type QueryResult, type ServerAccess } from './connection.ts';
import { type OnServer, problemOf, ServerError } from './errors.ts';
import type { ServerAddress } from './server-address.ts';

/** A session on the server, of which one thing happens at a time. */
interface ServerSession {
  /** Runs work on a connection, which is given up if that fails. Rejects with ServerError and CliError. */
  run<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** Runs work in a transaction. The last of the statements that begin it may return the server's time, as `now`. */
  transaction<T>(begin: string, work: (queries: Queries) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Opens a session for what is not the journal: the mirror, or the inbox. Nothing is sent before it is used. */
export async function sessionOn(
  of: OnServer,
  address: ServerAddress,
  access: ServerAccess,
  world: Pick<JournalWorld, 'clock' | 'host'>,
): Promise<ServerSession> {
  const connection = await connectionTo(address, access, world);
  const inTurn = oneAtATime();
  const failed = (error: unknown) => {
    if (error instanceof CliError) return error;
    if (error instanceof ServerError) return new ServerError(error.server, error.path, error.cause, of);
    return new ServerError(problemOf(error), address.name, error, of);
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
  /** Begins again if the connection ended since it was used last: nothing was begun. */
  const begun = async (client: Client, isFresh: boolean, begin: string): Promise<readonly [Client, unknown]> => {
    try {
      return [client, await client.query(begin)];
    } catch (error) {
      if (isFresh || problemOf(error) !== 'unreachable') throw error;
      await connection.drop();
      const next = await connection.open();
      return [next, await next.query(begin)];
    }
  };
  return {
    run,
    transaction: (begin, work) => {
      const isFresh = connection.isNew();
      return run(async (opened) => {
        const [client, found] = await begun(opened, isFresh, begin);
        try {
          const nowMs = timeIn(found);
          const result = await work(queriesOf(client, nowMs === undefined ? world.clock.now : () => nowMs));
          // Where a statement failed, the server answers COMMIT with ROLLBACK, and no error.
          if ((await client.query('COMMIT')).command !== 'COMMIT') throw new ServerError('lost', address.name);
          return result;
        } catch (error) {
          await client.query('ROLLBACK').catch(() => {});
          throw error;
        }
      });
    },
    close: connection.close,
  };
}

function timeIn(found: unknown): number | undefined {
  const last = (Array.isArray(found) ? found.at(-1) : found) as QueryResult | undefined;
  const now = (last?.rows[0] as { readonly now?: bigint } | undefined)?.now;
  return now === undefined ? undefined : Number(now);
}

function queriesOf(client: Client, now: () => number): Queries {
  const run = (sql: string, values: readonly SqlValue[]): Promise<QueryResult> =>
    client.query({ text: numbered(sql), values: [...values] });
  return {
    engine: 'postgres',
    all: async <R extends object>(sql: string, ...values: SqlValue[]) => (await run(sql, values)).rows as R[],
    get: async <R extends object>(sql: string, ...values: SqlValue[]) =>
      (await run(sql, values)).rows[0] as R | undefined,
    run: async (sql, ...values) => (await run(sql, values)).rowCount ?? 0,
    now,
  };
}

/** Returns SQL with `$1`, `$2`… in the place of each `?`, and `$2` in that of `?2`. */
export function numbered(sql: string): string {
  let count = 0;
  return sql.replace(/\?(\d*)/g, (_, number: string) => {
    count += 1;
    return `$${number || count}`;
  });
}

/** What is created in a schema of its own, and who may do it at a time. */
interface SchemaLayout {
  readonly schema: string;
  readonly version: number;
  /** The advisory lock of whoever creates it. */
  readonly lock: number;
  /** Statements that create everything but the version; `setting` is among it. */
  readonly creation: string;
  /** Statements that add what earlier versions lack; left out if there was none. */
  readonly upgrade?: string;
}

/** Creates a schema, or what an earlier version of it lacks; two hosts may do it at once. Rejects with ServerError. */
export async function prepareSchema(client: Client, name: string, layout: SchemaLayout): Promise<void> {
  const { schema, version, lock, creation, upgrade } = layout;
  const { rows } = await client.query(
    `SELECT to_regclass('${schema}.setting') IS NOT NULL AS made,
       (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '${schema}') AS tables`,
  );
  const [state] = rows as { made: string; tables: bigint }[];
  if (state?.made === 't') {
    const found = await client.query(`SELECT value FROM ${schema}.setting WHERE name = 'version'`);
    const known = (found.rows[0] as { value: string } | undefined)?.value;
    if (known === String(version)) return;
    if (upgrade === undefined || !(Number(known) < version))
      throw new ServerError(Number(known) > version ? 'newer' : 'foreign', name);
  } else if (state?.tables !== 0n) throw new ServerError('foreign', name);
  const older = `UPDATE setting SET value = '${version}' WHERE name = 'version' AND value::int < ${version}`;
  await client.query(
    `BEGIN; SELECT pg_advisory_xact_lock(${lock}); CREATE SCHEMA IF NOT EXISTS ${schema}; ${pathTo(schema)};
     DO $do$ BEGIN IF to_regclass('${schema}.setting') IS NULL THEN ${creation};
       INSERT INTO setting VALUES ('version', '${version}');
     ${upgrade === undefined ? '' : `ELSIF EXISTS (SELECT 1 FROM setting WHERE name = 'version' AND value::int < ${version}) THEN ${upgrade}; ${older};`}
     END IF; END $do$; COMMIT`,
  );
}

/** Finds names in a schema and nowhere else, until the transaction ends. */
export const pathTo = (schema: string) => `SET LOCAL search_path = ${schema}, pg_catalog, pg_temp`;
