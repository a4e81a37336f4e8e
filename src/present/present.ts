import { CliError } from '../base/errors.ts';
import type { OutputStream } from '../base/world.ts';
import { UTC } from '../base/zone.ts';
import { cellText } from './cells.ts';
import {
  allRows,
  declaredLeaves,
  documentOf,
  isList,
  isLongList,
  pagesOf,
  pickedList,
  rawDocument,
} from './content.ts';
import { csvHeader, csvRows, inertCell } from './csv.ts';
import { checkFields, type Leaf, leavesOfFields, leavesOfRows, pick } from './fields.ts';
import { isPlainAmount } from './money.ts';
import { isPlainObject, type Plain } from './plain.ts';
import { checkQuery, runQuery } from './query.ts';
import type { Depth, PresentOptions, Result, ResultShape } from './result.ts';
import type { Frame } from './table.ts';
import { jsonText, plainCell, plainLines, rawText } from './text.ts';
import type { Times } from './times.ts';
import { blocksOf, columnsOfList, findLinks, gridOf, isRows } from './view.ts';

const DEFAULT_WIDTH = 80;
const MIN_WIDTH = 20;

/**
 * Prints a result to `out` in the format of `options`. The only place that prints data; every write is awaited. Returns false if a
 * query found nothing. Throws CliError usage for unknown fields and invalid queries before printing anything.
 */
export async function present(result: Result, options: PresentOptions, out: OutputStream): Promise<boolean> {
  await checkOptions(result, options);
  const { query, ...rest } = options;
  const { always } = result;
  if (query === undefined) {
    await print(result, options, out);
    return true;
  }
  const data = await runQuery(await documentOf(result), query);
  await print({ data }, { ...rest, format: always === 'text' ? 'json' : (always ?? options.format) }, out);
  return data !== null && !(Array.isArray(data) && data.length === 0);
}

async function print(result: Result, options: PresentOptions, out: OutputStream): Promise<void> {
  const { always, depth } = result;
  if (always === 'text') return out.write(plainLines(String(result.data)));
  const format = always ?? options.format;
  if ((format === 'json' || format === 'yaml' || format === 'raw') && isLongList(result))
    return presentLongList(result, format, options, out);
  switch (format) {
    case 'raw':
      return out.write(`${rawText(rawDocument(result))}\n`);
    case 'json':
      return out.write(`${jsonText(await pickedDocument(result, options), 2)}\n`);
    case 'yaml': {
      const { yamlText } = await import('./yaml.ts');
      return out.write(await yamlText(await pickedDocument(result, options)));
    }
    case 'ndjson':
      return presentLines(result, options, out);
    case 'csv':
      return presentCsv(result, options, out);
    case 'table':
      if (depth && !options.fields) return out.write(await chartOf(depth, options, out));
      for await (const text of tableOf(result, options, frameOf(options, out))) await out.write(text);
      return;
  }
}

/**
 * Throws CliError usage if the options do not fit the result. Commands that move money call it before sending.
 */
export async function checkOptions(
  shape: ResultShape & { readonly names?: readonly string[] },
  options: PresentOptions,
): Promise<void> {
  const { fields, query } = options;
  const format = shape.always === 'text' ? options.format : (shape.always ?? options.format);
  if (shape.always === 'text' && (fields || query !== undefined)) {
    throw new CliError(
      'usage',
      `${fields ? '--fields' : '--query'} does not apply to this command; its output is plain text`,
    );
  }
  if (fields && query !== undefined) {
    throw new CliError('usage', '--fields and --query cannot be combined', {
      hint: "select the fields in the query: --query 'users[].{id: userId, name: firstName}'",
    });
  }
  if (format === 'raw' && (fields || query !== undefined)) {
    throw new CliError(
      'usage',
      `-o raw prints the response unchanged and cannot be combined with ${fields ? '--fields' : '--query'}`,
      {
        hint: 'use another format, such as: -o json',
      },
    );
  }
  if (options.isCsvRaw && format !== 'csv') {
    throw new CliError('usage', `--csv-raw applies only to CSV; the output format is ${format}`, {
      hint: 'add -o csv, or omit --csv-raw',
    });
  }
  if (query !== undefined) await checkQuery(query);
  const leaves = shape.names?.map((name): Leaf => ({ path: [name], kind: 'text' })) ?? declaredLeaves(shape);
  if (fields && leaves) checkFields(fields, leaves);
}

/** Validates fields against the data if there is no schema. An empty list has no fields to check against. */
function checkAgainstData(result: Result, fields: readonly string[] | undefined, rows: readonly Plain[]): void {
  if (fields && !declaredLeaves(result) && rows.length > 0) checkFields(fields, leavesOfRows(rows));
}

function picker(fields: readonly string[] | undefined): (row: Plain) => Plain {
  if (!fields) return (row) => row;
  const paths = fields.map((field) => field.split('.'));
  return (row) => pick(row, paths);
}

/** Returns the result as one document; with `fields`, a list result contains only the list and its position. */
async function pickedDocument(result: Result, { fields }: PresentOptions): Promise<Plain> {
  if (!fields) return documentOf(result);
  const list = isList(result);
  const rows = list ? await allRows(result) : [await documentOf(result)];
  checkAgainstData(result, fields, rows);
  const picked = rows.map(picker(fields));
  if (!list) return picked[0] ?? null;
  return pickedList(result, picked);
}

/** Yields pages of rows; a document is one page with one row. */
async function* pages(result: Result): AsyncGenerator<readonly Plain[]> {
  if (isList(result)) yield* pagesOf(result);
  else yield [await documentOf(result)];
}

