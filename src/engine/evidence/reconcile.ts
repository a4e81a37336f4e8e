import { shellWord } from '../../base/shell-word.ts';
import type { Journal } from '../../journal/interface.ts';
import type { Operation } from '../../journal/operations.ts';
import { isOutcomeUnknown } from '../../journal/states.ts';
import { parseExactJson } from '../../money/decimal.ts';
import type { Account } from '../account.ts';
import {
  type Absent,
  type Condition,
  changeConditions,
  listConditions,
  twice,
  unlistedConditions,
  wholeFromMs,
} from './absence.ts';
import { evidenceOf, ownerOf } from './evidence.ts';
import { workStartedBy } from './find-work.ts';
import { whyNotRepeatable } from './repeatable.ts';
import type { Found, Work, WorkCandidate } from './work.ts';

/**
 * What looking for a request found. `ended`: the journal has its outcome now. `busy`: its command still runs, or one with an equal request. `several`: more than
 * one row may be it, or one that is not proven to be it. `unseen`: nothing may be it, and not everything holds that would prove that it was not done (`Absent`).
 * `unclear`: what it was to change cannot be distinguished from something else. `no-evidence`: no list shows such work.
 * `contradicted`: the service accepted it with a response that contradicts it, and a person decides.
 */
export type Reconciled = { readonly operation: Operation; readonly where?: string; readonly retry?: string } & (
  | { readonly kind: 'ended' | 'busy' | 'unclear' | 'no-evidence' | 'contradicted' }
  | { readonly kind: 'several'; readonly candidates: readonly WorkCandidate[] }
  | ({ readonly kind: 'unseen' } & Absent)
);

/** The detail of an operation whose process was killed. */
const PROCESS_ENDED = 'its process ended before it recorded a response';

/** Looks for a request with an unknown outcome in the service's lists, and records what that proves. */
export async function reconcile(account: Account, operation: Operation): Promise<Reconciled> {
  const journal = await account.journal();
  if (journal.isBusy(operation)) return { kind: 'busy', operation };
  const { operationId, endpoint, state } = operation;
  if (state === 'prepared')
    return ended(journal, operationId, () => journal.append(operationId, 'rejected', { detail: 'never sent' }));
  if (state !== 'sent' && state !== 'unknown') return { kind: 'ended', operation };
  if (state === 'sent')
    await unlessKnown(journal, operationId, () => journal.append(operationId, 'unknown', { detail: PROCESS_ENDED }));
  // Whatever a list shows of the work that the service named, it is not what was asked for.
  if (operation.searchState.contradiction) return { kind: 'contradicted', operation };
  const work = await workStartedBy(endpoint);
  if (!work) return { kind: 'no-evidence', operation: await current(journal, operationId) };
  const looked = await lookFor(account, journal, work, operation);
  const again = work.retry?.(operationId).toString() ?? (await retryCommand(account, looked.operation));
  return {
    ...looked,
    where: evidenceCommand(work, operation),
    ...(again === undefined ? {} : { retry: again }),
  };
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
  if (owner.kind === 'own' && (await recordFound(journal, operationId, owner.row)))
    return { kind: 'ended', operation: await current(journal, operationId) };
  if (owner.kind === 'own' || owner.kind === 'unclear')
    return { kind: 'several', operation: await current(journal, operationId), candidates };
  const looked = await current(journal, operationId);
  if (found.older?.length) return { kind: 'several', operation: looked, candidates: found.older };
  return notInList(account, journal, work, looked, found);
}

/** Records the row as the operation's work, and its end if it has ended. Returns false if another operation has it by now. */
async function recordFound(
  journal: Journal,
  operationId: string,
  { requestId, outcome, state }: WorkCandidate,
): Promise<boolean> {
  const detail = `found with the status ${state}`;
  if ((await journal.take(operationId, { requestId, detail })) && outcome !== 'accepted')
    await journal.append(operationId, outcome, { detail });
  return !isOutcomeUnknown(await current(journal, operationId));
}

/** Reads the list of a request as a whole, and decides what it means that it has no row of it. */
async function notInList(
  account: Account,
  journal: Journal,
  work: Work,
  operation: Operation,
  found: Found,
): Promise<Reconciled> {
  if (!work.list) return absent(account, journal, operation, unlistedConditions(account, work.status?.what ?? 'it'));
  const fromMs = wholeFromMs(operation);
  const whole = fromMs === undefined ? found : await evidenceOf(account, work, operation, fromMs);
  const candidates = [...whole.candidates, ...(whole.older ?? [])];
  if (candidates.length > 0) return { kind: 'several', operation, candidates };
  return absent(account, journal, operation, await listConditions(account, operation, found, whole));
}

/** Records that a request was not done if everything holds that proves it. */
async function absent(
  account: Account,
  journal: Journal,
  { operationId }: Operation,
  known: readonly Condition[],
): Promise<Reconciled> {
  const nowMs = account.time.service.nowMs();
  const fails = ({ name, holds }: Condition) => !holds && name !== 'current';
  const isLook = nowMs !== undefined && !known.some(fails);
  if (isLook) await journal.noteSearch(operationId, { unseenSinceMs: nowMs });
  const looked = await current(journal, operationId);
  if (!isOutcomeUnknown(looked)) return { kind: 'ended', operation: looked };
  // Without clocks, nobody knows when to look again.
  if (nowMs === undefined || known.some((each) => each.name === 'clocks' && !each.holds))
    return { kind: 'unseen', operation: looked, conditions: known, lookAgainMs: undefined };
  const { lookAgainMs, ...isTwice } = twice(account, looked, nowMs, isLook);
  const conditions = [...known, isTwice];
  if (!conditions.every(({ holds }) => holds)) return { kind: 'unseen', operation: looked, conditions, lookAgainMs };
  const later = known.find(({ name }) => name === 'current')?.says;
  const detail = ['looked for twice, and not found', ...(later === undefined ? [] : [later])].join('; ');
  return ended(journal, operationId, () => journal.append(operationId, 'resolved', { verdict: 'not-done', detail }));
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
    if (isOutcomeUnknown(operation) || operation.state === 'prepared') throw error;
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
  return absent(account, journal, operation, await changeConditions(account, operation));
}

/** Returns the command that sends a request again, if it may be. */
async function retryCommand(account: Account, operation: Operation): Promise<string | undefined> {
  if (!isOutcomeUnknown(operation) || (await whyNotRepeatable(account, operation)) !== undefined) return undefined;
  return `fiatrail ops retry ${operation.operationId}`;
}
