import { CliError } from '../../base/errors.ts';
import type { Outcome } from '../outcome.ts';
import { allPages, PAGE_SIZE } from './pages.ts';
import { newFile, option, switchOn, wholeNumber, word } from '../../terminal/parse/parameters.ts';
import { lastingFlags, type TypedPeriod } from '../../terminal/parse/period.ts';
import { outcomeOf, type Session, type SessionReply } from '../../terminal/session.ts';
import type { Endpoint, RequestOf, ResponseOf } from '../../contract/endpoint.ts';
import { rowsInWords } from '../../present/pagination.ts';
import type { Column } from '../../present/result.ts';
import { pagesAfter } from './after-id.ts';
import { pacer } from './paced.ts';
import { listDigest, pageAfter, pointOf } from './resume.ts';
import { type Continuing, requireAll, type Sink, tracked, withSink } from './tracked.ts';

/** The options --limit, --offset and --all of a list that is paged by position; `rows` names its rows in the help. */
export function positionOptions(rows: string) {
  return {
    limit: option('--limit <count>', `${rows} per page, 1 to 100 (default 20)`, wholeNumber(1, 100)),
    offset: option('--offset <count>', `${rows} to skip (default 0)`, wholeNumber(0, 1_000_000_000)),
    ...allOptions,
  };
}

function outputPath(text: string): string {
  if (text !== '-') return newFile(text);
  throw new CliError('usage', '"-" is not a file name', {
    hint: 'give the path of a file; without --output-file, output goes to stdout',
  });
}

/** The options of a list that can be read as a whole. */
export const allOptions = {
  all: switchOn('--all', 'fetch every page as one list'),
  resume: option(
    '--resume <cursor>',
    'with --all: resume a list that stopped, from the cursor in its error message',
    word,
  ),
  outputFile: option(
    '--output-file <file>',
    'with --all: write to a new file; after an interruption, run the same command again to resume',
    outputPath,
  ),
};

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

export interface Position extends Continuing, Partial<Pick<TypedPeriod, 'since' | 'until'>> {
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  readonly all: boolean | undefined;
}

interface AfterId extends Continuing {
  readonly limit: number | undefined;
  readonly after: string | undefined;
  readonly all: boolean;
}

/** Reads one page of a list by position, or all pages as one list. */
export async function listedByPosition<E extends Endpoint, Row>(
  session: Session,
  listing: ByPosition<E, Row>,
  { limit, offset, all, since, until, ...continuing }: Position,
): Promise<Outcome> {
  const { endpoint, columns, request } = listing;
  const call = (size: number | undefined, at: number | undefined) => session.call(endpoint, request(size, at));
  if (!all) {
    requireAll(continuing);
    return outcomeOf(session, endpoint, await call(limit, offset), { columns });
  }
  return withSink(session, continuing, async (sink) =>
    wholeByPosition(session, listing, { limit, offset, since, until }, sink),
  );
}

/** Reads all pages of a list by position as one list. */
async function wholeByPosition<E extends Endpoint, Row>(
  session: Session,
  listing: ByPosition<E, Row>,
  { limit, offset, ...typed }: Pick<Position, 'limit' | 'offset' | 'since' | 'until'>,
  { file, cursor }: Sink,
): Promise<Outcome> {
  const { endpoint, columns, rowsOf, totalOf, idOf, request, skipped = () => 0, isOldestFirst = false } = listing;
  const call = (size: number | undefined, at: number | undefined) => session.call(endpoint, request(size, at));
  const size = limit ?? PAGE_SIZE;
  const wait = pacer(session, endpoint);
  let total: number | undefined;
  let last: SessionReply<ResponseOf<E>> | undefined;
  const fetchPage = async (at: number) => {
    await wait();
    last = await call(size, at);
    total = totalOf(last.data) ?? undefined;
    return { rows: (rowsOf(last.data) ?? []).slice(skipped(at, size)), total };
  };
  const list = listDigest((await session.accountNames()).keyFingerprint, endpoint.id, [
    request(undefined, offset),
    printedAs(session),
  ]);
  const point = cursor === undefined ? undefined : pointOf(cursor, list);
  const found =
    point === undefined
      ? { page: await fetchPage(offset ?? 0), offset: offset ?? 0, printed: 0 }
      : await pageAfter(point, { idOf, fetchPage, isOldestFirst });
  const reply = last as SessionReply<ResponseOf<E>>;
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
    turn: session.world.turn,
    fellShort: (returned, counted) =>
      session.say(
        `warning: the service counts ${counted.toLocaleString('en')} ${what} but returned only ${returned.toLocaleString('en')}; the list may be incomplete`,
      ),
  });
  const parts = tracked(session, {
    what,
    first: rows,
    more,
    total: () => total,
    again: lastingFlags(typed, request(undefined, offset) as Parameters<typeof lastingFlags>[1]),
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
  return outcomeOf(session, endpoint, withRows(endpoint, reply, rows), { columns, ...parts });
}

/** What must be the same for the parts of one output. */
const printedAs = ({ globals: { present } }: Session) => [
  present.format,
  present.fields ?? null,
  present.isCsvRaw === true,
];

/** Returns a reply whose list has only these rows. */
function withRows<E extends Endpoint, Row>(
  { lists }: E,
  reply: SessionReply<ResponseOf<E>>,
  rows: readonly Row[],
): SessionReply<ResponseOf<E>> {
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
  session: Session,
  { endpoint, columns, rowsOf, idOf, request }: ByCursor<E, Row>,
  { limit, after, all, ...continuing }: AfterId,
): Promise<Outcome> {
  // Sent even if it is the service's default, because the response does not repeat it.
  const size = limit ?? (all ? PAGE_SIZE : DEFAULT_CURSOR_PAGE_SIZE);
  const wait = pacer(session, endpoint);
  const call = async (startAfter: string | undefined) => {
    await wait();
    return session.call(endpoint, request(size, startAfter));
  };
  if (!all) {
    requireAll(continuing);
    return outcomeOf(session, endpoint, await call(after), { columns });
  }
  return withSink(session, continuing, async ({ file, cursor }) => {
    const list = listDigest((await session.accountNames()).keyFingerprint, endpoint.id, [
      request(undefined, after),
      printedAs(session),
    ]);
    const point = cursor === undefined ? undefined : pointOf(cursor, list);
    const first = await call(point?.last ?? after);
    const rows = rowsOf(first.data) ?? [];
    const more = pagesAfter(rows, size, idOf, async (startAfter) => rowsOf((await call(startAfter)).data) ?? []);
    const before = point?.next ?? 0;
    const parts = tracked(session, {
      ...{ what: rowsInWords(endpoint.lists ?? 'rows'), first: rows, more, before, file, again: [] },
      total: () => undefined,
      pointAfter: (count, row) => ({
        list,
        next: before + count,
        total: null,
        last: (row === undefined ? point?.last : idOf(row)) ?? null,
      }),
    });
    return outcomeOf(session, endpoint, first, { columns, ...parts });
  });
}