/** Writes a list of many pages as one document, as it is read. */
async function presentLongList(
  result: Result,
  format: 'json' | 'yaml' | 'raw',
  { fields }: PresentOptions,
  out: OutputStream,
): Promise<void> {
  const { longListText } = await import('./long-list.ts');
  let isChecked = false;
  const picked = (rows: readonly Plain[]) => {
    if (!isChecked) checkAgainstData(result, fields, rows);
    isChecked ||= rows.length > 0;
    return rows.map(picker(fields));
  };
  for await (const text of longListText(result, format, picked, fields !== undefined)) await out.write(text);
}

async function presentLines(result: Result, { fields }: PresentOptions, out: OutputStream): Promise<void> {
  let isChecked = false;
  for await (const rows of pages(result)) {
    if (rows.length === 0) continue;
    if (!isChecked) checkAgainstData(result, fields, rows);
    isChecked = true;
    const lines = rows.map(picker(fields)).map((row) => `${jsonText(row)}\n`);
    await out.write(lines.join(''));
  }
}

/** Takes the columns from the schema, or else from the first page that has rows. */
async function presentCsv(result: Result, { fields, isCsvRaw }: PresentOptions, out: OutputStream): Promise<void> {
  const cellText = isCsvRaw ? plainCell : inertCell;
  const chosen = (leaves: readonly Leaf[]) => (fields ? leavesOfFields(fields, leaves) : leaves);
  const declared = declaredLeaves(result);
  let columns = declared && chosen(declared);
  if (columns && !result.isContinued) await out.write(csvHeader(columns, cellText));
  for await (const rows of pages(result)) {
    if (rows.length === 0) continue;
    checkAgainstData(result, columns ? undefined : fields, rows);
    const isHeaderDue = columns === undefined && !result.isContinued;
    columns ??= chosen(leavesOfRows(rows));
    const header = isHeaderDue ? csvHeader(columns, cellText) : '';
    await out.write(header + csvRows(rows, columns, cellText));
  }
}

/** Falls back to the default width if the terminal reports none, or one too narrow for any table. */
function widthOf(options: PresentOptions, out: OutputStream): number {
  const width = options.width ?? out.columns ?? DEFAULT_WIDTH;
  return width >= MIN_WIDTH ? width : DEFAULT_WIDTH;
}

function frameOf(options: PresentOptions, out: OutputStream): Frame {
  const isPiped = options.isPiped === true;
  const width = isPiped ? (options.width ?? Number.POSITIVE_INFINITY) : widthOf(options, out);
  return { width, isPiped, color: options.color };
}

async function chartOf(depth: Depth, options: PresentOptions, out: OutputStream): Promise<string> {
  const { depthText } = await import('./chart.ts');
  return depthText(depth, widthOf(options, out), options);
}

function timesOf({ zone = UTC, clock, isPiped }: PresentOptions): Times {
  return { zone, nowMs: isPiped ? undefined : clock?.now() };
}

/** Yields the text of a table: of a list page by page, so that a long one appears while it is read. */
async function* tableOf(result: Result, options: PresentOptions, plainFrame: Frame): AsyncGenerator<string> {
  const { isRoomyFor, listingText, openTable } = await import('./table.ts');
  const links = options.hasLinks ? new Map<string, string>() : undefined;
  const frame = { ...plainFrame, links };
  const times = timesOf(options);
  if (!isList(result)) {
    const document = await pickedDocument(result, options);
    if (!isPlainObject(document)) return yield `${scalarText(document)}\n`;
    // With --fields, the page of a hash may be left out.
    if (links) findLinks(await documentOf(result), links);
    return yield listingText(blocksOf(document, times, options.fields ? undefined : result.columns), frame);
  }
  let draw: ((rows: readonly Plain[]) => string) | undefined;
  for await (const rows of pagesOf(result)) {
    if (draw && rows.length === 0) continue;
    if (!draw) checkAgainstData(result, options.fields, rows);
    // What a query found is for a script, which must not take a word for a row. What a quiet job found goes into a mail.
    const isForScript = result.lists === undefined && !result.columns;
    if (rows.length === 0 && (options.isQuiet || (frame.isPiped && isForScript))) return;
    if (rows.length > 0 && !isRows(rows)) {
      yield rows.map((row) => `${scalarText(row)}\n`).join('');
      continue;
    }
    if (!draw) {
      const columns = columnsOfList(result, options, rows, frame.width);
      const gridWith = (shown: Times) => (page: readonly Plain[]) => gridOf(columns, page, shown);
      const [plain, roomy] = [gridWith({ zone: times.zone }), gridWith(times)];
      // How long ago a time was is worth a column's width, but no further line.
      const gridFor = times.nowMs !== undefined && isRoomyFor(roomy(rows), plain(rows), frame) ? roomy : plain;
      const page = await openTable(frame);
      draw = (some) => page(gridFor(some));
    }
    // A list may have any number of rows.
    links?.clear();
    if (links) findLinks(rows, links);
    yield draw(rows);
  }
  if (!result.below || options.fields) return;
  const { title, rows, columns } = result.below;
  const blocks = blocksOf({ rows }, times, [{ field: 'rows', title, columns }]);
  yield `\n${await listingText(blocks, frame)}`;
}

/** Formats a single value without decoration, on one line, for scripts. */
function scalarText(value: Plain): string {
  if (typeof value === 'string') return plainCell(value);
  return isPlainAmount(value) ? cellText(value) : jsonText(value);
}
