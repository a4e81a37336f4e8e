import * as z from 'zod/mini';
import type { OwnApprover } from '../../account/approvers.ts';
import { advice } from '../../base/advice.ts';
import { CliError, jsonIn } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import { isSignedBy, signText } from '../../crypto/signing.ts';
import type { PlanClaim } from '../../journal/intent.ts';
import { MAX_PLAN_BYTES, parsePlan, planText } from './file.ts';
import { type Author, type Plan, quotedText } from './plan.ts';
import { badSignature } from './signatures.ts';

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
  /** The operation that applied it; null for the others. */
  readonly operationId: string | null;
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
  const approvals = acts.flatMap(({ act, by: { approver }, at, signature }) =>
    act === 'approved' && approver && signature !== null
      ? [{ role: 'signer' as const, approver: approver.name, publicKey: approver.publicKey, signedAt: at, signature }]
      : [],
  );
  return { plan: { ...plan, signatures: [...plan.signatures, ...approvals] }, acts };
}

function altered(from: string): CliError {
  return new CliError('usage', `${from} has an entry that fiatrail does not record; nothing was sent`, {
    code: 'PLAN_ALTERED',
    hint: advice`see what is wrong with: [fiatrail ops journal verify]; write a new plan with --plan`,
  });
}

/** An act with its fields in the order in which they are recorded. */
const ordered = ({ act, by, at, reason, signature, operationId }: PlanAct): PlanAct => ({
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

const signedText = (hash: string, { act, by, at, reason }: Omit<PlanAct, 'signature' | 'operationId'>) =>
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

/** Returns what the claim of an operation does with the plan that it applies: the journal decides both in one transaction. */
export function planClaimOf(world: Pick<World, 'host'>, { content: { id }, hash }: Plan, nowMs: number): PlanClaim {
  const by = runner(world, undefined);
  return {
    id,
    isOpen: (entries) => {
      const { plan, acts } = queuedPlan(id, entries);
      return plan.hash === hash && !closingOf(acts);
    },
    applied: (operationId) =>
      actText({ act: 'applied', by, at: new Date(nowMs).toISOString(), reason: null, signature: null, operationId }),
  };
}

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
