import { once } from '../base/calls.ts';
import { UTC } from '../base/zone.ts';
import {
  declaredLeaves,
  documentOf,
  isList,
  type Leaf,
  leavesOfFields,
  leavesOfRows,
  type Path,
  pagesOf,
  valueAt,
} from './content.ts';
import { openDrawRows } from './draw.ts';
import { amountWords, isPlainAmount, isPlainObject, type Plain } from './plain.ts';
import type { Column, PresentOptions, Result } from './result.ts';
import { openPaint } from './style.ts';
import { type Block, type Frame, type Grid, isRoomyFor, linesOfRow, listingText, openTable } from './table.ts';
import { jsonText, type Links, plainCell, plainLine, safeUrl, titleOf } from './text.ts';
import { type Times, timeText } from './times.ts';

/** Shown for null and missing fields. */
const NOTHING = '—';

/** Longer cells are truncated with an ellipsis. The longest id has 500 characters. */
const MAX_CELL_LENGTH = 1000;

const IN_UTC: Times = { zone: UTC };

/** Formats a value for a table: `₦5,000.00`, `yes`, `2026-11-21 14:14:05 +01`, or an em dash if there is none. */
export function cellText(value: Plain | undefined, times = IN_UTC, isBrief = false): string {
  const text = fullText(value, times, isBrief);
  return text.length > MAX_CELL_LENGTH ? `${text.slice(0, MAX_CELL_LENGTH - 1).toWellFormed()}…` : text;
}

function fullText(value: Plain | undefined, times: Times, isBrief: boolean): string {
  if (value === undefined || value === null) return NOTHING;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return plainLine(timeText(value, times, isBrief) ?? value);
  if (isPlainAmount(value)) return plainLine(amountWords(value));
  if (Array.isArray(value) && !value.some((item) => Array.isArray(item) || isPlainObject(item))) {
    return value.map((item) => fullText(item, times, isBrief)).join(', ') || NOTHING;
  }
  return plainLine(jsonText(value));
}

interface GridColumn {
  readonly path: Path;
  readonly title: string;
  readonly right: boolean;
  readonly isBrief?: boolean;
}

/** Maximum rows shown of a list in a document; other formats show all. */
const MAX_NESTED_ROWS = 10;

/** Yields the text of a table: of a list page by page, so that a long one appears while it is read. */
export async function* tableText(result: Result, options: PresentOptions, width: number): AsyncGenerator<string> {
  const { fields, isPiped = false, zone = UTC, clock } = options;
  const links = options.hasLinks ? new Map<string, string>() : undefined;
  // Not before something is drawn.
  const frame = once(() => openFrame(options, width, links));
  const times: Times = { zone, nowMs: isPiped ? undefined : clock?.now() };
  if (!isList(result)) {
    const document = await documentOf(result, fields);
    if (!isPlainObject(document)) return yield `${scalarText(document)}\n`;
    // With --fields, the page of a hash may be left out.
    if (links) findLinks(await documentOf(result), links);
    yield listingText(blocksOf(document, times, fields ? undefined : result.columns), await frame());
    if (result.below) yield* belowTexts(result, options, times, await frame());
    return;
  }
  let isSilent = false;
  let draw: ((rows: readonly Plain[]) => string) | undefined;
  for await (const rows of pagesOf(result, fields)) {
    if (draw && rows.length === 0) continue;
    // What a query found is for a script, which must not take a word for a row. What a quiet job found goes into a mail.
    const isForScript = result.lists === undefined && !result.columns;
    if (rows.length === 0 && (options.isQuiet || (isPiped && isForScript))) {
      isSilent = true;
      break;
    }
    if (rows.length > 0 && !isRows(rows)) {
      yield rows.map((row) => `${scalarText(row)}\n`).join('');
      continue;
    }
    if (!draw) {
      const plain: Times = { zone };
      const linesOf = (columns: readonly GridColumn[]) => linesOfRow(gridOf(columns, rows, plain), width);
      const columns = columnsOfList(result, options, rows, linesOf);
      // How long ago a time was is worth a column's width, but no further line.
      const isRoomy =
        times.nowMs !== undefined && isRoomyFor(gridOf(columns, rows, times), gridOf(columns, rows, plain), width);
      const page = openTable(await frame());
      draw = (some) => page(gridOf(columns, some, isRoomy ? times : plain));
    }
    // A list may have any number of rows.
    links?.clear();
    if (links) findLinks(rows, links);
    yield draw(rows);
  }
  if (result.below) yield* belowTexts(result, options, times, await frame(), { isFirst: !draw, isSilent });
}

