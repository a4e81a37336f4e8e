import { CliError, withDetails } from '../base/errors.ts';
import { type Reply, requestIdOf, unknownOutcome } from '../client/client.ts';
import { type Endpoint, effectOf } from '../contract/endpoint.ts';
import { type Moves, movesOf } from '../contract/moves.ts';
import { redact, secretsIn } from '../contract/redact.ts';
import { firstName } from '../contract/renamed.ts';
import type { Authority, Baseline, Intent, Sweep } from '../journal/intent.ts';
import type { Journal } from '../journal/interface.ts';
import type { Operation } from '../journal/operations.ts';
import type { SpendLimit } from '../journal/spending.ts';
import { isInDoubt } from '../journal/states.ts';
import { shellWord } from '../present/text.ts';
import { DatabaseError } from '../sqlite/errors.ts';
import type { Account } from './account.ts';
import { AlreadyDone, type Guard, requireFree, timeForPeople } from './guard.ts';
import { workStartedBy } from './operations/find-work.ts';
import { endsAccepted } from './operations/work.ts';
import type { PlanToApply } from './plans/change.ts';

/** The parts of an account that journaled sending needs. */
type Journaled = Pick<
  Account,
  'world' | 'profile' | 'globals' | 'commandLine' | 'journal' | 'accountNames' | 'activity'
>;

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
  /** The operation whose request is sent again under the service's idempotency key. */
  readonly again?: Operation;
  /** Sends it, unless it is too late. */
  readonly call: (isLate: () => boolean) => Promise<Reply<D>>;
}

const movedAmount = (moves: Moves | undefined) => moves?.amount ?? moves?.incoming;

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
  const typed = [`fiatrail ${firstName(commandLine.replace(/^fiatrail /, ''))}`, redact(endpoint.request(), input)];
  const secrets = endpoint.starts === undefined ? [] : secretsIn(endpoint.request(), input);
  if (secrets.length === 0) return JSON.stringify(typed);
  const { markOfSecrets } = await import('../account/profile-secrets.ts');
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
  const { endpoint, input, summary, guard, tag, baseline, limits = [], authority, sweep } = sending;
  const { profile, commandLine } = account;
  const effect = effectOf(endpoint, input);
  return {
    kind: endpoint.starts === 'onboarding' ? 'onboarding' : effect === 'money' ? 'money' : 'destructive',
    account: await account.accountNames(),
    profile: profile.name,
    mode: profile.mode,
    baseUrl: profile.baseUrl,
    endpoint: endpoint.id,
    effect,
    command: commandLine,
    summary,
    request: JSON.stringify(redact(endpoint.request(), input)),
    input: guard ? guard.input : await recognizableInput(account, commandLine, endpoint, input),
    idempotencyKey: guard?.idempotencyKey,
    tag,
    baseline,
    isGuarded: guard?.isGuarded ?? false,
    isAgain: guard?.isAgain ?? false,
    moves: effect === 'money' ? movedAmount(movesOf(endpoint, input)) : undefined,
    limits,
    authority,
    sweep,
  };
}

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
  let takenId: string | undefined;
  try {
    const reply = await call(isLate);
    const requestId = requestIdOf(endpoint, reply.data);
    if (await isAnothers(account, journal, sending.input, requestId, operationId)) {
      takenId = requestId;
      throw unknownOutcome(`it names work that another operation has, ${requestId}`, { next: REPEATED });
    }
    const result = resultOf(endpoint, reply.data);
    await record(account, journal, { operationId, state: done, requestId, result });
    return { reply, operationId };
  } catch (error) {
    if (error instanceof CliError && error.category === 'unknown') {
      await record(account, journal, { operationId, state: 'unknown', detail: error.message });
      // A search of the lists finds nothing: a person decides whose the work is.
      if (takenId !== undefined) await journal.noteSearch(operationId, { repeatedAs: takenId }).catch(() => {});
      throw withOperation(error, operationId);
    }
    const detail = error instanceof Error ? error.message : String(error);
    if (!(error instanceof CliError || error instanceof DatabaseError)) {
      // An internal error after the request was sent: its outcome is unknown.
      await record(account, journal, { operationId, state: 'unknown', detail });
      throw withOperation(unknownOutcome('internal error', { cause: error }), operationId);
    }
    // Nothing was changed: the request was refused or not sent, or the sandbox could not commit.
    const isRefused = await record(account, journal, { operationId, state: 'refused', detail });
    if (!isRefused) await requireUndone(journal, operationId, detail);
    throw error instanceof CliError ? withOperation(error, operationId) : error;
  } finally {
    account.activity.inFlight = undefined;
  }
}

