import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import type { Journal } from '../../journal/interface.ts';
import type { Operation } from '../../journal/operations.ts';
import { existingJournal } from '../connection/journal-location.ts';
import { closingOf, fileApplied, type PlanAct, type QueuedPlan, queuedPlan, requireDecided } from './acts.ts';
import { FILES } from './approver-list.ts';
import { LONGEST_PLAN_MS } from './lifetime.ts';
import { isSameAccount, type Plan, type PlanAccount, quotedText } from './plan.ts';
import { dependence, type Signed, type Signers, signaturesOf, signersOf } from './signatures.ts';

/** What a plan is at a moment. It is stored nowhere: it follows from the plan’s entries, its operations, its approvers and the time. */
export type PlanStatus = 'waiting' | 'approved' | 'rejected' | 'withdrawn' | 'expired' | 'applied' | 'applied-in-part';

/** What was found about a plan in the journal. */
export interface PlanReview {
  readonly status: PlanStatus;
  /** The approvals that count, and the author’s signature. */
  readonly signed: readonly Signed[];
  /** The decision that ended it. */
  readonly closing: PlanAct | undefined;
  /** The operations that it was applied by, those that did nothing left out. */
  readonly operations: readonly Operation[];
  /** Why its signatures or decisions do not count; undefined if they do. */
  readonly problem: CliError | undefined;
}

/** Returns a plan with the approvals that count now: an approver may have been removed since, and others may approve it instead. */
export function withCounting({ plan, acts }: QueuedPlan, { list }: Signers): QueuedPlan {
  const isListed = (key: string) => list.approvers.some(({ publicKey }) => publicKey === key);
  const signatures = plan.signatures.filter(({ role, publicKey }) => role === 'author' || isListed(publicKey));
  return { plan: { ...plan, signatures }, acts };
}

/** Returns the decision that ended a plan. Throws CliError declined if a decision is not that of the person whom it names. */
export async function closingDecision({ plan, acts }: QueuedPlan): Promise<PlanAct | undefined> {
  const closing = closingOf(acts);
  if (closing) await requireDecided(plan, closing);
  return closing;
}

/** The idempotency key of a plan: at most one run applies it. */
export const keyOfPlan = ({ hash }: Pick<Plan, 'hash'>): string => `plan-${hash}`;

/** Whether an operation has the key of a plan: whoever writes an act can name any operation. */
const isOf = (plan: Plan, { idempotencyKey }: Operation): boolean => idempotencyKey === keyOfPlan(plan);

/** The key of the file that a plan is of; undefined if it is of one request. */
export const fileKeyOf = ({ content: { endpoint, request } }: Pick<Plan, 'content'>): string | undefined =>
  endpoint === FILES && typeof request['key'] === 'string' ? request['key'] : undefined;

/** More operations than a file has: those that the service rejected count too. */
const MOST_OPERATIONS = 1_000_000;

/**
 * Returns the operations of this journal that apply a plan, and may have done something: that under its key, or those that
 * its acts name. Those of the plan of a file are its rows.
 */
export async function operationsOf(account: PlanAccount, { plan, acts }: QueuedPlan): Promise<readonly Operation[]> {
  const journal = await existingJournal(account);
  const ids = await journal?.accountIds(await account.accountNames());
  if (!journal || !ids || ids.length === 0) return [];
  const key = fileKeyOf(plan);
  if (key !== undefined) {
    if (!fileApplied({ plan, acts })) return [];
    const rows = await journal.list({ account: ids, keyStart: `${key}/`, limit: MOST_OPERATIONS });
    return rows.filter((each) => each.authority?.plan === plan.hash && mayHaveWorked(each));
  }
  const found = [...(await journal.list({ account: ids, givenIdempotencyKey: keyOfPlan(plan), limit: 100 }))];
  for (const { operationId } of acts)
    if (operationId !== null && !found.some((each) => each.operationId === operationId))
      found.push(...(await journal.find(operationId)).filter((each) => each.operationId === operationId));
  return found.filter((each) => isOf(plan, each) && mayHaveWorked(each));
}

const mayHaveWorked = ({ state, verdict }: Operation): boolean => state !== 'rejected' && verdict !== 'not-done';

/** Returns what a plan is that was applied. A row of a file that failed, that was not sent yet or that was struck out leaves it in part. */
function appliedStatus({ content }: Plan, operations: readonly Operation[]): PlanStatus {
  const ended = content.endpoint === FILES ? operations.filter(({ state }) => state !== 'failed') : operations;
  return ended.length < content.count ? 'applied-in-part' : 'applied';
}

/** Returns what a plan is now. */
export async function reviewOf(
  account: PlanAccount,
  queued: QueuedPlan,
  signers: Signers,
  nowMs: number,
): Promise<PlanReview> {
  const counting = withCounting(queued, signers);
  const { content } = counting.plan;
  const operations = await operationsOf(account, counting);
  let problem: CliError | undefined;
  const known = async <T>(read: Promise<T>, otherwise: T): Promise<T> =>
    read.catch((error: unknown) => {
      if (!(error instanceof CliError)) throw error;
      problem ??= error;
      return otherwise;
    });
  const closing = await known(closingDecision(counting), undefined);
  const signed = await known(signaturesOf(counting.plan, signers), []);
  const isApproved = signed.some(({ role }) => role === 'signer');
  const open: PlanStatus = isApproved ? 'approved' : 'waiting';
  const ended = closing ? (closing.act as 'rejected' | 'withdrawn') : undefined;
  const isExpired = nowMs >= Date.parse(content.expiresAt);
  const isApplied = operations.length > 0 || fileApplied(queued) !== undefined;
  const applied = appliedStatus(counting.plan, operations);
  const status = isApplied ? applied : (ended ?? (isExpired ? 'expired' : open));
  return { status, signed, closing, operations, problem };
}

