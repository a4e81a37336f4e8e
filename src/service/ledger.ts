import type { Direction } from '../contract/values.ts';
import type { Asset } from '../money/amount.ts';
import type { Database, SqlValue } from '../sqlite/database.ts';
import type { Context } from './context.ts';

/** A ledger account. Only the outside world and the supply may be negative. */
export interface AccountRef {
  readonly code: string;
  readonly asset: Asset;
  readonly mayBeNegative?: boolean;
}

/**
 * The chart of accounts. A positive balance is what an account holds.
 * bank: the outside banks, negative by the Naira that came in and has not left.
 * supply: negative by the cNGN in circulation. reserve: the Naira that backs it, one to one.
 */
export const BANK: AccountRef = { code: 'bank', asset: 'NGN', mayBeNegative: true };
export const RESERVE: AccountRef = { code: 'reserve', asset: 'NGN' };
/** Naira received but not yet minted. */
export const INCOMING: AccountRef = { code: 'incoming', asset: 'NGN' };
/** Naira on its way back to the sender. */
export const REFUNDS: AccountRef = { code: 'refunds', asset: 'NGN' };
export const SUPPLY: AccountRef = { code: 'supply', asset: 'CNGN', mayBeNegative: true };
/** cNGN taken for an offramp whose payout is still pending. */
export const VAULT: AccountRef = { code: 'vault', asset: 'CNGN' };

/** Both legs of all open trades. */
export const escrow = (asset: Asset): AccountRef => ({ code: 'escrow', asset });
/** Tokens sold in swaps that are not yet executed. */
export const swapping = (asset: Asset): AccountRef => ({ code: 'swapping', asset });
/** cNGN in transit between two networks, or in a transfer that is going to fail. */
export const BRIDGING: AccountRef = { code: 'bridging', asset: 'CNGN' };
/** Platform fees on trades, bridges and withdrawals. */
export const platformTokens = (asset: Asset): AccountRef => ({ code: 'fees/platform/tokens', asset });

export const platformFees = (direction: Direction): AccountRef => ({
  code: `fees/platform/${direction}`,
  asset: 'NGN',
});
/** Fees of the payment gateway on onramps. */
export const GATEWAY_FEES: AccountRef = { code: 'fees/gateway', asset: 'NGN' };
export const fintechFees = (fintech: bigint, direction: Direction): AccountRef => ({
  code: `fees/fintech/${fintech}/${direction}`,
  asset: 'NGN',
});
/** A fintech's fees on their way to its bank account. */
export const feesWithdrawing = (fintech: bigint, direction: Direction): AccountRef => ({
  code: `fees/withdrawing/${fintech}/${direction}`,
  asset: 'NGN',
});
/** Wallets outside the sandbox, the tokens that came from there, as a negative balance. */
export const chain = (asset: Asset): AccountRef => ({ code: 'chain', asset, mayBeNegative: true });
export const walletAccount = (wallet: bigint, network: string, asset: Asset): AccountRef => ({
  code: `wallet/${wallet}/${network}`,
  asset,
});

export interface Posting {
  readonly account: AccountRef;
  /** In the smallest unit of the account's asset; positive into the account. */
  readonly minor: bigint;
}

/** Returns the row id of an account, creating it on first use. */
export function accountId(store: Database, ref: AccountRef): bigint {
  const find = () =>
    store.get<{ id: bigint }>('SELECT id FROM account WHERE code = ? AND asset = ?', ref.code, ref.asset)?.id;
  return (
    find() ??
    store.insert(
      'INSERT INTO account (code, asset, may_be_negative) VALUES (?, ?, ?)',
      ref.code,
      ref.asset,
      ref.mayBeNegative ? 1 : 0,
    )
  );
}

/** The maximum net inflow of an asset from banks or from chains; both together stay below 2^63. */
const MAX_INFLOW_BASE = 4n * 10n ** 18n;

/**
 * Returns true if the amount may still come in. `outsideBase` is the balance of the outside account, negative by what
 * came in.
 */
export function hasRoomFor(outsideBase: bigint, amountBase: bigint): boolean {
  return amountBase - outsideBase <= MAX_INFLOW_BASE;
}

/** Returns an account's balance in smallest units; 0 if it was never used. */
export function balanceOf(store: Database, ref: AccountRef): bigint {
  return (
    store.get<{ balance: bigint }>('SELECT balance FROM account WHERE code = ? AND asset = ?', ref.code, ref.asset)
      ?.balance ?? 0n
  );
}

