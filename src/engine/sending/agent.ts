import { CliError } from '../../base/errors.ts';
import type { PlanToApply } from '../plans/change.ts';

/**
 * Throws CliError declined unless an agent may have a plan sent: another approver has approved it, whatever the approval threshold says.
 */
export function requireAgentMay({ signed }: Pick<PlanToApply, 'signed'>): void {
  if (signed.some(({ role }) => role === 'signer')) return;
  throw new CliError('declined', 'no one has approved the plan, and an agent needs an approval; nothing was sent', {
    code: 'APPROVAL_REQUIRED',
    hint: 'have a person approve it with: fiatrail plans approve ID',
  });
}
