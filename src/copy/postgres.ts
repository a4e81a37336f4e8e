import { CliError } from '../base/errors.ts';
import type { ServerAccess } from '../journal/postgres/connection.ts';
import { pathTo, type SchemaLayout } from '../journal/postgres/gate.ts';
import type { ServerAddress } from '../journal/postgres/server-address.ts';
import { sessionOn } from '../journal/postgres/session.ts';
import type { Queries } from '../journal/store.ts';
import type { JournalWorld } from '../journal/transitions.ts';
import type { LocalCopy } from './database.ts';
import { creation, FILE_ID, GRANTS, later, SCHEMA, stored, tables, VERSION } from './schema.ts';
import { TABLES } from './tables.ts';

/** A transaction waits this long for a lock, so that a fill never waits behind someone who readBy at its tables. */
const LOCK_MS = 20_000;

/** For so long, nobody else fills the local copy after the last write: longer than a rate limit and its retries take. By the server's clock. */
const LEASE_SECONDS = 300;

/** Opens the local copy in a PostgreSQL database, creating its schema on first use. Rejects with ServerError and CliError. */
export async function openCopyServer(
  address: ServerAddress,
  access: ServerAccess,
  world: JournalWorld,
): Promise<LocalCopy> {
  const { run, check, transaction, close } = await sessionOn('copy', address, access, world, layout());
  const began = (mode: string) =>
    `BEGIN ISOLATION LEVEL ${mode}; ${pathTo(SCHEMA)}; SET LOCAL lock_timeout = ${LOCK_MS}`;
  const holder = `${world.host.name.replaceAll(' ', '_')}/${world.host.processId}/${world.ids.uuid()}`;
  let holds = false;
  const write: LocalCopy['write'] = (work) =>
    transaction(began('READ COMMITTED READ WRITE'), async (queries) => {
      if (holds && !(await renew(queries, holder))) throw taken(address.name, await holderIn(queries));
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
    read: (work) => transaction(began('REPEATABLE READ READ ONLY'), work),
    lock: async () => {
      await check();
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

/** docs/data.md has two views that someone may add. */
function layout(): SchemaLayout {
  return {
    schema: SCHEMA,
    version: VERSION,
    lock: FILE_ID,
    host: GRANTS.host,
    tables: tables(),
    creation: creation(),
    later: later(),
    views: ['operations', 'events'],
  };
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
  return new CliError('declined', `another host fills the local copy ${name} now${host ? `: ${host}` : ''}`, {
    code: 'COPY_BUSY',
    hint: 'what was read is kept; run fiatrail sync again later',
  });
}
