import { CliError } from '../../base/errors.ts';
import type { Endpoint, RequestWithoutConsent, ResponseOf } from '../../contract/endpoint.ts';
import { grouped } from '../../money/decimal.ts';
import { rowsInWords } from '../../present/content.ts';
import type { Column } from '../../present/result.ts';
import type { Account, AccountReply } from '../account.ts';
import type { ListPeriod, ResumePoint } from './cursor.ts';

/** The page size of `--all`: the maximum of the service's lists. */
export const PAGE_SIZE = 100;

/** The number of ids remembered: the rows that may be added between two pages and still be recognised by id. */
const REMEMBERED = 2_000;

export interface ListPage<Row> {
  readonly rows: readonly Row[];
  /** The number of rows in the whole list when the page was read; undefined if the service does not say. */
  readonly total: number | undefined;
}

/** A page to request: `size` rows, after `offset` rows or after the row with an id. */
export interface PageRequest {
  readonly size?: number;
  readonly offset?: number;
  readonly startAfter?: string | undefined;
}

/** How a list of the service is read. */
export interface Listing<E extends Endpoint, Row> {
  readonly endpoint: E;
  readonly columns: readonly Column[];
  readonly request: (page: PageRequest, period: ListPeriod) => RequestWithoutConsent<E>;
  readonly rowsOf: (data: ResponseOf<E>) => readonly Row[] | null | undefined;
  readonly idOf: (row: Row) => string | null | undefined;
  /** The service continues after the id of a row instead of after a number of rows. */
  readonly isById?: boolean;
  /** The number of rows in the whole list, if the response says it. */
  readonly totalOf?: (data: ResponseOf<E>) => number | null | undefined;
  readonly isOldestFirst?: boolean;
  /** The number of rows to drop from the start of a response, for a service that cannot skip exactly this many. */
  readonly skipped?: (offset: number, size: number) => number;
  /** The page size of --all, if it is not the usual one. */
  readonly pageSize?: number;
  /** A filter that the service does not have. */
  readonly filter?: RowFilter<Row> | undefined;
  /** When a row is from, if the service cannot filter by period. */
  readonly timeOf?: (row: Row) => string | null | undefined;
}

export interface RowFilter<Row> {
  /** What was typed, by the words that name it: `--since`. */
  readonly typed: Readonly<Record<string, string | undefined>>;
  matches(row: Row): boolean;
}

/** The rows of a page, if --limit does not say it. Source: inferred. */
export const DEFAULT_LIMIT = 20;

/** A list to read: from where, and in which period. */
export interface ListReader<E extends Endpoint, Row> {
  readonly account: Account;
  readonly listing: Listing<E, Row>;
  readonly list: string;
  readonly point: ResumePoint | undefined;
  readonly period: ListPeriod;
}

/** A list that is being read. */
interface ListReading<E extends Endpoint, Row> {
  /** The pages from the first one on, which was requested. */
  readonly pages: AsyncGenerator<readonly Row[]>;
  /** The number of rows before the first one. */
  readonly start: number;
  /** Picks the rows that match, at most so many, and remembers how far the list was read. */
  take(rows: readonly Row[], maximum?: number): { readonly rows: readonly Row[]; readonly left: number };
  /** Where the list is after the rows that were taken. */
  point(): ResumePoint;
  total(): number | undefined;
  /** The last response. */
  reply(): AccountReply<ResponseOf<E>>;
  /** Says which filter is not the service's, and how much was read for it. */
  sayFiltered(): Promise<void>;
}

