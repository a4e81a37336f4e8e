import { type Pair, type Side, STABLECOIN_OF } from '../../contract/fx.ts';
import { type Asset, isStablecoin, MAX_MINOR } from '../../money/amount.ts';
import { ceilDivide, takerPriceMicro } from '../../money/rates.ts';
import type { Database } from '../../sqlite/database.ts';
import type { Context } from '../context.ts';
import { type AccountRef, balanceOf, walletAccount } from '../ledger.ts';
import { insertRow } from '../rows.ts';
import { VAULT_COLUMN } from '../wallets/wallets.ts';

/** Prices are cNGN for one stablecoin, in millionths: 1388.77 is 1_388_770_000n. */
const MICRO = 1_000_000n;

/**
 * Converts cNGN to stablecoin at a price, in base units: rounds down if the taker gets it and up if the taker gives it,
 * so that rounding never favours the taker.
 */
export function tokenBaseFor(cngnBase: bigint, priceMicro: bigint, makerGives: Asset): bigint {
  const scaled = cngnBase * MICRO;
  return makerGives === 'CNGN' ? ceilDivide(scaled, priceMicro) : scaled / priceMicro;
}

/** Returns the most cNGN that an amount of stablecoin covers at a price, in base units, rounded down. */
export function cngnBaseFor(tokenBase: bigint, priceMicro: bigint): bigint {
  return (tokenBase * priceMicro) / MICRO;
}

/** Converts stablecoin to cNGN at a price, in base units: rounds down if the taker gets it and up if the taker gives it. */
function cngnBaseOf(tokenBase: bigint, priceMicro: bigint, makerGives: Asset): bigint {
  return makerGives === 'CNGN' ? cngnBaseFor(tokenBase, priceMicro) : ceilDivide(tokenBase * priceMicro, MICRO);
}

/**
 * What each side gives, for takers and makers alike: `buy` gives cNGN for stablecoin. Source: interface. Newer public
 * text and live quotes reverse a taker's side; to follow them, change only this table.
 */
const SIDE_GIVES: Readonly<Record<Side, 'CNGN' | 'stablecoin'>> = { buy: 'CNGN', sell: 'stablecoin' };

/** Returns the asset of a pair that a side gives and the one it gets. */
export function legsOf(side: Side, pair: Pair): { gives: Asset; gets: Asset } {
  const stablecoin = STABLECOIN_OF[pair];
  return SIDE_GIVES[side] === 'CNGN' ? { gives: 'CNGN', gets: stablecoin } : { gives: stablecoin, gets: 'CNGN' };
}

/** Returns the side that gives an asset. */
export function sideOf(gives: Asset): Side {
  return (SIDE_GIVES.buy === 'CNGN') === (gives === 'CNGN') ? 'buy' : 'sell';
}

