import { CliError } from '../../base/errors.ts';
import type { Endpoint, ResponseOf } from '../../contract/endpoint.ts';
import { elementOf, shapeOf, unwrap } from '../../contract/rows.ts';
import type { PartFile } from '../../files/part-file.ts';
import { grouped } from '../../money/decimal.ts';
import { rowsInWords } from '../../present/content.ts';
import type { Account, AccountReply } from '../account.ts';
import { type Outcome, outcomeOf } from '../outcome.ts';
import { allPages, type ListPage, PAGE_SIZE, pacer, pagesAfter, saysEnd, saysMore, unreadable } from './pages.ts';
import {
  ALWAYS,
  cursorOf,
  DEFAULT_LIMIT,
  type Listing,
  type ListPeriod,
  listDigest,
  type PageRequest,
  pageAfter,
  pointOf,
  type ResumePoint,
  type RowFilter,
  resumable,
  withSink,
} from './resume.ts';

/** What the options of a list ask for. */
interface ListOptions {
  /** The rows of a page. */
  readonly limit: number | undefined;
  /** The cursor of an earlier page. */
  readonly after: string | undefined;
  readonly all: boolean | undefined;
  readonly outputFile: string | undefined;
  readonly since?: { readonly text: string } | undefined;
  readonly until?: { readonly text: string } | undefined;
}

/** Prints one page of a list, or all pages as one list, from its start or from a cursor. */
export async function listed<E extends Endpoint, Row>(
  account: Account,
  listing: Listing<E, Row>,
  { since, until, ...options }: ListOptions,
  period: ListPeriod = ALWAYS,
): Promise<Outcome> {
  if (options.outputFile !== undefined && !options.all)
    throw new CliError('usage', '--output-file needs --all', { hint: 'add --all' });
  return withSink(account, options, async ({ file, cursor }) => {
    const typed = { '--since': since?.text, '--until': until?.text };
    const list = listDigest((await account.accountNames()).keyFingerprint, listing.endpoint.id, [
      ...[listing.request({}, ALWAYS), typed, listing.filter?.typed ?? null],
      file ? printedAs(account) : null,
    ]);
    const point = cursor === undefined ? undefined : pointOf(cursor, list);
    // What was typed as 7d or today means the same time as on the first page.
    const during = point?.period ?? period;
    const filter = filterOf(listing, typed, during);
    const reader = { account, listing: { ...listing, filter }, list, point, period: during };
    return options.all ? wholeList(reader, options.limit, file) : onePage(reader, options.limit ?? DEFAULT_LIMIT);
  });
}

/** Returns the filter of the rows, with the period if the service cannot filter by it. */
export function filterOf<Row>(
  { filter, timeOf }: Pick<Listing<Endpoint, Row>, 'filter' | 'timeOf'>,
  typed: RowFilter<Row>['typed'],
  { startDate, endDate }: ListPeriod,
): RowFilter<Row> | undefined {
  if (!timeOf || (startDate ?? endDate) === undefined) return filter;
  const [startMs, endMs] = [Date.parse(startDate ?? ''), Date.parse(endDate ?? '')];
  return {
    typed: { ...filter?.typed, ...typed },
    matches: (row) => {
      const atMs = Date.parse(timeOf(row) ?? '');
      return !(atMs < startMs || atMs > endMs) && !Number.isNaN(atMs) && (filter?.matches(row) ?? true);
    },
  };
}

/** What must be the same for the parts of one file. */
const printedAs = ({ globals: { present } }: Account) => [
  present.format,
  present.fields ?? null,
  present.isCsvRaw === true,
];

/** A list to read: from where, and in which period. */
interface ListReader<E extends Endpoint, Row> {
  readonly account: Account;
  readonly listing: Listing<E, Row>;
  readonly list: string;
  readonly point: ResumePoint | undefined;
  readonly period: ListPeriod;
}

