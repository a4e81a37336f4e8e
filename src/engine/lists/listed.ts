import { CliError } from '../../base/errors.ts';
import type { Endpoint, RequestOf, ResponseOf } from '../../contract/endpoint.ts';
import { grouped } from '../../money/decimal.ts';
import { rowsInWords } from '../../present/pagination.ts';
import type { Column } from '../../present/result.ts';
import type { Account, AccountReply } from '../account.ts';
import { type Outcome, outcomeOf } from '../outcome.ts';
import { allPages, PAGE_SIZE } from './pages.ts';
import { type ResumeOptions, requireAll, resumable, type Sink, withSink } from './resumable.ts';
import { listDigest, pageAfter, pointOf } from './resume.ts';

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

function unreadable(why: string): CliError {
  return new CliError('network', `cannot read the whole list: ${why}`, {
    code: 'UNUSABLE_ANSWER',
    hint: 'read it page by page with --limit and --after',
  });
}

interface Listing<E extends Endpoint, Row> {
  readonly endpoint: E;
  readonly columns: readonly Column[];
  readonly rowsOf: (data: ResponseOf<E>) => readonly Row[] | null | undefined;
  readonly idOf: (row: Row) => string | null | undefined;
}

interface ByPosition<E extends Endpoint, Row> extends Listing<E, Row> {
  readonly request: (size: number | undefined, offset: number | undefined) => RequestOf<E>;
  /** The number of rows in the whole list, if the response says it. */
  readonly totalOf: (data: ResponseOf<E>) => number | null | undefined;
  readonly isOldestFirst?: boolean;
  /** The number of rows to drop from the start of a response, for a service that counts pages instead of rows. */
  readonly skipped?: (offset: number, size: number) => number;
}

/** The start or end of a period, as it was typed. */
interface TypedMoment {
  readonly text: string;
  /** Whether it means something else later, such as `today`. */
  readonly isRelative: boolean;
}

export interface Position extends ResumeOptions {
  readonly since?: TypedMoment | undefined;
  readonly until?: TypedMoment | undefined;
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  readonly all: boolean | undefined;
}

interface AfterId extends ResumeOptions {
  readonly limit: number | undefined;
  readonly after: string | undefined;
  readonly all: boolean;
}

/** Reads one page of a list by position, or all pages as one list. */
export async function listedByPosition<E extends Endpoint, Row>(
  account: Account,
  listing: ByPosition<E, Row>,
  { limit, offset, all, since, until, ...continuing }: Position,
): Promise<Outcome> {
  const { endpoint, columns, request } = listing;
  const call = (size: number | undefined, at: number | undefined) => account.call(endpoint, request(size, at));
  if (!all) {
    requireAll(continuing);
    return outcomeOf(account, endpoint, await call(limit, offset), { columns });
  }
  return withSink(account, continuing, async (sink) =>
    wholeByPosition(account, listing, { limit, offset, since, until }, sink),
  );
}

/** Reads all pages of a list by position as one list. */
async function wholeByPosition<E extends Endpoint, Row>(
  account: Account,
  listing: ByPosition<E, Row>,
  { limit, offset, ...typed }: Pick<Position, 'limit' | 'offset' | 'since' | 'until'>,
  { file, cursor }: Sink,
): Promise<Outcome> {
  const { endpoint, columns, rowsOf, totalOf, idOf, request, skipped = () => 0, isOldestFirst = false } = listing;
  const call = (size: number | undefined, at: number | undefined) => account.call(endpoint, request(size, at));
  const size = limit ?? PAGE_SIZE;
  const wait = pacer(account, endpoint);
  let total: number | undefined;
  let last: AccountReply<ResponseOf<E>> | undefined;
  const fetchPage = async (at: number) => {
    await wait();
    last = await call(size, at);
    total = totalOf(last.data) ?? undefined;
    return { rows: (rowsOf(last.data) ?? []).slice(skipped(at, size)), total };
  };
  const list = listDigest((await account.accountNames()).keyFingerprint, endpoint.id, [
    request(undefined, offset),
    printedAs(account),
  ]);
  const point = cursor === undefined ? undefined : pointOf(cursor, list);
  const found =
    point === undefined
      ? { page: await fetchPage(offset ?? 0), offset: offset ?? 0, printed: 0 }
      : await pageAfter(point, { idOf, fetchPage, isOldestFirst });
  const reply = last as AccountReply<ResponseOf<E>>;
  const rows = found.page.rows.slice(found.printed);
  const start = found.offset + found.printed;
  const what = rowsInWords(endpoint.lists ?? 'rows');
  const more = allPages({
    first: found.page,
    offset: found.offset,
    size,
    idOf,
    isOldestFirst,
    fetchPage,
    turn: account.world.turn,
    fellShort: (returned, counted) =>
      account.say(
        `warning: the service counts ${grouped(counted)} ${what} but returned only ${grouped(returned)}; the list may be incomplete`,
      ),
  });
  const parts = resumable(account, {
    what,
    first: rows,
    more,
    total: () => total,
    again: lastingFlags(typed, request(undefined, offset) as Readonly<Record<string, unknown>>),
    before: cursor === undefined ? 0 : start,
    file,
    pointAfter: (count, row) => ({
      list,
      // Rows that were added since the list began moved what comes next.
      next: start + count + Math.max(0, isOldestFirst ? 0 : (total ?? 0) - (found.page.total ?? total ?? 0)),
      total: total ?? null,
      // Before the first new row, it is still the one that was printed last.
      last: (row === undefined ? point?.last : idOf(row)) ?? null,
    }),
  });
  return outcomeOf(account, endpoint, withRows(endpoint, reply, rows), { columns, ...parts });
}