/** Yields only the smaller tables that are below a list or a document. */
export async function* tablesBelow(result: Result, options: PresentOptions, width: number): AsyncGenerator<string> {
  const { isPiped = false, zone = UTC, clock } = options;
  const times: Times = { zone, nowMs: isPiped ? undefined : clock?.now() };
  yield* belowTexts(result, options, times, await openFrame(options, width));
}

/** Yields the smaller tables below a list or a document. */
function* belowTexts(
  { below = [] }: Result,
  { fields }: PresentOptions,
  times: Times,
  frame: Frame,
  { isFirst, isSilent }: { readonly isFirst: boolean; readonly isSilent: boolean } = {
    isFirst: false,
    isSilent: false,
  },
): Generator<string> {
  let isNext = !isFirst;
  for (const { title, rows, columns, isAlways } of fields ? [] : [below].flat()) {
    if (isSilent && !isAlways) continue;
    // Its rows are lines, which nobody counts.
    const blocks = blocksOf({ rows }, times, [{ field: 'rows', title, columns }]).map((each) => ({ ...each, title }));
    yield `${isNext ? '\n' : ''}${listingText(blocks, frame)}`;
    isNext = true;
  }
}

async function openFrame({ isPiped = false, color }: PresentOptions, width: number, links?: Links): Promise<Frame> {
  return { width, isPiped, drawRows: await openDrawRows(isPiped), paint: await openPaint(color), links };
}

/**
 * Returns the columns of a list: the requested fields, or the command's columns, or the scalar fields of the rows. `rows` are those of
 * the first page: a column that is empty there may be filled by a later one.
 */
function columnsOfList(
  result: Result,
  options: PresentOptions,
  rows: readonly Plain[],
  linesOf: (columns: readonly GridColumn[]) => number,
): readonly GridColumn[] {
  const leaves = declaredLeaves(result) ?? leavesOfRows(rows);
  if (options.fields) return leavesOfFields(options.fields, leaves).map(columnOfLeaf(result.columns));
  if (result.columns) {
    const choices = choicesOf(result.columns);
    const lines = choices.map((columns) => linesOf(columns.map(columnOfChoice(leaves))));
    const shown = choices[lines.indexOf(Math.min(...lines))] ?? result.columns;
    const left = result.columns.filter((column) => !shown.includes(column));
    if (left.length > 0 && rows.length > 0) options.leavesOut?.(left);
    return shown.map(columnOfChoice(leaves));
  }
  const isShown = (leaf: Leaf) =>
    rows.length === 0 || result.more !== undefined || rows.some((row) => (valueAt(row, leaf.path) ?? null) !== null);
  return scalarsOrAll(leaves.filter(isShown)).map(columnOfLeaf());
}

/** Returns the columns that may be shown: all, then without the last one that may go, without the last two, and so on. */
function choicesOf(columns: readonly Column[]): (readonly Column[])[] {
  const going = columns.filter(({ isWide }) => isWide);
  return [...going, undefined].map((_column, count) => {
    const left = going.slice(going.length - count);
    return columns.filter((column) => !left.includes(column));
  });
}

/** Returns the top-level scalars, or all leaves if there are none. */
function scalarsOrAll(leaves: readonly Leaf[]): readonly Leaf[] {
  const scalars = leaves.filter(({ path, kind }) => path.length === 1 && kind !== 'list' && kind !== 'object');
  return scalars.length > 0 ? scalars : leaves;
}

