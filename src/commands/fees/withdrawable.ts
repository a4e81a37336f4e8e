import { CliError } from '../../base/errors.ts';
import { withdrawableFees } from '../../engine/previews.ts';
import { type Amount, amountForPeople } from '../../money/amount.ts';
import type { Session } from '../../terminal/session.ts';

/** What can be withdrawn now, with the limits of one withdrawal; a limit that the service does not report is undefined. */
interface Withdrawable {
  readonly available: Amount;
  readonly minimum: Amount | undefined;
  readonly maximum: Amount | undefined;
}

/** The error for a balance that allows no withdrawal. */
const nothingToWithdraw = (message: string) =>
  new CliError('declined', `${message}; nothing was sent`, {
    code: 'NOTHING_TO_WITHDRAW',
    hint: 'show the fees with: fiatrail fees earned',
  });

/** Reads what can be withdrawn. Throws CliError network if the service does not report it. */
export async function readWithdrawable(session: Session): Promise<Withdrawable> {
  const { available, minimum, maximum } = await withdrawableFees(session, true);
  if (available) return { available, minimum, maximum };
  throw new CliError('network', 'the service did not report the withdrawable amount', {
    code: 'UNUSABLE_ANSWER',
    hint: 'use an amount instead of max or all',
  });
}

/** Throws CliError declined if what is available is below the minimum. */
export function requireWithdrawable({ available, minimum }: Withdrawable): void {
  const there = `${amountForPeople(available)} available`;
  if (available.minor <= 0n)
    throw nothingToWithdraw(`${there}${minimum ? `; the minimum withdrawal is ${amountForPeople(minimum)}` : ''}`);
  if (minimum && available.minor < minimum.minor)
    throw nothingToWithdraw(`${there}, below the minimum withdrawal of ${amountForPeople(minimum)}`);
}

/** Returns the largest amount that can be withdrawn now: the available fees, up to the maximum withdrawal. Throws CliError declined. */
export async function maximumWithdrawable(session: Session): Promise<Amount> {
  const found = await readWithdrawable(session);
  requireWithdrawable(found);
  const { available, maximum } = found;
  if (!maximum || available.minor <= maximum.minor) return available;
  await session.note(
    `${amountForPeople(available)} available; withdrawing ${amountForPeople(maximum)}, the maximum per withdrawal. Use --amount all for the rest`,
  );
  return maximum;
}