/** Returns replacements for flags that would mean another period later. The dates are those that `periodOf` returned. */
function lastingFlags(
  { since, until }: Pick<Position, 'since' | 'until'>,
  { startDate, endDate }: Readonly<Record<string, unknown>>,
): string[] {
  return [
    ...(since?.isRelative && startDate ? [`--since ${startDate} instead of --since ${since.text}`] : []),
    ...(until?.isRelative && endDate ? [`--until ${endDate} instead of --until ${until.text}`] : []),
  ];
}

/** What must be the same for the parts of one output. */
const printedAs = ({ globals: { present } }: Account) => [
  present.format,
  present.fields ?? null,
  present.isCsvRaw === true,
];

/** Returns a reply whose list has only these rows. */
function withRows<E extends Endpoint, Row>(
  { lists }: E,
  reply: AccountReply<ResponseOf<E>>,
  rows: readonly Row[],
): AccountReply<ResponseOf<E>> {
  return lists === undefined
    ? reply
    : { ...reply, data: { ...(reply.data as object), [lists]: rows } as ResponseOf<E> };
}

/** The service's default. */
const DEFAULT_CURSOR_PAGE_SIZE = 50;

interface ByCursor<E extends Endpoint, Row> extends Listing<E, Row> {
  readonly request: (size: number | undefined, startAfter: string | undefined) => RequestOf<E>;
}

/** Reads one page of a list by the id of the previous row, or all pages as one list. */
export async function listedByCursor<E extends Endpoint, Row>(
  account: Account,
  { endpoint, columns, rowsOf, idOf, request }: ByCursor<E, Row>,
  { limit, after, all, ...continuing }: AfterId,
): Promise<Outcome> {
  // Sent even if it is the service's default, because the response does not repeat it.
  const size = limit ?? (all ? PAGE_SIZE : DEFAULT_CURSOR_PAGE_SIZE);
  const wait = pacer(account, endpoint);
  const call = async (startAfter: string | undefined) => {
    await wait();
    return account.call(endpoint, request(size, startAfter));
  };
  if (!all) {
    requireAll(continuing);
    return outcomeOf(account, endpoint, await call(after), { columns });
  }
  return withSink(account, continuing, async ({ file, cursor }) => {
    const list = listDigest((await account.accountNames()).keyFingerprint, endpoint.id, [
      request(undefined, after),
      printedAs(account),
    ]);
    const point = cursor === undefined ? undefined : pointOf(cursor, list);
    const first = await call(point?.last ?? after);
    const rows = rowsOf(first.data) ?? [];
    const more = pagesAfter(rows, size, idOf, async (startAfter) => rowsOf((await call(startAfter)).data) ?? []);
    const before = point?.next ?? 0;
    const parts = resumable(account, {
      ...{ what: rowsInWords(endpoint.lists ?? 'rows'), first: rows, more, before, file, again: [] },
      total: () => undefined,
      pointAfter: (count, row) => ({
        list,
        next: before + count,
        total: null,
        last: (row === undefined ? point?.last : idOf(row)) ?? null,
      }),
    });
    return outcomeOf(account, endpoint, first, { columns, ...parts });
  });
}

/** The share of a rate limit that a long list leaves to other commands. */
const LEFT_FOR_OTHERS = 0.2;

/**
 * Returns a function that waits before a page of a long list is read, once the service refused one because of its rate limit: from
 * then on the list leaves room for other commands. It rejects with CliError interrupted.
 */
function pacer({ world: { clock, interrupted }, progress }: Account, { rateLimit }: Endpoint): () => Promise<void> {
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
