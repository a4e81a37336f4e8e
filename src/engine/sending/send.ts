import { advice, joined } from '../../base/advice.ts';
import { CliError, ExchangeError, hintOf, withDetails } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import { contradicted, type Reply, requestIdOf, unknownOutcome } from '../../client/client.ts';
import { failureIn, repetitionsOf, valuesAt } from '../../contract/compare.ts';
import { type Endpoint, effectOf } from '../../contract/endpoint.ts';
import { mayMoveTheSame, movesOf } from '../../contract/moves.ts';
import { redact, secretsIn } from '../../contract/redact.ts';
import { NO_DIGEST } from '../../journal/chain.ts';
import type { Authority, Baseline, EarlierRequest, Intent, SpendLimit, Sweep } from '../../journal/intent.ts';
import type { Journal } from '../../journal/interface.ts';
import type { Operation } from '../../journal/operations.ts';
import { isOutcomeUnknown, searchResult } from '../../journal/states.ts';
import { parseExactJson } from '../../money/decimal.ts';
import { DatabaseError } from '../../sqlite/errors.ts';
import type { Account } from '../account.ts';
import { workStartedBy } from '../evidence/find-work.ts';
import { endsAccepted, resultOf } from '../evidence/work.ts';
import {
  AlreadyDone,
  conflictError,
  type Guard,
  planClosed,
  reconcileHint,
  requireFree,
  resolveHint,
  takenBefore,
  timeForPeople,
} from '../guard.ts';
import { approversOf } from '../plans/approver-list.ts';
import type { AppliedPlan, PlanToApply } from '../plans/change.ts';

/** The parts of an account that journaled sending needs. */
type Journaled = Pick<Account, 'world' | 'profile' | 'globals' | 'command' | 'journal' | 'accountNames' | 'activity'>;

interface JournaledRequest<D> {
  readonly endpoint: Endpoint;
  readonly input: unknown;
  readonly summary: string;
  /** Undefined for a change that no flag guards. */
  readonly guard: Guard | undefined;
  readonly tag?: string | undefined;
  /** What is known of the service before it leaves. */
  readonly baseline?: Baseline | undefined;
  /** Sums that the rules allow; the journal checks them when it records the intent. */
  readonly limits?: readonly SpendLimit[];
  /** What it is a part of, if several requests under one idempotency key move a sum. */
  readonly sweep?: Sweep | undefined;
  /** Of a plan that is applied. */
  readonly authority?: Authority | undefined;
  readonly plan?: Intent['plan'];
  /** The operation whose request is sent again under the service's idempotency key. */
  readonly again?: Operation;
  /** Sends it, unless it is too late; `beforeResend` records that it leaves again. */
  readonly call: (isLate: () => boolean, beforeResend: () => Promise<void>) => Promise<Reply<D>>;
}

/**
 * Returns what an operation's input digest is made of. Secrets are left out, because whoever has the journal and its digest key could try
 * all of them; for work that a retry must recognize, a slow hash that the profile's own key is needed for is there instead. Undefined if
 * there is no such key.
 */
export async function recognizableInput(
  { world, profile }: Pick<Journaled, 'world' | 'profile'>,
  commandLine: string,
  endpoint: Endpoint,
  input: unknown,
): Promise<string | undefined> {
  const typed = [`fiatrail ${commandLine.replace(/^fiatrail /, '')}`, redact(endpoint.request(), input)];
  const secrets = endpoint.starts === undefined ? [] : secretsIn(endpoint.request(), input);
  if (secrets.length === 0) return JSON.stringify(typed);
  const { markOfSecrets } = await import('../../account/profile-secrets.ts');
  try {
    const mark = await markOfSecrets(world, profile, secrets);
    return mark && JSON.stringify([...typed, mark]);
  } catch (error) {
    if (!(error instanceof CliError) || error.category === 'interrupted') throw error;
    await world.stderr.write(`warning: a retry will not recognize this input: ${error.message}\n`).catch(() => {});
    return undefined;
  }
}

