import { absenceRulesOf } from '../account/money-rules.ts';
import type { Session } from '../cli/session.ts';
import type { Journal, Operation } from '../journal/journal.ts';
import { workStartedBy } from './find-work.ts';
import { isOfItsTime, mayBeAnothers, soughtOf } from './rivals.ts';
import { candidatesTold, withTold } from './told.ts';
import type { Candidate, Found, Work } from './work.ts';

/**
 * What looking for a request found. `ended`: the journal has its outcome now. `busy`: its command still runs. `several`: more than
 * one row may be it, or one that is not of its time or may be another operation's. `unseen`: it is in no list yet; `lookAgainMs` is when absence may
 * be believed. `absent`: it is in no list, and this account's lists are not trusted to be complete. `incomplete`: the list
 * was too long to read. `unclear`: what it was to change cannot be told from something else. `no-evidence`: no list shows such work.
 */
export type Reconciled = { readonly operation: Operation; readonly where?: string; readonly retry?: string } & (
  | { readonly kind: 'ended' | 'busy' | 'absent' | 'incomplete' | 'unclear' | 'no-evidence' }
  | { readonly kind: 'several'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'unseen'; readonly lookAgainMs: number }
);

/** The detail of an operation whose process was killed. */
const PROCESS_ENDED = 'its process ended before it recorded a response';

/** Looks for a request with an unknown outcome in the service's lists, and records what that proves. */
export async function reconcile(session: Session, operation: Operation): Promise<Reconciled> {
  const journal = await session.journal();
  if (journal.isBusy(operation)) return { kind: 'busy', operation };
  const { operationId, endpoint, state } = operation;
  if (state === 'prepared')
    return ended(journal, operationId, () => journal.append(operationId, 'refused', { detail: 'never sent' }));
  if (state !== 'sent' && state !== 'unknown') return { kind: 'ended', operation };
  if (state === 'sent')
    await unlessKnown(journal, operationId, () => journal.append(operationId, 'unknown', { detail: PROCESS_ENDED }));
  const work = await workStartedBy(endpoint);
  if (!work) return { kind: 'no-evidence', operation: await current(journal, operationId) };
  const again = work.retry?.(operationId);
  const about = { where: work.evidence, ...(again === undefined ? {} : { retry: again }) };
  if (work.check)
    return { ...(await afterLook(session, journal, operationId, await work.check(session, operation))), ...about };
  const found = await evidenceOf(session, work, operation);
  if (!work.find && found.candidates.length === 0)
    return { kind: 'no-evidence', operation: await current(journal, operationId), ...about };
  const free = await unclaimed(journal, operationId, found.candidates);
  const [only] = free;
  const candidatesOf = async (other: Operation) => (await evidenceOf(session, work, other)).candidates;
  const isOnlyOurs = async (row: Candidate) =>
    row.isExact || (isOfItsTime(row, operation) && !(await mayBeAnothers(session, work, operation, row, candidatesOf)));
  if (only && free.length === 1 && (await isOnlyOurs(only)) && (await recordFound(journal, operationId, only)))
    return { kind: 'ended', operation: await current(journal, operationId), ...about };
  if (free.length > 0)
    return { kind: 'several', operation: await current(journal, operationId), candidates: free, ...about };
  if (!found.isComplete) return { kind: 'incomplete', operation: await current(journal, operationId), ...about };
  return { ...(await absence(session, journal, await current(journal, operationId))), ...about };
}

/** What the lists of the service and the events of the inbox show of an operation. */
async function evidenceOf(session: Session, work: Work, operation: Operation): Promise<Found> {
  const told = await candidatesTold(session, work, operation);
  const listed = (await work.find?.(session, soughtOf(operation))) ?? { candidates: [], isComplete: false };
  return withTold(listed, told);
}

/** Looks for the outcome of an operation, and returns whether it is known now. */
export async function isReconciled(session: Session, operation: Operation): Promise<boolean> {
  return (await reconcile(session, operation)).kind === 'ended';
}

/** Returns the rows that no other operation has. */
async function unclaimed(journal: Journal, operationId: string, rows: readonly Candidate[]): Promise<Candidate[]> {
  const free: Candidate[] = [];
  for (const row of rows) if (!(await journal.isClaimed(row.requestId, operationId))) free.push(row);
  return free;
}

/** Records the row as the operation's work, and its end if it has ended. Returns false if another operation has it by now. */
async function recordFound(
  journal: Journal,
  operationId: string,
  { requestId, standing, state }: Candidate,
): Promise<boolean> {
  const detail = `found with the status ${state}`;
  if ((await journal.take(operationId, { requestId, detail })) && standing !== 'accepted')
    await journal.append(operationId, standing, { detail });
  return !isInDoubt(await current(journal, operationId));
}

const isInDoubt = ({ state }: Operation) => state === 'sent' || state === 'unknown';

/** Absence is believed after two complete reads, far enough apart for a row to appear. */
async function absence(session: Session, journal: Journal, operation: Operation): Promise<Reconciled> {
  const { operationId } = operation;
  const { absence: policy, visibleAfterMs } = absenceRulesOf(session.profile);
  const nowMs = session.serviceTimeMs();
  const firstMs = unseenSince(operation);
  if (firstMs === undefined) {
    const seen = { detail: operation.detail ?? undefined, result: JSON.stringify({ unseenSinceMs: nowMs }) };
    const { operation: looked } = await ended(journal, operationId, () => journal.append(operationId, 'unknown', seen));
    if (!isInDoubt(looked)) return { kind: 'ended', operation: looked };
    return { kind: 'unseen', operation: looked, lookAgainMs: nowMs + visibleAfterMs };
  }
  if (nowMs < firstMs + visibleAfterMs) return { kind: 'unseen', operation, lookAgainMs: firstMs + visibleAfterMs };
  if (policy === 'ask') return { kind: 'absent', operation };
  return ended(journal, operationId, () =>
    journal.append(operationId, 'resolved', { verdict: 'not-done', detail: 'looked for twice, and not found' }),
  );
}

function unseenSince({ result }: Operation): number | undefined {
  const { unseenSinceMs } = result === null ? {} : (JSON.parse(result) as { unseenSinceMs?: number });
  return unseenSinceMs;
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
  session: Session,
  journal: Journal,
  operationId: string,
  seen: 'done' | 'not-done' | 'unclear',
): Promise<Reconciled> {
  if (seen === 'done')
    return ended(journal, operationId, () => journal.append(operationId, 'accepted', { detail: 'found as requested' }));
  if (seen === 'unclear') return { kind: 'unclear', operation: await current(journal, operationId) };
  return absence(session, journal, await current(journal, operationId));
}