const REPEATED = 'one of the two requests was done, and the other one may have been given its work by likeness';

/**
 * Whether a response names work that another operation has. The service answers with earlier work only under an idempotency key of its own, and then it is
 * this request's: another operation with another key took it by its likeness, and its own request was lost.
 */
async function isAnothers(
  { accountNames }: Pick<Journaled, 'accountNames'>,
  journal: Journal,
  input: unknown,
  requestId: string | undefined,
  operationId: string,
): Promise<boolean> {
  const { idempotencyKey } = input as Keyed;
  if (idempotencyKey === undefined || requestId === undefined) return false;
  try {
    const account = await journal.accountIds(await accountNames());
    const same = await journal.list({ account, requestId, limit: 10 });
    return same.some(
      (each) =>
        each.operationId !== operationId && (JSON.parse(each.request) as Keyed).idempotencyKey !== idempotencyKey,
    );
  } catch {
    // The response counts also if the journal cannot be read now.
    return false;
  }
}

interface Keyed {
  readonly idempotencyKey?: unknown;
}

/** The service's data as the journal keeps it, with the endpoint whose contract describes it. */
export function resultOf(endpoint: Endpoint, data: unknown): string {
  return JSON.stringify({ endpoint: endpoint.id, data: redact(endpoint.response(), data) });
}

/** Records the intent, and that it is sent; returns its id and whether it is too late to leave. Throws AlreadyDone, and CliError if it must not be sent. */
async function claimedAndSent(account: Journaled, journal: Journal, intent: Intent) {
  for (;;) {
    const claim = await journal.claim(intent, account.globals.timeoutMs);
    if (claim.kind === 'ours') return claim;
    if (claim.kind === 'over-limit')
      throw (await import('./rules/verdicts.ts')).overLimit(account.profile.name, claim, intent.moves);
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
    {
      ...{ code: 'OUTCOME_UNKNOWN', operationId, hint: `find out with: fiatrail ops reconcile ${operationId}` },
    },
  );
}

/** Describes an equal operation of the last 10 minutes, or one whose outcome is unknown; undefined if there is none. */
export async function repetitionOf(
  account: Journaled,
  sending: Omit<JournaledRequest<unknown>, 'call'>,
): Promise<string | undefined> {
  if (!sending.guard) return undefined;
  const journal = await account.journal();
  const found = await journal.findConflict(await intentOf(account, sending));
  if (found?.kind !== 'repeated') return undefined;
  const { createdAt, operationId, state } = found.operation;
  return `already recorded on ${timeForPeople(createdAt)} (operation ${operationId}, ${state})`;
}

interface RecordedOutcome {
  readonly operationId: string;
  readonly state: 'accepted' | 'settled' | 'refused' | 'unknown';
  readonly requestId?: string | undefined;
  readonly detail?: string;
  readonly result?: string;
}

/**
 * Records the outcome. A failure is only a warning, because it does not change the outcome. Returns false if the journal has another
 * one, which it learned while the response was on its way.
 */
async function record({ world }: Journaled, journal: Journal, outcome: RecordedOutcome): Promise<boolean> {
  const { operationId, state, requestId, ...appended } = outcome;
  const warn = (text: string) => world.stderr.write(`warning: ${text}\n`).catch(() => {});
  try {
    const recordedIn = await journal.record(operationId, state, { requestId, ...appended });
    if (recordedIn === 'spool')
      await warn('the journal cannot be written now; the outcome was saved beside it, and the next command records it');
    if (recordedIn === 'contradicted' && (state === 'accepted' || state === 'settled')) {
      const [known] = await journal.find(operationId);
      if (known && !isSame(known, requestId)) await warn(contradictedText(known, requestId));
    }
    return recordedIn !== 'contradicted';
  } catch {
    await warn(lostOutcomeText(outcome));
    return true;
  }
}