/** Describes a request for the journal. */
async function intentOf(
  account: Omit<Journaled, 'activity' | 'globals'>,
  sending: Omit<JournaledRequest<unknown>, 'call'>,
): Promise<Intent> {
  const { endpoint, input, summary, guard, tag, baseline, limits = [], authority, sweep, plan } = sending;
  const { profile, command } = account;
  const effect = effectOf(endpoint, input);
  const moves = effect === 'money' ? movesOf(endpoint, input, baseline?.terms) : undefined;
  const atWorst = moves?.atWorst.map(({ asset, minor }) => ({ asset, minor: String(minor) })) ?? [];
  return {
    kind: endpoint.starts === 'onboarding' ? 'onboarding' : effect === 'money' ? 'money' : 'destructive',
    account: await account.accountNames(),
    profile: profile.name,
    mode: profile.mode,
    baseUrl: profile.baseUrl,
    endpoint: endpoint.id,
    effect,
    command: command.line,
    summary,
    request: JSON.stringify(redact(endpoint.request(), input)),
    // Who is onboarded is a secret, which only a slow hash may stand for.
    input:
      guard && endpoint.starts !== 'onboarding'
        ? guard.input
        : await recognizableInput(account, command.line, endpoint, input),
    idempotencyKey: guard?.idempotencyKey,
    tag,
    baseline: atWorst.length === 0 ? baseline : { ...baseline, atWorst },
    isGuarded: guard?.isGuarded ?? false,
    isAgain: guard?.isAgain ?? false,
    mayEqual: guard && equalTo(sending, guard),
    moves: moves?.amount ?? moves?.incoming,
    limits,
    authority,
    plan,
    sweep,
  };
}

/** Whether an earlier request to the same endpoint may have moved the same. Compares what was sent, however it was typed. */
const equalTo =
  ({ endpoint, input, baseline }: Pick<JournaledRequest<unknown>, 'endpoint' | 'input' | 'baseline'>, guard: Guard) =>
  (earlier: EarlierRequest): boolean =>
    mayMoveTheSame(
      endpoint,
      { input, terms: baseline?.terms },
      { input: parseExactJson(earlier.request), terms: earlier.baseline?.terms },
      guard.takesRest,
    );

/** Sends a request that the journal records on disk: the intent before it is sent, the outcome before the command ends. */
export async function sendJournaled<D>(
  account: Journaled,
  sending: JournaledRequest<D>,
): Promise<{ readonly reply: Reply<D>; readonly operationId: string }> {
  const { endpoint, call } = sending;
  const journal = await account.journal();
  await journal.requireLastLink();
  const done = endsAccepted(await workStartedBy(endpoint.id)) ? 'settled' : 'accepted';
  const { operationId, isLate } = sending.again
    ? await claimedAgain(account, journal, sending.again)
    : await claimedAndSent(account, journal, await intentOf(account, sending));
  account.activity.inFlight = { operationId, summary: sending.summary };
  try {
    const reply = await call(isLate, () => recordResend(journal, operationId));
    const requestId = requestIdOf(endpoint, reply.data);
    const holder = await otherHolder(account, journal, sending, requestId, operationId);
    if (holder && requestId !== undefined) throw contradicted(takenBefore(requestId, holder.operationId), REPEATED);
    const result = resultOf(endpoint, reply.data);
    const failure = failureIn(endpoint, reply.data);
    const state = failure === undefined ? done : 'failed';
    await record(account, journal, { operationId, state, requestId, result, detail: failure });
    return { reply, operationId };
  } catch (error) {
    if (error instanceof CliError && error.category === 'unknown') {
      const { contradiction } = error;
      const known = contradiction && {
        result: searchResult({ contradiction }),
        // One piece of work is that of one operation.
        requestId: (await otherHolder(account, journal, sending, contradiction.requestId, operationId))
          ? undefined
          : contradiction.requestId,
      };
      await record(account, journal, { operationId, state: 'unknown', detail: error.message, ...known });
      throw withOperation(error, operationId);
    }
    const detail = error instanceof Error ? error.message : String(error);
    if (!(error instanceof CliError || error instanceof DatabaseError)) {
      // An internal error after the request was sent: its outcome is unknown.
      await record(account, journal, { operationId, state: 'unknown', detail });
      throw withOperation(unknownOutcome('internal error', { cause: error }), operationId);
    }
    // Nothing was changed: the request was refused or not sent, or the sandbox could not commit.
    const isRefused = await record(account, journal, { operationId, state: 'rejected', detail });
    if (!isRefused) await requireUndone(journal, operationId, detail);
    throw error instanceof CliError ? withOperation(error, operationId) : error;
  } finally {
    account.activity.inFlight = undefined;
  }
}

/** Records that a request leaves again. Throws DatabaseError, and ExchangeError if the journal has its end meanwhile. */
async function recordResend(journal: Journal, operationId: string): Promise<void> {
  try {
    await journal.append(operationId, 'sent', { detail: 'sent again: the rate limit was reached before' });
  } catch (error) {
    if (error instanceof DatabaseError) throw error;
    throw new ExchangeError('it could not be recorded that the request is sent again', false, error);
  }
}

const REPEATED = 'one of the two requests was done, and the other one may have been given its work by likeness';

/**
 * Returns another operation of the account that has the work which a response names: then it is the answer to an earlier request. An id that the request itself
 * named is no new work. An earlier id is right where the same idempotency key of the service was sent again, and for the onboarding of the same person.
 */
