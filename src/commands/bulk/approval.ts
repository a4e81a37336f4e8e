import { advice } from '../../base/advice.ts';
import { CliError, withDetails } from '../../base/errors.ts';
import type { Account } from '../../engine/account.ts';
import type { QueuedPlan } from '../../engine/plans/acts.ts';
import { approversOf, FILES } from '../../engine/plans/approver-list.ts';
import type { AppliedPlan } from '../../engine/plans/change.ts';
import type { StagedFile } from '../../journal/files.ts';
import type { Amount } from '../../money/amount.ts';
import { leftSums } from './sent.ts';

/** Returns the plan that the rows of a file are sent by, with the approvals that count now; undefined if they need none. Throws CliError declined. */
export type Approval = () => Promise<AppliedPlan | undefined>;

const changed = (key: string) =>
  new CliError('usage', `the plan of the file ${key} is not the one that its rows were staged with; nothing was sent`, {
    code: 'PLAN_ALTERED',
    hint: advice`see what is wrong with: [fiatrail ops journal verify]`,
  });

/** Returns the plan of a file as the journal has it. Throws CliError usage if it is the plan of other rows. */
export async function planOfFile(account: Account, { key, digest, plan }: StagedFile): Promise<QueuedPlan | undefined> {
  if (!plan) return undefined;
  const { queuedPlan } = await import('../../engine/plans/acts.ts');
  const entries = await (await account.journal()).plans.entriesOf(plan.id);
  const queued = queuedPlan(plan.id, entries);
  const { endpoint, request } = queued.plan.content;
  if (endpoint !== FILES || request['key'] !== key || request['digest'] !== digest) throw changed(key);
  return queued;
}

/** Returns what asks whether the rows of a file may be sent. It is asked before each row, because an approver may be removed meanwhile. */
export async function approvalOf(account: Account, file: StagedFile): Promise<Approval> {
  const queued = await planOfFile(account, file);
  const sums = leftSums(file);
  if (queued) await requireStruck(queued, file);
  return async () => {
    const applied = queued && (await countingNow(account, queued));
    await requireSumApproved(account, sums, applied).catch((error: unknown) => {
      throw queued || !(error instanceof CliError) ? error : withDetails(error, { hint: withoutPlan(file) });
    });
    return applied;
  };
}

/** How to go on with a file that was staged before its sum needed an approval: its rows keep the key that has no plan. */
const withoutPlan = ({ key }: StagedFile) =>
  advice`what was sent stays sent; cancel the rest with: [fiatrail bulk cancel ${key}]; then list it with [fiatrail bulk report ${key} --failed -o csv], and plan it as a new file with new references`;

/** Throws CliError usage unless a file is sent without just the rows that the approvals of its plan struck out. */
async function requireStruck(queued: QueuedPlan, { key, plan }: StagedFile): Promise<void> {
  const { struckRows } = await import('../../engine/plans/acts.ts');
  const struck = (await struckRows(queued)).toSorted();
  if (plan?.struck && JSON.stringify(struck) !== JSON.stringify(plan.struck.references.toSorted())) throw changed(key);
}

async function countingNow(account: Account, queued: QueuedPlan): Promise<AppliedPlan> {
  const { withCounting } = await import('../../engine/plans/queue.ts');
  const { signaturesOf, signersOf } = await import('../../engine/plans/signatures.ts');
  const signers = await signersOf(account);
  const { plan } = withCounting(queued, signers);
  return { kind: 'row', plan, signed: await signaturesOf(plan, signers) };
}

/** Throws CliError declined if sums that are moved together need the approval of someone else, and the plan that is applied, if any, has none. */
export async function requireSumApproved(
  account: Account,
  sums: readonly Amount[],
  applied: Pick<AppliedPlan, 'signed'> | undefined,
): Promise<void> {
  const { profile } = account;
  const list = await approversOf(account);
  if (list.approvalThresholds.length === 0 && !profile.stored?.approvalThresholds) return;
  const { approvalThresholdsOf, requireSignatures, sumReason } = await import('../../engine/plans/signatures.ts');
  const reason = sumReason(approvalThresholdsOf(profile, list), sums);
  const needs = `profile ${profile.name} requires another approver’s approval for ${reason}`;
  if (reason !== undefined) requireSignatures(list, needs, applied);
}