/** The id of a plan, or the beginning of one, and not the path of a file. */
const ID = /^[0-9a-f]{8}[0-9a-f-]{0,28}$/i;

/** Whether a word names a plan of the journal. A file of such a name is given with its folder: `./0198c1f2`. */
export const isPlanId = (word: string): boolean => ID.test(word);

/** Returns the plan of an id, or of the beginning of one. Throws CliError usage if there is none, or more than one. */
export async function findQueued(account: PlanAccount, word: string): Promise<QueuedPlan> {
  const journal = await existingJournal(account);
  const id = word.toLowerCase();
  const entries = (await journal?.plans.entriesOf(id)) ?? [];
  if (entries.length > 0) return queuedPlan(id, entries);
  const all = (await journal?.plans.since(0)) ?? new Map<string, readonly string[]>();
  const found = [...all].filter(([each]) => each.startsWith(id));
  const [only] = found;
  if (only && found.length === 1) return queuedPlan(...only);
  throw new CliError(
    'usage',
    only
      ? `${found.length} plans begin with ${word}: ${found
          .map(([each]) => each)
          .slice(0, 5)
          .join(', ')}`
      : `the journal of profile ${account.profile.name} has no plan ${quotedText(word, 60)}`,
    {
      code: only ? 'VALIDATION_ERROR' : 'PLAN_NOT_FOUND',
      hint: only
        ? 'give more of the id'
        : advice`see the plans with: [fiatrail plans list]; for a file, give its path: ./FILE`,
    },
  );
}

/** Returns what the journal has about a plan that came in a file; undefined if it has nothing. Throws CliError usage if it has another plan of that id. */
export async function queuedAs(account: PlanAccount, { content: { id }, hash }: Plan): Promise<QueuedPlan | undefined> {
  const entries = (await (await existingJournal(account))?.plans.entriesOf(id)) ?? [];
  if (entries.length === 0) return undefined;
  const queued = queuedPlan(id, entries);
  if (queued.plan.hash === hash) return queued;
  throw new CliError('usage', `the journal has another plan ${quotedText(id, 60)} than the file; nothing was sent`, {
    code: 'PLAN_ALTERED',
    hint: advice`see that one with: [fiatrail plans show ${quotedText(id, 60)}]`,
  });
}

/** Returns the plans of an account, newest first: those that may be open, or all. Throws CliError usage. */
async function queuedPlans(account: PlanAccount, isAll: boolean): Promise<readonly QueuedPlan[]> {
  const journal = await existingJournal(account);
  if (!journal) return [];
  const found: QueuedPlan[] = [];
  for (const [id, entries] of await journal.plans.since(isAll ? 0 : sinceOpen(journal, account.world))) {
    const queued = queuedPlan(id, entries);
    const { baseUrl, keyFingerprint } = queued.plan.content.account;
    if (baseUrl === account.profile.baseUrl && (await isSameAccount(account, keyFingerprint))) found.push(queued);
  }
  return found.toSorted((a, b) => (a.plan.content.createdAt < b.plan.content.createdAt ? 1 : -1));
}

/** From when on a plan can be open: it begins with an entry, and holds for 30 days at most. By the journal’s clock, because the sandbox’s can be moved. */
const sinceOpen = (journal: Journal, { clock }: World): number =>
  clock.now() + journal.aheadMs() - LONGEST_PLAN_MS - DAY_MS;

/** How far the clocks of hosts may differ. */
const DAY_MS = 24 * 3_600_000;

/** Whether a person with this key may approve a plan: somebody else wrote it, and did not add the key. */
function mayApprove(
  { content: { author } }: Plan,
  publicKey: string | undefined,
  { list, isShared }: Signers,
): boolean {
  const own = list.approvers.find((each) => each.publicKey === publicKey);
  if (!own || author.approver?.publicKey === publicKey) return false;
  return dependence(list, author, own, isShared) === undefined;
}

/** A plan of a list, as it is now. */
interface ListedPlan extends QueuedPlan {
  readonly review: PlanReview;
  /** Whether the person with the key may approve it, and nobody has. */
  readonly waitsForYou: boolean;
}

/** Returns the plans of an account as they are now, newest first; those that may be open, or all. Throws CliError usage. */
export async function listedPlans(
  account: PlanAccount,
  nowMs: number,
  publicKey: string | undefined,
  isAll = false,
): Promise<readonly ListedPlan[]> {
  const found = await queuedPlans(account, isAll);
  const signers = found.length > 0 ? await signersOf(account) : undefined;
  const listed: ListedPlan[] = [];
  for (const queued of found) {
    if (!signers) break;
    const review = await reviewOf(account, queued, signers, nowMs);
    const isWaiting = review.status === 'waiting' && review.problem === undefined;
    listed.push({ ...queued, review, waitsForYou: isWaiting && mayApprove(queued.plan, publicKey, signers) });
  }
  return listed;
}
