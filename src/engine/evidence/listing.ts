import type { Endpoint } from '../../contract/endpoint.ts';
import { shapeOf } from '../../contract/rows.ts';
import { sha256Hex } from '../../crypto/digest.ts';
import { hasTag, type Likeness } from '../../things/likeness.ts';
import type { Account, AccountCallOptions } from '../account.ts';
import { ALWAYS, type ListPeriod } from '../lists/cursor.ts';
import { type Listing, saysMore, totalOf } from '../lists/pages.ts';
import type { EvidenceList, EvidenceQuery, Found, ListRow, RowsBefore, WorkCandidate } from './work.ts';

/** How far the times of a service's rows may be from the time of its responses. Source: inferred. */
export const SERVICE_SKEW_MS = 5_000;

const PAGE = 100;
/** More pages than this are not read; the search is then incomplete. */
const MAX_PAGES = 100;
/** The same before a request leaves, which each of its kind would wait for. */
const MAX_PAGES_BEFORE = 5;
/** The largest page of a list without pages. */
const MAX_SIZE = 1_000_000;

/** A row of most lists. */
export interface UsualRow {
  readonly createdAt?: string | null | undefined;
  readonly status?: string | null | undefined;
}

/** Declares that a list which a command prints shows some work: `compare` says which rows may be the request. */
export function shownIn<E extends Endpoint, Row extends UsualRow>(
  { endpoint, request, rowsOf, idOf }: Listing<E, Row>,
  {
    compare,
    textOf,
    outcomeOf,
    isUnpaged = false,
    isByPage = false,
  }: Pick<EvidenceList, 'outcomeOf' | 'isUnpaged' | 'isByPage'> & {
    compare(row: Row): Likeness;
    /** Text that may contain the tag, null if there is none. */
    readonly textOf?: ((row: Row) => string | null) | undefined;
  },
): EvidenceList {
  const list: EvidenceList<E, Row> = {
    endpoint,
    rowsOf,
    isUnpaged,
    isByPage,
    outcomeOf,
    page: (size, count, startAfter, period) => request({ size, offset: count, startAfter }, period),
    read: (row) => ({
      requestId: idOf(row),
      createdAt: row.createdAt,
      state: row.status,
      ...(textOf ? { text: textOf(row) } : {}),
      ...compare(row),
    }),
  };
  return list as unknown as EvidenceList;
}

/** What was read of a list. */
interface Pages {
  /** In the order of the list. A row that moved between two pages is in it twice. */
  readonly rows: readonly ListRow[];
  /** Whether it was read until it has no more rows, or as far back as was asked for. */
  readonly isComplete: boolean;
  /** How many rows the list says that it has; 0 if it does not say it. */
  readonly total: number;
}

/** The response with the first page of a list. */
type FirstPage = { readonly data: unknown };

/** Rows that two pages have count once. */
const countOf = (rows: readonly ListRow[]): number =>
  new Set(rows.map(({ requestId }, index) => requestId ?? index)).size;

/** Returns the largest size of a page, up to one, that divides what was read: a service that counts pages then skips nothing. */
function dividing(count: number, largest: number): number {
  let size = largest;
  while (count % size !== 0) size -= 1;
  return size;
}

/**
 * Reads pages until one is empty, or `isEnough`. A page that is shorter than it may be says nothing: a service may return fewer rows than it was
 * asked for. A list without pages is read with an ever larger limit until it has fewer rows than that, twice.
 */
async function readPages(
  account: Account,
  { endpoint, page, rowsOf, read, isUnpaged = false, isByPage = false }: EvidenceList,
  period: ListPeriod,
  isEnough: (rows: readonly ListRow[], last: readonly ListRow[]) => boolean,
  { maxPages = MAX_PAGES, begun, ...options }: AccountCallOptions & { maxPages?: number; begun?: FirstPage } = {},
): Promise<Pages> {
  const rows: ListRow[] = [];
  let [total, shortPages, largest] = [0, 0, PAGE];
  const finished = (isComplete: boolean): Pages => ({ rows, isComplete, total });
  let lastId: string | undefined;
  for (let pages = 0, size = PAGE; pages < maxPages && size <= MAX_SIZE; pages++) {
    const asked = isByPage ? dividing(rows.length, largest) : size;
    const from = isUnpaged ? 0 : rows.length;
    const { data } =
      (pages === 0 ? begun : undefined) ?? (await account.call(endpoint, page(asked, from, lastId, period), options));
    const last = rowsOf(data)?.map(read);
    if (!last) return finished(false);
    if (isUnpaged) rows.length = 0;
    for (const row of last) rows.push(row);
    total = Math.max(isUnpaged ? 0 : total, totalOf(data) ?? 0);
    if (last.length > 0 && isEnough(rows, last)) return finished(true);
    const hasAll = () => !saysMore(data, rows.length) && countOf(rows) >= total;
    if (isUnpaged) {
      shortPages = last.length < size ? shortPages + 1 : 0;
      if (shortPages === 2) return finished(hasAll());
      size *= 2;
      continue;
    }
    if (last.length === 0) return finished(hasAll());
    // A service that does not turn the page may have more rows than it shows. Rows that come meanwhile repeat only the last ones.
    const first = rows[0]?.requestId;
    if (rows.length > last.length && first != null && last[0]?.requestId === first) return finished(false);
    lastId = last.at(-1)?.requestId ?? undefined;
    largest = Math.min(largest, last.length);
  }
  return finished(false);
}