/** Requests the first page after the cursor, and follows how far the list is read. */
export async function startReading<E extends Endpoint, Row>(
  reader: ListReader<E, Row>,
  size: number,
): Promise<ListReading<E, Row>> {
  const { account, listing, list, point, period } = reader;
  const { endpoint, idOf, filter, isOldestFirst = false } = listing;
  const wait = pacer(account, endpoint);
  let requested = 0;
  let last: AccountReply<ResponseOf<E>> | undefined;
  const call = async (page: PageRequest) => {
    await wait();
    last = await account.call(endpoint, listing.request({ size, ...page }, period));
    requested += 1;
    return { rows: listing.rowsOf(last.data) ?? [], total: listing.totalOf?.(last.data) ?? undefined };
  };
  const read = listing.isById ? readById : readByOffset;
  const { first, more, start, totalAtFirst, total } = await read(reader, size, call);
  async function* pages() {
    yield first;
    yield* more;
  }
  let passed = 0;
  let lastId = point?.last ?? null;
  return {
    pages: pages(),
    start,
    total,
    take: (rows, maximum = Infinity) => {
      const taken: Row[] = [];
      let count = 0;
      for (const row of rows) {
        if (taken.length === maximum) break;
        count += 1;
        lastId = idOf(row) ?? null;
        if (filter === undefined || filter.matches(row)) taken.push(row);
      }
      passed += count;
      return { rows: taken, left: rows.length - count };
    },
    point: () => ({
      list,
      // Rows that were added since the list began moved what comes next.
      next: start + passed + Math.max(0, isOldestFirst ? 0 : (total() ?? 0) - (totalAtFirst ?? total() ?? 0)),
      total: total() ?? null,
      last: lastId,
      ...((period.startDate ?? period.endDate) === undefined ? {} : { period }),
    }),
    // The first page was requested.
    reply: () => last as AccountReply<ResponseOf<E>>,
    sayFiltered: async () => {
      // A filter of the command itself is nothing that anyone typed.
      const names = Object.entries(filter?.typed ?? {}).flatMap(([name, text]) =>
        text === undefined || !name.startsWith('--') ? [] : [name],
      );
      if (names.length === 0) return;
      const count = `${grouped(passed)} ${rowsInWords(endpoint.lists ?? 'rows')} on ${requested} ${requested === 1 ? 'page' : 'pages'}`;
      await account.notices.note(`the service cannot filter by ${names.join(' or ')}; fiatrail read ${count}`);
    },
  };
}

type CallPage<Row> = (page: PageRequest) => Promise<ListPage<Row>>;

async function readByOffset<E extends Endpoint, Row>(
  { account, listing, point }: ListReader<E, Row>,
  size: number,
  call: CallPage<Row>,
) {
  const { idOf, isOldestFirst = false, skipped = () => 0 } = listing;
  let total: number | undefined;
  const fetchPage = async (offset: number) => {
    const page = await call({ offset });
    total = page.total;
    return { ...page, rows: page.rows.slice(skipped(offset, size)) };
  };
  const found = point
    ? await pageAfter(point, { idOf, fetchPage, isOldestFirst })
    : { page: await fetchPage(0), offset: 0, printed: 0 };
  const what = rowsInWords(listing.endpoint.lists ?? 'rows');
  const more = allPages({
    first: found.page,
    offset: found.offset,
    size,
    idOf,
    isOldestFirst,
    fetchPage,
    turn: account.world.turn,
    fellShort: (returned, counted) =>
      account.notices.say(
        `warning: the service counts ${grouped(counted)} ${what} but returned only ${grouped(returned)}; the list may be incomplete`,
      ),
  });
  const first = found.page.rows.slice(found.printed);
  return { first, more, start: found.offset + found.printed, totalAtFirst: found.page.total, total: () => total };
}

async function readById<E extends Endpoint, Row>(
  { listing, point }: ListReader<E, Row>,
  size: number,
  call: CallPage<Row>,
) {
  const fetchPage = async (startAfter: string | undefined) => (await call({ startAfter })).rows;
  const first = await fetchPage(point?.last ?? undefined);
  const more = pagesAfter(first, size, listing.idOf, fetchPage);
  return { first, more, start: point?.next ?? 0, totalAtFirst: undefined, total: () => undefined };
}

/**
 * Finds the page where a list by position resumes, and how many of its first rows were printed before. Rows that were added since
 * then move the last printed row, so it is looked up by its id. Throws CliError declined if it is gone.
 */
