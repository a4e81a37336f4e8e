import { CliError } from '../../base/errors.ts';
import type { Claim } from '../../journal/claims.ts';
import type { Amount } from '../../money/amount.ts';
import { leftIn, millionthsOf } from '../../money/sums.ts';
import { aboveSum } from './verdicts.ts';

type OverLimit = Extract<Claim, { readonly kind: 'over-limit' }>;

/** The error for a change that another process's change left no room for, since the rules were asked. */
export function overLimit(profile: string, { limit, spentMillionths }: OverLimit, moves: Amount | undefined): CliError {
  const { asset, period, maxMinor } = limit;
  const left = leftIn(asset, millionthsOf({ asset, minor: maxMinor }) - spentMillionths);
  const why = aboveSum(moves ?? { asset, minor: 0n }, left, limit);
  return new CliError('declined', `rule max-per-${period}: ${why}; nothing was sent`, {
    code: 'RULE_AMOUNT',
    hint: `show the rules with: fiatrail profiles rules show ${profile}`,
  });
}