export interface OrderTerms {
  readonly pair: Pair;
  /** The asset the maker gives: cNGN or the pair's stablecoin. */
  readonly gives: Asset;
  /** cNGN for one stablecoin, in millionths. */
  readonly priceMicro: bigint;
  readonly spreadMillionths: bigint;
  /**
   * The minimum and maximum cNGN of one trade, in base units. They limit each trade; the order itself has no remaining
   * size.
   */
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

/** Returns the sort key of a price in the book; the lowest comes first. */
export function rankMicro(takerPrice: bigint, makerGives: Asset): bigint {
  return makerGives === 'CNGN' ? -takerPrice : takerPrice;
}

/** Returns the next place in the queue, after all existing orders. */
export function nextTurn(store: Database): bigint {
  return (store.get<{ last: bigint | null }>('SELECT MAX(turn) AS last FROM fx_order')?.last ?? 0n) + 1n;
}

/** Adds an order to the book, after those of equal price, without validation. */
export function insertOrder({ store, ids, nowMs }: Context, fintech: bigint, terms: OrderTerms): OrderRow {
  const takerPrice = takerPriceMicro(terms.priceMicro, terms.spreadMillionths, terms.gives);
  return insertRow<OrderRow>(store, 'fx_order', {
    order_id: `order_${ids.uuid()}`,
    fintech,
    pair: terms.pair,
    gives: terms.gives,
    price_micro: terms.priceMicro,
    spread_millionths: terms.spreadMillionths,
    taker_price_micro: takerPrice,
    rank_micro: rankMicro(takerPrice, terms.gives),
    turn: nextTurn(store),
    min_base: terms.minBase,
    max_base: terms.maxBase,
    state: 'active',
    created_at: nowMs,
    updated_at: nowMs,
  });
}

/** Returns the most that one trade can take from the maker's wallet, in base units of the asset the maker gives. */
export function maxGivenBase(gives: Asset, maxBase: bigint, priceMicro: bigint): bigint {
  return gives === 'CNGN' ? maxBase : tokenBaseFor(maxBase, priceMicro, 'CNGN');
}

/**
 * Returns the ledger account that a fintech trades an asset from and to: cNGN in the account wallet on Base, stablecoins
 * in the MPC vault. Undefined without a vault. Source: public (custody).
 */
function tradingAccount(store: Database, fintech: bigint, asset: Asset): AccountRef | undefined {
  const wallet = store.get<{ id: bigint }>(
    isStablecoin(asset)
      ? `SELECT ${VAULT_COLUMN[asset]} AS id FROM fx_vault WHERE fintech = ?`
      : `SELECT id FROM wallet WHERE fintech = ? AND kind = 'fintech'`,
    fintech,
  );
  return wallet && walletAccount(wallet.id, 'base', asset);
}

/** Returns a fintech's balance for trading an asset, in base units; 0 without a vault. */
export function tradingBalance(store: Database, fintech: bigint, asset: Asset): bigint {
  const account = tradingAccount(store, fintech, asset);
  return account ? balanceOf(store, account) : 0n;
}

/** Returns the trading account of a fintech that is known to have one. */
export function requiredTradingAccount(store: Database, fintech: bigint, asset: Asset): AccountRef {
  const account = tradingAccount(store, fintech, asset);
  if (!account) throw new Error(`fintech ${fintech} has no wallet for ${asset}`);
  return account;
}

/**
 * Returns what active orders may still take from the wallet that gives `asset`: the sum of their maximums, in base units. Tokens in escrow
 * have already left the wallet. Source: public.
 */
export function commitments(
  store: Database,
  fintech: bigint,
  asset: Asset,
): { readonly activeOrders: number; readonly totalBase: bigint } {
  const orders = store.all<{ max_base: bigint; price_micro: bigint }>(
    `SELECT max_base, price_micro FROM fx_order WHERE fintech = ? AND gives = ? AND state = 'active'`,
    fintech,
    asset,
  );
  return {
    activeOrders: orders.length,
    // Summed here because the product can exceed 64 bits in SQL.
    totalBase: orders.reduce((sum, order) => sum + maxGivenBase(asset, order.max_base, order.price_micro), 0n),
  };
}

/** One order's part of a trade. */
export interface Slice {
  readonly order: bigint;
  readonly orderId: string;
  readonly maker: bigint;
  /** The price that the taker pays or gets, including the spread. */
  readonly priceMicro: bigint;
  readonly spreadMillionths: bigint;
  readonly cngnBase: bigint;
  readonly tokenBase: bigint;
}

/** An amount to fill completely: of cNGN, or of the stablecoin. */
export interface Wish {
  readonly pair: Pair;
  readonly makerGives: Asset;
  readonly amount: { readonly cngnBase: bigint } | { readonly tokenBase: bigint };
  /** The fintech whose own orders are skipped. */
  readonly taker: bigint;
}

export interface Fill {
  readonly slices: readonly Slice[];
  readonly cngnBase: bigint;
  readonly tokenBase: bigint;
}

/**
 * Fills a wish from the book: best price first, then oldest. An order takes part within its minimum and maximum and its
 * maker's current balance; it is skipped if the balance or the remaining amount is below its minimum. There are no
 * partial fills. `own`: only the taker's own orders could fill it. Source: public, inferred (the order).
 */
export function match(
  store: Database,
  wish: Wish,
): { readonly fill: Fill } | { readonly unfilled: 'liquidity' | 'own' } {
  const fill = walk(store, wish, (order) => order.fintech !== wish.taker);
  if (fill) return { fill };
  return { unfilled: walk(store, wish, () => true) ? 'own' : 'liquidity' };
}

function walk(store: Database, wish: Wish, isFor: (order: OrderRow) => boolean): Fill | undefined {
  const backing = new Map<bigint, bigint>();
  const slices: Slice[] = [];
  let left = 'cngnBase' in wish.amount ? wish.amount.cngnBase : wish.amount.tokenBase;
  for (const order of ordersOf(store, wish)) {
    if (left === 0n) break;
    if (!isFor(order)) continue;
    const held = backing.get(order.fintech) ?? tradingBalance(store, order.fintech, order.gives);
    const slice = sliceOf(order, held, 'cngnBase' in wish.amount ? { cngnBase: left } : { tokenBase: left });
    if (!slice) continue;
    slices.push(slice);
    backing.set(order.fintech, held - (order.gives === 'CNGN' ? slice.cngnBase : slice.tokenBase));
    left -= 'cngnBase' in wish.amount ? slice.cngnBase : slice.tokenBase;
  }
  const fill = fillOf(slices);
  return left === 0n && slices.length > 0 && isPayable(fill) ? fill : undefined;
}

/** At the lowest prices, a little cNGN costs more stablecoin than the ledger's integers can hold. */
const isPayable = ({ tokenBase }: { readonly tokenBase: bigint }) => tokenBase <= MAX_MINOR.USDC;

/** Orders in the first batch, which is enough for most fills. Each later one has twice as many. */
const FIRST_ORDERS = 4;

function* ordersOf(store: Database, { pair, makerGives }: Wish): Generator<OrderRow> {
  let after = { rank_micro: -(2n ** 62n), turn: 0n };
  for (let atOnce = FIRST_ORDERS; ; atOnce *= 2) {
    const orders = store.all<OrderRow & { rank_micro: bigint; turn: bigint }>(
      `SELECT * FROM fx_order WHERE pair = ? AND gives = ? AND state = 'active' AND (rank_micro, turn) > (?, ?)
       ORDER BY rank_micro, turn LIMIT ?`,
      pair,
      makerGives,
      after.rank_micro,
      after.turn,
      atOnce,
    );
    yield* orders;
    const last = orders.at(-1);
    if (!last || orders.length < atOnce) return;
    after = last;
  }
}

/** Returns an order's part of the remaining amount; undefined if it cannot take part. */
function sliceOf(order: OrderRow, heldBase: bigint, left: Wish['amount']): Slice | undefined {
  const { gives, taker_price_micro: price, min_base: min, max_base: max } = order;
  const backed = gives === 'CNGN' ? heldBase : cngnBaseFor(heldBase, price);
  const wanted = 'cngnBase' in left ? left.cngnBase : cngnBaseOf(left.tokenBase, price, gives);
  const cngnBase = [wanted, max, backed].reduce((least, each) => (each < least ? each : least));
  if (cngnBase < min || cngnBase === 0n) return undefined;
  // A taker who gives stablecoin gives all of it, although the last fraction buys nothing more; one who buys it gets all of it.
  const isRest = 'tokenBase' in left && cngnBase === wanted;
  const tokenBase = isRest ? left.tokenBase : tokenBaseFor(cngnBase, price, gives);
  if (tokenBase === 0n) return undefined;
  return {
    order: order.id,
    orderId: order.order_id,
    maker: order.fintech,
    priceMicro: price,
    spreadMillionths: order.spread_millionths,
    cngnBase,
    tokenBase,
  };
}

const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);