async function otherHolder(
  { accountNames }: Pick<Journaled, 'accountNames'>,
  journal: Journal,
  { endpoint, input }: Pick<JournaledRequest<unknown>, 'endpoint' | 'input'>,
  requestId: string | undefined,
  operationId: string,
): Promise<Operation | undefined> {
  const isAsked = repetitionsOf(endpoint).some(([field]) => valuesAt(input, field).includes(requestId));
  if (requestId === undefined || isAsked) return undefined;
  try {
    const account = await journal.accountIds(await accountNames());
    const same = await journal.list({ account, requestId, limit: 10 });
    const others = same.filter((each) => each.operationId !== operationId);
    const [own] = others.length === 0 ? [] : await journal.find(operationId);
    return others.find((other) => !isSentAgain(other, own, (input as Keyed).idempotencyKey));
  } catch {
    // The response counts also if the journal cannot be read now.
    return undefined;
  }
}

/** Whether an operation is the same as an earlier one for the service, which then answers with the earlier work. */
function isSentAgain(other: Operation, own: Operation | undefined, idempotencyKey: unknown): boolean {
  if (idempotencyKey !== undefined) return (parseExactJson(other.request) as Keyed).idempotencyKey === idempotencyKey;
  if (other.kind !== 'onboarding') return false;
  // Who is onboarded may be a secret that the journal does not recognize.
  const digests = [other.inputDigest, own?.inputDigest];
  return digests.includes(NO_DIGEST) || digests[0] === digests[1];
}

interface Keyed {
  readonly idempotencyKey?: unknown;
}

/** Records the intent, and that it is sent; returns its id and whether it is too late to leave. Throws AlreadyDone, and CliError if it must not be sent. */
async function claimedAndSent(account: Journaled, journal: Journal, intent: Intent) {
  for (;;) {
    const claim = await journal.claim(intent, account.globals.timeoutMs);
    if (claim.kind === 'ours') return claim;
    if (claim.kind === 'plan-closed') throw planClosed('sent', intent.plan?.id);
    if (claim.kind === 'over-limit')
      throw (await import('../rules/verdicts.ts')).overLimit(account.profile.name, claim, intent);
    await requireFree(account, claim);
  }
}

/** Records that a request is sent again. Throws CliError unknown if another process was faster, or found its outcome. */
async function claimedAgain({ globals }: Journaled, journal: Journal, { operationId, summary }: Operation) {
  const claim = await journal.claimRepeat(operationId, globals.timeoutMs);
  if (claim) return { operationId, ...claim };
  throw new CliError(
    'unknown',
    `another command sent ${summary} again, or found its outcome; nothing was sent this time`,
    { code: 'OUTCOME_UNKNOWN', operationId, hint: reconcileHint(operationId) },
  );
}

/** Describes an equal operation of the last 10 minutes; undefined if there is none. Throws CliError declined if the outcome of one is unknown. */
export async function repetitionOf(
  account: Journaled,
  sending: Omit<JournaledRequest<unknown>, 'call'>,
): Promise<string | undefined> {
  if (!sending.guard) return undefined;
  const journal = await account.journal();
  const found = await journal.findConflict(await intentOf(account, sending));
  // Nobody who is asked could know better: an outcome is settled first.
  if (found?.kind === 'equal-unknown') throw conflictError(found.kind, found.operation);
  if (found?.kind !== 'repeated') return undefined;
  const { createdAt, operationId, state } = found.operation;
  return `already recorded on ${timeForPeople(createdAt)} (operation ${operationId}, ${state})`;
}

interface RecordedOutcome {
  readonly operationId: string;
  readonly state: 'accepted' | 'settled' | 'failed' | 'rejected' | 'unknown';
  readonly requestId?: string | undefined;
  readonly detail?: string | undefined;
  readonly result?: string;
}

/**
 * Records the outcome. A failure is only a warning, because it does not change the outcome. Returns false if the journal has another
 * one, which it learned while the response was on its way.
 */
async function record({ world }: Journaled, journal: Journal, outcome: RecordedOutcome): Promise<boolean> {
  const { operationId, state, ...appended } = outcome;
  const warn = (text: string) => world.stderr.write(`warning: ${text}\n`).catch(() => {});
  try {
    const recordedIn = await journal.record(operationId, state, appended);
    if (recordedIn === 'spool')
      await warn('the journal cannot be written now; the outcome was saved beside it, and the next command records it');
    if (recordedIn === 'contradicted' && state !== 'rejected' && state !== 'unknown') {
      const [known] = await journal.find(operationId);
      const { requestId } = outcome;
      if (known && !isSame(known, requestId)) await warn(otherwiseText(known, requestId));
    }
    return recordedIn !== 'contradicted';
  } catch {
    await warn(lostOutcomeText(outcome));
    return true;
  }
}

