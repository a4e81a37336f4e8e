import { fitsInstead, GAP, INDENT, layoutOf, lineWidth, type Measured } from './layout.ts';
import { type Links, linkMarker } from './links.ts';
import { plainLine } from './text.ts';
import type { Block, Grid } from './view.ts';
import { clip, leastWidth, widthOf, wrap } from './width.ts';

/** How good a state is: work that went well, that failed, or that somebody should look at. */
type Tone = 'good' | 'bad' | 'open';

const WORDS: Readonly<Record<Tone, readonly string[]>> = {
  good: [
    ...['completed', 'success', 'successful', 'settled', 'active', 'verified', 'delivered', 'confirmed', 'filled'],
    ...['done', 'accepted', 'approved', 'enabled', 'resolved', 'forwarded', 'ok', 'holds'],
  ],
  bad: [
    ...['failed', 'rejected', 'refused', 'expired', 'cancelled', 'canceled', 'error', 'problem', 'dead', 'deleted'],
    ...['does not hold'],
  ],
  open: [
    ...['pending', 'unknown', 'sent', 'prepared', 'processing', 'requested', 'initiated', 'paused', 'inactive'],
    ...['waiting', 'warning', 'skipped'],
  ],
};

/** Titles of the columns and values that are states. */
const TITLES: readonly string[] = ['Status', 'State', 'Result'];

/** Returns the tone of a value under a title; undefined for anything that is not a known state. */
function toneOf(title: string, text: string): Tone | undefined {
  if (!TITLES.includes(title)) return undefined;
  const word = text.toLowerCase();
  return (['good', 'bad', 'open'] as const).find((tone) => WORDS[tone].includes(word));
}

type Rows = readonly (readonly string[])[];

/** Wraps cli-table3 and chalk, which are loaded only when a table is printed. */
interface Pen {
  /** Formats single-line cells as lines, padded to the column widths. */
  readonly align: (rows: Rows, widths: readonly number[], right: readonly boolean[]) => string[];
  readonly bold: (text: string) => string;
  readonly tone: (tone: Tone, text: string) => string;
  /** Turns a text with a link target into a link. */
  readonly link: (text: string) => string;
  /** Returns the lines of a cell. */
  readonly lines: (text: string, width: number) => string[];
  readonly isOneLine: boolean;
}

/** Where a table is drawn. */
export interface Frame {
  /** In columns; infinite if nothing limits it. */
  readonly width: number;
  /** Each row is one line, for another program. */
  readonly isPiped: boolean;
  readonly color: boolean;
  /** The link targets of hashes, on a terminal that supports links. */
  readonly links?: Links | undefined;
}

/**
 * Returns a function that formats a table with bold titles page by page. No line is wider than the frame unless a word is. Columns
 * only get wider from page to page; the titles are written again if columns move to other lines. Each text ends with a newline.
 */
export async function openTable(frame: Frame): Promise<(page: Grid) => string> {
  const pen = await openPen(frame);
  let before: Drawn | undefined;
  return (page) => {
    before = gridLines(pen, page, frame.width, before);
    return joinLines(before.lines);
  };
}

/** Whether the wider of two tables with the same columns needs no more lines than the other one. */
export function isRoomyFor(wider: Grid, narrower: Grid, { width }: Frame): boolean {
  return fitsInstead(measureGrid(wider), measureGrid(narrower), width);
}

/** Formats a document as aligned titles and values. Ends with a newline. */
export async function listingText(blocks: readonly Block[], frame: Frame): Promise<string> {
  return joinLines(blockLines(await openPen(frame), blocks, frame.width));
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

const NO_BORDER = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '' },
};

const MIN_WIDTH = 20;

/** cli-table3 takes quadratic time in the number of rows, so tables are drawn in chunks. */
const CHUNK_ROWS = 25;

function* chunks(rows: Rows): Generator<Rows> {
  for (let start = 0; start < rows.length; start += CHUNK_ROWS) yield rows.slice(start, start + CHUNK_ROWS);
}

