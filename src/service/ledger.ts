import type { Asset } from '../money/amount.ts';
import type { Database } from '../sqlite/database.ts';
import type { Context } from './context.ts';

/** An account of the ledger: what it holds, for whom. Only the outside world and the supply may be negative. */
export interface AccountRef {
  readonly code: string;
  readonly asset: Asset;
  readonly mayBeNegative?: boolean;
}

/**
 * The chart of accounts. A positive balance is what the account holds.
 * bank: the world of banks outside; negative by what came in and not out again.
 * supply: negative by the cNGN in circulation. reserve: the Naira behind it, one to one.
 */
export const BANK: AccountRef = { code: 'bank', asset: 'NGN', mayBeNegative: true };
export const RESERVE: AccountRef = { code: 'reserve', asset: 'NGN' };
/** Naira received and not yet minted for. */
export const INCOMING: AccountRef = { code: 'incoming', asset: 'NGN' };
/** Naira on its way back to the sender. */
export const REFUNDS: AccountRef = { code: 'refunds', asset: 'NGN' };
export const SUPPLY: AccountRef = { code: 'supply', asset: 'CNGN', mayBeNegative: true };
/** cNGN taken for an offramp whose payout is still out. */
export const VAULT: AccountRef = { code: 'vault', asset: 'CNGN' };

/** Both legs of every open trade. */
export const escrow = (asset: Asset): AccountRef => ({ code: 'escrow', asset });
/** What users gave for swaps that have not been executed. */
export const swapping = (asset: Asset): AccountRef => ({ code: 'swapping', asset });
/** cNGN on its way from one network to another. */
export const BRIDGING: AccountRef = { code: 'bridging', asset: 'CNGN' };
/** What the platform keeps of trades, bridges and withdrawals. */
export const platformTokens = (asset: Asset): AccountRef => ({ code: 'fees/platform/tokens', asset });

export type Direction = 'onramp' | 'offramp';

export const platformFees = (direction: Direction): AccountRef => ({
  code: `fees/platform/${direction}`,
  asset: 'NGN',
});
export const fintechFees = (fintech: bigint, direction: Direction): AccountRef => ({
  code: `fees/fintech/${fintech}/${direction}`,
  asset: 'NGN',
});
/** Fees of a fintech that are on their way to its bank account. */
export const feesWithdrawing = (fintech: bigint, direction: Direction): AccountRef => ({
  code: `fees/withdrawing/${fintech}/${direction}`,
  asset: 'NGN',
});
/** The chains outside: what wallets there hold, negative by tokens that came from there. */
export const chain = (asset: Asset): AccountRef => ({ code: 'chain', asset, mayBeNegative: true });
export const walletAccount = (wallet: bigint, network: string, asset: Asset): AccountRef => ({
  code: `wallet/${wallet}/${network}`,
  asset,
});

export interface Posting {
  readonly account: AccountRef;
  /** Smallest units of the account's asset; positive is into the account. */
  readonly minor: bigint;
}

/** The row of an account, made on first use. */
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

/** The most of an asset that comes in, less what went out: from a bank and from a chain together it is below 2^63. */
const MOST_BASE = 4n * 10n ** 18n;

/** Whether so much more may come in from outside, of which the ledger has `outsideBase` now: negative by what came in. */
export function hasRoomFor(outsideBase: bigint, amountBase: bigint): boolean {
  return amountBase - outsideBase <= MOST_BASE;
}

/** What an account holds, in smallest units; 0 for one that was never used. */
export function balanceOf(store: Database, ref: AccountRef): bigint {
  return (
    store.get<{ balance: bigint }>('SELECT balance FROM account WHERE code = ? AND asset = ?', ref.code, ref.asset)
      ?.balance ?? 0n
  );
}

/**
 * Books one event: all its postings and the set that closes them, in the transaction that is open.
 * Postings of 0 are left out; several on one account are added up. The database refuses a set that does not
 * sum to zero per asset, and an account that would fall below zero and may not.
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
  // What leaves goes first, so that an account that cannot pay fails before anything else is touched.
  const inOrder = [...moves].filter(([, minor]) => minor !== 0n).sort(([, a], [, b]) => (a < b ? -1 : a > b ? 1 : 0));
  for (const [account, minor] of inOrder) {
    store.run('INSERT INTO posting (posting_set, account, minor) VALUES (?, ?, ?)', set, account, minor);
  }
  store.run('INSERT INTO posting_set (id, event, subject, created_at) VALUES (?, ?, ?, ?)', set, event, subject, nowMs);
}

/** The ledger's own audit. */
export interface LedgerCheck {
  /** Per asset, the sum of every account, in smallest units: zero. */
  readonly sums: Readonly<Record<string, bigint>>;
  /** True when every sum is zero, every balance equals its postings, every set sums to zero and no wallet is negative. */
  readonly balanced: boolean;
  readonly accounts: number;
  readonly postingSets: number;
}

export function checkLedger(store: Database): LedgerCheck {
  const count = (sql: string) => Number(store.get<{ n: bigint }>(sql)?.n ?? 0n);
  const rows = store.all<{ asset: string; sum: bigint }>(
    'SELECT asset, SUM(balance) AS sum FROM account GROUP BY asset',
  );
  const sums: Record<string, bigint> = { NGN: 0n, CNGN: 0n, USDC: 0n, USDT: 0n };
  for (const { asset, sum } of rows) sums[asset] = sum;
  const offBalances = count(`SELECT COUNT(*) AS n FROM account
    LEFT JOIN (SELECT account, SUM(minor) AS moved FROM posting GROUP BY account) ON account = account.id
    WHERE balance <> COALESCE(moved, 0) OR (may_be_negative = 0 AND balance < 0)`);
  const offSets = count(`SELECT COUNT(*) AS n FROM (SELECT 1 FROM posting JOIN account ON account.id = posting.account
    GROUP BY posting_set, asset HAVING SUM(minor) <> 0)`);
  const openSets = count(`SELECT COUNT(*) AS n FROM posting WHERE posting_set NOT IN (SELECT id FROM posting_set)`);
  const emptySets = count(`SELECT COUNT(*) AS n FROM posting_set WHERE id NOT IN (SELECT posting_set FROM posting)`);
  return {
    sums,
    balanced: Object.values(sums).every((sum) => sum === 0n) && offBalances + offSets + openSets + emptySets === 0,
    accounts: count('SELECT COUNT(*) AS n FROM account'),
    postingSets: count('SELECT COUNT(*) AS n FROM posting_set'),
  };
}