async function pageAfter<Row>(
  { next, total, last }: ResumePoint,
  { idOf, fetchPage, isOldestFirst }: Pick<Pages<Row>, 'idOf' | 'fetchPage' | 'isOldestFirst'>,
): Promise<{ readonly page: ListPage<Row>; readonly offset: number; readonly printed: number }> {
  let offset = Math.max(0, next - 1);
  for (const _ of ['where it was', 'where it is']) {
    const page = await fetchPage(offset);
    const grown = isOldestFirst ? 0 : (page.total ?? total ?? 0) - (total ?? 0);
    if (last === null && grown === 0) return { page, offset, printed: next - offset };
    const at = page.rows.findIndex((row) => last !== null && idOf(row) === last);
    if (at >= 0) return { page, offset, printed: at + 1 };
    offset = Math.max(0, next - 1 + grown);
    if (last === null) return { page: await fetchPage(offset), offset, printed: next + grown - offset };
  }
  throw new CliError('declined', '--after: the last row of the previous page is no longer in the list', {
    code: 'CURSOR_LOST',
    hint: 'read the list from its start, without --after',
  });
}

interface Pages<Row> {
  readonly first: ListPage<Row>;
  /** The offset of the first page. */
  readonly offset: number;
  /** The page size. */
  readonly size: number;
  readonly idOf: (row: Row) => string | null | undefined;
  readonly fetchPage: (offset: number) => Promise<ListPage<Row>>;
  /** Yields to the event loop, so that the request for the next page is sent before the current page is processed. */
  readonly turn: () => Promise<void>;
  /** The list is sorted oldest first, so that new rows are appended and shift nothing. */
  readonly isOldestFirst?: boolean;
  /** The number of ids to remember. */
  readonly remembered?: number;
  /** Called at the end if the service counts more rows than it returned. */
  readonly fellShort?: (returned: number, total: number) => Promise<void>;
}

/**
 * Reads the pages after the first one and returns each row exactly once, even if rows are added in the meantime. A newest-first
 * list then shifts: if its total grows by d, up to d rows are repeated. They are recognised by their ids; if more rows were added
 * than ids are remembered, or rows have no ids, the first d rows are dropped. If the total shrinks by d, reading continues d rows
 * earlier. One page is read ahead while the previous one is printed. Memory is bounded.
 */
export async function* allPages<Row>(pages: Pages<Row>): AsyncGenerator<readonly Row[]> {
  const { first, offset, size, idOf, fetchPage, turn } = pages;
  const known = createMemory(pages.remembered ?? REMEMBERED);
  known.add(first.rows.map(idOf));
  let { total } = first;
  let lowest = total ?? 0;
  let next = offset + first.rows.length;
  /** The number of repeated rows from `next` on, according to the total. */
  let repeats = 0;
  let isFruitful = true;
  let ahead: Promise<ListPage<Row>> | undefined;
  for (let isMore = hasMore(first, next, size); isMore; ) {
    const page = await (ahead ?? fetchPage(next));
    ahead = undefined;
    const grown = page.total === undefined || total === undefined ? 0 : page.total - total;
    total = page.total ?? total;
    // A total with another meaning, such as the number of rows in the page, must not cause an endless loop.
    if (grown < 0 && next > offset && (isFruitful || (total ?? 0) < lowest)) {
      lowest = Math.min(lowest, total ?? 0);
      next = Math.max(offset, next + grown);
      repeats = 0;
      continue;
    }
    repeats += pages.isOldestFirst ? 0 : Math.max(0, grown);
    const isById = repeats <= known.size() && page.rows.every((row) => typeof idOf(row) === 'string');
    const fresh = isById ? page.rows.filter((row) => !known.has(idOf(row))) : page.rows.slice(repeats);
    const passed = isById ? page.rows.length : Math.max(page.rows.length, repeats);
    next += passed;
    repeats = Math.max(0, repeats - passed);
    known.add(fresh.map(idOf));
    isFruitful = fresh.length > 0;
    isMore = hasMore(page, next, size);
    if (isMore) {
      ahead = readAhead(() => fetchPage(next));
      await turn();
    }
    if (fresh.length > 0) yield fresh;
  }
  if (total !== undefined && next < total) await pages.fellShort?.(next, total);
}

/** Starts reading a page. A failure rejects where the page is awaited, never as an unhandled rejection. */
function readAhead<Row>(fetchPage: () => Promise<ListPage<Row>>): Promise<ListPage<Row>> {
  const page = fetchPage();
  page.catch(() => {});
  return page;
}

