import { type CellLine, type DrawRows, GAP } from './draw.ts';
import type { Paint, Style } from './style.ts';
import { cellWithLink, type Links, plainLine } from './text.ts';
import { leastWidth, widthOf, wrap } from './width.ts';

/** The colors of states: of work that went well, that failed, or that someone should look at. */
const STATES: readonly (readonly [Style, readonly string[]])[] = [
  [
    'green',
    [
      'completed',
      'success',
      'successful',
      'settled',
      'active',
      'verified',
      'delivered',
      'confirmed',
      'filled',
      'done',
      'accepted',
      'approved',
      'enabled',
      'resolved',
      'forwarded',
      'ok',
      'holds',
    ],
  ],
  [
    'red',
    [
      'failed',
      'rejected',
      'rejected',
      'expired',
      'cancelled',
      'canceled',
      'error',
      'problem',
      'dead',
      'deleted',
      'does not hold',
    ],
  ],
  [
    'yellow',
    [
      'pending',
      'unknown',
      'sent',
      'prepared',
      'processing',
      'requested',
      'initiated',
      'paused',
      'inactive',
      'waiting',
      'warning',
      'skipped',
    ],
  ],
];

/** Titles of the columns and values that are states. */
const TITLES: readonly string[] = ['Status', 'State', 'Result'];

/**
 * Returns a function that formats a table with bold titles page by page. No line is wider than the frame, unless a cell is
 * one word, such as an id, that is: the terminal wraps it, so that it can be copied whole. Columns only get wider from page to page; the titles are written again if columns move to other lines. Each text ends with a newline.
 */
export function openTable(frame: Frame): (page: Grid) => string {
  let before: Drawn | undefined;
  return (page) => {
    before = gridLines(frame, page, before);
    return joinLines(before.lines);
  };
}

/** Returns the color of a value under a title; undefined for anything that is not a known state. */
function colorOf(title: string, text: string): Style | undefined {
  if (!TITLES.includes(title)) return undefined;
  const word = text.toLowerCase();
  return STATES.find(([, words]) => words.includes(word))?.[0];
}

/** The text of a table before layout. */
export interface Grid {
  readonly titles: readonly string[];
  readonly cells: readonly (readonly string[])[];
  readonly right: readonly boolean[];
}

/** A part of a document: a title with a value, a group of parts, or a small table. */
export type Block =
  | { readonly kind: 'pair'; readonly title: string; readonly text: string }
  | { readonly kind: 'group'; readonly title: string; readonly blocks: readonly Block[] }
  | { readonly kind: 'grid'; readonly title: string; readonly grid: Grid; readonly hidden: number };

type Rows = readonly (readonly string[])[];

/** Where a table is drawn. */
export interface Frame {
  /** In columns; infinite if nothing limits it. */
  readonly width: number;
  /** Each row is one line, for another program. */
  readonly isPiped: boolean;
  readonly drawRows: DrawRows;
  readonly paint: Paint;
  /** The link targets of hashes, on a terminal that supports links. */
  readonly links?: Links | undefined;
}

/** Returns how many lines each row of a table takes, apart from texts that wrap. */
export function linesOfRow(grid: Grid, width: number): number {
  return layoutOf(measure(grid, width), width).lines.length;
}

/** Whether the wider of two tables with the same columns needs no more lines than the other one. */
export function isRoomyFor(wider: Grid, narrower: Grid, width: number): boolean {
  return fitsInstead(measure(wider, width), measure(narrower, width), width);
}

