import type { QuoteTerms } from '../../account/saved-quotes.ts';
import { CliError } from '../../base/errors.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import { quote } from '../../contract/endpoints/fx-quotes.ts';
import type { PAIRS, Side } from '../../contract/fx.ts';
import { amountIn, wireDecimal } from '../../engine/fx-terms.ts';
import type { Line } from '../../engine/previews.ts';
import { type Amount, amountForPeople } from '../../money/amount.ts';
import { amountHelp, amountOf, option } from '../../terminal/parse/parameters.ts';
import type { Session } from '../../terminal/session.ts';

/** The flags that limit the price of a trade, in cNGN for each stablecoin. */
export const priceLimits = {
  maxPrice: option(
    '--max-price <cngn>',
    `with --side buy: trade on a quote, and only at this price or below; ${amountHelp('CNGN')}`,
    amountOf('CNGN'),
  ),
  minPrice: option(
    '--min-price <cngn>',
    `with --side sell: trade on a quote, and only at this price or above; ${amountHelp('CNGN')}`,
    amountOf('CNGN'),
  ),
};

/** What was typed of a deal and of the limit of its price. */
interface LimitedDeal {
  readonly pair: (typeof PAIRS)[number] | undefined;
  readonly side: Side | undefined;
  readonly amount: Amount | undefined;
  readonly maxPrice: Amount | undefined;
  readonly minPrice: Amount | undefined;
}

/** A quote whose price is within the limit, for five minutes. */
interface Limited {
  readonly quoteId: string;
  readonly terms: QuoteTerms;
  readonly lines: readonly Line[];
}

/**
 * Gets a quote for a deal with a limit of its price, so that the price cannot move before the trade. Undefined for a deal without a
 * limit. Throws CliError usage, and declined if the price is beyond the limit.
 */
export async function quoteWithin(session: Session, deal: LimitedDeal): Promise<Limited | undefined> {
  const { pair, side, amount, maxPrice, minPrice } = deal;
  const limit = maxPrice ?? minPrice;
  if (!limit) return undefined;
  const flag = maxPrice ? '--max-price' : '--min-price';
  const wanted = maxPrice ? 'buy' : 'sell';
  if (!pair || !amount || side !== wanted || (maxPrice && minPrice))
    throw new CliError('usage', `${flag} needs --pair, --amount and --side ${wanted}`, {
      hint: 'a quote or an order has its own price',
    });
  if (session.planMode())
    throw new CliError('usage', `${flag} cannot be combined with --plan, because a quote is valid for 5 minutes`, {
      hint: 'omit one of them',
    });
  const request = { pair, side, cngnAmount: wireDecimal(amount) };
  const { data } = await session.call(quote, request, { isBeforehand: true });
  const price = amountIn(data.quote.price, 'CNGN');
  if (!price || !data.quote.quoteId)
    throw new CliError('network', 'the quote has no price that can be compared; nothing was sent', {
      code: 'UNUSABLE_ANSWER',
      hint: 'see it with: fiatrail fx quote',
    });
  const isBeyond = maxPrice ? price.minor > limit.minor : price.minor < limit.minor;
  if (isBeyond)
    throw new CliError(
      'declined',
      `the price is ${amountForPeople(price)}, ${maxPrice ? 'above' : 'below'} ${flag} ${amountForPeople(limit)}; nothing was sent`,
      { code: 'PRICE_LIMIT', hint: 'run it again later, or leave an order at your price: fiatrail fx orders add' },
    );
  return {
    quoteId: data.quote.quoteId,
    terms: quoteTermsOf(data.quote),
    lines: [['price', `${amountForPeople(price)} each, fixed by quote ${data.quote.quoteId}`]],
  };
}

/** Returns the terms of a quote as a trade says them. */
export function quoteTermsOf({ pair, side, cngnAmount, price }: ResponseOf<typeof quote>['quote']): QuoteTerms {
  return { pair: String(pair), side: String(side), cngnAmount: String(cngnAmount), price: String(price) };
}
