import { createLimitOrder, createOrder, listOrders } from '../../contract/endpoints/fx-orders.ts';
import { listTrades, marketOrder, trade, tradeStatus } from '../../contract/endpoints/fx-trades.ts';
import { listing } from './listing.ts';
import { agrees, amountAt, amountMatch, compared, figuresMatch, knownMatch, percentMatch } from './rows.ts';
import { type FollowedWork, status, type Work } from './work.ts';

const TRADE_ENDS = { done: ['completed'], failed: ['failed', 'expired'] } as const;

const cngn = (value: unknown) => amountAt(value, 'decimal-string', 'CNGN');

/** A trade on the order book. */
export const fxTrade: FollowedWork = {
  starts: [trade, marketOrder],
  status: status({
    ...TRADE_ENDS,
    endpoint: tradeStatus,
    command: 'fx trades status',
    idField: 'tradeId',
    stateOf: (data) => data.trade.status,
    what: 'the trade',
    words: (data) =>
      data.trade.errorMessage ?? (data.trade.status === 'expired' ? 'it did not settle within 5 minutes' : undefined),
  }),
  evidence: 'fiatrail fx trades list',
  list: (request) => {
    const { pair, side, cngnAmount, price } = request;
    return listing({
      ...TRADE_ENDS,
      endpoint: listTrades,
      page: (limit, _count, startAfter) => ({ limit, startAfter }),
      rowsOf: ({ trades }) => trades,
      read: (row) => ({
        requestId: row.tradeId,
        createdAt: row.createdAt,
        state: row.status,
        // What a trade on a quote or an order does is not in its request: without its terms, any trade may be it.
        ...compared(
          [knownMatch(pair), knownMatch(side), amountMatch(row.cngnAmount, 'decimal-string', cngn(cngnAmount))],
          [
            pair === 'CNGN' || agrees(row.pair, pair),
            agrees(row.side, side),
            price === undefined || amountMatch(row.price, 'decimal-string', cngn(price)) !== 'other',
          ],
        ),
      }),
    });
  },
};

/** An order in the order book; it is finished as soon as it is there. */
export const fxOrder: Work = {
  starts: [createOrder, createLimitOrder],
  evidence: 'fiatrail fx orders list',
  list: (request) => {
    const { orderType, quoteCurrency, pair, price, minAmount, maxAmount, spread } = request;
    // orderType refers to cNGN, and the list's side to the stablecoin: who sells cNGN buys stablecoin.
    const { side = orderType === 'sell' ? 'buy' : 'sell' } = request;
    const wantedPair = pair ?? `CNGN-${String(quoteCurrency)}`;
    return listing({
      done: ['active', 'paused', 'filled', 'completed', 'cancelled', 'deleted'],
      failed: [],
      endpoint: listOrders,
      page: (limit, _count, startAfter) => ({ limit, startAfter }),
      rowsOf: ({ orders }) => orders,
      read: (row) => ({
        requestId: row.orderId,
        createdAt: row.createdAt,
        state: row.status,
        ...compared(
          [
            figuresMatch([
              [row.price, cngn(price)],
              [row.minAmount, cngn(minAmount)],
              [row.maxAmount, cngn(maxAmount)],
            ]),
          ],
          [agrees(row.pair, wantedPair), agrees(row.side, side), percentMatch(row.spread, spread) !== 'other'],
        ),
      }),
    });
  },
};