const COLORS = { good: 'green', bad: 'red', open: 'yellow' } as const;

async function openPen({ color, isPiped, links }: Frame): Promise<Pen> {
  const { default: Table } = await import('cli-table3');
  const chalk = color ? new (await import('chalk')).Chalk({ level: 1 }) : undefined;
  const marker = links && linkMarker(links);
  const style = { 'padding-left': 0, 'padding-right': GAP, head: [], border: [], compact: true };
  return {
    bold: (text) => chalk?.bold(text) ?? text,
    tone: (tone, text) => chalk?.[COLORS[tone]](text) ?? text,
    link: marker?.mark ?? ((text) => text),
    isOneLine: isPiped,
    lines: isPiped ? (text, width) => [clip(text, width)] : wrap,
    align: (rows, widths, right) => {
      const colAligns = right.map((isRight) => (isRight ? 'right' : 'left'));
      return [...chunks(rows)].flatMap((some) => {
        const table = new Table({ chars: NO_BORDER, style, colAligns, colWidths: widths.map((width) => width + GAP) });
        table.push(...some.map((row) => [...row]));
        const drawn = table.toString();
        return (marker?.draw(drawn) ?? drawn).split('\n');
      });
    },
  };
}

/** How a cell is drawn, by its row and its column. */
type StyleOf = (row: readonly string[], column: number) => 'bold' | Tone | undefined;

const PLAIN: StyleOf = () => undefined;

/** Wraps each cell to its column's width, styles it and aligns the rows. */
function draw(pen: Pen, rows: Rows, widths: readonly number[], right: readonly boolean[], styleOf: StyleOf) {
  const lines = rows.flatMap((row) => {
    const cells = row.map((text, column) => pen.lines(text, widths[column] ?? 0));
    const height = Math.max(...cells.map((cell) => cell.length));
    return Array.from({ length: height }, (_line, index) =>
      cells.map((cell, column) => {
        const text = cell[index] ?? '';
        const style = text === '' ? undefined : styleOf(row, column);
        // Only a whole text can be a link, not one line of it.
        if (style === undefined) return text === row[column] ? pen.link(text) : text;
        return style === 'bold' ? pen.bold(text) : pen.tone(style, text);
      }),
    );
  });
  return pen.align(lines, widths, right);
}

const TIME = /^[\d-]{10} \d\d:\d\d(:\d\d)?(Z| [+-]\d\d(:\d\d)?)$/;

/** Measures columns. Only text may wrap; right-aligned amounts and times stay on one line. */
function measure(rows: Rows, right: readonly boolean[]): Measured[] {
  const [first = []] = rows;
  return first.map((_title, column) => {
    const texts = rows.map((row) => row[column] ?? '');
    const least = (text: string) => (right[column] === true || TIME.test(text) ? widthOf(text) : leastWidth(text));
    return { natural: widest(texts.map(widthOf)), least: widest(texts.map(least)) };
  });
}

const titlesOf = ({ titles }: Grid) => titles.map((title) => plainLine(title));

const measureGrid = (grid: Grid) => measure([titlesOf(grid), ...grid.cells], grid.right);

/** Avoids Math.max, whose number of arguments is limited. */
function widest(widths: readonly number[]): number {
  return widths.reduce((greatest, width) => Math.max(greatest, width), 0);
}

/** A page of a table, and what the next page continues. */
interface Drawn {
  readonly lines: readonly string[];
  readonly measured: readonly Measured[];
  /** The columns on each line of a row. */
  readonly folds: string;
}

/** Returns the widths that fit both pages of a table. */
function widerOf(one: readonly Measured[], other: readonly Measured[] = one): Measured[] {
  return one.map(({ natural, least }, column) => ({
    natural: Math.max(natural, other[column]?.natural ?? 0),
    least: Math.max(least, other[column]?.least ?? 0),
  }));
}