/** Formats a document as aligned titles and values. Ends with a newline. */
export function listingText(blocks: readonly Block[], frame: Frame): string {
  return joinLines(blockLines(frame, blocks));
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

const MIN_WIDTH = 20;

/** How a cell is drawn, by its row and its column. */
type StyleOf = (row: readonly string[], column: number) => Style | undefined;

/** Wraps each cell to its column's width, or cuts it, then styles and aligns it. Returns the lines of all rows. */
function draw(
  { isPiped, drawRows, paint, links }: Frame,
  rows: Rows,
  widths: readonly number[],
  right: readonly boolean[],
  styleOf: StyleOf,
): string[] {
  const lines = rows.flatMap((row) => {
    const cells = row.map((text, column) => {
      const width = widths[column] ?? 0;
      const style = styleOf(row, column);
      // Only a whole text can be a link, not one line of it.
      const linked = (line: string) => (links && line === text ? cellWithLink(line, links) : line);
      const parts = isPiped ? [clip(text, width)] : wrap(text, width, true);
      return parts.map((line) => ({ shown: style ? paint(line, style) : linked(line), width: widthOf(line) }));
    });
    const height = greatest(cells.map(({ length }) => length));
    return Array.from({ length: height }, (_line, at) => cells.map((cell) => cell[at] ?? EMPTY));
  });
  return drawRows(lines, widths, right);
}

const EMPTY: CellLine = { shown: '', width: 0 };

const TIME = /^[\d-]{10} \d\d:\d\d(:\d\d)?(Z| [+-]\d\d(:\d\d)?)$/;

/** Measures columns, which are at least as wide as `before`. Only text may wrap; right-aligned amounts and times stay on one line. */
function measure({ titles, cells, right }: Grid, width: number, before: readonly Measured[] = []): Measured[] {
  return titles.map((_title, column) => {
    let { natural, least } = before[column] ?? { natural: 0, least: 0 };
    // In a sentence, a word for which there is no room is shortened.
    const widestWord = (text: string) =>
      text.includes(' ') ? Math.min(leastWidth(text), Math.max(1, width - INDENT)) : leastWidth(text);
    for (const row of [titles, ...cells]) {
      const text = row[column] ?? '';
      const own = widthOf(text);
      const isRigid = width === Number.POSITIVE_INFINITY || right[column] === true || TIME.test(text);
      natural = Math.max(natural, own);
      least = Math.max(least, isRigid ? own : widestWord(text));
    }
    return { natural, least };
  });
}

/** Avoids Math.max, whose number of arguments is limited. */
function greatest(figures: readonly number[]): number {
  return figures.reduce((most, figure) => Math.max(most, figure), 0);
}

/** A page of a table, and what the next page continues. */
interface Drawn {
  readonly lines: readonly string[];
  readonly measured: readonly Measured[];
  /** The columns on each line of a row. */
  readonly folds: string;
}

function gridLines(frame: Frame, grid: Grid, before?: Drawn): Drawn {
  const { width } = frame;
  const { titles } = grid;
  if (titles.length === 0) return { lines: ['(none)'], measured: [], folds: '' };
  const measured = measure(grid, width, before?.measured);
  const { lines, widths } = layoutOf(measured, width, frame.isPiped);
  const part = <T>(values: readonly T[], line: readonly number[]) =>
    lines.length === 1 ? values : values.filter((_value, at) => line.includes(at));
  const drawn = (rows: Rows, isBold: boolean) =>
    lines.flatMap((line, number) => {
      const names = part(titles, line);
      const styleOf: StyleOf = isBold ? () => 'bold' : (row, at) => colorOf(names[at] ?? '', row[at] ?? '');
      const cells = rows.map((row) => part(row, line));
      const texts = draw(frame, cells, part(widths, line), part(grid.right, line), styleOf);
      if (number === 0) return texts;
      // Empty continuation lines are omitted.
      return texts.filter((text) => text.trim() !== '').map((text) => ' '.repeat(INDENT) + text);
    });
  const lineWidths = lines.map((line, number) => lineWidth(part(widths, line)) + (number === 0 ? 0 : INDENT));
  const rule = '─'.repeat(Math.min(width, greatest(lineWidths)));
  // Single-line rows are drawn together; multi-line rows one by one, to keep their lines together.
  const body = lines.length === 1 ? drawn(grid.cells, false) : grid.cells.flatMap((row) => drawn([row], false));
  const folds = JSON.stringify(lines);
  const head = before?.folds === folds ? [] : [...drawn([titles], true), rule];
  const isEmpty = grid.cells.length === 0 && !before;
  return { lines: [...head, ...(isEmpty ? ['(none)'] : body)], measured, folds };
}

function blockLines(frame: Frame, blocks: readonly Block[]): string[] {
  const { width, paint } = frame;
  const pairs = blocks.filter((block) => block.kind === 'pair');
  const titleWidth = greatest(pairs.map((block) => widthOf(plainLine(block.title))));
  const room = Math.max(1, Math.min(width - titleWidth - GAP, greatest(pairs.map((block) => widthOf(block.text)))));
  const isOnOneLine = (block: Block) => block.kind === 'pair' && leastWidth(block.text) <= room;
  // Keeps deeply nested content readable.
  const within = { ...frame, width: Math.max(width - INDENT, MIN_WIDTH) };
  return runsOf(blocks, isOnOneLine).flatMap(([first, ...more]) => {
    if (!first) return [];
    const title = plainLine(first.title);
    if (isOnOneLine(first)) {
      const rows = [first, ...more].map((pair) => [plainLine(pair.title), pair.kind === 'pair' ? pair.text : '']);
      const styleOf: StyleOf = (row, at) => (at === 0 ? 'bold' : colorOf(row[0] ?? '', row[1] ?? ''));
      return draw(frame, rows, [titleWidth, room], [false, false], styleOf);
    }
    const inner = first.kind === 'pair' ? textBelow(frame, first.text) : partLines(within, first);
    return [paint(title, 'bold'), ...inner.map((line) => ' '.repeat(INDENT) + line)];
  });
}

function partLines(frame: Frame, block: Exclude<Block, { kind: 'pair' }>): string[] {
  if (block.kind === 'group') return blockLines(frame, block.blocks);
  const { lines } = gridLines(frame, block.grid);
  return block.hidden > 0 ? [...lines, `… ${block.hidden} more; show all with: -o json`] : [...lines];
}

/** Groups neighbouring values that can share a table, because a table costs more than its rows. */
function runsOf<T>(values: readonly T[], goesTogether: (value: T) => boolean): T[][] {
  const runs: T[][] = [];
  for (const value of values) {
    const before = runs.at(-1)?.at(-1);
    if (before !== undefined && goesTogether(before) && goesTogether(value)) runs.at(-1)?.push(value);
    else runs.push([value]);
  }
  return runs;
}

/** Draws a value below its title because a word, such as an id, is too long to fit next to it. */
function textBelow(frame: Frame, text: string): string[] {
  return draw(frame, [[text]], [Math.max(leastWidth(text), frame.width - INDENT)], [false], () => undefined);
}

/** The natural and minimum width of a column, without gaps. The minimum is the longest word if the text may wrap. */
interface Measured {
  readonly natural: number;
  readonly least: number;
}

/** The columns on each line of a row, and the width of each column. A table that fits has one line per row. */
interface Layout {
  readonly lines: readonly (readonly number[])[];
  readonly widths: readonly number[];
}

/** Indentation of the second and further lines of a row. */
const INDENT = 2;

/** Text wrapped narrower than this is hard to read; a second line is better. */
const MIN_WRAP_WIDTH = 16;

/**
 * Fits columns into `width`: at their natural width if possible, otherwise by wrapping the widest texts at words,
 * otherwise by splitting each row over several lines, unless each must be one line. Words are never cut, because they may be ids.
 */
function layoutOf(columns: readonly Measured[], width: number, isOneLine = false): Layout {
  const indexes = columns.map((_column, index) => index);
  const widths = columns.map((column) => column.natural);
  if (lineWidth(widths) <= width) return { lines: [indexes], widths };
  const shrunk = shrink(columns, width);
  if (isOneLine || lineWidth(shrunk) <= width) return { lines: [indexes], widths: shrunk };
  return fold(columns, width);
}

/** Whether wider columns need no more lines than narrower ones: what is wider is shown in full, and nothing else gets less room. */
function fitsInstead(wider: readonly Measured[], narrower: readonly Measured[], width: number): boolean {
  const wide = layoutOf(wider, width);
  const narrow = layoutOf(narrower, width);
  if (wide.lines.length !== narrow.lines.length) return false;
  return wider.every(({ natural }, index) => {
    const own = wide.widths[index] ?? 0;
    return own >= natural || (natural === narrower[index]?.natural && own >= (narrow.widths[index] ?? 0));
  });
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + GAP, -GAP);
}

