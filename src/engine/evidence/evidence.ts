import { unknownPolicyOf } from '../../account/stored-profile.ts';
import { CliError } from '../../base/errors.ts';
import type { Operation } from '../../journal/operations.ts';
import { parseExactJson } from '../../money/decimal.ts';
import type { Account } from '../account.ts';
import { candidatesOfEvents } from './event-evidence.ts';
import { isPast, SERVICE_SKEW_MS, search } from './listing.ts';
import type { EvidenceQuery, Found, Work, WorkCandidate } from './work.ts';

/** How far a row's time may be from the time that the service said in its response. Source: inferred. */
const CLOCK_ERROR_MS = 2_000;

/** The most operations with an unknown outcome that are compared with each other. */
const MAX_COMPETING = 1_000;

/**
 * How far the time of a row may be from that of the service's responses, where no row that the list had before shows it: times without a zone differ by
 * hours. Source: inferred.
 */
const REACH_MS = 24 * 3_600_000;

/** Adds the evidence of events to what a list shows. The list knows when the work began, and an event may know sooner how it ended. */
export function withEvents(found: Found, evidence: readonly WorkCandidate[]): Found {
  const { candidates } = found;
  const byRequest = new Map(evidence.map((each) => [each.requestId, each]));
  const listed = candidates.map((row) => {
    const event = byRequest.get(row.requestId);
    if (!event) return row;
    const { outcome, state } = row.outcome === 'accepted' ? event : row;
    return { ...row, outcome, state, isExact: row.isExact || event.isExact };
  });
  const ids = new Set(candidates.map(({ requestId }) => requestId));
  return { ...found, candidates: [...listed, ...evidence.filter(({ requestId }) => !ids.has(requestId))] };
}

/** Returns what to look for in order to find an operation's work. */
async function queryFor(account: Account, { terms }: Work, operation: Operation): Promise<EvidenceQuery> {
  const { request, tag, createdAt, baseline } = operation;
  const { serviceAtMs = Date.parse(createdAt) - Math.abs(account.time.service.hostAheadMs() ?? 0), before } =
    baseline ?? {};
  const isStartKnown = baseline?.serviceAtMs !== undefined && before !== undefined;
  const known = { ...(parseExactJson(request) as Record<string, unknown>), ...baseline?.terms };
  return {
    request: { ...(await terms?.(account, known)), ...known },
    tag: tag ?? undefined,
    sinceMs: serviceAtMs - SERVICE_SKEW_MS - (isStartKnown ? 0 : REACH_MS),
    before,
  };
}

/**
 * What the lists of the service and the events of the inbox show of an operation, without what was there before it or is another operation's. With
 * `fromMs`, all of the list since then.
 */
export async function evidenceOf(account: Account, work: Work, operation: Operation, fromMs?: number): Promise<Found> {
  const query = await queryFor(account, work, operation);
  const fromEvents = await candidatesOfEvents(account, work, query);
  const found = withEvents(await listed(account, work, query, fromMs), fromEvents);
  const journal = await account.journal();
  const free: WorkCandidate[] = [];
  for (const row of found.candidates)
    if (!wasBefore(row, query) && !(await journal.isClaimed(row.requestId, operation.operationId))) free.push(row);
  // A row with the tag is the request, whatever else looks like it.
  const exact = free.filter(({ isExact }) => isExact);
  if (exact.length > 0) return { ...found, candidates: exact };
  const isOlder = ({ createdAt }: WorkCandidate) => !query.before && isPast(createdAt, query.sinceMs);
  return { ...found, candidates: free.filter((row) => !isOlder(row)), older: free.filter(isOlder) };
}

const NOTHING: Found = { candidates: [], isComplete: false };

/** Returns the rows of the service's list that may be a request, whenever they are from. */
export async function listed(
  account: Account,
  { list, find }: Work,
  query: EvidenceQuery,
  fromMs?: number,
): Promise<Found> {
  try {
    if (find) return await find(account, query);
    return list ? await search(account, query, list(query.request), fromMs) : NOTHING;
  } catch (error) {
    if (!(error instanceof CliError) || error.category !== 'rejected') throw error;
    return { ...NOTHING, isRefused: true };
  }
}

/** Returns the row of an accepted operation, by its request id, from the list that shows such work. */
export async function listedAs(account: Account, work: Work, operation: Operation): Promise<WorkCandidate | undefined> {
  const { candidates } = await listed(account, work, await queryFor(account, work, operation));
  return candidates.find(({ requestId }) => requestId === operation.requestId);
}

