import { agrees } from '../contract/compare.ts';
import { createLimitOrder, createOrder, listOrders } from '../contract/endpoints/fx-orders.ts';
import { listTrades, marketOrder, trade as startTrade, tradeStatus } from '../contract/endpoints/fx-trades.ts';
import { amountAt, amountMatch, compared, figuresMatch, knownMatch, percentMatch } from './likeness.ts';
import { amount, bad, elsewhere, ended, failing, good, listedBy, sum, text, thing, time, waits } from './thing.ts';

/** The lock of a price lasts 5 minutes, and what was signed until then is settled soon. Source: inferred. */
const TRADE_MS = 30 * 60_000;

export const trades = listedBy(listTrades, {
  name: 'fx_trades',
  about: 'the account’s trades on the order book',
  rows: 'trades',
  pages: 'after',
  readBy: 'newest',
  id: 'tradeId',
  idStarts: ['trade_'],
  status: 'status',
  createdAt: 'createdAt',
  endsWithinMs: TRADE_MS,
  label: ['side', 'pair', 'cngnAmount', 'status'],
  facts: [
    text('Pair', 'pair', 'pair'),
    text('Side', 'side', 'side'),
    sum('cNGN', 'cngnAmount', 'cngn'),
    sum('USDC', 'usdcAmount', 'usdc'),
    sum('USDT', 'usdtAmount', 'usdt'),
    amount('Price', 'price', 'price'),
    sum('Net', 'fintechNetAmount', 'net'),
    time('Started', 'createdAt'),
    elsewhere(time('Price locked until', 'priceLockExpiresAt')),
    elsewhere(ended('Failed', 'failedAt')),
  ],
  columns: ['tradeId', 'createdAt', 'cngnAmount', 'status', 'pair', 'side', 'price'],
});

const cngn = (value: unknown) => amountAt(value, 'decimal-string', 'CNGN');

const SIGNATURE = 'waits for the signature';

/** A trade on the order book. */
export const trade = thing({
  name: 'trade',
  isSpecial: true,
  of: 'account',
  list: trades,
  starts: [startTrade, marketOrder],
  read: { endpoint: tradeStatus, id: 'tradeId', in: 'trade' },
  states: {
    pending: waits('waits for the tokens of both sides to be exchanged'),
    locked: waits(`has its price, and ${SIGNATURE}`),
    signing: waits(SIGNATURE),
    settling: waits('waits for the network'),
    completed: good,
    ...failing(tradeStatus),
    expired: bad('it did not settle within 5 minutes'),
  },
  amount: ['cngnAmount'],
  who: ['pair'],
  reason: ['errorMessage'],
  lists: 'fx trades list',
  shows: 'fx trades status',
  likeness: {
    // What a trade on a quote or an order does is not in its request: without its terms, any trade may be it.
    compare: (row, { pair, side, cngnAmount, price }) =>
      compared(
        [knownMatch(pair), knownMatch(side), amountMatch(row.cngnAmount, 'decimal-string', cngn(cngnAmount))],
        [
          pair === 'CNGN' || agrees(row.pair, pair),
          agrees(row.side, side),
          price === undefined || amountMatch(row.price, 'decimal-string', cngn(price)) !== 'other',
        ],
      ),
  },
});

export const orders = listedBy(listOrders, {
  name: 'fx_orders',
  gone: ['deleted'],
  about: 'the account’s orders in the order book',
  rows: 'orders',
  pages: 'after',
  readBy: 'whole',
  id: 'orderId',
  idStarts: ['order_'],
  status: 'status',
  createdAt: 'createdAt',
  label: ['side', 'pair', 'price', 'status'],
  facts: [
    text('Pair', 'pair', 'pair'),
    text('Side', 'side', 'side'),
    amount('Price', 'price', 'price'),
    amount('Min', 'minAmount', 'min'),
    amount('Max', 'maxAmount', 'max'),
    amount('Available', 'availableLiquidity'),
    time('Added', 'createdAt'),
    time('Changed', 'updatedAt', 'updated_at'),
  ],
  columns: ['orderId', 'pair', 'side', 'price', 'minAmount', 'maxAmount', 'status'],
});

/** An order in the order book. It is there or not: what the service accepts is finished. */
export const order = thing({
  name: 'order',
  of: 'account',
  list: orders,
  starts: [createOrder, createLimitOrder],
  lists: 'fx orders list',
  amount: ['availableLiquidity'],
  who: ['pair'],
  more: ['fx orders list', 'fx orders update ID --price <cngn>', 'fx orders cancel ID'],
  likeness: {
    compare: (row, request) => {
      const { orderType, quoteCurrency, pair, price, minAmount, maxAmount, spread } = request;
      // orderType refers to cNGN, and the list's side to the stablecoin: who sells cNGN buys stablecoin.
      const { side = orderType === 'sell' ? 'buy' : 'sell' } = request;
      return compared(
        [
          figuresMatch([
            [row.price, cngn(price)],
            [row.minAmount, cngn(minAmount)],
            [row.maxAmount, cngn(maxAmount)],
          ]),
        ],
        [
          agrees(row.pair, pair ?? `CNGN-${String(quoteCurrency)}`),
          agrees(row.side, side),
          percentMatch(row.spread, spread) !== 'other',
        ],
      );
    },
  },
});
