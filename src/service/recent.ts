import { openForReading } from '../sqlite/database.ts';

/** An id of the sandbox and a few words about what it stands for. */
export interface RecentId {
  readonly text: string;
  readonly about: string;
}

const MOST = 100;
const OWN = 'fintech = (SELECT fintech FROM api_key JOIN setting ON key = embedded_api_key)';

/** The latest ids of each kind, by what stands for them in help: `user-id`. */
const QUERIES: Readonly<Record<string, string>> = {
  'user-id': `SELECT user_id AS text, first_name || ' ' || last_name AS about FROM user WHERE ${OWN} ORDER BY id DESC LIMIT ?`,
  'account-id': `SELECT account_id AS text, verified_name || ', ' || number AS about FROM bank_account WHERE ${OWN} ORDER BY id DESC LIMIT ?`,
  'order-id': `SELECT order_id AS text, pair || ' at ' || (price_micro / 1000000.0) || ', ' || state AS about FROM fx_order
    WHERE ${OWN} AND state <> 'deleted' ORDER BY id DESC LIMIT ?`,
  'trade-id': `SELECT trade_id AS text, side || ' ' || pair || ', ' || state AS about FROM fx_trade WHERE ${OWN} ORDER BY id DESC LIMIT ?`,
};

/** Reads the state file of a sandbox beside the sandbox itself: no time passes, nothing is counted, no file is made. */
export async function recentIds(path: string, kind: string): Promise<readonly RecentId[]> {
  const query = QUERIES[kind];
  const store = query === undefined ? undefined : await openForReading(path);
  if (!store || query === undefined) return [];
  try {
    return store.all<{ text: string; about: string }>(query, MOST);
  } finally {
    store.close();
  }
}
