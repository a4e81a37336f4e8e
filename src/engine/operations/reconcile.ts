import { evidenceRulesOf } from '../../account/evidence-rules.ts';
import { CliError } from '../../base/errors.ts';
import { requestIdOf } from '../../client/client.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { Baseline } from '../../journal/intent.ts';
import type { Journal } from '../../journal/interface.ts';
import type { Operation } from '../../journal/operations.ts';
import { isInDoubt } from '../../journal/states.ts';
import { parseExactJson } from '../../money/decimal.ts';
import { shellWord } from '../../present/text.ts';
import type { Account } from '../account.ts';
import { takenBefore } from '../guard.ts';
import { clockDifference, clockDistance } from '../service-time.ts';
import { evidenceOf, isKeyHeld, ownerOf } from './evidence.ts';
import { workStartedBy } from './find-work.ts';
import { SERVICE_SKEW_MS } from './listing.ts';
import { endpointNamed } from './recorded.ts';
import type { Found, Work, WorkCandidate } from './work.ts';

/**
 * What looking for a request found. `ended`: the journal has its outcome now. `busy`: its command still runs, or one with an equal request. `several`: more than
 * one row may be it, or one that is not proven to be it. `unseen`: it is in no list yet; `lookAgainMs` is when absence may
 * be believed. `absent`: it is in no list, and this account's lists are not trusted to be complete. `clock`: it is in no list, and a clock that was or is
 * wrong is why that proves nothing. `incomplete`: the list was too long to read. `unclear`: what it was to change cannot be distinguished from something else.
 * `no-evidence`: no list shows such work. `contradicted`: the service accepted it with a response that contradicts it, and a person decides.
 */
export type Reconciled = { readonly operation: Operation; readonly where?: string; readonly retry?: string } & (
  | { readonly kind: 'ended' | 'busy' | 'absent' | 'incomplete' | 'unclear' | 'no-evidence' | 'contradicted' }
  | { readonly kind: 'several'; readonly candidates: readonly WorkCandidate[] }
  | { readonly kind: 'unseen'; readonly lookAgainMs: number }
  | { readonly kind: 'clock'; readonly why: string }
);

/** The detail of an operation whose process was killed. */
const PROCESS_ENDED = 'its process ended before it recorded a response';

/** Looks for a request with an unknown outcome in the service's lists, and records what that proves. */
export async function reconcile(account: Account, operation: Operation): Promise<Reconciled> {
  const journal = await account.journal();
  if (journal.isBusy(operation)) return { kind: 'busy', operation };
  const { operationId, endpoint, state } = operation;
  if (state === 'prepared')
    return ended(journal, operationId, () => journal.append(operationId, 'refused', { detail: 'never sent' }));
  if (state !== 'sent' && state !== 'unknown') return { kind: 'ended', operation };
  if (state === 'sent')
    await unlessKnown(journal, operationId, () => journal.append(operationId, 'unknown', { detail: PROCESS_ENDED }));
  // Whatever a list shows of the work that the service named, it is not what was asked for.
  if (operation.searchState.contradiction) return { kind: 'contradicted', operation };
  const work = await workStartedBy(endpoint);
  if (!work) return { kind: 'no-evidence', operation: await current(journal, operationId) };
  const again = work.retry?.(operationId);
  const about = { where: evidenceCommand(work, operation), ...(again === undefined ? {} : { retry: again }) };
  return { ...(await lookFor(account, journal, work, operation)), ...about };
}

/** Where a person looks for it. */
function evidenceCommand({ evidence }: Work, { request }: Operation): string {
  const { userId } = parseExactJson(request) as { readonly userId?: unknown };
  return typeof userId === 'string' ? evidence.replace('USER_ID', shellWord(userId)) : evidence;
}

async function lookFor(account: Account, journal: Journal, work: Work, operation: Operation): Promise<Reconciled> {
  const { operationId } = operation;
  if (work.check) return afterLook(account, journal, operation, await work.check(account, operation));
  const found = await evidenceOf(account, work, operation);
  const { candidates } = found;
  const isShown = (work.list || work.find) && !found.isRefused;
  if (!isShown && candidates.length === 0)
    return { kind: 'no-evidence', operation: await current(journal, operationId) };
  const owner = await ownerOf(account, work, operation, found);
  if (owner.kind === 'busy') return { kind: 'busy', operation: await current(journal, operationId) };
  if (owner.kind === 'own' && (await recordFound(journal, operationId, owner.row, owner.note)))
    return { kind: 'ended', operation: await current(journal, operationId) };
  const again = await sentAgain(account, journal, await current(journal, operationId), found);
  if (again) {
    if (await recordFound(journal, operationId, again))
      return { kind: 'ended', operation: await current(journal, operationId) };
    const [holder] = await journal.find(again.requestId);
    const contradiction = takenBefore(again.requestId, holder?.operationId ?? 'of another account');
    await journal.noteSearch(operationId, { contradiction });
    return { kind: 'contradicted', operation: await current(journal, operationId) };
  }
  if (owner.kind === 'own' || owner.kind === 'unclear')
    return { kind: 'several', operation: await current(journal, operationId), candidates };
  const looked = await current(journal, operationId);
  if (!found.isComplete) return { kind: 'incomplete', operation: looked };
  if (found.older?.length) return { kind: 'several', operation: looked, candidates: found.older };
  return absence(account, journal, looked, found);
}

