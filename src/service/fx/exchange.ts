import type { Token } from '../../money/amount.ts';
import type { Database } from '../../sqlite/database.ts';
import type { Posting } from '../ledger.ts';
import { averagePriceMicro, averageSpreadMillionths, type Fill, match } from './order-book.ts';
import { requiredTradingAccount } from './orders.ts';

/** An exchange of tokens through the order book: one leg, or two by way of cNGN. */
interface Exchanged {
  readonly amountOutBase: bigint;
  /** cNGN for one stablecoin, in millionths; for two legs, the rate of the second. */
  readonly rateMicro: bigint;
  readonly spreadMillionths: bigint;
  /** The makers' postings. */
  readonly postings: readonly Posting[];
}

interface Leg {
  readonly fill: Fill;
  readonly outBase: bigint;
  readonly postings: readonly Posting[];
}

function legOf(store: Database, fintech: bigint, sell: Token, buy: Token, amountBase: bigint): Leg | undefined {
  const stablecoin = sell === 'CNGN' ? buy : sell;
  if (stablecoin === 'CNGN' || amountBase === 0n) return undefined;
  const found = match(store, {
    pair: `CNGN-${stablecoin}`,
    makerGives: buy,
    amount: sell === 'CNGN' ? { cngnBase: amountBase } : { tokenBase: amountBase },
    taker: fintech,
  });
  if (!('fill' in found)) return undefined;
  const of = (asset: Token, slice: { cngnBase: bigint; tokenBase: bigint }) =>
    asset === 'CNGN' ? slice.cngnBase : slice.tokenBase;
  return {
    fill: found.fill,
    outBase: of(buy, found.fill),
    postings: found.fill.slices.flatMap((slice) => [
      { account: requiredTradingAccount(store, slice.maker, sell), minor: of(sell, slice) },
      { account: requiredTradingAccount(store, slice.maker, buy), minor: -of(buy, slice) },
    ]),
  };
}

/**
 * Returns what the book currently gives for an amount; undefined if it cannot fill it. The fintech's own orders are
 * skipped.
 */
export function exchange(
  store: Database,
  fintech: bigint,
  sell: Token,
  buy: Token,
  amountBase: bigint,
): Exchanged | undefined {
  const isDirect = sell === 'CNGN' || buy === 'CNGN';
  const first = legOf(store, fintech, sell, isDirect ? buy : 'CNGN', amountBase);
  const last = isDirect ? first : first && legOf(store, fintech, 'CNGN', buy, first.outBase);
  if (!first || !last) return undefined;
  return {
    amountOutBase: last.outBase,
    rateMicro: averagePriceMicro(last.fill),
    spreadMillionths: averageSpreadMillionths(last.fill),
    postings: isDirect ? last.postings : [...first.postings, ...last.postings],
  };
}

/** Returns the minimum output for an expected one, rounded up so that slippage never exceeds the maximum. */
export function minimumOutBase(expectedBase: bigint, slippageMillionths: bigint): bigint {
  const hundredPercent = 100_000_000n;
  return (expectedBase * (hundredPercent - slippageMillionths) + hundredPercent - 1n) / hundredPercent;
}
