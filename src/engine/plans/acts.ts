import * as z from 'zod/mini';
import type { OwnApprover } from '../../account/approvers.ts';
import { advice } from '../../base/advice.ts';
import { CliError, jsonIn } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import { isSignedBy, signText } from '../../crypto/signing.ts';
import type { PlanClaim } from '../../journal/intent.ts';
import { FILES } from './approver-list.ts';
import { MAX_PLAN_BYTES, parsePlan, planText } from './file.ts';
import { type Author, type Plan, quotedText, type Signature } from './plan.ts';
import { badSignature, isSignatureOf } from './signatures.ts';

/** What ends a plan that was not applied: an approver says no, or its author takes it back. */
export type Decision = 'rejected' | 'withdrawn';

/** What happened to a plan after it was written. Each is an entry of the journal, and is never changed. */
export interface PlanAct {
  readonly act: 'approved' | Decision | 'applied';
  readonly by: Author;
  readonly at: string;
  /** Why; null for an act that needs no reason. */
  readonly reason: string | null;
  /** Over the plan’s hash and everything that the act says. Null if the person has no key, and for what this machine did. */
  readonly signature: string | null;
  /** The operation that applied it; null for the others, and for a file, whose rows have one each. */
  readonly operationId: string | null;
  /** The references of the rows that an approval struck out; left out if there are none. */
  readonly without?: readonly string[] | undefined;
}

/** A plan in the journal, with everything that was recorded about it. */
export interface QueuedPlan {
  /** As its author wrote it, with the signatures of those who approved it. */
  readonly plan: Plan;
  readonly acts: readonly PlanAct[];
}

const shape = () => {
  const text = z.string();
  const key = z.string().check(z.regex(/^[0-9a-f]{64}$/));
  const by = z.strictObject({
    user: text,
    host: text,
    approver: z.nullable(z.strictObject({ name: text, publicKey: key })),
  });
  return z.strictObject({
    act: z.enum(['approved', 'rejected', 'withdrawn', 'applied']),
    by,
    at: z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)),
    reason: z.nullable(text),
    signature: z.nullable(z.string().check(z.regex(/^[0-9a-f]{128}$/))),
    operationId: z.nullable(text),
    without: z.optional(z.array(text).check(z.minLength(1))),
  });
};

/** Reads what the journal recorded about a plan. Throws CliError usage if it is not what fiatrail records. */
export function queuedPlan(id: string, entries: readonly string[]): QueuedPlan {
  const [written = '', ...rest] = entries;
  const from = `plan ${quotedText(id, 60)} in the journal`;
  const plan = parsePlan(written, from);
  const [parse, acts] = [shape(), [] as PlanAct[]];
  for (const each of rest) {
    const { success, data } = parse.safeParse(jsonIn(each));
    if (!success || plan.content.id !== id || JSON.stringify(ordered(data)) !== each) throw altered(from);
    acts.push(data);
  }
  if (plan.content.id !== id) throw altered(from);
  return {
    plan: { ...plan, signatures: [...plan.signatures, ...acts.flatMap((each) => approvalIn(each) ?? [])] },
    acts,
  };
}

/** Returns the signature of an approval; undefined for another act. */
function approvalIn({ act, by: { approver }, at, signature, without }: PlanAct): Signature | undefined {
  if (act !== 'approved' || !approver || signature === null) return undefined;
  const { name, publicKey } = approver;
  return { role: 'signer', approver: name, publicKey, signedAt: at, ...(without ? { without } : {}), signature };
}

/**
 * Returns the references of the rows that approvals struck out, each once, in their order. Those of an approver who left stay: a no must not become a yes.
 * Throws CliError declined for an approval that is not of the person whom it names.
 */
export async function struckRows({ plan: { hash }, acts }: QueuedPlan): Promise<readonly string[]> {
  const struck = new Set<string>();
  for (const act of acts) {
    const approval = act.without && approvalIn(act);
    if (!approval) continue;
    if (!(await isSignatureOf(hash, approval))) throw badSignature(quotedText(approval.approver, 60));
    for (const reference of approval.without ?? []) struck.add(reference);
  }
  return [...struck];
}

function altered(from: string): CliError {
  return new CliError('usage', `${from} has an entry that fiatrail does not record; nothing was sent`, {
    code: 'PLAN_ALTERED',
    hint: advice`see what is wrong with: [fiatrail ops journal verify]; write a new plan with --plan`,
  });
}

/** An act with its fields in the order in which they are recorded. */
const ordered = ({ act, by, at, reason, signature, operationId, without }: PlanAct): PlanAct => ({
  act,
  by: {
    user: by.user,
    host: by.host,
    approver: by.approver && { name: by.approver.name, publicKey: by.approver.publicKey },
  },
  at,
  reason,
  signature,
  operationId,
  ...(without ? { without } : {}),
});

/** Returns an act as the journal records it. */
export const actText = (act: PlanAct): string => JSON.stringify(ordered(act));

/** Returns a new plan as the journal records it. Throws CliError usage if it is too long. */
export function writtenText(plan: Plan): string {
  const text = planText(plan);
  if (Buffer.byteLength(text) <= MAX_PLAN_BYTES) return text;
  throw new CliError('usage', 'the plan would be too long; nothing was sent', {
    code: 'UNUSABLE_FILE',
    hint: 'send it without --plan',
  });
}

