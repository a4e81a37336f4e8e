import type { Ids } from '../../base/world.ts';
import { ServerError } from './errors.ts';
import { CREATE, SCHEMA, UPGRADES } from './schema.ts';

/**
 * What a role may do that is no owner: docs/money.md quotes it, and a test makes a payment with it. The owner creates and upgrades the tables, and
 * imports. A host appends entries and keeps what repeats them. A reader sees everything but the settings, of which one is the key of the digests.
 */
export const GRANTS = {
  host: [
    `GRANT USAGE ON SCHEMA ${SCHEMA} TO fiatrail_host`,
    `GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA ${SCHEMA} TO fiatrail_host`,
    `GRANT UPDATE (state, request_id, verdict, detail, result, updated_at, busy_until) ON ${SCHEMA}.operation TO fiatrail_host`,
    `GRANT UPDATE (stage, pushes, pushed) ON ${SCHEMA}.rotation TO fiatrail_host`,
    `GRANT UPDATE (minor) ON ${SCHEMA}.spent TO fiatrail_host`,
    `GRANT UPDATE (count) ON ${SCHEMA}.tally TO fiatrail_host`,
    `GRANT UPDATE (value) ON ${SCHEMA}.setting TO fiatrail_host`,
    `GRANT UPDATE (account), DELETE ON ${SCHEMA}.account_name TO fiatrail_host`,
  ],
  reader: [
    `GRANT USAGE ON SCHEMA ${SCHEMA} TO fiatrail_reader`,
    ...['operation', 'entry', 'account_name', 'rotation', 'spent', 'tally'].map(
      (name) => `GRANT SELECT ON ${SCHEMA}.${name} TO fiatrail_reader`,
    ),
  ],
} as const;

/**
 * The name of a role that owns something of the journal, and is neither this role nor one that it belongs to, nor the owner of the database, nor a
 * superuser. Such an owner could take away whatever rejects edits.
 */
const STRANGE_OWNER = `(SELECT min(r.rolname) FROM pg_roles r
  WHERE r.oid IN (SELECT n.nspowner FROM pg_namespace n WHERE n.nspname = '${SCHEMA}'
      UNION SELECT c.relowner FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '${SCHEMA}'
      UNION SELECT p.proowner FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = '${SCHEMA}')
    AND NOT r.rolsuper AND r.rolname <> current_user
    AND NOT (pg_has_role(r.oid, 'USAGE') AND NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user))
    AND r.oid <> (SELECT datdba FROM pg_database WHERE datname = current_database()))`;

/** The part of a server that creating a journal needs. */
interface Statements {
  readonly name: string;
  /** Runs statements outside a transaction of the journal. Rejects with ServerError. */
  statements(sql: string): Promise<readonly Record<string, unknown>[]>;
}

/** What never changes of a journal. */
interface JournalIdentity {
  readonly id: string;
  readonly digestKey: string;
  /** Whether the chains of the hosts were joined (../joint.ts). */
  readonly isJoined: boolean;
}

/** `frjr`, in ASCII: the advisory lock that a transaction which writes holds until it ends. */
export const LOCK = 0x66726a72;

export const PATH = `SET LOCAL search_path = ${SCHEMA}, pg_catalog, pg_temp`;

/** The server and its timeline, which is another one after a standby took over or a backup was restored. */
export const SERVER = `(SELECT system_identifier FROM pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)`;

/**
 * The setting `server` has the server, the numbers of the database and of a table, and the transaction that wrote the setting, which
 * PostgreSQL keeps with the row as `xmin`. A dump that is restored, even to this server, makes other tables and writes the row again.
 */
const TABLES_HERE = `(SELECT oid::text FROM pg_database WHERE datname = current_database()) || '/' || '${SCHEMA}.entry'::regclass::oid::text`;

/** What follows the server in the setting, unless the tables were restored. */
export const EXPECTED = `${TABLES_HERE} || '/' || (SELECT xmin::text FROM ${SCHEMA}.setting WHERE name = 'server')`;

/** The setting, if this transaction writes it. */
export const WRITTEN = `${SERVER} || '/' || ${TABLES_HERE} || '/' || (txid_current() % 4294967296)::text`;

