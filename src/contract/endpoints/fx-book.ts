import { endpoint, invalid } from '../endpoint.ts';
import * as f from '../fields.ts';
import { cngnFigure, figure, listLimits, pair, quoteLimits } from '../fx.ts';

/** An order as shown on the public book, without its maker. Live answers and public text contradict each other about its liquidity. */
const publicOrder = () =>
  f.group('public', {
    orderId: f.maybeText('public'),
    price: f.maybe(cngnFigure('public')),
    spread: f.maybe(f.percent('public')),
    minAmount: f.maybe(cngnFigure('public')),
    maxAmount: f.maybe(cngnFigure('public')),
    availableLiquidity: f.maybe(figure('public', null)),
    status: f.maybe(f.stateOf('public', ['active'])),
    updatedAt: f.maybe(f.timestamp('public')),
  });

const unknownPair = invalid('inferred', 'the pair is missing or unknown');

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
  repeats: { pair: 'pair' },
  request: () =>
    f.fields({
      pair: pair('public'),
      limit: f.optional(f.integer('public', { min: 1, max: 100, rule: '1 to 100 orders per side; default 20' })),
    }),
  response: () =>
    f.payload({
      pair: f.maybeText('public'),
      buyOrders: f.maybe(f.list('public', publicOrder())),
      sellOrders: f.maybe(f.list('public', publicOrder())),
      note: f.maybeText('public', { personal: 'text' }),
      version: f.maybeText('public'),
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
  repeats: { pair: ['pair', 'stats.pair'] },
  request: () => f.fields({ pair: pair('public') }),
  response: () =>
    f.payload({
      pair: f.maybeText('public'),
      stats: f.maybe(
        f.group('public', {
          pair: f.maybeText('public'),
          totalActiveOrders: f.maybe(f.integer('public')),
          buyOrderCount: f.maybe(f.integer('public')),
          sellOrderCount: f.maybe(f.integer('public')),
          totalBuyLiquidity: f.maybe(cngnFigure('public')),
          totalSellLiquidity: f.maybe(figure('public', null)),
          bestBidPrice: f.maybe(cngnFigure('public')),
          bestAskPrice: f.maybe(cngnFigure('public')),
          spreadPercentage: f.maybe(f.percent('public')),
        }),
      ),
      version: f.maybeText('public'),
    }),
  errors: [unknownPair],
});

export const orderBookToken = endpoint({
  id: 'fx.orderbook-token',
  method: 'GET',
  path: '/fx/orderbook-token',
  effect: 'read',
  summary: 'Get an access token for the live order book',
  done: 'Order book token issued',
  envelope: 'camel',
  source: 'public',
  request: () => f.fields({}),
  response: () =>
    f.payload({
      token: f.maybe(f.anyText('public', { secret: true })),
      expiresIn: f.maybe(f.integer('public')),
      expiresAt: f.maybe(f.timestamp('public')),
      tradingPairs: f.maybe(f.list('public', f.anyText('public'))),
      firebaseConfig: f.maybe(
        f.group('public', { projectId: f.maybeText('public'), databaseURL: f.maybeText('public') }),
      ),
      usage: f.maybeText('public'),
    }),
});