/**
 * Posts one event in the open transaction: its postings and the set that closes them. Zero postings are omitted and
 * postings on one account are added up. The database rejects a set that does not sum to zero per asset, and a balance
 * below zero on an account that must not be negative.
 */
export function post(context: Context, event: string, subject: string, postings: readonly Posting[]): void {
  const { store, nowMs } = context;
  const moves = new Map<bigint, bigint>();
  for (const { account, minor } of postings) {
    if (minor === 0n) continue;
    const id = accountId(store, account);
    moves.set(id, (moves.get(id) ?? 0n) + minor);
  }
  const set = (store.get<{ last: bigint | null }>('SELECT MAX(id) AS last FROM posting_set')?.last ?? 0n) + 1n;
  // Debits go first, so that an account with too little fails before anything else changes.
  const inOrder = [...moves].filter(([, minor]) => minor !== 0n).sort(([, a], [, b]) => (a < b ? -1 : a > b ? 1 : 0));
  for (const [account, minor] of inOrder) {
    store.run('INSERT INTO posting (posting_set, account, minor) VALUES (?, ?, ?)', set, account, minor);
  }
  store.run('INSERT INTO posting_set (id, event, subject, created_at) VALUES (?, ?, ?, ?)', set, event, subject, nowMs);
}

/** The result of a ledger audit. */
interface LedgerCheck {
  /** The sum of all accounts per asset, in smallest units; zero if the ledger balances. */
  readonly sums: Readonly<Record<string, bigint>>;
  /** True if every sum is zero, every balance equals its postings, every set sums to zero and no wallet is negative. */
  readonly balanced: boolean;
  readonly accounts: number;
  readonly postingSets: number;
}

/**
 * Audits the ledger; with `newest`, at most this many posting sets, so that the cost does not grow with the ledger. Of a longer one, the
 * sums are those of these sets, and balances are not compared with postings.
 */
export function checkLedger(store: Database, newest?: number): LedgerCheck {
  const count = (sql: string, ...values: SqlValue[]) => Number(store.get<{ n: bigint }>(sql, ...values)?.n ?? 0n);
  const postingSets = count('SELECT COALESCE(MAX(id), 0) AS n FROM posting_set');
  const after = newest === undefined ? 0 : Math.max(0, postingSets - newest);
  const isWhole = after === 0;
  const rows = store.all<{ asset: string; sum: bigint }>(
    isWhole
      ? 'SELECT asset, SUM(balance) AS sum FROM account GROUP BY asset'
      : `SELECT asset, SUM(minor) AS sum FROM posting JOIN account ON account.id = posting.account WHERE posting_set > ${after} GROUP BY asset`,
  );
  const sums: Record<string, bigint> = { NGN: 0n, CNGN: 0n, USDC: 0n, USDT: 0n };
  for (const { asset, sum } of rows) sums[asset] = sum;
  const offBalances = isWhole
    ? count(`SELECT COUNT(*) AS n FROM account
        LEFT JOIN (SELECT account, SUM(minor) AS moved FROM posting GROUP BY account) ON account = account.id
        WHERE balance <> COALESCE(moved, 0) OR (may_be_negative = 0 AND balance < 0)`)
    : 0;
  const offSets = count(
    `SELECT COUNT(*) AS n FROM (SELECT 1 FROM posting JOIN account ON account.id = posting.account WHERE posting_set > ?
       GROUP BY posting_set, asset HAVING SUM(minor) <> 0)`,
    after,
  );
  const openSets = count(
    `SELECT COUNT(*) AS n FROM posting WHERE posting_set > ? AND posting_set NOT IN (SELECT id FROM posting_set WHERE id > ?)`,
    after,
    after,
  );
  const emptySets = count(
    `SELECT COUNT(*) AS n FROM posting_set WHERE id > ? AND id NOT IN (SELECT posting_set FROM posting WHERE posting_set > ?)`,
    after,
    after,
  );
  return {
    sums,
    balanced: Object.values(sums).every((sum) => sum === 0n) && offBalances + offSets + openSets + emptySets === 0,
    accounts: count('SELECT COALESCE(MAX(id), 0) AS n FROM account'),
    postingSets,
  };
}
