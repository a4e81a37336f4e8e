import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { quote } from '../../contract/endpoints/fx-quotes.ts';
import { PAIRS } from '../../contract/fx.ts';
import type { Amount, Asset } from '../../money/amount.ts';
import type { Account } from '../account.ts';
import type { Obstacle, ShownLine } from '../plans/line.ts';
import { wireDecimal } from '../rules/fx-terms.ts';
import { activeOrders } from './balances.ts';
import { PREVIEW_READ } from './previews.ts';

/** What the book lacks when the service refuses to quote, by the code of the refusal. */
const UNFILLED: Readonly<Record<string, Obstacle>> = {
  NO_LIQUIDITY: {
    code: 'NO_LIQUIDITY',
    message: 'the order book cannot fill this amount now',
    hint: advice`choose a smaller amount, or see the order book with: [fiatrail fx book PAIR]`,
  },
  SELF_TRADE: {
    code: 'SELF_TRADE',
    message: 'only your own orders could fill this amount',
    hint: advice`pause or remove them first; list them with: [fiatrail fx orders list --status active]`,
  },
};

/** Returns what a quote that was not given says of the book; undefined if it was not refused for that. Throws CliError interrupted. */
export function unfilledBy(error: unknown): Obstacle | undefined {
  if (!(error instanceof CliError) || error.category === 'interrupted') throw error;
  return error.category === 'rejected' ? UNFILLED[error.code] : undefined;
}

export const unfilledLine = (unfilled: Obstacle): ShownLine => ['order book', unfilled.message, undefined, unfilled];

/** Previews what a swap needs of the book: that someone gives what is bought for the amount. Some pairs and amounts are not quoted. */
export async function swapPreview(
  account: Account,
  { sold, buy }: { readonly sold: Amount; readonly buy: Asset },
): Promise<readonly ShownLine[]> {
  const isBuy = sold.asset === 'CNGN';
  const pair = PAIRS.find((each) => each === `CNGN-${isBuy ? buy : sold.asset}`);
  if (!pair || (!isBuy && buy !== 'CNGN')) return [];
  const figure = wireDecimal(sold);
  const request = {
    pair,
    side: isBuy ? 'buy' : 'sell',
    ...(isBuy ? { cngnAmount: figure } : { tokenAmount: figure }),
  } as const;
  try {
    await account.call(quote, request, PREVIEW_READ);
    return [];
  } catch (error) {
    const unfilled = unfilledBy(error);
    return unfilled ? [unfilledLine(unfilled)] : [];
  }
}

/** Reads whether an order is the account's own, which it cannot trade against. */
export async function ownOrderLines(account: Account, orderId: string): Promise<readonly ShownLine[]> {
  const isOwn = (await activeOrders(account)).some((each) => each.orderId === orderId);
  const message = 'the order is your own';
  return isOwn ? [['order', message, undefined, { ...OWN_ORDER, message }]] : [];
}

const OWN_ORDER = { code: 'SELF_TRADE', hint: advice`choose another order; see them with: [fiatrail fx book PAIR]` };