/** Whether the journal knows of the same work that a response names. */
function isSame({ state, verdict, ...known }: Operation, requestId: string | undefined): boolean {
  const isUndone = state === 'rejected' || verdict === 'not-done';
  return !isUndone && (known.requestId ?? requestId) === requestId;
}

function otherwiseText({ operationId, state, verdict, requestId }: Operation, accepted: string | undefined): string {
  const known = [verdict ?? state, ...(requestId === null ? [] : [`request id ${requestId}`])].join(', ');
  return `it was accepted${accepted === undefined ? '' : ` (request id ${accepted})`}, but the journal says otherwise of operation ${operationId} (${known}); compare with: fiatrail ops show ${operationId}`;
}

/**
 * Throws if work may have been done although this request was refused or never left: it was sent twice under the service's idempotency key, and what became of
 * one request says nothing of the other. AlreadyDone with the journal's record, or CliError unknown.
 */
async function requireUndone(journal: Journal, operationId: string, detail: string): Promise<void> {
  const [known] = await journal.find(operationId);
  if (!known || known.state === 'rejected' || known.verdict === 'not-done') return;
  if (!isOutcomeUnknown(known)) throw new AlreadyDone(known);
  if (known.state === 'sent') await journal.append(operationId, 'unknown', { detail }).catch(() => {});
  throw new CliError('unknown', `this attempt did nothing, but another one may have: ${known.summary}`, {
    code: 'OUTCOME_UNKNOWN',
    hint: advice`its outcome is unknown; ${reconcileHint(operationId)}`,
    operationId,
  });
}

/** What to do when an outcome could be written nowhere: only this text has it. */
function lostOutcomeText({ operationId, state, requestId }: RecordedOutcome): string {
  const start = 'cannot write to the journal, which will show this operation as sent';
  if (state === 'unknown' || state === 'failed')
    return `${start}; find out later with: fiatrail ops reconcile ${operationId}`;
  const resolve = `fiatrail ops resolve ${operationId}`;
  if (state === 'rejected')
    return `${start}, but nothing was done; record that with: ${resolve} --not-done --reason TEXT`;
  const id = requestId === undefined ? '' : ` --request-id ${shellWord(requestId)}`;
  const named = requestId === undefined ? '' : ` (request id ${requestId})`;
  return `${start}, but it was accepted${named}; record that with: ${resolve} --completed${id} --reason TEXT`;
}

function withOperation(error: CliError, operationId: string): CliError {
  const next = error.contradiction ? resolveHint(operationId) : reconcileHint(operationId);
  const hint = error.category === 'unknown' ? joined([next, hintOf(error)], '; ') : hintOf(error);
  return withDetails(error, { hint, operationId });
}

/** The signatures of a plan that count now. */
export type Signatures = Pick<PlanToApply, 'signed'>;

/**
 * Throws CliError declined if another approver must sign a request, and the plan being applied, if any, has no such signature. Tells
 * the user of a pending change of approvers.
 */
export async function requireSigned(
  account: Parameters<typeof approversOf>[0],
  endpoint: Endpoint,
  input: unknown,
  applied: Signatures | undefined,
) {
  const { profile } = account;
  const list = await approversOf(account);
  if (list.approvalThresholds.length === 0 && !profile.stored?.approvalThresholds) return;
  const { requireSignatures, signatureReason, approvalThresholdsOf } = await import('../plans/signatures.ts');
  const reason = signatureReason(approvalThresholdsOf(profile, list), endpoint, input);
  const needs = `profile ${profile.name} requires another approver’s approval for ${reason}`;
  if (reason !== undefined) requireSignatures(list, needs, applied);
}

/** Returns who decided that a plan is sent, for the journal. */
export async function authorityOf({ plan, signed }: AppliedPlan, agent?: string): Promise<Authority> {
  const { publicKeyFingerprint } = await import('../../crypto/digest.ts');
  const { user, host, approver, agent: author } = plan.content.author;
  return {
    plan: plan.hash,
    author: { user, host, approver: approver?.name ?? null, ...(author === undefined ? {} : { agent: author }) },
    signers: signed.map(({ approver: name, role, publicKey, signedAt }) => ({
      name,
      role,
      keyFingerprint: publicKeyFingerprint(publicKey),
      signedAt,
    })),
    ...(agent === undefined ? {} : { agent }),
  };
}

/** Returns what the claim of a plan’s operation does with the plan. */
export async function claimOf(
  { world, time }: Pick<Account, 'world' | 'time'>,
  { plan, kind }: AppliedPlan,
): Promise<Intent['plan']> {
  const { planClaimOf, rowClaimOf } = await import('../plans/acts.ts');
  return kind === 'row' ? rowClaimOf(plan) : planClaimOf(world, plan, await time.nowMs());
}
