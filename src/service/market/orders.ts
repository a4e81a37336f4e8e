import type { Pair, Side } from '../../contract/fx.ts';
import type { Asset } from '../../money/amount.ts';
import type { Database } from '../../sqlite/database.ts';
import type { Context } from '../context.ts';
import { type AccountRef, balanceOf, walletAccount } from '../ledger.ts';
import { smartWallet, vaultWallet } from '../wallets.ts';
import { takerPriceMicro, tokenBaseFor } from './prices.ts';

export type Stablecoin = 'USDC' | 'USDT';

export function stablecoinOf(pair: Pair): Stablecoin {
  return pair === 'CNGN-USDC' ? 'USDC' : 'USDT';
}

/**
 * What a side gives, of a taker and of a maker alike: who buys, buys stablecoin with cNGN. Source: interface; newer public text and live
 * quotes have a taker's side the other way round. This table is the one place to turn it.
 */
export const SIDE_GIVES: Readonly<Record<Side, 'CNGN' | 'stablecoin'>> = { buy: 'CNGN', sell: 'stablecoin' };

/** The asset a side gives of a pair, and the one it gets. */
export function legsOf(side: Side, pair: Pair): { gives: Asset; gets: Asset } {
  const stablecoin = stablecoinOf(pair);
  return SIDE_GIVES[side] === 'CNGN' ? { gives: 'CNGN', gets: stablecoin } : { gives: stablecoin, gets: 'CNGN' };
}

/** The side of who gives an asset. */
export function sideOf(gives: Asset): Side {
  return (SIDE_GIVES.buy === 'CNGN') === (gives === 'CNGN') ? 'buy' : 'sell';
}

export interface OrderTerms {
  readonly pair: Pair;
  /** What the maker gives: cNGN or the pair's stablecoin. */
  readonly gives: Asset;
  /** cNGN for one stablecoin, in millionths. */
  readonly priceMicro: bigint;
  readonly spreadMillionths: bigint;
  /** The least and the most cNGN of one trade, in base units: bounds, no remaining size. */
  readonly minBase: bigint;
  readonly maxBase: bigint;
}

export interface OrderRow {
  readonly id: bigint;
  readonly order_id: string;
  readonly fintech: bigint;
  readonly pair: Pair;
  readonly gives: Asset;
  readonly price_micro: bigint;
  readonly spread_millionths: bigint;
  readonly taker_price_micro: bigint;
  readonly min_base: bigint;
  readonly max_base: bigint;
  readonly state: 'active' | 'paused' | 'deleted';
  readonly created_at: bigint;
  readonly updated_at: bigint;
}

/** Where a price stands in the book: the lowest goes first. */
export function rankMicro(takerPrice: bigint, makerGives: Asset): bigint {
  return makerGives === 'CNGN' ? -takerPrice : takerPrice;
}

/** The next turn in the queue: behind everything that is there. */
export function nextTurn(store: Database): bigint {
  return (store.get<{ last: bigint | null }>('SELECT MAX(turn) AS last FROM fx_order')?.last ?? 0n) + 1n;
}

/** Puts an order on the book, behind those of the same price. Checks nothing. */
export function insertOrder({ store, ids, nowMs }: Context, fintech: bigint, terms: OrderTerms): bigint {
  const takerPrice = takerPriceMicro(terms.priceMicro, terms.spreadMillionths, terms.gives);
  return store.insert(
    `INSERT INTO fx_order (order_id, fintech, pair, gives, price_micro, spread_millionths, taker_price_micro, rank_micro, turn,
       min_base, max_base, state, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'active', ?, ?)`,
    `order_${ids.uuid()}`,
    fintech,
    terms.pair,
    terms.gives,
    terms.priceMicro,
    terms.spreadMillionths,
    takerPrice,
    rankMicro(takerPrice, terms.gives),
    nextTurn(store),
    terms.minBase,
    terms.maxBase,
    nowMs,
    nowMs,
  );
}

/** The most that an order's one trade takes out of the maker's wallet, in base units of what the maker gives. */
export function mostGivenBase(gives: Asset, maxBase: bigint, priceMicro: bigint): bigint {
  return gives === 'CNGN' ? maxBase : tokenBaseFor(maxBase, priceMicro, 'CNGN');
}

/**
 * The ledger account from which a fintech gives an asset in trades, and into which it gets it: cNGN in the smart wallet on Base, stablecoins
 * in the MPC vault. Undefined without a vault. Source: public (custody).
 */
export function tradingAccount(store: Database, fintech: bigint, asset: Asset): AccountRef | undefined {
  const wallet =
    asset === 'USDC' || asset === 'USDT' ? vaultWallet(store, fintech, asset) : smartWallet(store, fintech);
  return wallet && walletAccount(wallet.id, 'base', asset);
}

/** What a fintech has for trades of an asset, in base units: nothing without a vault. */
export function tradingBalance(store: Database, fintech: bigint, asset: Asset): bigint {
  const account = tradingAccount(store, fintech, asset);
  return account ? balanceOf(store, account) : 0n;
}

/** The same account for who certainly has one. */
export function requiredTradingAccount(store: Database, fintech: bigint, asset: Asset): AccountRef {
  const account = tradingAccount(store, fintech, asset);
  if (!account) throw new Error(`fintech ${fintech} has no wallet for ${asset}`);
  return account;
}