/** Whether the journal knows of the same work that a response names. */
function isSame({ state, verdict, ...known }: Operation, requestId: string | undefined): boolean {
  const isUndone = state === 'refused' || verdict === 'not-done';
  return !isUndone && (known.requestId ?? requestId) === requestId;
}

function contradictedText({ operationId, state, verdict, requestId }: Operation, accepted: string | undefined): string {
  const known = [verdict ?? state, ...(requestId === null ? [] : [`request id ${requestId}`])].join(', ');
  return `it was accepted${accepted === undefined ? '' : ` (request id ${accepted})`}, but the journal says otherwise of operation ${operationId} (${known}); compare with: fiatrail ops show ${operationId}`;
}

/**
 * Throws if work may have been done although this request was refused or never left: it was sent twice under the service's idempotency key, and what became of
 * one request says nothing of the other. AlreadyDone with the journal's record, or CliError unknown.
 */
async function requireUndone(journal: Journal, operationId: string, detail: string): Promise<void> {
  const [known] = await journal.find(operationId);
  if (!known || known.state === 'refused' || known.verdict === 'not-done') return;
  if (!isInDoubt(known)) throw new AlreadyDone(known);
  if (known.state === 'sent') await journal.append(operationId, 'unknown', { detail }).catch(() => {});
  throw new CliError('unknown', `this attempt did nothing, but another one may have: ${known.summary}`, {
    code: 'OUTCOME_UNKNOWN',
    hint: `its outcome is unknown; find out with: fiatrail ops reconcile ${operationId}`,
    operationId,
  });
}

/** What to do when an outcome could be written nowhere: only this text has it. */
function lostOutcomeText({ operationId, state, requestId }: RecordedOutcome): string {
  const start = 'cannot write to the journal, which will show this operation as sent';
  if (state === 'unknown') return `${start}; find out later with: fiatrail ops reconcile ${operationId}`;
  const resolve = `fiatrail ops resolve ${operationId}`;
  if (state === 'refused')
    return `${start}, but nothing was done; record that with: ${resolve} --not-done --reason TEXT`;
  const id = requestId === undefined ? '' : ` --request-id ${shellWord(requestId)}`;
  const named = requestId === undefined ? '' : ` (request id ${requestId})`;
  return `${start}, but it was accepted${named}; record that with: ${resolve} --completed${id} --reason TEXT`;
}

function withOperation(error: CliError, operationId: string): CliError {
  const hint =
    error.category === 'unknown' ? `${error.hint}; find out with: fiatrail ops reconcile ${operationId}` : error.hint;
  return withDetails(error, { hint, operationId });
}

/**
 * Throws CliError declined if another operator must sign a request, and the plan being applied, if any, has no such signature. Tells
 * the user of a pending change of operators.
 */
export async function requireSigned(
  { profile, operators }: Pick<Account, 'profile' | 'operators'>,
  endpoint: Endpoint,
  input: unknown,
  applied: PlanToApply | undefined,
) {
  const list = await operators();
  if (list.signAbove.length === 0 && !profile.stored?.signAbove) return;
  const { requireSignatures, signatureReason, signLimits } = await import('./plans/sign-above.ts');
  const reason = signatureReason(signLimits(profile, list), endpoint, input);
  const needs = `profile ${profile.name} wants another operator’s signature for ${reason}`;
  if (reason !== undefined) requireSignatures(list, needs, applied);
}

/** Returns who decided that a plan is sent, for the journal. */
export async function authorityOf({ plan, signed }: PlanToApply): Promise<Authority> {
  const { publicKeyFingerprint } = await import('../crypto/digest.ts');
  const { user, host, operator } = plan.content.author;
  return {
    plan: plan.hash,
    author: { user, host, operator: operator?.name ?? null },
    signers: signed.map(({ operator: name, role, publicKey, signedAt }) => ({
      ...{ name, role, keyFingerprint: publicKeyFingerprint(publicKey), signedAt },
    })),
  };
}
