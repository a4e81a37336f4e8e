import { agrees } from '../../contract/compare.ts';
import type { RequestOf } from '../../contract/endpoint.ts';
import { createLimitOrder, createOrder, listOrders } from '../../contract/endpoints/fx-orders.ts';
import { quote } from '../../contract/endpoints/fx-quotes.ts';
import { listTrades, marketOrder, trade, tradeStatus } from '../../contract/endpoints/fx-trades.ts';
import { FAILED_TRADE_STATES, PAIRS, SIDES, type Side } from '../../contract/fx.ts';
import { type Amount, amountForPeople } from '../../money/amount.ts';
import type { Account } from '../account.ts';
import { amountIn, stablecoinOf, wireDecimal } from '../fx-terms.ts';
import { listOf } from '../lists/resume.ts';
import { shownIn } from './listing.ts';
import { amountAt, amountMatch, compared, figuresMatch, knownMatch, percentMatch } from './rows.ts';
import { type FollowedWork, status, type Work } from './work.ts';

const TRADE_ENDS = { done: ['completed'], failed: FAILED_TRADE_STATES } as const;

const cngn = (value: unknown) => amountAt(value, 'decimal-string', 'CNGN');

/** The trades of the account. */
export const tradesBy = ({ pair, side, status: wanted }: RequestOf<typeof listTrades>) =>
  listOf(listTrades, {
    columns: [
      { field: 'tradeId', title: 'Trade' },
      { field: 'status', title: 'Status' },
      { field: 'createdAt', title: 'When' },
      { field: 'pair', title: 'Pair' },
      { field: 'side', title: 'Side' },
      { field: 'cngnAmount', title: 'Amount' },
      { field: 'price', title: 'Price' },
    ],
    isById: true,
    request: ({ size, startAfter }) => ({ pair, side, status: wanted, limit: size, startAfter }),
    rowsOf: ({ trades }) => trades,
    idOf: ({ tradeId }) => tradeId,
    timeOf: ({ createdAt }) => createdAt,
  });

/** What a trade gets. */
interface Priced {
  /** In cNGN for each stablecoin. */
  readonly price: Amount;
  /** In stablecoin. */
  readonly tokens: Amount;
}

/** Quotes an amount of cNGN; undefined for a pair that cannot be quoted, such as the market-only pair CNGN. */
export async function priced(
  { call }: Pick<Account, 'call'>,
  pair: unknown,
  side: Side,
  cngnAmount: Amount,
): Promise<Priced | undefined> {
  const quotable = PAIRS.find((each) => each === pair);
  if (!quotable) return undefined;
  const { data } = await call(quote, { pair: quotable, side, cngnAmount: wireDecimal(cngnAmount) });
  const price = amountIn(data.quote.price, 'CNGN');
  const tokens = amountIn(data.quote.usdcAmount ?? data.quote.usdtAmount, stablecoinOf(quotable));
  return price && tokens && { price, tokens };
}

/** What `priced` finds, for people. */
export const pricedText = ({ tokens, price }: Priced): string =>
  `${amountForPeople(tokens)} at ${amountForPeople(price)} each`;

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
  priceNow: async (account, { pair, side, cngnAmount, price }) => {
    const [wanted, fixed] = [cngn(cngnAmount), cngn(price)];
    const known = SIDES.find((each) => each === side);
    const now = known && wanted && (await priced(account, pair, known, wanted));
    const then = fixed ? ` (its quote says ${amountForPeople(fixed)} each)` : '';
    return now && `${pricedText(now)}${then}`;
  },
  list: (request) => {
    const { pair, side, cngnAmount, price } = request;
    return shownIn(tradesBy({}), {
      ...TRADE_ENDS,
      // What a trade on a quote or an order does is not in its request: without its terms, any trade may be it.
      compare: (row) =>
        compared(
          [knownMatch(pair), knownMatch(side), amountMatch(row.cngnAmount, 'decimal-string', cngn(cngnAmount))],
          [
            pair === 'CNGN' || agrees(row.pair, pair),
            agrees(row.side, side),
            price === undefined || amountMatch(row.price, 'decimal-string', cngn(price)) !== 'other',
          ],
        ),
    });
  },
};

/** The orders of the account. */
export const ordersBy = ({ status: wanted, pair }: RequestOf<typeof listOrders>) =>
  listOf(listOrders, {
    columns: [
      { field: 'orderId', title: 'Order' },
      { field: 'pair', title: 'Pair' },
      { field: 'side', title: 'Side' },
      { field: 'price', title: 'Price' },
      { field: 'minAmount', title: 'Min' },
      { field: 'maxAmount', title: 'Max' },
      { field: 'status', title: 'Status' },
    ],
    isById: true,
    request: ({ size, startAfter }) => ({ status: wanted, pair, limit: size, startAfter }),
    rowsOf: ({ orders }) => orders,
    idOf: ({ orderId }) => orderId,
    timeOf: ({ createdAt }) => createdAt,
  });

/** An order in the order book; it is finished as soon as it is there. */
export const fxOrder: Work = {
  starts: [createOrder, createLimitOrder],
  evidence: 'fiatrail fx orders list',
  list: (request) => {
    const { orderType, quoteCurrency, pair, price, minAmount, maxAmount, spread } = request;
    // orderType refers to cNGN, and the list's side to the stablecoin: who sells cNGN buys stablecoin.
    const { side = orderType === 'sell' ? 'buy' : 'sell' } = request;
    const wantedPair = pair ?? `CNGN-${String(quoteCurrency)}`;
    return shownIn(ordersBy({}), {
      done: ['active', 'paused', 'filled', 'completed', 'cancelled', 'deleted'],
      failed: [],
      compare: (row) =>
        compared(
          [
            figuresMatch([
              [row.price, cngn(price)],
              [row.minAmount, cngn(minAmount)],
              [row.maxAmount, cngn(maxAmount)],
            ]),
          ],
          [agrees(row.pair, wantedPair), agrees(row.side, side), percentMatch(row.spread, spread) !== 'other'],
        ),
    });
  },
};
