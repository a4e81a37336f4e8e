import type { ResponseOf } from '../contract/endpoint.ts';
import type { orderBook } from '../contract/endpoints/fx-book.ts';
import { type Pair, STABLECOIN_OF } from '../contract/fx.ts';
import { type Amount, type Asset, amount, amountForPeople } from '../money/amount.ts';
import { decimalText, trimDecimal } from '../money/decimal.ts';
import { HUNDRED_PERCENT, percentFromWire, takerPriceMicro } from '../money/rates.ts';
import type { Depth, Level } from '../present/result.ts';
import { amountIn } from './rules/fx-terms.ts';

type Book = ResponseOf<typeof orderBook>;

type Order = NonNullable<Book['buyOrders']>[number];

/** The largest trade against an order. Its wallet may hold less, but nothing says in which asset the balance of the wallet is stated. */
function tradable(order: Order, isSelling: boolean, token: Pair): Level | undefined {
  const price = amountIn(order.price, 'CNGN');
  if (!price) return undefined;
  const most = amountIn(order.maxAmount, 'CNGN') ?? amount('CNGN', 0n);
  const gives = isSelling ? STABLECOIN_OF[token] : 'CNGN';
  return { price, takerPrice: takerPrice(order, price, gives), amount: most };
}

/** Returns the price with the order's spread; undefined if the service gives no spread, or an impossible one. */
function takerPrice({ spread }: Order, price: Amount, gives: Asset): Amount | undefined {
  const percent = spread == null ? undefined : percentFromWire(spread);
  if (percent === undefined || percent < 0n || percent >= HUNDRED_PERCENT) return undefined;
  return amount('CNGN', takerPriceMicro(price.minor, percent, gives));
}

/** Orders are ranked by what a taker pays or gets, or by their own price if the spread is unknown. */
const rankOf = ({ price, takerPrice }: Level) => (takerPrice ?? price).minor;

/** What orders have in common that are one level. */
export const levelKey = ({ price, takerPrice }: Pick<Level, 'price' | 'takerPrice'>): string =>
  `${price.minor} ${takerPrice?.minor}`;

/** Groups the orders of a side into one level per price and spread, best price for a taker first. */
export function joinedLevels(orders: readonly Level[], isSelling: boolean): Level[] {
  const joined = [...Map.groupBy(orders, levelKey).values()].flatMap(([first, ...rest]) => {
    if (!first) return [];
    const minor = rest.reduce((sum, each) => sum + each.amount.minor, first.amount.minor);
    return { price: first.price, takerPrice: first.takerPrice, amount: amount('CNGN', minor) };
  });
  return joined.toSorted((a, b) => Number(rankOf(a) - rankOf(b)) * (isSelling ? 1 : -1));
}

const levelsOf = (orders: readonly Order[] | null | undefined, isSelling: boolean, token: Pair) =>
  joinedLevels(
    (orders ?? []).flatMap((order) => tradable(order, isSelling, token) ?? []),
    isSelling,
  );

/** `spread 10.00 cNGN (0.71%)`. The book can be crossed: the service does not match resting orders against each other. */
export function spreadWords(ask: Level | undefined, bid: Level | undefined): string {
  if (!ask || !bid) return 'no spread: one side is empty';
  const gap = ask.price.minor - bid.price.minor;
  const size = gap < 0n ? -gap : gap;
  const hundredths = (size * 10_000n) / bid.price.minor;
  const percent = trimDecimal(decimalText(hundredths, 2));
  const words = `${amountForPeople(amount('CNGN', size))} (${percent}%)`;
  return gap < 0n ? `crossed by ${words}` : `bid-ask spread ${words}`;
}

/** What the two sides of a pair offer, and how to take it. */
export const sideTitles = (token: Pair) =>
  ({
    selling: `${STABLECOIN_OF[token]} for sale (taken by --side buy)`,
    buying: 'cNGN for sale (taken by --side sell)',
  }) as const;

/** The depth of an order book on both sides, for a chart. */
export function depthOf({ buyOrders, sellOrders }: Book, token: Pair): Depth {
  const titles = sideTitles(token);
  const upper = levelsOf(sellOrders, true, token);
  const lower = levelsOf(buyOrders, false, token);
  return {
    title: `${token}: prices in cNGN per ${STABLECOIN_OF[token]}; a trade gets the price with spread`,
    upper: { title: titles.selling, levels: upper },
    middle: spreadWords(upper[0], lower[0]),
    lower: { title: titles.buying, levels: lower },
  };
}