/** Shrinks the widest columns first. The first column identifies the row and keeps its width. */
function shrink(columns: readonly Measured[], width: number): number[] {
  const widths = columns.map((column) => column.natural);
  const floors = columns.map(({ natural, least }, index) =>
    index === 0 ? natural : Math.max(least, Math.min(natural, MIN_WRAP_WIDTH)),
  );
  const room = (index: number) => (widths[index] ?? 0) - (floors[index] ?? 0);
  for (let excess = lineWidth(widths) - width; excess > 0; excess--) {
    const shrinkable = widths.map((_width, index) => index).filter((index) => room(index) > 0);
    const [widest] = shrinkable.toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** Splits rows over several lines. A wide first column gets its own line if that does not add a line. */
function fold(columns: readonly Measured[], width: number): Layout {
  const widths = columns.map(({ natural, least }) => Math.max(least, Math.min(natural, width - INDENT)));
  const dense = linesOf(widths, width, false);
  const spacious = (widths[0] ?? 0) * 2 > width ? linesOf(widths, width, true) : dense;
  return { lines: spacious.length <= dense.length ? spacious : dense, widths };
}

function linesOf(widths: readonly number[], width: number, isFirstAlone: boolean): number[][] {
  const lines: number[][] = [[]];
  let used = -GAP;
  for (const [index, own] of widths.entries()) {
    const line = lines.at(-1) ?? [];
    if (line.length > 0 && (used + GAP + own > width || (isFirstAlone && index === 1))) {
      lines.push([index]);
      used = INDENT + own;
    } else {
      line.push(index);
      used += GAP + own;
    }
  }
  return lines;
}

/** Cuts text at a word to at most `width` columns, with an ellipsis. Keeps its first word whole, because it may be an id. */
function clip(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const [first = ''] = wrap(text, Math.max(1, width - 1));
  return first === text ? text : `${first}…`;
}