/**
 * Whether a row was in the list before the request left: its id was, or its time says so, if the list was not read that far back then. A row that is too old for
 * the request but was missing from what was read is kept, because one of the two times is wrong, and a person decides. A row with the tag is the operation's,
 * whatever its time.
 */
function wasBefore(
  { isExact, requestId, listedAs, createdAt }: WorkCandidate,
  { before, sinceMs }: EvidenceQuery,
): boolean {
  if (isExact || !before) return false;
  if (before.ids.includes(listedAs ?? requestId)) return true;
  const wasInReach = before.sinceMs === null || !isPast(createdAt, before.sinceMs);
  return !wasInReach && isPast(createdAt, sinceMs);
}

/** Whether a row was created after a request left, and while its command may have been at work on it: both by the service's time. */
function inTimeWindow({ createdAt: rowTime }: WorkCandidate, { createdAt, busyUntil, baseline }: Operation): boolean {
  const atMs = Date.parse(rowTime ?? '');
  const fromMs = baseline?.serviceAtMs;
  if (fromMs === undefined) return false;
  const untilMs = fromMs + (busyUntil - Date.parse(createdAt));
  return atMs >= fromMs - CLOCK_ERROR_MS && atMs <= untilMs + CLOCK_ERROR_MS;
}

/**
 * Whose a row is that looks like an operation. `own`: it is the operation's. `none`: every row is another operation's. `busy`: a command whose row it may be still
 * runs. `unclear`: a person decides.
 */
type RowOwner = { readonly kind: 'own'; readonly row: WorkCandidate } | { readonly kind: 'none' | 'busy' | 'unclear' };

/** Decides whether one of the rows is proven to be the operation's. */
export async function ownerOf(account: Account, work: Work, operation: Operation, found: Found): Promise<RowOwner> {
  const { candidates } = found;
  const [only, ...others] = candidates;
  if (!only) return { kind: 'none' };
  if (only.isExact) return others.length === 0 ? { kind: 'own', row: only } : { kind: 'unclear' };
  const isMarkNeeded = unknownPolicyOf(account.profile) === 'ask';
  if (isMarkNeeded || candidates.some(({ isPartial }) => isPartial)) return { kind: 'unclear' };
  if (!candidates.every((row) => inTimeWindow(row, operation))) return { kind: 'unclear' };
  const journal = await account.journal();
  for (const other of await competingOperations(account, work, operation)) {
    const rows = await rowsInTime(account, work, other, operation);
    // Of two requests that it may be, the row does not say which one it is.
    if (rows.some(({ requestId }) => candidates.some((row) => row.requestId === requestId)))
      return { kind: journal.isBusy(other) ? 'busy' : 'unclear' };
  }
  return others.length === 0 ? { kind: 'own', row: only } : { kind: 'unclear' };
}

/** Returns the idempotency key of the service's own that a recorded request carries; undefined without one. */
export function serviceKeyOf(request: string): string | undefined {
  const { idempotencyKey } = parseExactJson(request) as Record<string, unknown>;
  return typeof idempotencyKey === 'string' ? idempotencyKey : undefined;
}

/** Returns the other operations of the account with an unknown outcome whose work a row may be. */
async function competingOperations(
  account: Account,
  { starts }: Work,
  { operationId }: Operation,
): Promise<readonly Operation[]> {
  const journal = await account.journal();
  const ids = await journal.accountIds(await account.accountNames());
  const unknownOutcomes = await journal.list({ account: ids, state: 'unknown-outcome', limit: MAX_COMPETING });
  return unknownOutcomes.filter(
    (other) => other.operationId !== operationId && starts.some(({ id }) => id === other.endpoint),
  );
}

/** Returns the rows that may be a competing operation's. One whose time is not known may have any row that is like it. */
async function rowsInTime(
  account: Account,
  work: Work,
  other: Operation,
  operation: Operation,
): Promise<readonly WorkCandidate[]> {
  const { candidates } = await evidenceOf(account, work, other);
  return candidates.filter((row) => row.isExact || !isComparable(other, operation) || inTimeWindow(row, other));
}

/** Whether the time of another request is known, and by the clock of an operation: between the two, neither the service's nor this machine's was set. */
function isComparable({ baseline: other }: Operation, { baseline }: Operation): boolean {
  if (other?.serviceAtMs === undefined) return false;
  return Math.abs((other.hostAheadMs ?? 0) - (baseline?.hostAheadMs ?? 0)) <= SERVICE_SKEW_MS;
}
