import type { Asset } from '../money/amount.ts';
import type { Database } from '../sqlite/database.ts';

export interface WalletRow {
  readonly id: bigint;
  readonly address: string;
  readonly user: bigint | null;
  readonly kind: 'fintech' | 'managed' | 'generated' | 'multi_chain';
  readonly blockchain: string;
  readonly custom_owner: string | null;
  readonly token_buy: string;
  readonly created_at: bigint;
}

/** EVM networks on which the service reads balances. Source: base, eth and bsc public, the others inferred from the bridge's list. */
export const EVM_NETWORKS = ['base', 'eth', 'bsc', 'pol', 'celo', 'lisk', 'arc', 'asc'] as const;

/** The wallet the service manages for a user, on Base: every user has one. */
export function managedWallet(store: Database, user: bigint): WalletRow {
  const wallet = store.get<WalletRow>(`SELECT * FROM wallet WHERE user = ? AND kind = 'managed'`, user);
  if (!wallet) throw new Error('the user has no managed wallet');
  return wallet;
}

export function userWallets(store: Database, user: bigint): WalletRow[] {
  return store.all<WalletRow>('SELECT * FROM wallet WHERE user = ? ORDER BY id', user);
}

/** A wallet's holdings of one asset by network, in smallest units; only networks that hold some. */
export function holdings(
  store: Database,
  wallet: bigint,
  asset: Asset,
): { network: string; account: bigint; balance: bigint }[] {
  const prefix = `wallet/${wallet}/`;
  // '0' follows '/' in the character table, so this range is every code that begins with the prefix.
  return store
    .all<{ id: bigint; code: string; balance: bigint }>(
      `SELECT id, code, balance FROM account WHERE code >= ? AND code < ? AND asset = ? AND balance > 0 ORDER BY id`,
      prefix,
      `wallet/${wallet}0`,
      asset,
    )
    .map(({ id, code, balance }) => ({ network: code.slice(prefix.length), account: id, balance }));
}
