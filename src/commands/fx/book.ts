import { HIDDEN } from '../../base/secret.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import { orderBook, orderBookStats, orderBookToken } from '../../contract/endpoints/fx-book.ts';
import { PAIRS } from '../../contract/fx.ts';
import { amountIn, inCngn, stablecoinOf } from '../../engine/fx-terms.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import { type Amount, type Asset, amount, amountForPeople } from '../../money/amount.ts';
import { decimalText, trimDecimal } from '../../money/decimal.ts';
import { HUNDRED_PERCENT, percentFromWire, takerPriceMicro } from '../../money/rates.ts';
import type { Depth, Level } from '../../present/result.ts';
import { callCommand, command } from '../../terminal/command.ts';
import { pair } from '../../terminal/parse/field-options.ts';
import { argument, option, switchOn, wholeNumber } from '../../terminal/parse/parameters.ts';

const pairArgument = argument('pair', PAIRS.join(' or '), pair, `Pair (${PAIRS.join(' or ')}):`);

type Book = ResponseOf<typeof orderBook>;
type Order = NonNullable<Book['buyOrders']>[number];

/** The largest trade against an order: its maximum, or its wallet's balance if that is less. */
function tradable(order: Order, isSelling: boolean, token: string): Level | undefined {
  const price = amountIn(order.price, 'CNGN');
  if (!price) return undefined;
  const held = amountIn(order.availableLiquidity, isSelling ? stablecoinOf(token) : 'CNGN');
  const backed = held && (isSelling ? inCngn(held, price) : held);
  const bounds = [amountIn(order.maxAmount, 'CNGN'), backed].filter((bound) => bound !== undefined);
  const minor = bounds.map((bound) => bound.minor).reduce((a, b) => (a < b ? a : b), bounds[0]?.minor ?? 0n);
  const gives = isSelling ? stablecoinOf(token) : 'CNGN';
  return { price, takerPrice: takerPrice(order, price, gives), amount: amount('CNGN', minor) };
}

/** Returns the price with the order's spread; undefined if the service gives no spread, or an impossible one. */
function takerPrice({ spread }: Order, price: Amount, gives: Asset): Amount | undefined {
  const percent = spread == null ? undefined : percentFromWire(spread);
  if (percent === undefined || percent < 0n || percent >= HUNDRED_PERCENT) return undefined;
  return amount('CNGN', takerPriceMicro(price.minor, percent, gives));
}

/** Orders are ranked by what a taker pays or gets, or by their own price if the spread is unknown. */
const rankOf = ({ price, takerPrice }: Level) => (takerPrice ?? price).minor;

/** Groups the orders into one level per price and spread, best price for a taker first. */
function levelsOf(orders: readonly Order[] | null | undefined, isSelling: boolean, token: string): Level[] {
  const levels = (orders ?? []).flatMap((order) => tradable(order, isSelling, token) ?? []);
  const alike = Map.groupBy(levels, ({ price, takerPrice }) => `${price.minor} ${takerPrice?.minor}`);
  const joined = [...alike.values()].flatMap(([first, ...rest]) => {
    if (!first) return [];
    const minor = rest.reduce((sum, each) => sum + each.amount.minor, first.amount.minor);
    return { ...first, amount: amount('CNGN', minor) };
  });
  return joined.toSorted((a, b) => Number(rankOf(a) - rankOf(b)) * (isSelling ? 1 : -1));
}

/** `spread 10.00 cNGN (0.71%)`. The book can be crossed: the service does not match resting orders against each other. */
function spreadWords(ask: Level | undefined, bid: Level | undefined): string {
  if (!ask || !bid) return 'no spread: one side is empty';
  const gap = ask.price.minor - bid.price.minor;
  const size = gap < 0n ? -gap : gap;
  const hundredths = (size * 10_000n) / bid.price.minor;
  const percent = trimDecimal(decimalText(hundredths, 2));
  const words = `${amountForPeople(amount('CNGN', size))} (${percent}%)`;
  return gap < 0n ? `crossed by ${words}` : `bid-ask spread ${words}`;
}

export function depthOf({ buyOrders, sellOrders }: Book, token: string): Depth {
  const stablecoin = stablecoinOf(token);
  const upper = levelsOf(sellOrders, true, token);
  const lower = levelsOf(buyOrders, false, token);
  return {
    title: `${token}: prices in cNGN per ${stablecoin}; a trade gets the price with spread`,
    upper: { title: `${stablecoin} for sale (taken by --side buy)`, levels: upper },
    middle: spreadWords(upper[0], lower[0]),
    lower: { title: 'cNGN for sale (taken by --side sell)', levels: lower },
  };
}

const bookCommand = command({
  words: ['fx', 'book', 'show'],
  summary: 'Show the order book of a pair',
  details:
    'Each bar is the depth in cNGN at that price or better. An order counts up to its maximum and its wallet’s balance. "With spread" is the price that a trade gets: with --side buy, the order’s price plus its spread; with --side sell, minus its spread.',
  examples: [
    'fiatrail fx book show CNGN-USDC',
    'fiatrail fx book show CNGN-USDT --limit 5 -o json --query "sellOrders[].price.value"',
  ],
  endpoints: [orderBook.id],
  prints: { response: orderBook },
  parameters: {
    pair: pairArgument,
    limit: option('--limit <count>', 'orders per side, 1 to 100 (default 20)', wholeNumber(1, 100)),
  },
  run: async (session, { pair: token, limit }) => {
    const reply = await session.call(orderBook, { pair: token, limit });
    const outcome = await outcomeOf(session, orderBook, reply);
    // A chart of figures whose unit is unknown would be empty or wrong.
    if (reply.hasUnknownUnits) return outcome;
    return outcome.result ? { ...outcome, result: { ...outcome.result, depth: depthOf(reply.data, token) } } : outcome;
  },
});

const STATS = [
  { field: 'pair', title: 'Pair' },
  { field: 'bestBidPrice', title: 'Best bid' },
  { field: 'bestAskPrice', title: 'Best ask' },
  { field: 'spreadPercentage', title: 'Spread (percent)' },
  { field: 'buyOrderCount', title: 'Buy orders' },
  { field: 'totalBuyLiquidity', title: 'Buy liquidity' },
  { field: 'sellOrderCount', title: 'Sell orders' },
  { field: 'totalSellLiquidity', title: 'Sell liquidity' },
] as const;

const statsCommand = callCommand(orderBookStats, {
  words: ['fx', 'stats'],
  summary: 'Show the best prices and the liquidity of a pair',
  examples: ['fiatrail fx stats CNGN-USDC', 'fiatrail fx stats CNGN-USDT -o json --query bestAskPrice.value'],
  parameters: { pair: pairArgument },
  request: ({ pair: token }) => ({ pair: token }),
  columns: STATS,
});

const tokenCommand = command({
  words: ['fx', 'book', 'token'],
  summary: 'Get an access token for the live order book',
  details: 'The token is valid for an hour. Tables hide it unless --show is given; every other format prints it.',
  examples: ['fiatrail fx book token -o json --query token', 'fiatrail fx book token --show'],
  endpoints: [orderBookToken.id],
  prints: { response: orderBookToken },
  parameters: { show: switchOn('--show', 'print the token in tables too') },
  run: async (session, { show }) => {
    const reply = await session.call(orderBookToken, {});
    if (show || session.globals.present.format !== 'table') return outcomeOf(session, orderBookToken, reply);
    return outcomeOf(session, orderBookToken, { ...reply, data: { ...reply.data, token: HIDDEN } });
  },
});

export const commands = [bookCommand, statsCommand, tokenCommand];
