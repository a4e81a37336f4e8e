import { isNamedBy, type KnownId } from '../contract/plain-ids.ts';
import { type Database, openForReading } from '../sqlite/database.ts';
import { BANKS } from './banks/banks.ts';

/** The table with the rows of a list in the sandbox. `newest` is an order that an index supports. */
interface EntryTable {
  readonly table: string;
  readonly id: string;
  readonly about: string;
  readonly newest?: string;
  readonly where?: string;
}

const MAX_IDS = 100;
const OWN = 'fintech = (SELECT fintech FROM api_key JOIN setting ON key = embedded_api_key)';

const ENTRY_TABLES: Readonly<Record<string, EntryTable>> = {
  users: {
    table: 'user',
    id: 'user_id',
    about: "first_name || ' ' || last_name",
    newest: 'created_at DESC, id DESC',
  },
  bank_accounts: { table: 'bank_account', id: 'account_id', about: "verified_name || ', ' || number" },
  external_wallets: {
    table: 'external_wallet',
    id: 'address',
    about: "coalesce(label || ' ', '') || blockchain || ' ' || type",
  },
  fx_orders: {
    table: 'fx_order',
    id: 'order_id',
    about: "pair || ' at ' || (price_micro / 1000000.0) || ', ' || state",
    where: "state <> 'deleted'",
  },
  fx_trades: { table: 'fx_trade', id: 'trade_id', about: "side || ' ' || pair || ', ' || state" },
  fee_withdrawals: { table: 'fee_withdrawal', id: 'withdrawal_id', about: "account_name || ', ' || state" },
  swaps: { table: 'swap', id: 'request_id', about: 'state' },
  bridge_transfers: { table: 'bridge', id: 'request_id', about: "from_network || ' ' || to_network || ', ' || state" },
};

/**
 * Reads the things of the sandbox's account directly from the state file, newest first or, with the start of an id, by id; if no id begins so, those
 * with the start of a name. No time
 * passes, no request is counted, no file is created.
 */
export async function recentIds(path: string, list: string, start: string): Promise<readonly KnownId[]> {
  const table = ENTRY_TABLES[list];
  const store = table && (await openForReading(path));
  if (!store) return [];
  try {
    return idsIn(store, table, start);
  } finally {
    store.close();
  }
}

function idsIn(
  store: Pick<Database, 'all'>,
  { table, id, about, newest = 'id DESC', where = '1' }: EntryTable,
  start: string,
) {
  const select = `SELECT ${id} AS id, ${about} AS about FROM ${table} WHERE ${where}`;
  if (start === '')
    return store.all<{ id: string; about: string }>(`${select} AND ${OWN} ORDER BY ${newest} LIMIT ?`, MAX_IDS);
  const found = store.all<{ id: string; about: string }>(
    // The plus sign keeps SQLite from using the index of the account, which would read all its rows.
    `${select} AND +${OWN} AND ${id} >= ? AND ${id} < ? ORDER BY ${id} LIMIT ?`,
    start,
    `${start}\u{10ffff}`,
    MAX_IDS,
  );
  if (found.length > 0) return found;
  const named = `${select} AND ${OWN} AND instr(lower(${about}), lower(?)) > 0 ORDER BY ${newest} LIMIT ?`;
  return store
    .all<{ id: string; about: string }>(named, start, MAX_IDS)
    .filter((entry) => isNamedBy(entry.about, start));
}

/** The banks of the sandbox. */
export const knownBanks = (): readonly KnownId[] => BANKS.map(({ code, name }) => ({ id: code, about: name }));
