import { advice } from '../../base/advice.ts';
import { endpoint, invalid, refusal } from '../endpoint.ts';
import * as f from '../fields.ts';
import { cngnFigure, figure, listLimits, PAIRS, pair, price, SIDES, side } from '../fx.ts';

const orderAmount = (source: f.Source, rule: string) =>
  f.payText(source, 'CNGN', { rule: `greater than 0, in cNGN; ${rule}` });

/** Live answers and public text contradict each other about its asset. */
const liquidity = (source: f.Source) => figure(source, null);
const orderSpread = (source: f.Source) => f.percentFrom(source, '0.1', '50');

const lowSpread = invalid('public', 'the spread is below 0.1 percent');

const invalidOrder = [
  invalid('public', 'minAmount is above maxAmount, or an amount or price is not greater than 0'),
  lowSpread,
] as const;

const underfunded = refusal('UNDERFUNDED_ORDER', 'public', 'the balance of the wallet that backs the order is too low');

/** An order as shown to its maker. */
const ownOrder = (states: readonly string[]) => ({
  orderId: f.maybeText('public'),
  fintechId: f.maybeText('public'),
  pair: f.maybeText('public'),
  side: f.maybe(f.stateOf('public', SIDES)),
  price: f.maybe(cngnFigure('public')),
  spread: f.maybe(f.percent('public')),
  minAmount: f.maybe(cngnFigure('public')),
  maxAmount: f.maybe(cngnFigure('public')),
  availableLiquidity: f.maybe(liquidity('public')),
  status: f.maybe(f.stateOf('public', states)),
  createdAt: f.maybe(f.timestamp('public')),
  updatedAt: f.maybe(f.timestamp('public')),
});

export const createOrder = endpoint({
  id: 'fx.create-order',
  method: 'POST',
  path: '/fx/orders',
  effect: 'money',
  moves: {
    command: 'fx orders create',
    amount: 'maxAmount',
    gives: { field: 'orderType', cngn: 'sell', stablecoin: 'quoteCurrency', price: 'price' },
    to: [],
  },
  summary: 'Create an order',
  done: 'Order placed',
  // Not orderType: one documented response repeats it as its side, and the sources contradict each other about what a side means.
  repeats: {
    baseCurrency: 'pair',
    quoteCurrency: 'pair',
    price: 'price',
    minAmount: 'minAmount',
    maxAmount: 'maxAmount',
    spread: 'spread',
  },
  request: () =>
    f.fields({
      orderType: f.oneOf('interface', ['sell', 'buy'], { rule: 'sell or buy the base currency' }),
      baseCurrency: f.patterned('interface', /^cngn$/i, 'cNGN', { names: 'tokens' }),
      quoteCurrency: f.patterned('interface', /^usd[ct]$/i, 'USDC or USDT', { names: 'tokens' }),
      price: price('interface'),
      minAmount: orderAmount('interface', 'not above maxAmount'),
      maxAmount: orderAmount('interface', 'not below minAmount'),
      spread: f.optional(orderSpread('public')),
    }),
  response: () =>
    f.payload({
      ...ownOrder(['active']),
      orderId: f.anyText('interface'),
      pair: f.maybe(f.stateOf('public', PAIRS)),
      price: cngnFigure('interface'),
      availableLiquidity: liquidity('interface'),
      status: f.stateOf('interface', ['active']),
      version: f.maybeText('public'),
    }),
  errors: [...invalidOrder, underfunded],
});

/** The newer, public path for creating an order. */
export const createLimitOrder = endpoint({
  id: 'fx.create-limit-order',
  method: 'POST',
  path: '/fx/limit-order',
  effect: 'money',
  moves: {
    command: 'fx orders create',
    amount: 'maxAmount',
    gives: { field: 'side', cngn: 'buy', stablecoin: 'pair', price: 'price' },
    to: [],
  },
  summary: 'Create an order (newer path)',
  done: 'Limit order placed',
  source: 'public',
  repeats: {
    pair: 'pair',
    side: 'side',
    price: 'price',
    minAmount: 'minAmount',
    maxAmount: 'maxAmount',
    spread: 'spread',
  },
  request: () =>
    f.fields({
      pair: pair('public'),
      side: side('public'),
      price: price('public'),
      spread: orderSpread('public'),
      minAmount: orderAmount('public', 'not above maxAmount'),
      maxAmount: orderAmount('public', 'not below minAmount'),
    }),
  response: () => f.payload({ ...ownOrder(['active']), version: f.maybeText('public') }),
  errors: [invalid('public', 'minAmount is above maxAmount'), lowSpread, underfunded],
});