/** Returns what identifies the journal, and creates its tables on first use. Two hosts may do it at once. Rejects with ServerError. */
export async function preparedJournal(server: Statements, ids: Ids): Promise<JournalIdentity> {
  const found = await storedIdentity(server);
  if (found) return found;
  await requireRoom(server);
  const id = Buffer.from(ids.bytes(4)).toString('hex');
  const key = Buffer.from(ids.bytes(32)).toString('base64url');
  await server.statements(
    [
      `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SELECT pg_advisory_xact_lock(${LOCK})`,
      PATH,
      `DO $do$ BEGIN IF to_regclass('${SCHEMA}.setting') IS NULL THEN CREATE SCHEMA IF NOT EXISTS ${SCHEMA}; ${CREATE}
         INSERT INTO setting VALUES ('version', '${VERSION}'), ('id', '${id}'), ('digest-key', '${key}'), ('server', ${WRITTEN});
       END IF; END $do$`,
      'COMMIT',
    ].join(';\n'),
  );
  const made = await storedIdentity(server);
  if (!made) throw new ServerError('foreign', server.name);
  return made;
}

/** Reads the journal's settings with one query, as nearly every command does. Undefined if they are not what they should be. */
async function storedIdentity({ name, statements }: Statements): Promise<JournalIdentity | undefined> {
  const rows = await statements(
    `SELECT name, value FROM ${SCHEMA}.setting WHERE name IN ('id', 'digest-key', 'version', 'joined')
     UNION ALL SELECT 'replica', pg_is_in_recovery()::text
     UNION ALL SELECT 'strange', ${STRANGE_OWNER}`,
  ).catch((error: unknown) => {
    if (error instanceof ServerError && error.server === 'other') return [];
    throw error;
  });
  const settings = Object.fromEntries(rows.map((row) => [row['name'], row['value']]));
  if (settings['replica'] === 'true') throw new ServerError('replica', name);
  if (typeof settings['strange'] === 'string') throw new ServerError('owner', name);
  const { id, 'digest-key': digestKey, version, joined } = settings;
  if (typeof id !== 'string' || !/^[0-9a-f]{8}$/.test(id) || typeof digestKey !== 'string') return undefined;
  const isOlder = typeof version === 'string' && Object.hasOwn(UPGRADES, version);
  if (isOlder) await upgrade(statements, Number(version));
  else requireVersion(version, name);
  return { id, digestKey, isJoined: Boolean(joined) && !isOlder };
}

/** Brings the tables of an older version to this one. Of several hosts that do it at once, one changes them. Rejects with ServerError. */
async function upgrade(statements: Statements['statements'], from: number): Promise<void> {
  for (let version = from; Object.hasOwn(UPGRADES, version); version++)
    await statements(
      [
        `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SELECT pg_advisory_xact_lock(${LOCK})`,
        PATH,
        `DO $do$ BEGIN IF (SELECT value FROM setting WHERE name = 'version') = '${version}' THEN ${UPGRADES[version]};
           UPDATE setting SET value = '${version + 1}' WHERE name = 'version'; END IF; END $do$`,
        'COMMIT',
      ].join(';\n'),
    );
}

/** The version of the tables. */
const VERSION = '4';

/** Throws ServerError if the tables are of another version. */
export function requireVersion(version: unknown, name: string): void {
  if (version !== VERSION) throw new ServerError(Number(version) > Number(VERSION) ? 'newer' : 'older', name);
}

/** Rejects with ServerError if there is something else where the journal should be, or none can be created. */
async function requireRoom({ name, statements }: Statements): Promise<void> {
  const [state] = await statements(
    `SELECT pg_is_in_recovery() AS replica, ${STRANGE_OWNER} AS strange, to_regclass('${SCHEMA}.setting') IS NOT NULL AS made,
       (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '${SCHEMA}') AS tables`,
  );
  if (state?.['replica'] === 't') throw new ServerError('replica', name);
  if (typeof state?.['strange'] === 'string') throw new ServerError('owner', name);
  // Another host may have made it meanwhile.
  if (state?.['made'] !== 't' && state?.['tables'] !== 0n) throw new ServerError('foreign', name);
}
