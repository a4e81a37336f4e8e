import { absolutePath } from '../../account/paths.ts';
import { CliError, withDetails } from '../../base/errors.ts';
import type { OutputStream } from '../../base/world.ts';
import type { Endpoint, RequestWithoutConsent, ResponseOf } from '../../contract/endpoint.ts';
import { sha256Hex } from '../../crypto/digest.ts';
import { openPartFile, type PartFile } from '../../files/part-file.ts';
import { grouped } from '../../money/decimal.ts';
import type { Column, Result } from '../../present/result.ts';
import type { Account } from '../account.ts';
import type { ListPage } from './pages.ts';

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

/** The period of a list that has no limits. */
export const ALWAYS: ListPeriod = { startDate: undefined, endDate: undefined };

/** The period of a list, as times in UTC. Both are in it. */
export interface ListPeriod {
  readonly startDate: string | undefined;
  readonly endDate: string | undefined;
}

/** Where a list stopped: enough to go on without losing or repeating a row. */
export interface ResumePoint {
  /** The endpoint, the account and the filters, as digests: it fits nothing else. */
  readonly list: string;
  /** The number of rows before it in the whole list, when the last page was read. */
  readonly next: number;
  /** The number of rows in the whole list at that time; null if the service does not say. */
  readonly total: number | null;
  /** The id of the last row; null if rows have none. */
  readonly last: string | null;
  /** The period of the first page. Words such as `7d` mean another one later. */
  readonly period?: ListPeriod;
}

/** Identifies a list: which account, which endpoint, which filters. Contains neither a key nor a name. */
export function listDigest(keyFingerprint: string, endpoint: string, filters: unknown): string {
  return sha256Hex(JSON.stringify([keyFingerprint, endpoint, filters])).slice(0, 12);
}

/** Ids that need no quotes in a shell, and no dot. */
const PLAIN_ID = /^[\w-]+$/;

/** Writes a point as one short word for a command line: `8aa0426f21e8.42600.60000.i0001320260309`. */
export function cursorOf({ list, next, total, last, period }: ResumePoint): string {
  const id = last === null ? 'n' : PLAIN_ID.test(last) ? `i${last}` : `b${Buffer.from(last).toString('base64url')}`;
  const during = period ? [`.${shortTime(period.startDate)}`, shortTime(period.endDate)] : [];
  return `${list}.${next}.${total ?? ''}.${id}${during.join('-')}`;
}

const shortTime = (time: string | undefined) => (time === undefined ? '' : Date.parse(time).toString(36));

const timeOf = (short: string) => (short === '' ? undefined : new Date(Number.parseInt(short, 36)).toISOString());

const CURSOR =
  /^([0-9a-f]{12})\.(\d{1,15})\.(\d{0,15})\.(?:(n)|i([\w-]{1,500})|b([\w-]{1,700}))(?:\.([0-9a-z]{0,9})-([0-9a-z]{0,9}))?$/;

/** Reads a cursor. Throws CliError usage if it is not one, or one of another list. */
export function pointOf(cursor: string, list: string): ResumePoint {
  const [, digest, next, total, none, plain, encoded = '', start, end = ''] = CURSOR.exec(cursor) ?? [];
  if (digest === undefined)
    throw new CliError('usage', '--after: this is not a cursor that fiatrail printed; nothing was read', {
      code: 'CURSOR_INVALID',
      hint: 'copy the whole cursor from the page before',
    });
  if (digest !== list)
    throw new CliError('usage', 'cannot continue the list: the cursor belongs to another list, filter or account', {
      code: 'CURSOR_INVALID',
      hint: 'repeat the command line and the profile of the page before; or, to start a file over, remove FILE.part and FILE.part.json',
    });
  const last = none ? null : (plain ?? Buffer.from(encoded, 'base64url').toString());
  const period = start === undefined ? {} : { period: { startDate: timeOf(start), endDate: timeOf(end) } };
  return { list, next: Number(next), total: total ? Number(total) : null, last, ...period };
}

/** A page, and how many of its first rows were printed before. */
interface FoundPage<Row> {
  readonly page: ListPage<Row>;
  readonly offset: number;
  readonly printed: number;
}

interface PagedRows<Row> {
  readonly idOf: (row: Row) => string | null | undefined;
  readonly fetchPage: (offset: number) => Promise<ListPage<Row>>;
  readonly isOldestFirst: boolean;
}

/**
 * Finds where to resume a list by position. Rows that were added meanwhile move the last printed row, so it is looked up by its id.
 * Throws CliError declined if it is no longer there.
 */
export async function pageAfter<Row>(
  { next, total, last }: ResumePoint,
  { idOf, fetchPage, isOldestFirst }: PagedRows<Row>,
): Promise<FoundPage<Row>> {
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
  throw new CliError('declined', '--after: the last row of the page before is no longer in the list', {
    code: 'CURSOR_LOST',
    hint: 'read the list from its start, without --after',
  });
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
export async function withSink<T>(
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
export function resumable<Row>(account: Account, list: ResumableList<Row>): ResumableParts {
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
        hint: [error.hint, goOn].filter((each) => each !== undefined).join('; '),
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