function columnOfLeaf(columns: readonly Column[] = []) {
  return ({ path, kind }: Leaf): GridColumn => {
    const field = path.join('.');
    const known = columns.find((column) => column.field === field);
    return { path, title: known?.title ?? titleOf(field), right: kind === 'amount' || kind === 'number' };
  };
}

function columnOfChoice(leaves: readonly Leaf[]) {
  return ({ field, title, align, isBrief, hasDots }: Column): GridColumn => {
    const kind = leaves.find((leaf) => leaf.path.join('.') === field)?.kind;
    return {
      path: hasDots ? [field] : field.split('.'),
      title,
      right: align === undefined ? kind === 'amount' : align === 'right',
      isBrief: isBrief === true,
    };
  };
}

function gridOf(columns: readonly GridColumn[], rows: readonly Plain[], times: Times): Grid {
  return {
    titles: columns.map(({ title }) => plainLine(title)),
    cells: rows.map((row) => columns.map(({ path, isBrief }) => cellText(valueAt(row, path), times, isBrief))),
    right: columns.map((column) => column.right),
  };
}

/** Returns the parts of a document in field order, or only `columns` if the command defines them. */
function blocksOf(document: Plain, times: Times, columns?: readonly Column[]): Block[] {
  if (columns)
    return columns.map(({ field, title, columns: inner }) =>
      blockOf(title, valueAt(document, field.split('.')) ?? null, times, inner),
    );
  if (!isPlainObject(document)) return [];
  return Object.entries(document).map(([name, value]) => blockOf(titleOf(name), value, times));
}

function blockOf(title: string, value: Plain, times: Times, columns?: readonly Column[]): Block {
  if (isPlainObject(value) && Object.keys(value).length > 0)
    return { kind: 'group', title, blocks: blocksOf(value, times) };
  if (Array.isArray(value) && isRows(value)) {
    if (columns) {
      const chosen = columns.map(columnOfChoice(leavesOfRows(value)));
      const filled = chosen.filter(({ path }) => value.some((row) => (valueAt(row, path) ?? null) !== null));
      const grid = gridOf(filled, value, { zone: times.zone });
      return { kind: 'grid', title: `${title} (${value.length})`, grid, hidden: 0 };
    }
    const shown = value.slice(0, MAX_NESTED_ROWS);
    const grid = gridOf(scalarsOrAll(leavesOfRows(value)).map(columnOfLeaf()), shown, { zone: times.zone });
    return { kind: 'grid', title: `${title} (${value.length})`, grid, hidden: value.length - shown.length };
  }
  return { kind: 'pair', title, text: cellText(isPlainObject(value) ? null : value, times) };
}

/** Whether all items of a list have fields, so that a table can show them. */
function isRows(values: readonly Plain[]): boolean {
  return values.length > 0 && values.every((value) => isPlainObject(value) && !isPlainAmount(value));
}

/** The fields with a transaction hash. */
const HASHES = ['txHash', 'transactionHash'];

/** Finds the link targets of transaction hashes: the explorer page that the service gives next to each. */
function findLinks(value: Plain, links: Map<string, string>): void {
  if (Array.isArray(value)) for (const each of value) findLinks(each, links);
  if (!isPlainObject(value)) return;
  const { explorerLink } = value;
  const page = typeof explorerLink === 'string' ? safeUrl(explorerLink) : undefined;
  for (const name of HASHES) {
    const hash = Object.hasOwn(value, name) ? value[name] : undefined;
    if (page !== undefined && typeof hash === 'string' && hash !== '') links.set(plainLine(hash), page);
  }
  for (const each of Object.values(value)) findLinks(each, links);
}

/** Formats a single value without decoration, on one line, for scripts. */
function scalarText(value: Plain): string {
  if (typeof value === 'string') return plainCell(value);
  return isPlainAmount(value) ? cellText(value) : jsonText(value);
}
