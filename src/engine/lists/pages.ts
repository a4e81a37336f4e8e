import { CliError } from '../../base/errors.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { Account } from '../account.ts';

/** The page size of `--all`: the maximum of the service's lists. */
export const PAGE_SIZE = 100;

/** The number of ids remembered: the rows that may be added between two pages and still be recognised by id. */
const REMEMBERED = 2_000;

export interface ListPage<Row> {
  readonly rows: readonly Row[];
  /** The number of rows in the whole list when the page was read; undefined if the service does not say. */
  readonly total: number | undefined;
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

/** The share of a rate limit that a long list leaves to other commands. */
const LEFT_FOR_OTHERS = 0.2;

/**
 * Returns a function that waits before a page of a long list is read, once the service refused one because of its rate limit: from
 * then on the list leaves room for other commands. It rejects with CliError interrupted.
 */
export function pacer(
  { world: { clock, interrupted }, notices: { progress } }: Account,
  { rateLimit }: Endpoint,
): () => Promise<void> {
  const share = Math.max(1, Math.floor(rateLimit.max * (1 - LEFT_FOR_OTHERS)));
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
    code: 'UNUSABLE_ANSWER',
    hint: 'read it page by page with --limit and --after',
  });
}
