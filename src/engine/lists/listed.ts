import { absolutePath } from '../../account/paths.ts';
import { advice, joined } from '../../base/advice.ts';
import { CliError, hintOf, withDetails } from '../../base/errors.ts';
import type { OutputStream } from '../../base/world.ts';
import type { Endpoint, ResponseOf } from '../../contract/endpoint.ts';
import { elementOf, shapeOf, unwrap } from '../../contract/rows.ts';
import { openPartFile, type PartFile } from '../../files/part-file.ts';
import { grouped } from '../../money/decimal.ts';
import { rowsInWords } from '../../present/content.ts';
import type { Result } from '../../present/result.ts';
import type { Account, AccountReply } from '../account.ts';
import { type Outcome, outcomeOf } from '../outcome.ts';
import { ALWAYS, cursorOf, type ListPeriod, listDigest, pointOf, type ResumePoint } from './cursor.ts';
import {
  DEFAULT_LIMIT,
  type Listing,
  type ListReader,
  PAGE_SIZE,
  type RowFilter,
  saysEnd,
  saysMore,
  startReading,
  unreadable,
} from './pages.ts';

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
      listing.request({}, ALWAYS),
      typed,
      listing.filter?.typed ?? null,
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

async function onePage<E extends Endpoint, Row>(reader: ListReader<E, Row>, limit: number): Promise<Outcome> {
  const { listing, point } = reader;
  const { endpoint, columns, filter, isById } = listing;
  // After a cursor, a whole page is read, since the last row of the page before may have moved.
  const size = filter || (point && !isById) ? PAGE_SIZE : Math.min(PAGE_SIZE, limit);
  const reading = await startReading(reader, size);
  const rows: Row[] = [];
  let left = 0;
  for await (const page of reading.pages) {
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
  const firstPage = await reading.pages.next();
  const first = reading.take(firstPage.done ? [] : firstPage.value).rows;
  const reply = reading.reply();
  async function* more() {
    for await (const page of reading.pages) {
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
    first,
    more: more(),
    point: reading.point,
    file,
    total: () => (filter ? undefined : reading.total()),
    before: point && !filter ? reading.start : 0,
  });
  return outcomeOf(account, endpoint, withRows(endpoint, reply, first), {
    columns,
    ...parts,
    isContinued: point !== undefined,
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
  for await (const page of reading.pages) {
    const row = page.find((each) => listing.idOf(each) === id);
    if (row === undefined) continue;
    const rows = shapeOf(unwrap(listing.endpoint.response()).schema)?.[listing.endpoint.lists ?? ''];
    const schema = rows && elementOf(unwrap(rows).schema);
    return { result: { data: row, ...(schema ? { schema } : {}), request: reading.reply().request } };
  }
  throw new CliError('rejected', `the service lists no ${what} with this id`, {
    code: 'NOT_FOUND',
    hint: advice`find the id with: [fiatrail ${`${what}s`} list]`,
  });
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

/** Where a list goes on, and its file. */
interface SinkOptions {
  readonly after: string | undefined;
  readonly outputFile: string | undefined;
}

/** The formats that can go on in the middle: a row is a line. */
const LINES: readonly string[] = ['csv', 'ndjson'];

/** The file of a list, if it has one, and where the list goes on. */
interface Sink {
  readonly file: PartFile | undefined;
  readonly cursor: string | undefined;
}

function openSink({ globals, world }: Pick<Account, 'globals' | 'world'>, { after, outputFile }: SinkOptions): Sink {
  if (outputFile === undefined) return { file: undefined, cursor: after };
  if (after !== undefined)
    throw new CliError('usage', '--after and --output-file cannot be combined', {
      hint: 'omit --after: a list that is written to a file resumes by itself',
    });
  const { format, query } = globals.present;
  if (!LINES.includes(format) || query !== undefined)
    throw new CliError('usage', '--output-file needs -o csv or -o ndjson, without --query', { hint: 'add -o ndjson' });
  const file = globals.dryRun ? undefined : openPartFile(absolutePath(outputFile), world.ids.uuid, world.host);
  return { file, cursor: file?.cursor };
}

/** Reads a list into its file, if it has one, which is closed if that fails. Throws CliError usage. */
async function withSink<T>(
  account: Pick<Account, 'globals' | 'world'>,
  options: SinkOptions,
  read: (sink: Sink) => Promise<T>,
): Promise<T> {
  const sink = openSink(account, options);
  try {
    return await read(sink);
  } catch (error) {
    sink.file?.close();
    throw error;
  }
}

interface ResumableList<Row> {
  /** What the rows are: `users`. */
  readonly what: string;
  readonly first: readonly Row[];
  readonly more: AsyncIterable<readonly Row[]>;
  /** Where the list is after the rows that `more` returned last. */
  readonly point: () => ResumePoint;
  readonly total: () => number | undefined;
  /** The rows that an earlier run printed. */
  readonly before: number;
  readonly file: PartFile | undefined;
}

type ResumableParts = Pick<Result, 'more' | 'sink' | 'stopped'>;

/** Follows a list while it is printed, so that a command that stops in the middle can say how to go on. */
function resumable<Row>(account: Account, list: ResumableList<Row>): ResumableParts {
  const { what, first, more, total, before, file } = list;
  const {
    globals,
    notices: { progress },
  } = account;
  let count = 0;
  let point: ResumePoint | undefined;
  const wrote = async (rows: readonly Row[]) => {
    count += rows.length;
    point = list.point();
    file?.saveCursor(cursorOf(point));
    await progress.rows(before + count, total(), what);
  };
  async function* pages() {
    // The page before has been printed when the next one is asked for.
    await wrote(first);
    for await (const rows of more) {
      yield rows;
      await wrote(rows);
    }
    await progress.end();
  }
  return {
    more: pages(),
    ...(file ? { sink: sinkOf(file) } : {}),
    stopped: async (error) => {
      await progress.end();
      file?.close();
      const { format, query } = globals.present;
      const isResumable = LINES.includes(format);
      // A query is asked of the whole list, so that nothing was printed.
      if (!(error instanceof CliError) || !point || query !== undefined) return error;
      const all = total();
      const done = before + count;
      const extent = all === undefined ? grouped(done) : `${grouped(done)} of ${grouped(all)}`;
      const resume = file ? 'the same command resumes from there' : `resume with: --after ${cursorOf(point)}`;
      const goOn = isResumable ? resume : 'only -o csv and -o ndjson can be resumed';
      return withDetails(error, {
        message: `${error.message}; ${extent} ${what} were ${file ? 'written' : 'printed'}`,
        hint: joined([hintOf(error), goOn], '; '),
      });
    },
  };
}

function sinkOf(file: PartFile): NonNullable<Result['sink']> {
  const out: OutputStream = {
    isTerminal: false,
    columns: undefined,
    write: async (text: string) => file.write(text),
  };
  return {
    out,
    finish: async () => {
      file.finish();
      file.close();
    },
  };
}