const unknownOrder = refusal(
  'NOT_FOUND',
  'public',
  'the order is unknown or belongs to another fintech',
  advice`list your orders with: [fiatrail fx orders list]`,
);

export const updateOrder = endpoint({
  id: 'fx.update-limit-order',
  method: 'PUT',
  path: '/fx/limit-order/update',
  aliases: [{ method: 'PUT', path: '/fx/orders/:orderId' }],
  effect: 'money',
  moves: {
    command: 'fx orders update',
    amount: 'maxAmount',
    replaces: ['pair', 'side', 'price', 'maxAmount'],
    gives: { field: 'side', cngn: 'buy', stablecoin: 'pair', price: 'price' },
    to: [],
  },
  summary: 'Update, pause or resume an order',
  done: 'Limit order updated',
  nests: 'order',
  source: 'public',
  repeats: {
    orderId: 'order.orderId',
    price: 'order.price',
    minAmount: 'order.minAmount',
    maxAmount: 'order.maxAmount',
    spread: 'order.spread',
    status: 'order.status',
  },
  request: () =>
    f.fields({
      orderId: f.text('public'),
      price: f.optional(price('public')),
      spread: f.optional(orderSpread('public')),
      minAmount: f.optional(orderAmount('public', 'not above maxAmount')),
      maxAmount: f.optional(orderAmount('public', 'not below minAmount')),
      status: f.optional(f.oneOf('public', ['active', 'paused'])),
    }),
  response: () =>
    f.payload({
      order: f.maybe(f.group('public', ownOrder(['active', 'paused']))),
      version: f.maybeText('public'),
    }),
  errors: [unknownOrder, invalid('public', 'the order is deleted'), invalid('inferred', 'no change is given')],
});

export const deleteOrder = endpoint({
  id: 'fx.delete-limit-order',
  method: 'DELETE',
  path: '/fx/limit-order/delete',
  aliases: [{ method: 'DELETE', path: '/fx/orders/:orderId' }],
  effect: 'destructive',
  summary: 'Permanently remove an order',
  done: 'Limit order cancelled',
  source: 'public',
  repeats: { orderId: 'orderId' },
  request: () => f.fields({ orderId: f.text('public') }),
  response: () => f.payload({ orderId: f.maybeText('public'), version: f.maybeText('public') }),
  errors: [unknownOrder, invalid('public', 'the order is already deleted')],
});

const orderStates = ['active', 'paused', 'deleted'] as const;

export const listOrders = endpoint({
  ...listLimits,
  id: 'fx.list-limit-orders',
  method: 'GET',
  path: '/fx/limit-orders',
  aliases: [{ method: 'GET', path: '/fx/orders/my-orders' }],
  effect: 'read',
  summary: "List the account's orders, newest first",
  done: 'Limit orders listed',
  lists: 'orders',
  source: 'public',
  request: () =>
    f.fields({
      status: f.optional(f.oneOf('public', orderStates)),
      pair: f.optional(pair('public')),
      limit: f.optional(f.integer('public', { min: 1, max: 100, rule: '1 to 100; default 50' })),
      startAfter: f.optional(f.text('public', { rule: 'the id of the last order on the previous page' })),
    }),
  response: () =>
    f.payload({
      orders: f.maybe(f.list('public', f.group('public', ownOrder(orderStates)))),
      count: f.maybe(f.integer('public')),
      note: f.maybeText('public', { personal: 'text' }),
      version: f.maybeText('public'),
    }),
  errors: [invalid('inferred', 'a filter value is unknown')],
});
