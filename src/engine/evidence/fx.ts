import { quote } from '../../contract/endpoints/fx-quotes.ts';
import { PAIRS, SIDES, type Side, STABLECOIN_OF } from '../../contract/fx.ts';
import { type Amount, amountForPeople } from '../../money/amount.ts';
import { amountAt } from '../../things/likeness.ts';
import { trade } from '../../things/market.ts';
import type { Account } from '../account.ts';
import { amountIn, wireDecimal } from '../rules/fx-terms.ts';
import { followedWorkOf } from './of-thing.ts';

const cngn = (value: unknown) => amountAt(value, 'decimal-string', 'CNGN');

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
  const tokens = amountIn(data.quote.usdcAmount ?? data.quote.usdtAmount, STABLECOIN_OF[quotable]);
  return price && tokens && { price, tokens };
}

/** What `priced` finds, for people. */
export const pricedText = ({ tokens, price }: Priced): string =>
  `${amountForPeople(tokens)} at ${amountForPeople(price)} each`;

export const fxTrade = followedWorkOf(trade, {
  priceNow: async (account, { pair, side, cngnAmount, price }) => {
    const [wanted, fixed] = [cngn(cngnAmount), cngn(price)];
    const known = SIDES.find((each) => each === side);
    const now = known && wanted && (await priced(account, pair, known, wanted));
    const then = fixed ? ` (its quote says ${amountForPeople(fixed)} each)` : '';
    return now && `${pricedText(now)}${then}`;
  },
});
