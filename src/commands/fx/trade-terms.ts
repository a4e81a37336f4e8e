import { CliError } from '../../base/errors.ts';
import type { PAIRS, Side } from '../../contract/fx.ts';
import { dealWords, wireDecimal } from '../../engine/fx-terms.ts';
import type { Line } from '../../engine/previews.ts';
import { type Amount, amountForPeople } from '../../money/amount.ts';

/** The flags that say what to trade. */
interface Deal {
  readonly quote: string | undefined;
  readonly order: string | undefined;
  readonly pair: (typeof PAIRS)[number] | undefined;
  readonly side: Side | undefined;
  readonly amount: Amount | undefined;
}

const MODES = 'use --quote ID, or --order ID --amount CNGN, or --pair PAIR --side SIDE --amount CNGN';

/** Returns the request for one of the three ways to trade, with its description. Throws CliError usage. */
export function termsOf({ quote: quoteId, order: orderId, pair, side, amount }: Deal) {
  const given = Object.entries({
    '--quote': quoteId,
    '--order': orderId,
    '--pair': pair,
    '--side': side,
    '--amount': amount,
  });
  const allowed = quoteId ? ['--quote'] : orderId ? ['--order', '--amount'] : ['--pair', '--side', '--amount'];
  const extra = given.filter(([name, value]) => value !== undefined && !allowed.includes(name)).map(([name]) => name);
  const missing = given.filter(([name, value]) => value === undefined && allowed.includes(name)).map(([name]) => name);
  if (extra.length > 0)
    throw new CliError('usage', `${allowed[0]} cannot be combined with ${extra.join(' and ')}`, { hint: MODES });
  if (missing.length > 0)
    throw new CliError('usage', `missing required options: ${missing.join(', ')}`, {
      code: 'VALIDATION_ERROR',
      hint: MODES,
    });
  const cngnAmount = amount && wireDecimal(amount);
  if (quoteId)
    return { request: { quoteId }, what: `trade on quote ${quoteId}`, lines: [['quote', quoteId]] as Line[] };
  if (orderId)
    return {
      request: { orderId, cngnAmount },
      what: `trade ${amount && amountForPeople(amount)} against order ${orderId}`,
      lines: [['order', orderId]] as Line[],
    };
  const deal = pair && side && amount ? dealWords(side, pair, amount) : '';
  return {
    request: { pair, side, cngnAmount },
    what: deal,
    lines: [
      ['pair', pair ?? ''],
      ['trade', deal],
    ] as Line[],
  };
}
