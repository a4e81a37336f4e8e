import { openForReading } from '../sqlite/database.ts';

/** An id in the sandbox with a short description. */
interface RecentId {
  readonly text: string;
  readonly about: string;
}

const MAX_IDS = 100;
const OWN = 'fintech = (SELECT fintech FROM api_key JOIN setting ON key = embedded_api_key)';

/** Queries for the latest ids of each kind, keyed by the placeholder used in help, such as `user-id`. */
const QUERIES: Readonly<Record<string, string>> = {
  'user-id': `SELECT user_id AS text, first_name || ' ' || last_name AS about FROM user WHERE ${OWN} ORDER BY id DESC LIMIT ?`,
  'account-id': `SELECT account_id AS text, verified_name || ', ' || number AS about FROM bank_account WHERE ${OWN} ORDER BY id DESC LIMIT ?`,
  'order-id': `SELECT order_id AS text, pair || ' at ' || (price_micro / 1000000.0) || ', ' || state AS about FROM fx_order
    WHERE ${OWN} AND state <> 'deleted' ORDER BY id DESC LIMIT ?`,
  'trade-id': `SELECT trade_id AS text, side || ' ' || pair || ', ' || state AS about FROM fx_trade WHERE ${OWN} ORDER BY id DESC LIMIT ?`,
};

/** Reads ids straight from the state file: no time passes, no request is counted, no file is created. */
export async function recentIds(path: string, kind: string): Promise<readonly RecentId[]> {
  const query = QUERIES[kind];
  const store = query === undefined ? undefined : await openForReading(path);
  if (!store || query === undefined) return [];
  try {
    return store.all<{ text: string; about: string }>(query, MAX_IDS);
  } finally {
    store.close();
  }
}
