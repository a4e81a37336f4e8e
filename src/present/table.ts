import { GAP, INDENT, layoutOf, lineWidth, type Measured } from './layout.ts';
import { plainLine } from './text.ts';
import type { Block, Grid } from './view.ts';
import { leastWidth, widthOf, wrap } from './width.ts';

type Rows = readonly (readonly string[])[];

/** What draws: the only door to cli-table3 and chalk, opened when a table is printed. */
interface Pen {
  /** Cells of one line each as lines, padded to their columns' widths. */
  readonly align: (rows: Rows, widths: readonly number[], right: readonly boolean[]) => string[];
  readonly bold: (text: string) => string;
}

/** Rows under bold titles, no line wider than `width` unless one word is. Ends with a newline. */
export async function tableText(grid: Grid, width: number, color: boolean): Promise<string> {
  return ended(gridLines(await openPen(color), grid, width));
}

/** A document as aligned titles and values. Ends with a newline. */
export async function listingText(blocks: readonly Block[], width: number, color: boolean): Promise<string> {
  return ended(blockLines(await openPen(color), blocks, width));
}

function ended(lines: readonly string[]): string {
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

const NO_BORDER = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '' },
};

const NARROWEST = 20;

/** cli-table3 takes time in the square of the rows it is given at once. */
const ROWS_AT_ONCE = 25;

function* chunks(rows: Rows): Generator<Rows> {
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) yield rows.slice(start, start + ROWS_AT_ONCE);
}

async function openPen(color: boolean): Promise<Pen> {
  const { default: Table } = await import('cli-table3');
  const bold = color ? new (await import('chalk')).Chalk({ level: 1 }).bold : (text: string) => text;
  const style = { 'padding-left': 0, 'padding-right': GAP, head: [], border: [], compact: true };
  return {
    bold: (text) => bold(text),
    align: (rows, widths, right) => {
      const colAligns = right.map((isRight) => (isRight ? 'right' : 'left'));
      return [...chunks(rows)].flatMap((some) => {
        const table = new Table({ chars: NO_BORDER, style, colAligns, colWidths: widths.map((width) => width + GAP) });
        table.push(...some.map((row) => [...row]));
        return table.toString().split('\n');
      });
    },
  };
}

/** Rows as aligned lines, each text wrapped to its column's width, then styled. */
function draw(pen: Pen, rows: Rows, widths: readonly number[], right: readonly boolean[], bold: readonly boolean[]) {
  const lines = rows.flatMap((row) => {
    const cells = row.map((text, column) => wrap(text, widths[column] ?? 0));
    const height = Math.max(...cells.map((cell) => cell.length));
    return Array.from({ length: height }, (_line, index) =>
      cells.map((cell, column) => {
        const text = cell[index] ?? '';
        return bold[column] === true && text !== '' ? pen.bold(text) : text;
      }),
    );
  });
  return pen.align(lines, widths, right);
}

const TIME = /^[\d-]{10} [\d:]{8}Z$/;

/** What may be wrapped is text; amounts (to the right) and times stay on one line. */
function measure(rows: Rows, right: readonly boolean[]): Measured[] {
  const [first = []] = rows;
  return first.map((_title, column) => {
    const texts = rows.map((row) => row[column] ?? '');
    const least = (text: string) => (right[column] === true || TIME.test(text) ? widthOf(text) : leastWidth(text));
    return { natural: widest(texts.map(widthOf)), least: widest(texts.map(least)) };
  });
}

/** Math.max takes its numbers as arguments, of which there cannot be very many. */
function widest(widths: readonly number[]): number {
  return widths.reduce((most, width) => Math.max(most, width), 0);
}

function gridLines(pen: Pen, grid: Grid, width: number): string[] {
  const titles = grid.titles.map((title) => plainLine(title));
  if (titles.length === 0) return ['(none)'];
  const { lines, widths } = layoutOf(measure([titles, ...grid.cells], grid.right), width);
  const part = <T>(values: readonly T[], line: readonly number[]) => values.filter((_value, at) => line.includes(at));
  const drawn = (rows: Rows, isBold: boolean) =>
    lines.flatMap((line, number) => {
      const bold = line.map(() => isBold);
      const cells = rows.map((row) => part(row, line));
      const texts = draw(pen, cells, part(widths, line), part(grid.right, line), bold);
      if (number === 0) return texts;
      // A further line with nothing on it tells nothing.
      return texts.filter((text) => text.trim() !== '').map((text) => ' '.repeat(INDENT) + text);
    });
  const lineWidths = lines.map((line, number) => lineWidth(part(widths, line)) + (number === 0 ? 0 : INDENT));
  const rule = '─'.repeat(Math.min(width, widest(lineWidths)));
  // Rows of one line are drawn at once; a row of several lines keeps them together.
  const body = lines.length === 1 ? drawn(grid.cells, false) : grid.cells.flatMap((row) => drawn([row], false));
  return [...drawn([titles], true), rule, ...(grid.cells.length === 0 ? ['(none)'] : body)];
}

function blockLines(pen: Pen, blocks: readonly Block[], width: number): string[] {
  const pairs = blocks.filter((block) => block.kind === 'pair');
  const titleWidth = widest(pairs.map((block) => widthOf(plainLine(block.title))));
  const room = Math.max(1, width - titleWidth - GAP);
  const isBeside = (block: Block) => block.kind === 'pair' && leastWidth(block.text) <= room;
  // However deep the nesting: a column of a character a line helps nobody.
  const within = Math.max(width - INDENT, NARROWEST);
  return runsOf(blocks, isBeside).flatMap(([first, ...more]) => {
    if (!first) return [];
    const title = plainLine(first.title);
    if (isBeside(first)) {
      const rows = [first, ...more].map((pair) => [plainLine(pair.title), pair.kind === 'pair' ? pair.text : '']);
      return draw(pen, rows, [titleWidth, room], [false, false], [true, false]);
    }
    const inner = first.kind === 'pair' ? textBelow(pen, first.text, width) : partLines(pen, first, within);
    return [pen.bold(title), ...inner.map((line) => ' '.repeat(INDENT) + line)];
  });
}

type PairBlock = Extract<Block, { kind: 'pair' }>;

function partLines(pen: Pen, block: Exclude<Block, PairBlock>, width: number): string[] {
  return block.kind === 'group'
    ? blockLines(pen, block.blocks, width)
    : [...gridLines(pen, block.grid, width), ...hiddenLine(block.hidden)];
}

/** Neighbours that go together in one list, every other block in one of its own: a table costs more than its rows. */
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
  return hidden > 0 ? [`… ${hidden} more: -o json shows all`] : [];
}

/** A value with a word too long to stand beside its title, such as an id. */
function textBelow(pen: Pen, text: string, width: number): string[] {
  return draw(pen, [[text]], [Math.max(leastWidth(text), width - INDENT)], [false], [false]);
}
