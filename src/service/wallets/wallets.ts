import { sameAddress } from '../../contract/networks.ts';
import type { Asset, Stablecoin } from '../../money/amount.ts';
import type { Database } from '../../sqlite/database.ts';
import { type AccountRef, chain, walletAccount } from '../ledger.ts';

export interface WalletRow {
  readonly id: bigint;
  readonly address: string;
  readonly fintech: bigint;
  readonly user: bigint | null;
  readonly kind: 'fintech' | 'vault' | 'managed' | 'generated' | 'multi_chain' | 'replaced';
  readonly blockchain: string;
  readonly custom_owner: string | null;
  readonly token_buy: string;
  readonly created_at: bigint;
}

/**
 * EVM networks on which the service reads balances. Source: public (base, eth and bsc), inferred from the bridge's list
 * (the others).
 */
export const EVM_NETWORKS = ['base', 'eth', 'bsc', 'pol', 'celo', 'lisk', 'arc', 'asc'] as const;

/** Returns the wallet on Base that the service manages for a user. Every user has one. */
export function managedWallet(store: Database, user: bigint): WalletRow {
  const wallet = store.get<WalletRow>(`SELECT * FROM wallet WHERE user = ? AND kind = 'managed'`, user);
  if (!wallet) throw new Error('the user has no managed wallet');
  return wallet;
}

/** Returns the account wallet of a fintech: one address on every EVM network, and the cNGN side of its trades. */
export function smartWallet(store: Database, fintech: bigint): WalletRow {
  const wallet = store.get<WalletRow>(`SELECT * FROM wallet WHERE fintech = ? AND kind = 'fintech'`, fintech);
  if (!wallet) throw new Error('the fintech has no account wallet');
  return wallet;
}

/** The columns of `fx_vault` that name the wallets of the MPC vault. */
export const VAULT_COLUMN = { USDC: 'usdc_wallet', USDT: 'usdt_wallet' } as const satisfies Record<Stablecoin, string>;

/** Returns a wallet of the sandbox by address, whoever owns it. */
export function walletAt(store: Database, address: string): WalletRow | undefined {
  return store.get<WalletRow>('SELECT * FROM wallet WHERE address = ?', sameAddress(address));
}

/** Returns the ledger account of an address: a wallet of the sandbox, or the chains outside. */
export function accountAt(store: Database, address: string, network: string, asset: Asset): AccountRef {
  const wallet = walletAt(store, address);
  return wallet ? walletAccount(wallet.id, network, asset) : chain(asset);
}

/** Where minted cNGN is delivered. Source: interface (user external default wallet). */
export interface DeliveryWallet {
  readonly address: string;
  readonly network: string;
  readonly isExternal: boolean;
}

/** Returns the user's external default wallet, or else the managed one. */
export function deliveryFor(store: Database, user: bigint): DeliveryWallet {
  const external = store.get<{ address: string; blockchain: string }>(
    'SELECT address, blockchain FROM default_wallet WHERE user = ?',
    user,
  );
  return external
    ? { address: external.address, network: external.blockchain, isExternal: true }
    : { address: managedWallet(store, user).address, network: 'base', isExternal: false };
}

export function userWallets(store: Database, user: bigint): WalletRow[] {
  return store.all<WalletRow>('SELECT * FROM wallet WHERE user = ? ORDER BY id', user);
}

/** Returns a wallet's non-zero balances of one asset by network, in smallest units. */
export function holdings(
  store: Database,
  wallet: bigint,
  asset: Asset,
): { network: string; account: bigint; balance: bigint }[] {
  const prefix = `wallet/${wallet}/`;
  // '0' follows '/' in ASCII, so the range covers every code with the prefix.
  return store
    .all<{ id: bigint; code: string; balance: bigint }>(
      `SELECT id, code, balance FROM account WHERE code >= ? AND code < ? AND asset = ? AND balance > 0 ORDER BY id`,
      prefix,
      `wallet/${wallet}0`,
      asset,
    )
    .map(({ id, code, balance }) => ({ network: code.slice(prefix.length), account: id, balance }));
}

/** Part of a wallet's balance on one network. */
export interface FundsSource {
  readonly wallet: bigint;
  readonly network: string;
  readonly base: bigint;
}

/** Returns the total of all sources in base units. */
export function totalOf(sources: readonly FundsSource[]): bigint {
  return sources.reduce((sum, { base }) => sum + base, 0n);
}

/** Takes `neededBase` from the sources in order; together they must hold enough. */
export function takeInOrder(sources: readonly FundsSource[], neededBase: bigint): FundsSource[] {
  let left = neededBase;
  return sources.flatMap((source) => {
    const base = source.base < left ? source.base : left;
    left -= base;
    return base > 0n ? [{ ...source, base }] : [];
  });
}
