import type { Endpoint } from '../../contract/endpoint.ts';
import type { Account, AccountCallOptions } from '../account.ts';
import { saysMore } from '../lists/pages.ts';
import { ALWAYS, type Listing } from '../lists/resume.ts';
import { hasTag } from './rows.ts';
import {
  ENDS,
  type EvidenceList,
  type EvidenceQuery,
  type Found,
  type Likeness,
  type ListRow,
  type RowsBefore,
  type WorkCandidate,
  type WorkOutcome,
} from './work.ts';

/** How far the times of a service's rows may be from the time of its responses. Source: inferred. */
export const SERVICE_SKEW_MS = 5_000;

const PAGE = 100;
/** More pages than this are not read; the search is then incomplete. */
const MAX_PAGES = 100;
/** The largest page of a list without pages. */
const MAX_SIZE = 1_000_000;

/** A row of most lists. */
interface UsualRow {
  readonly createdAt?: string | null | undefined;
  readonly status?: string | null | undefined;
}

/** Declares that a list which a command prints shows some work: `compare` says which rows may be the request. */
export function shownIn<E extends Endpoint, Row extends UsualRow>(
  { endpoint, request, rowsOf, idOf }: Listing<E, Row>,
  {
    compare,
    textOf,
    isUnpaged = false,
    done = ENDS.done,
    failed = ENDS.failed,
  }: Partial<Pick<EvidenceList, 'done' | 'failed' | 'isUnpaged'>> & {
    compare(row: Row): Likeness;
    /** Text that may contain the tag, null if there is none. */
    textOf?(row: Row): string | null;
  },
): EvidenceList {
  const list: EvidenceList<E, Row> = {
    ...{ endpoint, rowsOf, isUnpaged, done, failed },
    page: (size, count, startAfter) => request({ size, offset: isUnpaged ? 0 : count, startAfter }, ALWAYS),
    read: (row) => ({
      ...{ requestId: idOf(row), createdAt: row.createdAt, state: row.status },
      ...(textOf ? { text: textOf(row) } : {}),
      ...compare(row),
    }),
  };
  return list as unknown as EvidenceList;
}

/** Reads a list back to the time of the request, and returns the rows that are like it, whenever they are from. */
export async function search(
  account: Account,
  { sinceMs, before, tag }: EvidenceQuery,
  list: EvidenceList,
): Promise<Found> {
  const { endpoint, page, rowsOf, read, done, failed, isUnpaged } = list;
  const candidates = new Map<string, WorkCandidate>();
  let times: readonly number[] = [];
  const found = (isComplete: boolean): Found => ({
    ...{ candidates: [...candidates.values()], isComplete },
    wrongTimes: wrongTimesIn(times, account.time.service.nowMs()),
  });
  // Where the list was read before, its own times say how far back: the service’s may be wrong.
  const untilMs = before ? Math.min(sinceMs, before.sinceMs ?? Number.NEGATIVE_INFINITY) : sinceMs;
  const isOld = ({ createdAt }: ListRow) => isPast(createdAt, untilMs);
  let lastId: string | undefined;
  for (let count = 0, pages = 0, size = PAGE; pages < MAX_PAGES && size <= MAX_SIZE; pages++) {
    const { data } = await account.call(endpoint, page(size, count, lastId));
    const rows = (rowsOf(data) ?? []).map(read);
    times = [...(isUnpaged ? [] : times), ...timesOf(rows)];
    for (const row of rows) {
      const isExact = hasTag(row.text, tag);
      if (!row.requestId || !(isExact || row.isLike)) continue;
      const { requestId, createdAt, state } = row;
      // Where a list shows texts, a row without the tag that the request carried is another request's, or its tag was cut.
      const isUnmarked = tag !== undefined && row.text !== undefined && !isExact;
      const isPartial = isUnmarked || row.isPartial === true;
      const outcome = workOutcomeOf(state ?? '', done, failed);
      candidates.set(requestId, { requestId, createdAt, state: state ?? 'unknown', outcome, isExact, isPartial });
    }
    count = isUnpaged ? rows.length : count + rows.length;
    // Only a list that was newest first so far ends here, and with a whole page: nobody promises the order.
    if (rows.length > 0 && isNewestFirst(times) && rows.every(isOld)) return found(true);
    // A service may return fewer rows than it was asked for, and say that there are more.
    if (rows.length < size && !saysMore(data, count)) return found(true);
    if (rows.length === 0 || (isUnpaged && rows.length < size)) return found(false);
    lastId = rows.at(-1)?.requestId ?? undefined;
    if (isUnpaged) size *= 2;
  }
  return found(false);
}

/**
 * Reads the first page of a list, and returns the ids of the rows that are like a request that has not been sent yet, and from when on the page
 * has every row (null: from the beginning). Undefined if the page does not show it.
 */
export async function rowsBefore(
  account: Account,
  { endpoint, page, rowsOf, read }: EvidenceList,
  options: AccountCallOptions,
): Promise<RowsBefore | undefined> {
  const { data } = await account.call(endpoint, page(PAGE, 0, undefined), options);
  const rows = (rowsOf(data) ?? []).map(read);
  const ids = rows.flatMap(({ requestId, isLike }) => (requestId && isLike ? [requestId] : []));
  if (rows.length < PAGE && !saysMore(data, rows.length)) return { ids, sinceMs: null };
  const times = timesOf(rows);
  return isNewestFirst(times) ? { ids, sinceMs: Math.min(...times) } : undefined;
}

/** Returns the times of rows that have one, in milliseconds since the epoch. */
export const timesOf = (rows: readonly { readonly createdAt?: string | null | undefined }[]): readonly number[] =>
  rows.map(({ createdAt }) => Date.parse(createdAt ?? '')).filter((atMs) => !Number.isNaN(atMs));

/** Whether a list goes from newer to older rows, as far as its times show. Rows of one moment may have any order. */
const isNewestFirst = (times: readonly number[]): boolean => falls(times) && !rises(times);

/** Whether a time is later than one before it, by more than servers of one service may differ. Neighbours may be as close as they like. */
function rises(times: readonly number[]): boolean {
  let leastMs = Infinity;
  return times.some((atMs) => {
    leastMs = Math.min(leastMs, atMs);
    return atMs - leastMs > SERVICE_SKEW_MS;
  });
}

const falls = (times: readonly number[]): boolean => rises(times.map((atMs) => -atMs));

/** Returns why the times of a list prove nothing: they contradict its order, or the service's own clock. */
function wrongTimesIn(times: readonly number[], nowMs: number | undefined): string | undefined {
  return rises(times) && falls(times) ? 'the times of the list contradict its order' : futureIn(times, nowMs);
}

/** Returns that a list has a row of the future, if it has one. */
export function futureIn(times: readonly number[], nowMs: number | undefined): string | undefined {
  const newestMs = times.reduce((newest, atMs) => Math.max(newest, atMs), -Infinity);
  if (nowMs === undefined || newestMs <= nowMs + SERVICE_SKEW_MS) return undefined;
  return `the list has a row of ${new Date(newestMs).toISOString()}, and the service says that it is ${new Date(nowMs).toISOString()}`;
}

/** Whether a row is older than a time of the service. */
export function isPast(createdAt: string | null | undefined, sinceMs: number): boolean {
  return createdAt != null && Date.parse(createdAt) < sinceMs;
}

export function workOutcomeOf(state: string, done: readonly string[], failed: readonly string[]): WorkOutcome {
  if (done.includes(state)) return 'settled';
  return failed.includes(state) ? 'failed' : 'accepted';
}