/** Looks for the outcome of an operation, and returns whether it is known now. */
export async function isReconciled(account: Account, operation: Operation): Promise<boolean> {
  return (await reconcile(account, operation)).kind === 'ended';
}

/** Records the row as the operation's work, and its end if it has ended. Returns false if another operation has it by now. */
async function recordFound(
  journal: Journal,
  operationId: string,
  { requestId, outcome, state }: WorkCandidate,
  note?: string,
): Promise<boolean> {
  const detail = [`found with the status ${state}`, ...(note === undefined ? [] : [note])].join('; ');
  if ((await journal.take(operationId, { requestId, detail })) && outcome !== 'accepted')
    await journal.append(operationId, outcome, { detail });
  return !isInDoubt(await current(journal, operationId));
}

/** Absence is believed after two complete reads, far enough apart for a row to appear, if every clock was and is right. */
async function absence(
  account: Account,
  journal: Journal,
  operation: Operation,
  { wrongTimes }: Pick<Found, 'wrongTimes'>,
  baseline: Baseline = operation.baseline ?? {},
): Promise<Reconciled> {
  const { operationId } = operation;
  const { absence: policy, visibleAfterMs } = evidenceRulesOf(account.profile);
  const why = (await clockProblem(account, baseline)) ?? wrongTimes;
  const nowMs = account.time.service.nowMs();
  if (why !== undefined || nowMs === undefined)
    return { kind: 'clock', operation, why: why ?? 'the service does not say its time' };
  const firstMs = operation.searchState.unseenSinceMs;
  if (firstMs === undefined) {
    await journal.noteSearch(operationId, { unseenSinceMs: nowMs });
    const looked = await current(journal, operationId);
    if (!isInDoubt(looked)) return { kind: 'ended', operation: looked };
    return {
      kind: 'unseen',
      operation: looked,
      lookAgainMs: (looked.searchState.unseenSinceMs ?? nowMs) + visibleAfterMs,
    };
  }
  if (nowMs < firstMs + visibleAfterMs) return { kind: 'unseen', operation, lookAgainMs: firstMs + visibleAfterMs };
  if (policy === 'ask') return { kind: 'absent', operation };
  return ended(journal, operationId, () =>
    journal.append(operationId, 'resolved', { verdict: 'not-done', detail: 'looked for twice, and not found' }),
  );
}

async function ended(journal: Journal, operationId: string, append: () => Promise<void>): Promise<Reconciled> {
  await unlessKnown(journal, operationId, append);
  return { kind: 'ended', operation: await current(journal, operationId) };
}

/** Appends what was found, unless another process found out at the same time: what it recorded stands. */
async function unlessKnown(journal: Journal, operationId: string, append: () => Promise<void>): Promise<void> {
  try {
    await append();
  } catch (error) {
    const operation = await current(journal, operationId);
    if (isInDoubt(operation) || operation.state === 'prepared') throw error;
  }
}

async function current(journal: Journal, operationId: string): Promise<Operation> {
  const [operation] = await journal.find(operationId);
  if (!operation) throw new Error(`the journal has no operation ${operationId}`);
  return operation;
}

/** A change is done if the thing is as it leaves it. It is not done if the thing is not, twice. */
async function afterLook(
  account: Account,
  journal: Journal,
  { operationId }: Operation,
  result: 'done' | 'not-done' | 'unclear',
): Promise<Reconciled> {
  if (result === 'done')
    return ended(journal, operationId, () => journal.append(operationId, 'settled', { detail: 'found as requested' }));
  const operation = await current(journal, operationId);
  if (result === 'unclear') return { kind: 'unclear', operation };
  // The thing itself has no time to be compared with that of the request, so it need not be known.
  const serviceAtMs = operation.baseline?.serviceAtMs ?? account.time.service.nowMs();
  return absence(account, journal, operation, {}, { ...operation.baseline, serviceAtMs });
}

