import { endpoint } from '../endpoint.ts';
import {
  type AssetRule,
  anyText,
  bookFigure,
  fields,
  group,
  integer,
  list,
  maybe,
  maybeText,
  optional,
  payload,
  percent,
  stateOf,
  timestamp,
} from '../fields.ts';
import { bookCngn, limits, listLimits, pair, quoteLimits } from '../fx.ts';

/** An order as shown on the public book, without its maker. The list says what it offers. */
const publicOrder = (offered: AssetRule) =>
  group('public', {
    orderId: maybeText('public'),
    price: maybe(bookCngn('public')),
    spread: maybe(percent('public')),
    minAmount: maybe(bookCngn('public')),
    maxAmount: maybe(bookCngn('public')),
    availableLiquidity: maybe(bookFigure('public', { asset: offered })),
    status: maybe(stateOf('public', ['active'])),
    updatedAt: maybe(timestamp('public')),
  });

const unknownPair = { when: 'the pair is missing or unknown', fault: 'VALIDATION_ERROR', source: 'inferred' } as const;

export const orderBook = endpoint({
  ...listLimits,
  id: 'fx.orderbook',
  method: 'GET',
  path: '/fx/orderbook',
  effect: 'read',
  summary: 'Show the order book of a pair',
  done: 'Order book retrieved',
  otherNames: { buyOrders: ['bids'], sellOrders: ['asks'] },
  source: 'public',
  request: () =>
    fields({
      pair: pair('public'),
      limit: optional(integer('public', { min: 1, max: 100, rule: '1 to 100 orders per side; default 20' })),
    }),
  response: () =>
    payload({
      pair: maybeText('public'),
      buyOrders: maybe(list('public', publicOrder('CNGN'))),
      sellOrders: maybe(list('public', publicOrder({ leg: 'stablecoin' }))),
      note: maybeText('public'),
      version: maybeText('public'),
    }),
  errors: [unknownPair],
});

export const orderBookStats = endpoint({
  ...quoteLimits,
  id: 'fx.orderbook-stats',
  method: 'GET',
  path: '/fx/orderbook/stats',
  effect: 'read',
  summary: 'Show the best prices and depth of a pair',
  done: 'Order book statistics retrieved',
  nests: 'stats',
  source: 'public',
  request: () => fields({ pair: pair('public') }),
  response: () =>
    payload({
      pair: maybeText('public'),
      stats: maybe(
        group('public', {
          pair: maybeText('public'),
          totalActiveOrders: maybe(integer('public')),
          buyOrderCount: maybe(integer('public')),
          sellOrderCount: maybe(integer('public')),
          totalBuyLiquidity: maybe(bookFigure('public', { asset: 'CNGN' })),
          totalSellLiquidity: maybe(bookFigure('public', { asset: { leg: 'stablecoin' } })),
          bestBidPrice: maybe(bookCngn('public')),
          bestAskPrice: maybe(bookCngn('public')),
          spreadPercentage: maybe(percent('public')),
        }),
      ),
      version: maybeText('public'),
    }),
  errors: [unknownPair],
});

export const orderBookToken = endpoint({
  ...limits,
  id: 'fx.orderbook-token',
  method: 'GET',
  path: '/fx/orderbook-token',
  effect: 'read',
  summary: 'Get an access token for the live order book',
  done: 'Order book token issued',
  envelope: 'camel',
  source: 'public',
  request: () => fields({}),
  response: () =>
    payload({
      token: maybe(anyText('public', { secret: true })),
      expiresIn: maybe(integer('public')),
      expiresAt: maybe(timestamp('public')),
      tradingPairs: maybe(list('public', anyText('public'))),
      firebaseConfig: maybe(group('public', { projectId: maybeText('public'), databaseURL: maybeText('public') })),
      usage: maybeText('public'),
    }),
  errors: [],
});
