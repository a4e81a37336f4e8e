import { advice } from '../../../base/advice.ts';
import { CliError } from '../../../base/errors.ts';
import type { ServerAccess } from '../../../journal/postgres/connection.ts';
import { ServerError } from '../../../journal/postgres/errors.ts';
import { pathTo } from '../../../journal/postgres/gate.ts';
import type { ServerAddress } from '../../../journal/postgres/server-address.ts';
import { sessionOn } from '../../../journal/postgres/session.ts';
import type { JournalWorld } from '../../../journal/transitions.ts';
import { doneOn, type InboxStore } from '../store.ts';
import { LAYOUT, LOCK, SCHEMA } from './schema.ts';

/** How long a transaction waits for the one before it. */
const LOCK_MS = 20_000;
/** The server ends a transaction of a host that stopped in the middle, so that deliveries to another host wait no longer for it. */
const IDLE_MS = 5_000;

const TIME = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now';

const reading = () => `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${pathTo(SCHEMA)}; ${TIME}`;

/** One transaction writes at a time, so that events get their numbers in the order in which they can be seen. */
const writing = () =>
  [
    'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE',
    pathTo(SCHEMA),
    `SET LOCAL lock_timeout = ${LOCK_MS}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}`,
    // A delivery that is acknowledged is never sent again, so it must be on disk.
    `SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') IN ('off', 'local')`,
    `SELECT pg_advisory_xact_lock(${LOCK})`,
    TIME,
  ].join('; ');

/** Opens the store of an inbox that hosts share, creating its schema on first use. `account` is the base URL of its account. Rejects with ServerError and CliError. */
export async function openSharedStore(
  address: ServerAddress,
  access: ServerAccess,
  account: string,
  world: Pick<JournalWorld, 'clock' | 'host'>,
): Promise<InboxStore> {
  const { transaction, check, isOwner, close } = await sessionOn('inbox', address, access, world, LAYOUT);
  const store: InboxStore = {
    read: (work) => transaction(reading(), (queries) => doneOn(queries, work)),
    write: (work) => transaction(writing(), (queries) => doneOn(queries, work)),
    check,
    isOwner,
    close,
    changed: (what) => new ServerError('changed', address.name, new Error(what), 'inbox'),
  };
  try {
    await requireAccount(store, account, address.name);
    return store;
  } catch (error) {
    await close();
    throw error;
  }
}

/** Events of two accounts must not be in one inbox: each would be forwarded to the targets of the other. */
async function requireAccount(store: InboxStore, account: string, name: string): Promise<void> {
  const sql = `SELECT value FROM setting WHERE name = 'account'`;
  const known = await store.read((queries) => queries.get<{ value: string }>(sql));
  if (known?.value === account) return;
  const first =
    known ??
    (await store.write(function* (queries) {
      yield* queries.run(`INSERT INTO setting VALUES ('account', ?) ON CONFLICT (name) DO NOTHING`, account);
      return yield* queries.get<{ value: string }>(sql);
    }));
  if (first?.value === account) return;
  throw new CliError(
    'declined',
    `the inbox ${name} is that of an account at ${first?.value}, and this profile’s is at ${account}`,
    {
      code: 'INBOX_OF_ANOTHER',
      hint: advice`give each account a database of its own: [fiatrail profiles inbox set NAME --url URL]`,
    },
  );
}
