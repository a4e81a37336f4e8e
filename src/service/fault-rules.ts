import type { FaultKind } from '../contract/control.ts';
import type { Database } from '../sqlite/database.ts';
import type { Context } from './context.ts';
import { payoutFails } from './values.ts';

/** What is to go wrong on purpose at one endpoint, and how often still. */
export interface FaultRule {
  readonly id: bigint;
  readonly endpoint: string;
  readonly kind: FaultKind;
  readonly times: bigint;
}

/** The oldest rule for an endpoint that is of one of the kinds. */
export function faultRuleFor(store: Database, endpoint: string, kinds: readonly FaultKind[]): FaultRule | undefined {
  return store
    .all<FaultRule>('SELECT id, endpoint, kind, times FROM fault_rule WHERE endpoint = ? ORDER BY id', endpoint)
    .find(({ kind }) => kinds.includes(kind));
}

/** Counts one use of a rule, in the transaction of what goes wrong; a rule that is used up is gone. */
export function useFaultRule(store: Database, { id }: FaultRule): void {
  store.run('UPDATE fault_rule SET times = times - 1 WHERE id = ?', id);
  store.run('DELETE FROM fault_rule WHERE id = ? AND times = 0', id);
}

/** The endpoints whose work ends in a payout by a bank. */
export const PAYOUT_ENDPOINTS = ['transactions.offramp', 'transactions.fintech-offramp', 'fees.withdraw'] as const;

/** Whether the bank does not accept this payout: some accounts take none, and a rule may say so for the next one. */
export function isPayoutToFail(
  { store }: Context,
  endpoint: (typeof PAYOUT_ENDPOINTS)[number],
  accountNumber: string,
): boolean {
  if (payoutFails(accountNumber)) return true;
  const rule = faultRuleFor(store, endpoint, ['payout-fails']);
  if (rule) useFaultRule(store, rule);
  return rule !== undefined;
}