/**
 * Reads a list back to the time of the request, and returns the rows that are like it, whenever they are from. With `fromMs`, asks only for rows
 * since then, if the list can be asked so, and reads all of them.
 */
export async function search(
  account: Account,
  { sinceMs, before, tag }: EvidenceQuery,
  list: EvidenceList,
  fromMs?: number,
): Promise<Found> {
  // Where the list was read before, its own times say how far back: the service’s may be wrong.
  const untilMs = before ? Math.min(sinceMs, before.sinceMs ?? Number.NEGATIVE_INFINITY) : sinceMs;
  const isOld = ({ createdAt }: ListRow) => isPast(createdAt, untilMs);
  const period = fromMs === undefined ? ALWAYS : { ...ALWAYS, startDate: new Date(fromMs).toISOString() };
  const { rows, isComplete, total } = await readPages(
    account,
    list,
    period,
    // Only a list that was newest first so far ends here, and with a whole page: nobody promises the order.
    (all, last) => fromMs === undefined && last.every(isOld) && isNewestFirst(timesOf(all)),
  );
  return {
    candidates: candidatesIn(rows, tag, list),
    rows,
    isComplete,
    total,
    wrongTimes: wrongTimesIn(timesOf(rows), account.time.service.nowMs()),
  };
}

function candidatesIn(
  rows: readonly ListRow[],
  tag: string | undefined,
  { outcomeOf }: Pick<EvidenceList, 'outcomeOf'>,
): readonly WorkCandidate[] {
  const candidates = new Map<string, WorkCandidate>();
  for (const row of rows) {
    const isExact = hasTag(row.text, tag);
    if (!row.requestId || !(isExact || row.isLike)) continue;
    const { requestId, createdAt, state } = row;
    // Where a list shows texts, a row without the tag that the request carried is another request's, or its tag was cut.
    const isUnmarked = tag !== undefined && row.text !== undefined && !isExact;
    const isPartial = isUnmarked || row.isPartial === true;
    const outcome = outcomeOf(state ?? '');
    candidates.set(requestId, { requestId, createdAt, state: state ?? 'unknown', outcome, isExact, isPartial });
  }
  return [...candidates.values()];
}

/** From how long before a request on its list is read as a whole. Source: inferred. */
export const WHOLE_MS = 3_600_000;

/** Stands for the id of a row in the journal, which has up to a hundred for each request. */
export const markOf = (requestId: string): string => sha256Hex(requestId).slice(0, 8);

/**
 * Reads the first page of a list before a request leaves, and returns the ids of the rows that are like it, the marks of those that must still be there
 * when it is read as a whole, and from when on it has every row (null: from the beginning). Undefined if what was read does not show it. A page whose rows are all
 * of one moment does not show the order of the list, so that more of it is read.
 */
export async function rowsBefore(
  account: Account,
  list: EvidenceList,
  options: AccountCallOptions,
): Promise<RowsBefore | undefined> {
  const { endpoint, page, rowsOf, read } = list;
  const begun = await account.call(endpoint, page(PAGE, 0, undefined, ALWAYS), options);
  const { data } = begun;
  const first = rowsOf(data)?.map(read);
  if (!first) return undefined;
  const isShort = first.length < PAGE && !saysMore(data, first.length);
  const isShown = (rows: readonly ListRow[]) => showsOrder(timesOf(rows));
  const more =
    isShort || isShown(first)
      ? undefined
      : await readPages(account, list, ALWAYS, isShown, { ...options, maxPages: MAX_PAGES_BEFORE, begun });
  const all = more?.rows ?? first;
  const isWhole = isShort || (more?.isComplete === true && !isShown(all));
  const isRanged = Object.hasOwn(shapeOf(endpoint.request()) ?? {}, 'startDate');
  const fromMs = isRanged ? (account.time.service.nowMs() ?? 0) - WHOLE_MS : Number.NEGATIVE_INFINITY;
  const isDue = ({ createdAt }: ListRow) => (timeIn(createdAt) ?? Infinity) >= fromMs;
  const known = {
    ids: all.flatMap(({ requestId, isLike }) => (requestId && isLike ? [requestId] : [])),
    marks: first.flatMap((row) => (row.requestId && isDue(row) ? [markOf(row.requestId)] : [])),
  };
  if (isWhole) return { ...known, sinceMs: null };
  const times = timesOf(all);
  return isNewestFirst(times) ? { ...known, sinceMs: Math.min(...times) } : undefined;
}

/** When a row is from, in milliseconds since the epoch; null if it does not say it. */
function timeIn(createdAt: string | null | undefined): number | null {
  const atMs = Date.parse(createdAt ?? '');
  return Number.isNaN(atMs) ? null : atMs;
}

/** Returns the times of rows that have one, in milliseconds since the epoch. */
export const timesOf = (rows: readonly { readonly createdAt?: string | null | undefined }[]): readonly number[] =>
  rows.map(({ createdAt }) => timeIn(createdAt)).filter((atMs) => atMs !== null);

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

/** Whether the order of a list can be said from these times; without any, no others would say it. */
const showsOrder = (times: readonly number[]): boolean => times.length === 0 || rises(times) || falls(times);

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
