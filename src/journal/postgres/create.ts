import type { Ids } from '../../base/world.ts';
import { ServerError } from './errors.ts';
import { gateTo } from './gate.ts';
import { LAYOUT, SCHEMA } from './schema.ts';

/** The part of a server that reading its settings needs. */
interface Statements {
  readonly name: string;
  /** Runs statements outside a transaction of the journal. Rejects with ServerError. */
  statements(sql: string): Promise<readonly Record<string, unknown>[]>;
}

/** What never changes of a journal. */
interface JournalIdentity {
  readonly id: string;
  readonly digestKey: string;
  /** Whether it has its first entry (../digest-key.ts). */
  readonly isBegun: boolean;
}

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

/** Returns what a connection to a journal goes through. A new journal gets an id, the key of its digests, and the server that it is on. */
export const gateToJournal = (name: string, ids: Ids) =>
  gateTo(LAYOUT, name, () => {
    const id = Buffer.from(ids.bytes(4)).toString('hex');
    const key = Buffer.from(ids.bytes(32)).toString('base64url');
    return `, ('id', '${id}'), ('digest-key', '${key}'), ('server', ${WRITTEN})`;
  });

/** Reads the journal's settings with one query, as nearly every command does. Rejects with ServerError. */
export async function identityOf({ name, statements }: Statements): Promise<JournalIdentity> {
  const rows = await statements(
    `SELECT name, value FROM ${SCHEMA}.setting WHERE name IN ('id', 'digest-key')
     UNION ALL SELECT 'replica', pg_is_in_recovery()::text
     UNION ALL SELECT 'begun', EXISTS (SELECT 1 FROM ${SCHEMA}.entry)::text`,
  );
  const settings = Object.fromEntries(rows.map((row) => [row['name'], row['value']]));
  if (settings['replica'] === 'true') throw new ServerError('replica', name);
  const { id, 'digest-key': digestKey, begun } = settings;
  if (typeof id !== 'string' || !/^[0-9a-f]{8}$/.test(id) || typeof digestKey !== 'string')
    throw new ServerError('foreign', name);
  return { id, digestKey, isBegun: begun === 'true' };
}

/** Throws ServerError if the tables are of another version. */
export function requireVersion(version: unknown, name: string): void {
  if (version !== String(LAYOUT.version))
    throw new ServerError(Number(version) > LAYOUT.version ? 'newer' : 'older', name);
}
