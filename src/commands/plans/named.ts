import * as z from 'zod/mini';
import { type OwnApprover, ownApprover } from '../../account/approvers.ts';
import { absolutePath } from '../../account/paths.ts';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Account } from '../../engine/account.ts';
import type { QueuedPlan } from '../../engine/plans/acts.ts';
import type { PlanReview, PlanStatus } from '../../engine/plans/queue.ts';
import type { Signers } from '../../engine/plans/signatures.ts';
import { argument, word } from '../../terminal/parse/parameters.ts';

/** A plan of the journal or of a file. */
export const planArgument = argument(
  'plan',
  'id of a plan from fiatrail plans list, or a file that a command wrote with --plan FILE',
  word,
  'Plan:',
);

/** A plan that a word names. */
export interface NamedPlan extends QueuedPlan {
  /** Its id, or the path of its file. */
  readonly name: string;
  /** The file; undefined for a plan of the journal. */
  readonly path: string | undefined;
}

/** Reads a plan for the account of this command, with the approvals that count now. Throws CliError usage. */
export async function planNamed(account: Account, given: string, signers: Signers): Promise<NamedPlan> {
  const { findQueued, isPlanId, queuedAs, withCounting } = await import('../../engine/plans/queue.ts');
  const { requireAccount } = await import('../../engine/plans/plan.ts');
  if (isPlanId(given)) {
    const queued = await findQueued(account, given);
    await requireAccount(account, queued.plan);
    return { ...withCounting(queued, signers), name: queued.plan.content.id, path: undefined };
  }
  const { readPlan } = await import('../../engine/plans/file.ts');
  const path = absolutePath(given);
  const plan = readPlan(path);
  await requireAccount(account, plan);
  const queued = await queuedAs(account, plan);
  return { plan, acts: queued?.acts ?? [], name: path, path };
}

/** Throws CliError declined if a plan was rejected or withdrawn, or if a decision about it does not hold. */
export async function requireOpen(plan: QueuedPlan, not: 'sent' | 'approved' | 'changed' = 'sent'): Promise<void> {
  const { closingDecision } = await import('../../engine/plans/queue.ts');
  const { closedError } = await import('../../engine/plans/acts.ts');
  const closing = await closingDecision(plan);
  if (closing) throw closedError(closing, not);
}

/** Throws CliError declined if a plan was applied: what was sent cannot be decided any more. */
export async function requireUnapplied(account: Account, plan: QueuedPlan, not: 'approved' | 'changed'): Promise<void> {
  const { fileKeyOf, operationsOf } = await import('../../engine/plans/queue.ts');
  const { fileApplied } = await import('../../engine/plans/acts.ts');
  const opened = fileApplied(plan);
  const [operation] = opened ? [] : await operationsOf(account, plan);
  const at = opened?.at ?? operation?.createdAt;
  if (at === undefined) return;
  const show = operation ? `ops show ${operation.operationId}` : `bulk status ${fileKeyOf(plan.plan)}`;
  throw new CliError('declined', `the plan was applied on ${at}; nothing was ${not}`, {
    code: 'PLAN_APPLIED',
    hint: advice`see how it ended with: [fiatrail ${show}]`,
  });
}

/** Returns this user as an approver. Throws CliError usage if they are none. */
export async function requireApprover(
  { profile, world }: Account,
  { list }: Signers,
  not: 'approved' | 'changed',
): Promise<OwnApprover> {
  const own = await ownApprover(list.approvers, profile, world);
  if (own) return own;
  throw new CliError('usage', `profile ${profile.name} has no approver key for you; nothing was ${not}`, {
    code: 'NO_APPROVER_KEY',
    hint:
      list.approvers.length === 0
        ? advice`make one with: [fiatrail profiles approvers add NAME --generate]`
        : advice`see the approvers with: [fiatrail profiles approvers list]`,
  });
}

export const PLAN_STATUSES = [
  'waiting',
  'approved',
  'rejected',
  'withdrawn',
  'expired',
  'applied',
  'applied-in-part',
] as const satisfies readonly PlanStatus[];

export const statusSchema = () => z.enum(PLAN_STATUSES);

export const plannedSchema = () =>
  z.object({
    plan: z.string(),
    status: statusSchema(),
    hash: z.string(),
    summary: z.string(),
    amounts: z.array(z.object({ field: z.string(), asset: z.string(), value: z.string(), minor: z.string() })),
    author: z.string(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    rules: z.array(z.string()),
    signatures: z.array(
      z.object({ approver: z.string(), role: z.enum(['author', 'signer']), signedAt: z.iso.datetime() }),
    ),
    history: z.array(
      z.object({
        act: z.enum(['approved', 'rejected', 'withdrawn', 'applied']),
        by: z.string(),
        at: z.iso.datetime(),
        reason: z.nullable(z.string()),
        operationId: z.nullable(z.string()),
        without: z.array(z.string()),
      }),
    ),
    operations: z.array(z.object({ operationId: z.string(), status: z.string() })),
  });

/** Returns what is printed of a plan as it is now. */
export async function shownNow(account: Account, plan: NamedPlan, signers: Signers, known?: PlanReview) {
  const { reviewOf } = await import('../../engine/plans/queue.ts');
  const { PLAN_COLUMNS, shownPlan } = await import('../../engine/plans/shown.ts');
  const review = known ?? (await reviewOf(account, plan, signers, await account.time.nowMs()));
  return { data: shownPlan(plan.name, plan.plan, { ...review, acts: plan.acts }), columns: PLAN_COLUMNS };
}

/** Records an act about a plan of the journal. Returns the plan with it. Throws CliError if somebody decided meanwhile. */
export async function recorded(
  account: Account,
  { plan: { content } }: Pick<NamedPlan, 'plan'>,
  act: QueuedPlan['acts'][number],
  requireFits: (queued: QueuedPlan) => Promise<void>,
): Promise<QueuedPlan> {
  const { actText, queuedPlan } = await import('../../engine/plans/acts.ts');
  const journal = await account.journal();
  for (;;) {
    const entries = await journal.plans.entriesOf(content.id);
    await requireFits(queuedPlan(content.id, entries));
    const text = actText(act);
    if (await journal.plans.add(content.id, text, entries.length)) return queuedPlan(content.id, [...entries, text]);
  }
}
