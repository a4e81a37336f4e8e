import { unread } from '../../base/errors.ts';
import type { Endpoint, RequestOf, ResponseOf } from '../../contract/endpoint.ts';
import { orderBook } from '../../contract/endpoints/fx-book.ts';
import { listOrders } from '../../contract/endpoints/fx-orders.ts';
import { quote } from '../../contract/endpoints/fx-quotes.ts';
import { listTrades } from '../../contract/endpoints/fx-trades.ts';
import { PAIRS, type Pair, SIDES, STABLECOIN_OF } from '../../contract/fx.ts';
import { type MoveTerms, replacedField } from '../../contract/moves.ts';
import { type Amount, amount, amountForPeople, fromWire } from '../../money/amount.ts';
import { decimalText, trimDecimal } from '../../money/decimal.ts';
import { HUNDRED_PERCENT, type PercentMillionths, percentFromWire, takerPriceMicro } from '../../money/rates.ts';
import type { ShownLine } from '../plans/line.ts';
import { amountIn } from './fx-terms.ts';

/** What reads that precede a change need of an account. */
export interface MarketReader {
  call<E extends Endpoint>(
    endpoint: E,
    input: RequestOf<E>,
    options: { readonly isBeforehand: true },
  ): Promise<{ readonly data: ResponseOf<E> }>;
}

const BEFOREHAND = { isBeforehand: true } as const;

/** The price of an order or a trade, and that of the market, in cNGN per stablecoin; undefined if it is not known. */
export interface Priced {
  readonly price: Amount | undefined;
  readonly market: Amount | undefined;
}

/** Beyond this, a price is probably mistyped. */
const USUAL_PERCENT: PercentMillionths = HUNDRED_PERCENT / 10n;

/** Returns the price that a request would trade at, and that of the market; undefined if it sets no price. Throws CliError interrupted. */
export async function pricedIn(
  reader: MarketReader,
  endpoint: Endpoint,
  request: unknown,
  terms: MoveTerms = {},
): Promise<Priced | undefined> {
  const { gives, replaces, amount: amountField } = endpoint.moves ?? {};
  if (!gives) return undefined;
  const typed = (request ?? {}) as Readonly<Record<string, unknown>>;
  const isSame = [gives.price, amountField].every((name) => name === undefined || typed[name] === undefined);
  if (replaces && isSame && typed['status'] !== 'active') return undefined;
  const input = replaces ? { ...replacedIn(replaces, terms), ...given(typed) } : { ...given(typed), ...terms };
  if (gives.unless !== undefined && typeof typed[gives.unless] === 'string')
    return ofOrder(reader, typed[gives.unless] as string);
  const pair = PAIRS.find((each) => sameCoin(each, input[gives.stablecoin ?? '']));
  if (!pair) return { price: undefined, market: undefined };
  const own = replaces && typeof typed['orderId'] === 'string' ? typed['orderId'] : undefined;
  const [price, market] = await Promise.all([
    // A field that the request does not have says nothing, whoever wrote it there.
    priceOf(reader, pair, gives.price ? input[gives.price] : terms['price'], input),
    marketPrice(reader, pair, own),
  ]);
  return { price, market };
}

const given = (input: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));

const replacedIn = (names: readonly string[], terms: MoveTerms) =>
  Object.fromEntries(names.map((name) => [name, terms[replacedField(name)]]));

const sameCoin = (pair: Pair, named: unknown): boolean =>
  typeof named === 'string' && named.toUpperCase().endsWith(STABLECOIN_OF[pair]);

/** Returns the price that a request names, or the one that a trade gets now. */
async function priceOf(
  reader: MarketReader,
  pair: Pair,
  named: unknown,
  input: Readonly<Record<string, unknown>>,
): Promise<Amount | undefined> {
  if (typeof named === 'string') return fromWire(named, 'decimal-string', 'CNGN');
  const side = SIDES.find((each) => each === input['side']);
  const cngnAmount = input['cngnAmount'];
  if (!side || typeof cngnAmount !== 'string') return undefined;
  const reply = await reader.call(quote, { pair, side, cngnAmount }, BEFOREHAND).catch(unread);
  return amountIn(reply?.data.quote.price, 'CNGN');
}