/** Whether another page follows. A short page is the last one, unless the total says that the service returns smaller pages. */
function hasMore({ rows, total }: ListPage<unknown>, next: number, size: number): boolean {
  return rows.length >= size || (rows.length > 0 && total !== undefined && next < total);
}

/** Remembers the last `limit` ids. */
function createMemory(limit: number) {
  const ids = new Set<string>();
  return {
    size: () => ids.size,
    has: (id: string | null | undefined) => typeof id === 'string' && ids.has(id),
    add: (more: readonly (string | null | undefined)[]) => {
      for (const id of more) if (typeof id === 'string') ids.add(id);
      for (const oldest of ids) {
        if (ids.size <= limit) break;
        ids.delete(oldest);
      }
    },
  };
}

/** Reads the pages after the first one, each after the last row's id, until a page is short. Throws CliError network if the service repeats a page. */
export async function* pagesAfter<Row>(
  first: readonly Row[],
  size: number,
  idOf: (row: Row) => string | null | undefined,
  fetchPage: (startAfter: string) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let rows = first;
  while (rows.length >= size) {
    const last = rows.at(-1);
    const id = last === undefined ? undefined : idOf(last);
    if (!id) throw unreadable('the last row of a page has no id');
    rows = await fetchPage(id);
    if (rows.some((row) => idOf(row) === id)) throw unreadable('the service returned the last row of a page again');
    if (rows.length > 0) yield rows;
  }
}

/** The error for a list that cannot be read to its end. */
export function unreadable(why: string): CliError {
  return new CliError('network', `cannot read the whole list: ${why}`, {
    code: 'UNUSABLE_RESPONSE',
    hint: 'read it page by page with --limit and --after',
  });
}
/** What a response says of the whole list. */
interface Extent {
  readonly hasMore?: boolean | null;
  readonly total?: number | null;
}

function extentOf(data: unknown): Extent {
  const { pagination, ...own } = data as { readonly pagination?: Extent | null } & Extent;
  return { ...own, ...pagination };
}

/** How many rows a list says that it has; undefined if it does not say it. */
export const totalOf = (data: unknown): number | undefined => extentOf(data).total ?? undefined;

/** Whether a list says that it has more rows than the ones that were read. */
export function saysMore(data: unknown, count: number): boolean {
  const { hasMore, total } = extentOf(data);
  return hasMore === true || (typeof total === 'number' && total > count);
}

/** Whether a list says that it has no more rows than the ones that were read. */
export function saysEnd(data: unknown, count: number): boolean {
  const { hasMore, total } = extentOf(data);
  return hasMore === false || total === count;
}

/** The share of a rate limit that a long list, or a file of many rows, leaves to other commands. */
const LEFT_FOR_OTHERS = 0.2;

/** Returns how many requests of a rate limit they take. */
export const shareOf = ({ max }: Endpoint['rateLimit']) => Math.max(1, Math.floor(max * (1 - LEFT_FOR_OTHERS)));

/** How long so many requests take at least, if each has to wait for the rate limit. In milliseconds. */
export const leastMsFor = ({ rateLimit }: Endpoint, requests: number): number =>
  Math.floor(requests / shareOf(rateLimit)) * rateLimit.windowSeconds * 1000;

/**
 * Returns a function that waits before a page of a long list is read, once the service refused one because of its rate limit: from
 * then on the list leaves room for other commands. It rejects with CliError interrupted.
 */
export function pacer(
  { world: { clock, interrupted }, notices: { progress } }: Account,
  { rateLimit }: Endpoint,
): () => Promise<void> {
  const share = shareOf(rateLimit);
  const windowMs = rateLimit.windowSeconds * 1000;
  const times: number[] = [];
  return async () => {
    const oldest = times.length < share ? undefined : times.shift();
    const waitMs = oldest === undefined ? 0 : oldest + windowMs - clock.now();
    if (waitMs > 0 && progress.isLimited()) {
      await progress.waits(waitMs);
      await clock.sleep(waitMs, interrupted).catch(() => {
        throw new CliError('interrupted', 'interrupted');
      });
    }
    times.push(clock.now());
  };
}
