import { EXPECTED, LOCK, PATH, SERVER } from './create.ts';
import { SCHEMA } from './schema.ts';

/** How long a transaction waits for the one before it. */
export const WAIT_MS = 20_000;
/** The server ends a transaction of a host that stopped in the middle, so that it holds up no other host. */
const IDLE_MS = 30_000;

const TIME = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now';
const STATE = `(SELECT value FROM ${SCHEMA}.setting WHERE name = 'version') AS version,
  (SELECT value FROM ${SCHEMA}.setting WHERE name = 'server') AS known`;

/** What the first statements of a transaction tell. */
export interface Begun {
  readonly now: bigint;
  readonly version: string | null;
  readonly server: string | null;
  readonly known: string | null;
  /** What is known of these tables, if they were not restored. */
  readonly tables: string | null;
}

/** The first statements of a transaction, and whether it writes. */
export interface Beginning {
  readonly sql: string;
  readonly writes: boolean;
  /** Whether what a server that took over may have lost is in the way. */
  readonly needsServer: boolean;
  /** How long the server lets it wait for the transaction before it. */
  readonly lockMs: number;
}

/** The first statements of a transaction that reads. */
export const READ: Beginning = {
  sql: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${PATH}; SELECT ${TIME}, ${STATE}, NULL AS server, NULL AS tables`,
  writes: false,
  needsServer: false,
  lockMs: 0,
};

/**
 * Returns the first statements of a transaction that writes. One does at a time, in the order in which they get the lock; the last SELECT
 * waits for it.
 */
export function writeSql(waitMs = WAIT_MS, { acceptsServer = false } = {}): Beginning {
  const sql = [
    'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE',
    PATH,
    `SET LOCAL lock_timeout = ${Math.max(1, Math.ceil(waitMs))}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}`,
    // A commit that is only in memory could be lost, and its once key with it.
    `SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') IN ('off', 'local')`,
    `SELECT pg_advisory_xact_lock(${LOCK})`,
    `SELECT ${TIME}, ${STATE}, ${SERVER} AS server, ${EXPECTED} AS tables`,
  ].join('; ');
  return { sql, writes: true, needsServer: !acceptsServer, lockMs: waitMs };
}
