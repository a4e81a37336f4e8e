import { advice } from '../base/advice.ts';
import { CliError } from '../base/errors.ts';
import type { Host } from '../base/world.ts';
import type { ServerAccess } from '../journal/postgres/connection.ts';
import { ServerError } from '../journal/postgres/errors.ts';
import { pathTo, type SchemaLayout, wrongOn } from '../journal/postgres/gate.ts';
import { hostNameIn } from '../journal/postgres/host-id.ts';
import type { ServerAddress } from '../journal/postgres/server-address.ts';
import { sessionOn } from '../journal/postgres/session.ts';
import type { Queries } from '../journal/store.ts';
import type { JournalWorld } from '../journal/transitions.ts';
import type { SqlValue } from '../sqlite/database.ts';
import { type RowOf, replacing } from '../store/table.ts';
import { booksIn } from './book-entries.ts';
import { creation } from './creation.ts';
import type { LocalCopy } from './database.ts';
import { fillerOf, hasEnded } from './filler.ts';
import { CHANGES, FILE_ID, FILLER, GRANTS, later, SCHEMA, stored, tables, VERSION } from './schema.ts';
import { TABLES } from './tables.ts';

/** A transaction waits this long for a lock, so that a fill never waits behind someone who readBy at its tables. */
const LOCK_MS = 20_000;

/** For so long, no other host fills the local copy after the last write: longer than a rate limit and its retries take. By the server's clock. */
const LEASE_MS = 300_000;

/** Opens the local copy in a PostgreSQL database, creating its schema on first use. Rejects with ServerError and CliError. */
export async function openCopyServer(
  address: ServerAddress,
  access: ServerAccess,
  world: JournalWorld,
): Promise<LocalCopy> {
  const { run, check, transaction, close } = await sessionOn('copy', address, access, world, layout());
  // A server compiles the long statements of reports for longer than it runs them: for a minute, at 170,000 rows.
  const began = (mode: string) =>
    `BEGIN ISOLATION LEVEL ${mode}; ${pathTo(SCHEMA)}; SET LOCAL lock_timeout = ${LOCK_MS}; SET LOCAL jit = off`;
  const here: Host = { ...world.host, name: hostNameIn(access.dir, world) };
  const holder = world.ids.uuid();
  let holds = false;
  const write: LocalCopy['write'] = (work) =>
    transaction(began('READ COMMITTED READ WRITE'), async (queries) => {
      if (holds && !(await renew(queries, holder))) throw taken(address.name, await fillerIn(queries));
      return work(queries);
    });
  try {
    // The schema is created before someone asks for something.
    await run(async () => {});
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
    engine: 'postgres',
    name: address.name,
    write,
    close,
    read: (work) =>
      transaction(began('REPEATABLE READ READ ONLY'), (queries) => work(withCheckedViews(queries, address.name))),
    lock: async () => {
      await check();
      holds = await write((queries) => claim(queries, holder, here));
      return holds ? { [Symbol.asyncDispose]: release } : undefined;
    },
    filler: async () => {
      const found = await transaction(began('REPEATABLE READ READ ONLY'), fillerIn);
      return found && !hasEnded(found, here) ? fillerOf(found) : undefined;
    },
    erase: () =>
      run(async (client) => {
        // A plain VACUUM leaves the bytes of deleted rows in their pages.
        for (const name of [...TABLES.map(stored), CHANGES.name, 'person_name'])
          await client.query(`VACUUM (FULL, ANALYZE) ${SCHEMA}.${name}`);
      }),
    backUp: () => undefined,
  };
}

/** Compares the views of the books before a transaction reads one: a connection asks only whether they are there. */
function withCheckedViews(queries: Queries, name: string): Queries {
  let areChecked = false;
  const check = async (sql: string) => {
    if (areChecked || booksIn(sql).length === 0) return;
    const wrong = await wrongOn(queries, layout());
    if (wrong) throw new ServerError(wrong.problem, name, new Error(wrong.what));
    areChecked = true;
  };
  return {
    ...queries,
    all: async <R extends object>(sql: string, ...values: SqlValue[]) => {
      await check(sql);
      return queries.all<R>(sql, ...values);
    },
    get: async <R extends object>(sql: string, ...values: SqlValue[]) => {
      await check(sql);
      return queries.get<R>(sql, ...values);
    },
  };
}

/** docs/data.md has two views that someone may add. */
function layout(): SchemaLayout {
  return {
    schema: SCHEMA,
    version: VERSION,
    lock: FILE_ID,
    host: GRANTS.host,
    tables: tables(),
    creation: creation('postgres'),
    later: later(),
    views: ['operations', 'events'],
  };
}

const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
const UNTIL = `${NOW} + ${LEASE_MS}`;

const fillerIn = (queries: Queries) => queries.get<RowOf<typeof FILLER>>(`SELECT * FROM filler WHERE until >= ${NOW}`);

/** Takes the turn of nobody, of a host that has not written for as long as its lease, or of a process of this host that has ended. */
async function claim(queries: Queries, holder: string, here: Host): Promise<boolean> {
  const found = await fillerIn(queries);
  if (found && !hasEnded(found, here)) return false;
  const count = await queries.run(
    `INSERT INTO filler (id, holder, host, process, run, since, until) VALUES (1, ?, ?, ?, ?, ${NOW}, ${UNTIL})
     ${replacing(FILLER, ['holder', 'host', 'process', 'run', 'since', 'until'])} WHERE filler.until < ${NOW} OR filler.holder = ?`,
    holder,
    here.name,
    here.processId,
    here.runOf?.(here.processId) ?? null,
    found?.holder ?? '',
  );
  return count > 0;
}

async function renew(queries: Queries, holder: string): Promise<boolean> {
  return (await queries.run(`UPDATE filler SET until = ${UNTIL} WHERE holder = ?`, holder)) > 0;
}

async function giveUp(queries: Queries, holder: string): Promise<void> {
  await queries.run('DELETE FROM filler WHERE holder = ?', holder);
}

function taken(name: string, filler: RowOf<typeof FILLER> | undefined): CliError {
  const { host } = filler ? fillerOf(filler) : {};
  return new CliError('declined', `another host fills the local copy ${name} now${host ? `: ${host}` : ''}`, {
    code: 'COPY_BUSY',
    hint: advice`what was read is kept; run [fiatrail sync] again later`,
  });
}
