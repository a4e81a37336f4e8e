import { type Amount, amount, amountForPeople } from '../money/amount.ts';
import type { ApprovalThreshold } from './stored-profile.ts';

/** Returns limits with others in the place of those of the same asset, in a fixed order. */
export function withApprovalThresholds(
  current: readonly ApprovalThreshold[],
  given: readonly ApprovalThreshold[],
): ApprovalThreshold[] {
  const all = new Map([...current, ...given].map((each) => [each.asset, each]));
  return [...all.values()].sort((a, b) => (a.asset < b.asset ? -1 : 1));
}

export const limitOf = ({ asset, minor }: ApprovalThreshold): Amount => amount(asset, BigInt(minor));

/** Returns limits as people write amounts; null if there are none. */
export function approvalThresholdWords(limits: readonly ApprovalThreshold[] = []): string[] | null {
  return limits.length === 0 ? null : limits.map((limit) => amountForPeople(limitOf(limit)));
}
