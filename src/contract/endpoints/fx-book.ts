import { endpoint } from '../endpoint.ts';
import {
  answer,
  anyText,
  fields,
  figure,
  group,
  integer,
  known,
  list,
  maybe,
  optional,
  percent,
  stateOf,
  timestamp,
} from '../fields.ts';
import { cngn, limits, liquidity, listLimits, pair, quoteLimits } from '../fx.ts';

/** An order as shown on the public book, without its maker. */
const publicOrder = () =>
  group('public', {
    orderId: known('public'),
    price: maybe(cngn('public')),
    spread: maybe(percent('public')),
    minAmount: maybe(cngn('public')),
    maxAmount: maybe(cngn('public')),
    availableLiquidity: maybe(liquidity('public')),
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
  source: 'public',
  request: () =>
    fields({
      pair: pair('public'),
      limit: optional(integer('public', { min: 1, max: 100, rule: '1 to 100 orders per side; default 20' })),
    }),
  response: () =>
    answer({
      pair: known('public'),
      buyOrders: maybe(list('public', publicOrder())),
      sellOrders: maybe(list('public', publicOrder())),
      note: known('public'),
      version: known('public'),
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
    answer({
      pair: known('public'),
      stats: maybe(
        group('public', {
          pair: known('public'),
          totalActiveOrders: maybe(integer('public')),
          buyOrderCount: maybe(integer('public')),
          sellOrderCount: maybe(integer('public')),
          totalBuyLiquidity: maybe(figure('public', 'decimal-string', 'in cNGN, which buy orders offer')),
          totalSellLiquidity: maybe(figure('public', 'decimal-string', 'in the stablecoin, which sell orders offer')),
          bestBidPrice: maybe(cngn('public')),
          bestAskPrice: maybe(cngn('public')),
          spreadPercentage: maybe(percent('public')),
        }),
      ),
      version: known('public'),
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
    answer({
      token: maybe(anyText('public', { secret: true })),
      expiresIn: maybe(integer('public')),
      expiresAt: maybe(timestamp('public')),
      tradingPairs: maybe(list('public', anyText('public'))),
      firebaseConfig: maybe(group('public', { projectId: known('public'), databaseURL: known('public') })),
      usage: known('public'),
    }),
  errors: [],
});