/** Sends a request that the journal has recorded, as it was recorded. Returns the service's id of the work. Throws CliError. */
async function sendRecorded(
  account: Account,
  endpoint: Endpoint,
  request: unknown,
  isLate: () => boolean,
): Promise<string | undefined> {
  const { data } = await account.call(endpoint, request as never, { isRecorded: true, isLate });
  return requestIdOf(endpoint, data);
}

/** Time that a request needs to arrive before its idempotency key expires. */
const MARGIN_MS = 5 * 60_000;

/**
 * Sends a request again under the idempotency key that it left with, once, and returns the work that it started then or now. Undefined if it may not be sent: it
 * has no key, the profile does not say that the service still holds it, a clock is wrong, or the service’s list could not be read as a whole. Also if the
 * service gave no usable answer, which proves nothing.
 */
async function sentAgain(
  account: Account,
  journal: Journal,
  operation: Operation,
  { isComplete, wrongTimes }: Found,
): Promise<WorkCandidate | undefined> {
  const { operationId, baseline } = operation;
  const { idempotencyLifetimeMs } = evidenceRulesOf(account.profile);
  if (!isKeyHeld(account, operation) || idempotencyLifetimeMs === undefined) return undefined;
  if (!isComplete || wrongTimes !== undefined || (await clockProblem(account, baseline ?? {}))) return undefined;
  const untilMs = (baseline?.serviceAtMs ?? 0) + idempotencyLifetimeMs - MARGIN_MS;
  if ((account.time.service.nowMs() ?? Infinity) > untilMs) return undefined;
  const endpoint = await endpointNamed(operation.endpoint);
  const repeat = endpoint && (await journal.claimRepeat(operationId, account.globals.timeoutMs));
  if (!repeat) return undefined;
  try {
    const requestId = await sendRecorded(account, endpoint, parseExactJson(operation.request), repeat.isLate);
    return requestId === undefined ? undefined : acceptedAs(requestId);
  } catch (error) {
    // A refusal proves nothing: nobody documents whether the service looks for the key first.
    if (error instanceof CliError && error.category !== 'interrupted') return undefined;
    throw error;
  }
}

/** The work that the service named when a request was sent again. */
const acceptedAs = (requestId: string): WorkCandidate => ({
  ...{ requestId, createdAt: undefined, outcome: 'accepted', isExact: true },
  state: 'accepted when it was sent again under its idempotency key',
});

/** Clocks that differ by more than this prove nothing about what is missing from a list. */
const MAX_DISTANCE_MS = 5_000;

/** A clock, and how far it is from the service's. */
type Distance = readonly [clock: string, aheadMs: number | undefined];

/**
 * Returns why the clocks do not allow to conclude that a request is in no list: one of them was wrong when the request was sent or is wrong now, or the service's
 * own time contradicts itself. Undefined if they are right.
 */
async function clockProblem(
  { time: { service }, journal }: Pick<Account, 'time' | 'journal'>,
  { serviceAtMs, hostAheadMs, journalAheadMs }: Baseline,
): Promise<string | undefined> {
  const nowMs = service.nowMs();
  const hostNowMs = service.hostAheadMs();
  if (nowMs === undefined || hostNowMs === undefined) return 'the service does not say its time';
  if (serviceAtMs === undefined) return 'the service’s time when the request was sent is not known';
  const jumpMs = service.jumpMs();
  if (jumpMs !== 0) return `the service’s clock was set ${jumpMs > 0 ? 'forward' : 'back'} by ${clockDistance(jumpMs)}`;
  const then = far([
    ['this machine’s', hostAheadMs],
    ['the journal’s', journalAheadMs],
  ]);
  if (then) return `when the request was sent, ${then[0]} clock was ${clockDifference(then[1])}`;
  const now = far([
    ['this machine’s', hostNowMs],
    ['the journal’s', hostNowMs + (await journal()).aheadMs()],
  ]);
  if (now) return `${now[0]} clock is ${clockDifference(now[1])}`;
  const aheadMs = serviceAtMs - nowMs;
  if (aheadMs <= SERVICE_SKEW_MS) return undefined;
  return `the request was sent ${clockDistance(aheadMs)} after the time that the service says it is now`;
}

function far(distances: readonly Distance[]): readonly [clock: string, aheadMs: number] | undefined {
  return distances
    .map(([clock, aheadMs = 0]) => [clock, aheadMs] as const)
    .find(([, aheadMs]) => Math.abs(aheadMs) > MAX_DISTANCE_MS);
}