export function fillOf(slices: readonly Slice[]): Fill {
  return {
    slices,
    cngnBase: sum(slices.map(({ cngnBase }) => cngnBase)),
    tokenBase: sum(slices.map(({ tokenBase }) => tokenBase)),
  };
}

/** Returns an order's part of a trade against that order only; undefined if its maker's wallet cannot cover the amount. */
export function sliceOfOrder(store: Database, order: OrderRow, cngnBase: bigint): Slice | undefined {
  const slice = sliceOf(order, tradingBalance(store, order.fintech, order.gives), { cngnBase });
  return slice?.cngnBase === cngnBase && isPayable(slice) ? slice : undefined;
}

/** Large enough to return the exact price of a single slice for any price and amount. */
const SCALE = 10n ** 48n;

/** Returns the volume-weighted price of a fill, in millionths of cNGN; exact for a single slice. */
export function averagePriceMicro({ slices, cngnBase }: Fill): bigint {
  const tokens = sum(slices.map((slice) => (slice.cngnBase * SCALE) / slice.priceMicro));
  return (cngnBase * SCALE + tokens / 2n) / tokens;
}

/** Returns the volume-weighted spread of a fill, in millionths of a percent. */
export function averageSpreadMillionths({ slices, cngnBase }: Fill): bigint {
  return sum(slices.map((slice) => slice.spreadMillionths * slice.cngnBase)) / cngnBase;
}
