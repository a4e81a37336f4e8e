import { oneAtATime } from '../../base/calls.ts';
import { CliError } from '../../base/errors.ts';
import type { SqlValue } from '../../sqlite/database.ts';
import type { Queries } from '../store.ts';
import type { JournalWorld } from '../transitions.ts';
import { ownsSql } from './catalog.ts';
import { type Client, connectionTo, type QueryResult, type ServerAccess } from './connection.ts';
import { type OnServer, problemOf, ServerError } from './errors.ts';
import { gateTo, type SchemaLayout } from './gate.ts';
import type { ServerAddress } from './server-address.ts';

/** A session on the server, of which one thing happens at a time. */
interface ServerSession {
  /** Runs work on a connection, which is given up if that fails. Rejects with ServerError and CliError. */
  run<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** Asks again what every new connection is asked (gate.ts), and about what views show: whether something was changed meanwhile. Rejects with ServerError and CliError. */
  check(): Promise<void>;
  /** Whether this role owns what is there, or is a superuser. Rejects with ServerError and CliError. */
  isOwner(): Promise<boolean>;
  /** Runs work in a transaction. The last of the statements that begin it may return the server's time, as `now`. */
  transaction<T>(begin: string, work: (queries: Queries) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Opens a session for what is not the journal: the local copy, or the inbox. Nothing is sent before it is used. */
export async function sessionOn(
  of: OnServer,
  address: ServerAddress,
  access: ServerAccess,
  world: Pick<JournalWorld, 'clock' | 'host'>,
  layout: SchemaLayout,
): Promise<ServerSession> {
  const gate = gateTo(layout, address.name);
  const connection = await connectionTo(address, access, world, gate);
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
  /** Does the first thing once more if the connection ended since it was used last: nothing was begun. */
  const first = async <T>(client: Client, isFresh: boolean, work: (client: Client) => Promise<T>) => {
    try {
      return [client, await work(client)] as const;
    } catch (error) {
      if (isFresh || error instanceof ServerError || problemOf(error) !== 'unreachable') throw error;
      await connection.drop();
      const next = await connection.open();
      return [next, await work(next)] as const;
    }
  };
  return {
    run,
    check: () => {
      const isFresh = connection.isNew();
      return run(async (client) => void (await first(client, isFresh, (each) => gate(each, true))));
    },
    isOwner: () => run(async (client) => isTrue((await client.query(`SELECT ${ownsSql(layout.schema)} AS is`)).rows)),
    transaction: (begin, work) => {
      const isFresh = connection.isNew();
      return run(async (opened) => {
        const [client, found] = await first<unknown>(opened, isFresh, (each) => each.query(begin));
        const nowMs = timeIn(found);
        const queries = queriesOf(client, nowMs === undefined ? world.clock.now : () => nowMs);
        return await ended(client, address.name, () => work(queries));
      });
    },
    close: connection.close,
  };
}

/** Runs the work of a transaction that was begun, and ends it. */
async function ended<T>(client: Client, name: string, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    // Where a statement failed, the server answers COMMIT with ROLLBACK, and no error.
    if ((await client.query('COMMIT')).command !== 'COMMIT') throw new ServerError('lost', name);
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

const isTrue = ([row]: readonly { readonly is?: unknown }[]) => row?.is === 't';

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
