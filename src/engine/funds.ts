import { CliError, withDetails } from '../base/errors.ts';
import { amount, amountForPeople } from '../money/amount.ts';
import type { Activity } from './activity.ts';
import type { ShownLine } from './plans/line.ts';

/** What an estimate may be too high by: a price does not move further between a confirmation and the request. */
const ESTIMATE_PERCENT = 10n;

/**
 * Throws CliError declined if a balance that this command has read shows that a change cannot work: it does not cover the change, or the
 * amount is below the minimum. A balance that could not be read, or only in part, stops nothing: the service decides.
 */
export function requireCovered(lines: readonly ShownLine[]): void {
  for (const [, , balance] of lines) {
    if (balance?.afterMinor === undefined) continue;
    const { asset, beforeMinor, afterMinor, minimumMinor, isEstimate, isPartial } = balance;
    const [held, taken] = [amount(asset, beforeMinor), amount(asset, beforeMinor - afterMinor)];
    const margin = isEstimate ? (taken.minor * ESTIMATE_PERCENT) / 100n : 0n;
    if (afterMinor + margin < 0n && !isPartial)
      throw new CliError(
        'declined',
        `the balance is ${amountForPeople(held)}, and this takes ${isEstimate ? 'about ' : ''}${amountForPeople(taken)}; nothing was sent`,
        { code: 'BALANCE_TOO_LOW', hint: 'add to the balance, or choose a smaller amount' },
      );
    if (minimumMinor !== undefined && taken.minor < minimumMinor)
      throw new CliError(
        'declined',
        `${amountForPeople(taken)} is below the minimum of ${amountForPeople(amount(asset, minimumMinor))}; the balance is ${amountForPeople(held)}; nothing was sent`,
        { code: 'BELOW_MINIMUM', hint: 'choose a larger amount' },
      );
  }
}

/**
 * Throws CliError if a response to this command could not be opened: the response to its request could not be either, and its outcome would
 * be unknown.
 */
export function requireOpened({ unopened: error }: Pick<Activity, 'unopened'>): void {
  if (!error) return;
  const category = error.category === 'usage' ? 'usage' : 'declined';
  throw withDetails(error, { category, message: `${error.message}; nothing was sent` });
}
