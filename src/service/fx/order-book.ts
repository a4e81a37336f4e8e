import type { Pair } from '../../contract/fx.ts';
import { type Asset, MAX_MINOR } from '../../money/amount.ts';
import type { Database } from '../../sqlite/database.ts';
import { cngnBaseFor, cngnBaseOf, type OrderRow, tokenBaseFor, tradingBalance } from './orders.ts';

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
