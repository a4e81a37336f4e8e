import { Fault } from '../../contract/faults.ts';
import { PAIRS, STABLECOIN_OF } from '../../contract/fx.ts';
import { type PercentMillionths, percentFromWire, takerPriceMicro } from '../../money/rates.ts';
import { type Call, isoTime, type Operations, type OperationsOf, VERSION } from '../context.ts';
import { ownRow, rowOf, update } from '../rows.ts';
import {
  commitments,
  insertOrder,
  legsOf,
  maxGivenBase,
  nextTurn,
  type OrderRow,
  type OrderTerms,
  rankMicro,
  sideOf,
  tradingBalance,
} from './order-book.ts';
import { baseOf, cursor, decimal, requireVault, terms } from './terms.ts';

/** Throws VALIDATION_ERROR, UNDERFUNDED_ORDER. `replaced` is the order that these terms replace. */
function checkTerms(call: Call, terms: OrderTerms, replaced?: OrderRow): void {
  if (terms.minBase > terms.maxBase) throw new Fault('VALIDATION_ERROR', 'minAmount: expected at most maxAmount');
  const needed = maxGivenBase(terms.gives, terms.maxBase, terms.priceMicro);
  const isReserving = replaced?.state === 'active' && replaced.gives === terms.gives;
  const own = isReserving ? maxGivenBase(replaced.gives, replaced.max_base, replaced.price_micro) : 0n;
  const committed = commitments(call.store, call.fintech.id, terms.gives).totalBase - own;
  if (tradingBalance(call.store, call.fintech.id, terms.gives) - committed < needed) {
    throw new Fault(
      'UNDERFUNDED_ORDER',
      `the order needs ${decimal(terms.gives, needed)} ${terms.gives} not committed to other orders`,
    );
  }
}

function shown(call: Call, row: OrderRow) {
  return {
    orderId: row.order_id,
    fintechId: call.fintech.fintechId,
    pair: row.pair,
    side: sideOf(row.gives),
    ...terms(call, row),
    status: row.state,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}

function create(call: Call, order: OrderTerms) {
  requireVault(call);
  checkTerms(call, order);
  const row = insertOrder(call, call.fintech.id, order);
  return { ...shown(call, row), version: VERSION };
}

const spreadOf = (spread: Parameters<typeof percentFromWire>[0] | undefined): PercentMillionths =>
  spread === undefined ? 0n : (percentFromWire(spread) ?? 0n);

const createOrder: Operations['fx.create-order'] = (call, input) => {
  const pair = PAIRS.find((each) => each === `CNGN-${input.quoteCurrency.toUpperCase()}`);
  if (!pair)
    throw new Fault('VALIDATION_ERROR', `quoteCurrency: expected ${Object.values(STABLECOIN_OF).join(' or ')}`);
  return create(call, {
    pair,
    // orderType refers to the base currency: a seller gives cNGN.
    gives: input.orderType === 'sell' ? 'CNGN' : STABLECOIN_OF[pair],
    priceMicro: baseOf(input.price),
    spreadMillionths: spreadOf(input.spread),
    minBase: baseOf(input.minAmount),
    maxBase: baseOf(input.maxAmount),
  });
};

const createLimitOrder: Operations['fx.create-limit-order'] = (call, input) =>
  create(call, {
    pair: input.pair,
    gives: legsOf(input.side, input.pair).gives,
    priceMicro: baseOf(input.price),
    spreadMillionths: spreadOf(input.spread),
    minBase: baseOf(input.minAmount),
    maxBase: baseOf(input.maxAmount),
  });

/** Returns an order of the caller. Throws NOT_FOUND, or VALIDATION_ERROR if it is deleted. */
function ownOrder(call: Call, orderId: string): OrderRow {
  const row = ownRow<OrderRow>(call, ['fx_order', 'order_id', orderId], 'this fintech has no order with this id');
  if (row.state === 'deleted') throw new Fault('VALIDATION_ERROR', 'the order is deleted');
  return row;
}

const updateOrder: Operations['fx.update-limit-order'] = (call, input) => {
  const row = ownOrder(call, input.orderId);
  const { price, spread, minAmount, maxAmount, status } = input;
  if ([price, spread, minAmount, maxAmount, status].every((value) => value === undefined))
    throw new Fault('VALIDATION_ERROR', 'expected at least one of price, spread, minAmount, maxAmount and status');
  const changed: OrderTerms = {
    pair: row.pair,
    gives: row.gives,
    priceMicro: price === undefined ? row.price_micro : baseOf(price),
    spreadMillionths: spread === undefined ? row.spread_millionths : spreadOf(spread),
    minBase: minAmount === undefined ? row.min_base : baseOf(minAmount),
    maxBase: maxAmount === undefined ? row.max_base : baseOf(maxAmount),
  };
  const state = status ?? row.state;
  if (state === 'active') checkTerms(call, changed, row);
  else if (changed.minBase > changed.maxBase)
    throw new Fault('VALIDATION_ERROR', 'minAmount: expected at most maxAmount');
  saveOrder(call, row, changed, state);
  return { order: shown(call, rowOf<OrderRow>(call.store, 'fx_order', row.id)), version: VERSION };
};

/** An order keeps its place in the queue unless its price changes or it is reactivated; then it goes to the back. */
function saveOrder({ store, nowMs }: Call, row: OrderRow, to: OrderTerms, state: string): void {
  const takerPrice = takerPriceMicro(to.priceMicro, to.spreadMillionths, to.gives);
  update(store, 'fx_order', row.id, {
    price_micro: to.priceMicro,
    spread_millionths: to.spreadMillionths,
    taker_price_micro: takerPrice,
    rank_micro: rankMicro(takerPrice, to.gives),
    min_base: to.minBase,
    max_base: to.maxBase,
    state,
    updated_at: nowMs,
  });
  const isBack = state === 'active' && row.state === 'paused';
  if (takerPrice !== row.taker_price_micro || isBack) update(store, 'fx_order', row.id, { turn: nextTurn(store) });
}

const deleteOrder: Operations['fx.delete-limit-order'] = (call, { orderId }) => {
  const row = ownOrder(call, orderId);
  update(call.store, 'fx_order', row.id, { state: 'deleted', updated_at: call.nowMs });
  return { orderId, version: VERSION };
};

const listOrders: Operations['fx.list-limit-orders'] = (call, { status, pair, limit = 50, startAfter }) => {
  const before = startAfter === undefined ? null : cursor(call, 'fx_order', 'order_id', startAfter);
  const rows = call.store.all<OrderRow>(
    `SELECT * FROM fx_order WHERE fintech = ?1 AND (?2 IS NULL OR state = ?2) AND (?3 IS NULL OR pair = ?3) AND (?4 IS NULL OR id < ?4)
     ORDER BY id DESC LIMIT ?5`,
    call.fintech.id,
    status ?? null,
    pair ?? null,
    before,
    limit,
  );
  return {
    orders: rows.map((row) => shown(call, row)),
    count: rows.length,
    note: 'minAmount and maxAmount limit a single trade; availableLiquidity is the balance of the wallet behind the order',
    version: VERSION,
  };
};

export const fxOrdersOperations = {
  'fx.create-order': createOrder,
  'fx.create-limit-order': createLimitOrder,
  'fx.update-limit-order': updateOrder,
  'fx.delete-limit-order': deleteOrder,
  'fx.list-limit-orders': listOrders,
} satisfies OperationsOf<'fx-orders'>;
