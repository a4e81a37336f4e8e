import type { FaultKind } from '../contract/sandbox.ts';
import type { Database } from '../sqlite/database.ts';
import type { Context } from './context.ts';
import { payoutPlan } from './values.ts';

/** A fault to inject at an endpoint, and how many times are left. */
export interface FaultRule {
  readonly id: bigint;
  readonly endpoint: string;
  readonly kind: FaultKind;
  /** Of a refusal: its condition. */
  readonly name: string | null;
  readonly times: bigint;
}

/** Returns all rules, the oldest first. */
export const faultRules = (store: Database) =>
  store.all<FaultRule>('SELECT id, endpoint, kind, name, times FROM fault_rule ORDER BY id');

/** Returns the oldest rule for an endpoint with one of these kinds. */
export function faultRuleFor(store: Database, endpoint: string, kinds: readonly FaultKind[]): FaultRule | undefined {
  return store
    .all<FaultRule>('SELECT id, endpoint, kind, name, times FROM fault_rule WHERE endpoint = ? ORDER BY id', endpoint)
    .find(({ kind }) => kinds.includes(kind));
}

/** Counts one use of a rule, in the transaction of the fault, and deletes it after the last. */
export function useFaultRule(store: Database, { id }: FaultRule): void {
  store.run('UPDATE fault_rule SET times = times - 1 WHERE id = ?', id);
  store.run('DELETE FROM fault_rule WHERE id = ? AND times = 0', id);
}

/** The endpoints whose work ends in a bank payout. */
export const PAYOUT_ENDPOINTS = ['transactions.offramp', 'transactions.fintech-offramp', 'fees.withdraw'] as const;

/**
 * Returns true if the bank should reject this payout: some test accounts reject all payouts, and a rule can reject the
 * next one.
 */
export function isPayoutToFail(
  { store }: Context,
  endpoint: (typeof PAYOUT_ENDPOINTS)[number],
  accountNumber: string,
): boolean {
  if (payoutPlan(accountNumber) === 'fails') return true;
  const rule = faultRuleFor(store, endpoint, ['payout-fails']);
  if (rule) useFaultRule(store, rule);
  return rule !== undefined;
}