function gridLines(pen: Pen, grid: Grid, width: number, before?: Drawn): Drawn {
  const titles = titlesOf(grid);
  if (titles.length === 0) return { lines: ['(none)'], measured: [], folds: '' };
  const measured = widerOf(measureGrid(grid), before?.measured);
  const { lines, widths } = layoutOf(measured, width, pen.isOneLine);
  const part = <T>(values: readonly T[], line: readonly number[]) => values.filter((_value, at) => line.includes(at));
  const drawn = (rows: Rows, isBold: boolean) =>
    lines.flatMap((line, number) => {
      const names = part(titles, line);
      const styleOf: StyleOf = isBold ? () => 'bold' : (row, at) => toneOf(names[at] ?? '', row[at] ?? '');
      const cells = rows.map((row) => part(row, line));
      const texts = draw(pen, cells, part(widths, line), part(grid.right, line), styleOf);
      if (number === 0) return texts;
      // Empty continuation lines are omitted.
      return texts.filter((text) => text.trim() !== '').map((text) => ' '.repeat(INDENT) + text);
    });
  const lineWidths = lines.map((line, number) => lineWidth(part(widths, line)) + (number === 0 ? 0 : INDENT));
  const rule = '─'.repeat(Math.min(width, widest(lineWidths)));
  // Single-line rows are drawn together; multi-line rows one by one, to keep their lines together.
  const body = lines.length === 1 ? drawn(grid.cells, false) : grid.cells.flatMap((row) => drawn([row], false));
  const folds = JSON.stringify(lines);
  const head = before?.folds === folds ? [] : [...drawn([titles], true), rule];
  const isEmpty = grid.cells.length === 0 && !before;
  return { lines: [...head, ...(isEmpty ? ['(none)'] : body)], measured, folds };
}

function blockLines(pen: Pen, blocks: readonly Block[], width: number): string[] {
  const pairs = blocks.filter((block) => block.kind === 'pair');
  const titleWidth = widest(pairs.map((block) => widthOf(plainLine(block.title))));
  const room = Math.max(1, Math.min(width - titleWidth - GAP, widest(pairs.map((block) => widthOf(block.text)))));
  const isOnOneLine = (block: Block) => block.kind === 'pair' && leastWidth(block.text) <= room;
  // Keeps deeply nested content readable.
  const within = Math.max(width - INDENT, MIN_WIDTH);
  return runsOf(blocks, isOnOneLine).flatMap(([first, ...more]) => {
    if (!first) return [];
    const title = plainLine(first.title);
    if (isOnOneLine(first)) {
      const rows = [first, ...more].map((pair) => [plainLine(pair.title), pair.kind === 'pair' ? pair.text : '']);
      const styleOf: StyleOf = (row, at) => (at === 0 ? 'bold' : toneOf(row[0] ?? '', row[1] ?? ''));
      return draw(pen, rows, [titleWidth, room], [false, false], styleOf);
    }
    const inner = first.kind === 'pair' ? textBelow(pen, first.text, width) : partLines(pen, first, within);
    return [pen.bold(title), ...inner.map((line) => ' '.repeat(INDENT) + line)];
  });
}

type PairBlock = Extract<Block, { kind: 'pair' }>;

function partLines(pen: Pen, block: Exclude<Block, PairBlock>, width: number): string[] {
  return block.kind === 'group'
    ? blockLines(pen, block.blocks, width)
    : [...gridLines(pen, block.grid, width).lines, ...hiddenLine(block.hidden)];
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

function hiddenLine(hidden: number): string[] {
  return hidden > 0 ? [`… ${hidden} more; show all with: -o json`] : [];
}

/** Draws a value below its title because a word, such as an id, is too long to fit next to it. */
function textBelow(pen: Pen, text: string, width: number): string[] {
  return draw(pen, [[text]], [Math.max(leastWidth(text), width - INDENT)], [false], PLAIN);
}