/** Returns the price of a trade against an order of the book, and that of the market without this order. */
async function ofOrder(reader: MarketReader, orderId: string): Promise<Priced> {
  for (const pair of PAIRS) {
    const book = (await reader.call(orderBook, { pair, limit: MOST_ORDERS }, BEFOREHAND).catch(unread))?.data;
    const sold = book?.sellOrders?.find((order) => order.orderId === orderId);
    const order = sold ?? book?.buyOrders?.find((each) => each.orderId === orderId);
    if (!order) continue;
    const price = amountIn(order.price, 'CNGN');
    const spread = percentFromWire(order.spread ?? 0) ?? 0n;
    const taken = price && takerPriceMicro(price.minor, spread, sold ? STABLECOIN_OF[pair] : 'CNGN');
    const market = await marketPrice(reader, pair, orderId);
    return { price: taken === undefined ? undefined : amount('CNGN', taken), market };
  }
  return { price: undefined, market: undefined };
}

/** The most that a page of the book or of a list has. */
const MOST_ORDERS = 100;

/**
 * Returns the price of the market: midway between the best orders of others, the best one if there are only buyers or only sellers, or
 * the price of the account's last trade. An own order does not count, because it may be the mistake. Source: inferred.
 */
async function marketPrice(reader: MarketReader, pair: Pair, without: string | undefined): Promise<Amount | undefined> {
  const [book, own] = await Promise.all([
    reader.call(orderBook, { pair, limit: MOST_ORDERS }, BEFOREHAND).catch(unread),
    reader.call(listOrders, { pair, status: 'active', limit: MOST_ORDERS }, BEFOREHAND).catch(unread),
  ]);
  if (!book || !own) return lastTraded(reader, pair);
  const ownIds = new Set([without, ...(own.data.orders ?? []).map(({ orderId }) => orderId)]);
  const prices = (orders: typeof book.data.buyOrders) =>
    (orders ?? []).flatMap(({ orderId, price }) => (ownIds.has(orderId) ? [] : (amountIn(price, 'CNGN')?.minor ?? [])));
  const asks = prices(book.data.sellOrders);
  const bids = prices(book.data.buyOrders);
  const ask = asks.length === 0 ? undefined : asks.reduce((one, other) => (other < one ? other : one));
  const bid = bids.length === 0 ? undefined : bids.reduce((one, other) => (other > one ? other : one));
  if (ask !== undefined && bid !== undefined) return amount('CNGN', (ask + bid) / 2n);
  const best = ask ?? bid;
  return best === undefined ? lastTraded(reader, pair) : amount('CNGN', best);
}

async function lastTraded(reader: MarketReader, pair: Pair): Promise<Amount | undefined> {
  const reply = await reader.call(listTrades, { pair, status: 'completed', limit: 1 }, BEFOREHAND).catch(unread);
  return amountIn(reply?.data.trades?.[0]?.price, 'CNGN');
}

/** Returns how far a price is from that of the market, if that is more than a part of it: `99.9% below the market price of …`. */
export function farFromMarket(price: Amount, market: Amount, maxPercent: PercentMillionths): string | undefined {
  const gap = price.minor - market.minor;
  const size = gap < 0n ? -gap : gap;
  if (size * HUNDRED_PERCENT <= market.minor * maxPercent) return undefined;
  const tenths = (size * 1_000n) / market.minor;
  const side = gap < 0n ? 'below' : 'above';
  return `the price ${amountForPeople(price)} is ${trimDecimal(decimalText(tenths, 1))}% ${side} the market price of ${amountForPeople(market)}`;
}

/** Returns the warning about a price that is far from the market, for a question; nothing if none of them is known. */
export async function marketWarning(...asked: Parameters<typeof pricedIn>): Promise<readonly ShownLine[]> {
  const { price, market } = (await pricedIn(...asked)) ?? {};
  const text = price && market && market.minor > 0n ? farFromMarket(price, market, USUAL_PERCENT) : undefined;
  return text === undefined ? [] : [['warning', text]];
}