/** A list that is being read. */
export interface ListReading<E extends Endpoint, Row> {
  readonly first: readonly Row[];
  readonly more: AsyncGenerator<readonly Row[]>;
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

async function onePage<E extends Endpoint, Row>(reader: ListReader<E, Row>, limit: number): Promise<Outcome> {
  const { listing, point } = reader;
  const { endpoint, columns, filter, isById } = listing;
  // After a cursor, a whole page is read, since the last row of the page before may have moved.
  const size = filter || (point && !isById) ? PAGE_SIZE : Math.min(PAGE_SIZE, limit);
  const reading = await startReading(reader, size);
  const rows: Row[] = [];
  let left = 0;
  for await (const page of joined(reading)) {
    const taken = reading.take(page, limit - rows.length);
    rows.push(...taken.rows);
    left = taken.left;
    if (rows.length === limit) break;
  }
  await reading.sayFiltered();
  const reply = reading.reply();
  const { next } = reading.point();
  const hasMore =
    left > 0 || saysMore(reply.data, next) || (rows.length < limit || saysEnd(reply.data, next) ? false : null);
  const position = {
    total: filter ? null : (reading.total() ?? (hasMore === false ? next : null)),
    limit,
    offset: filter || (isById && point) ? null : reading.start,
    hasMore,
    after: hasMore === false || rows.length === 0 ? null : cursorOf(reading.point()),
  };
  const isAsReceived = rows.length === (listing.rowsOf(reply.data) ?? []).length;
  return outcomeOf(reader.account, endpoint, withRows(endpoint, reply, rows), {
    columns,
    list: { isWhole: false, position },
    isAsReceived,
  });
}

async function wholeList<E extends Endpoint, Row>(
  reader: ListReader<E, Row>,
  limit: number | undefined,
  file: PartFile | undefined,
): Promise<Outcome> {
  const { account, listing, point } = reader;
  const { endpoint, columns, filter, pageSize = PAGE_SIZE } = listing;
  const reading = await startReading(reader, limit ?? pageSize);
  const first = reading.take(reading.first).rows;
  const reply = reading.reply();
  async function* more() {
    for await (const page of reading.more) {
      const { rows } = reading.take(page);
      if (rows.length > 0) yield rows;
    }
    await reading.sayFiltered();
    const { next } = reading.point();
    if (reading.total() === undefined && saysMore(reading.reply().data, next))
      throw unreadable(`the service returned ${grouped(next)} rows and says that there are more`);
  }
  const position = {
    ...(filter ? { total: null } : {}),
    offset: point && (filter || listing.isById) ? null : reading.start,
  };
  const parts = resumable(account, {
    what: rowsInWords(endpoint.lists ?? 'rows'),
    ...{ first, more: more(), point: reading.point, file },
    total: () => (filter ? undefined : reading.total()),
    before: point && !filter ? reading.start : 0,
  });
  return outcomeOf(account, endpoint, withRows(endpoint, reply, first), {
    ...{ columns, ...parts, isContinued: point !== undefined },
    list: { isWhole: true, position },
  });
}

/** Finds a row of a list by its id, and returns it as a document. Throws CliError refused if the list does not have it. */
export async function found<E extends Endpoint, Row>(
  account: Account,
  listing: Listing<E, Row>,
  id: string,
  what: string,
): Promise<Outcome> {
  const reading = await startReading({ account, listing, list: '', point: undefined, period: ALWAYS }, PAGE_SIZE);
  for await (const page of joined(reading)) {
    const row = page.find((each) => listing.idOf(each) === id);
    if (row === undefined) continue;
    const rows = shapeOf(unwrap(listing.endpoint.response()).schema)?.[listing.endpoint.lists ?? ''];
    const schema = rows && elementOf(unwrap(rows).schema);
    return { result: { data: row, ...(schema ? { schema } : {}), request: reading.reply().request } };
  }
  throw new CliError('refused', `the service lists no ${what} with this id`, {
    code: 'NOT_FOUND',
    hint: 'copy the id exactly as the service printed it',
  });
}

async function* joined<Row>({ first, more }: Pick<ListReading<Endpoint, Row>, 'first' | 'more'>) {
  yield first;
  yield* more;
}

/** Requests the first page after the cursor, and follows how far the list is read. */
export async function startReading<E extends Endpoint, Row>(
  reader: ListReader<E, Row>,
  size: number,
): Promise<ListReading<E, Row>> {
  const { account, listing, list, point, period } = reader;
  const { endpoint, idOf, filter, isOldestFirst = false } = listing;
  const wait = pacer(account, endpoint);
  let pages = 0;
  let last: AccountReply<ResponseOf<E>> | undefined;
  const call = async (page: PageRequest) => {
    await wait();
    last = await account.call(endpoint, listing.request({ size, ...page }, period));
    pages += 1;
    return { rows: listing.rowsOf(last.data) ?? [], total: listing.totalOf?.(last.data) ?? undefined };
  };
  const { first, more, start, totalAtFirst, total } = await (listing.isById ? readById : readByOffset)(
    reader,
    size,
    call,
  );
  let passed = 0;
  let lastId = point?.last ?? null;
  return {
    ...{ first, more, start, total },
    take: (rows, maximum = Infinity) => {
      const taken: Row[] = [];
      let read = 0;
      for (const row of rows) {
        if (taken.length === maximum) break;
        read += 1;
        lastId = idOf(row) ?? null;
        if (filter === undefined || filter.matches(row)) taken.push(row);
      }
      passed += read;
      return { rows: taken, left: rows.length - read };
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
      // A filter of the command itself is nothing that anybody typed.
      const names = Object.entries(filter?.typed ?? {}).flatMap(([name, text]) =>
        text === undefined || !name.startsWith('--') ? [] : [name],
      );
      if (names.length === 0) return;
      const count = `${grouped(passed)} ${rowsInWords(endpoint.lists ?? 'rows')} on ${pages} ${pages === 1 ? 'page' : 'pages'}`;
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
    ...{ first: found.page, offset: found.offset, size, idOf, isOldestFirst, fetchPage },
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