/** Keeps the signature of a decision from being a signature on anything else, such as an approval. */
const PREFIX = 'fiatrail plan decision 1';

const signedText = (hash: string, { act, by, at, reason }: Omit<PlanAct, 'signature' | 'operationId' | 'without'>) =>
  JSON.stringify([PREFIX, hash, act, by.user, by.host, by.approver?.name, by.approver?.publicKey, at, reason]);

/** Returns a decision about a plan, signed if the person has a key. */
export async function decisionOf(
  { hash }: Plan,
  act: Decision,
  { by, own, reason, nowMs }: { by: Author; own: OwnApprover | undefined; reason: string; nowMs: number },
): Promise<PlanAct> {
  const claim = { act, by, at: new Date(nowMs).toISOString(), reason };
  return { ...claim, signature: own ? await signText(signedText(hash, claim), own) : null, operationId: null };
}

/**
 * Throws CliError declined unless a decision is that of the person whom it names. A rejection needs a key, so that it can be proven; a
 * withdrawal needs the key of the author, or is of the same user and host if the author has none.
 */
export async function requireDecided({ hash, content: { author } }: Plan, decided: PlanAct): Promise<void> {
  const { act, by, signature } = decided;
  const isAuthor = author.approver
    ? by.approver?.publicKey === author.approver.publicKey
    : by.user === author.user && by.host === author.host;
  const isProven = by.approver
    ? signature !== null && (await isSignedBy(signedText(hash, decided), signature, by.approver.publicKey))
    : act === 'withdrawn';
  if (!isProven || (act === 'withdrawn' && !isAuthor)) throw badSignature(quotedText(by.approver?.name ?? by.user, 60));
}

/** Says who runs this command, for an act. */
export const runner = ({ host }: Pick<World, 'host'>, own: OwnApprover | undefined): Author => ({
  user: host.user,
  host: host.name,
  approver: own ? { name: own.name, publicKey: own.publicKey } : null,
});

/** Returns the act that ended a plan before it was applied; undefined if none did. */
export const closingOf = (acts: readonly PlanAct[]): PlanAct | undefined =>
  acts.find(({ act }) => act === 'rejected' || act === 'withdrawn');

/** Returns an entry which says that a plan is applied, by an operation or, without its id, by the rows of a file. */
const appliedText = (world: Pick<World, 'host'>, nowMs: number, operationId: string | null): string =>
  actText({
    act: 'applied',
    by: runner(world, undefined),
    at: new Date(nowMs).toISOString(),
    reason: null,
    signature: null,
    operationId,
  });

/** Returns what the claim of an operation does with the plan that it applies: the journal decides both in one transaction. */
export function planClaimOf(world: Pick<World, 'host'>, { content: { id }, hash }: Plan, nowMs: number): PlanClaim {
  return {
    id,
    isOpen: (entries) => {
      // A plan that the journal does not have is a file, which says itself what it is.
      if (entries.length === 0) return true;
      const { plan, acts } = queuedPlan(id, entries);
      return plan.hash === hash && !closingOf(acts);
    },
    applied: (operationId) => appliedText(world, nowMs, operationId),
  };
}

/** Returns the entry which says that the plan of a file is applied: it is one for all rows. Undefined for another plan. */
export const fileApplied = ({ plan, acts }: QueuedPlan): PlanAct | undefined =>
  plan.content.endpoint === FILES
    ? acts.find(({ act, operationId }) => act === 'applied' && operationId === null)
    : undefined;

/** Returns what the claim of a row does with the plan of its file: without an entry which says that the plan is applied, there is no row. */
export function rowClaimOf({ content: { id }, hash }: Plan): PlanClaim {
  return {
    id,
    isOpen: (entries) => {
      if (entries.length === 0) return false;
      const queued = queuedPlan(id, entries);
      return queued.plan.hash === hash && !closingOf(queued.acts) && fileApplied(queued) !== undefined;
    },
    applied: undefined,
  };
}

/** Returns what applying the plan of a file records. It is applied as it was read: nothing was decided about it since. */
export const fileClaimOf = (world: Pick<World, 'host'>, { plan, acts }: QueuedPlan, nowMs: number) => ({
  isOpen: (entries: readonly string[]) => {
    const now = queuedPlan(plan.content.id, entries);
    return now.plan.hash === plan.hash && now.acts.length === acts.length && !closingOf(now.acts);
  },
  entry: appliedText(world, nowMs, null),
});

/** The error for a plan that was rejected or withdrawn. */
export function closedError({ act, by, at, reason }: PlanAct, not = 'sent'): CliError {
  const who = quotedText(by.approver?.name ?? `${by.user} on ${by.host}`, 60);
  return new CliError(
    'declined',
    `${who} ${act === 'rejected' ? 'rejected' : 'withdrew'} the plan on ${at}: ${quotedText(reason ?? '')}; nothing was ${not}`,
    {
      code: act === 'rejected' ? 'PLAN_REJECTED' : 'PLAN_WITHDRAWN',
      hint: 'write a new plan with --plan',
    },
  );
}
