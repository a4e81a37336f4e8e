import { type Amount, amountForPeople, amountText, minorForPeople } from '../../money/amount.ts';
import { trimDecimal } from '../../money/decimal.ts';
import { askFor } from '../../terminal/ask/input.ts';
import { pickUser } from '../../terminal/ask/pick/users.ts';
import { showEquivalentCommand } from '../../terminal/ask/wizard.ts';
import type { Guided } from '../../terminal/command.ts';
import { amountHelp, amountOf, required } from '../../terminal/parse/parameters.ts';
import { waitWords } from '../../terminal/parse/wait-option.ts';
import type { Session } from '../../terminal/session.ts';
import { awaitPayment, PAYMENT_WAIT_MS } from './payment.ts';
import { askRoute, type Route, requirePossible } from './route.ts';

export const ONRAMP_AMOUNT = required('--amount <naira>', amountHelp('NGN'), amountOf('NGN'), 'Amount in Naira:');

interface Given extends Route {
  readonly userId?: string | undefined;
  readonly amount?: Amount | undefined;
  readonly owner?: string | undefined;
  readonly wait?: number | undefined;
}

/** Prompts for the user, the amount and the destination of the cNGN, then shows the account to pay until it is paid. */
export async function onrampGuide(session: Session, given: Given): Promise<Guided<Given> | undefined> {
  if (given.userId !== undefined && given.amount !== undefined) return undefined;
  requirePossible(given);
  const userId = given.userId ?? (await pickUser(session, 'Which user?'));
  const amount = given.amount ?? (await askFor(ONRAMP_AMOUNT, session));
  await session.say(`  ${amountForPeople(amount)} (${minorForPeople(amount)}), plus fees`);
  const route = await askRoute(session, given);
  const waitMs = given.wait ?? PAYMENT_WAIT_MS;
  return {
    // The person must see the account before waiting for the payment, so `after` waits instead.
    values: { userId, amount, ...route, wait: undefined },
    after: (own) => awaitPayment(session, own, waitMs),
    end: () => showEquivalentCommand(session, commandWords({ ...given, userId, amount, ...route, wait: waitMs })),
  };
}

/** The equivalent command line. */
function commandWords({ userId = '', amount, sweep, autoSwap, destination, owner, wait = 0 }: Given): string[] {
  const options = [
    ['--amount', amount && trimDecimal(amountText(amount))],
    ['--auto-swap', autoSwap],
    ['--destination', destination],
    ['--owner', owner],
  ] as const;
  return [
    ...['onramp', 'start', userId],
    ...options.flatMap(([name, value]) => (value === undefined ? [] : [name, value])),
    ...waitWords(wait),
    ...(sweep ? ['--sweep'] : []),
  ];
}
