import { GAP, INDENT, layoutOf, lineWidth, type Measured } from './layout.ts';
import { plainLine } from './text.ts';
import type { Block, Grid } from './view.ts';

type Rows = readonly (readonly string[])[];

/** What draws: the only door to cli-table3 and chalk, opened when a table is printed. */
interface Pen {
  /** Cells as aligned lines, texts wrapped at words to their column's width. */
  readonly draw: (rows: Rows, widths: readonly number[], right: readonly boolean[]) => string[];
  /** The width each column takes as it stands. */
  readonly measure: (rows: Rows) => number[];
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

/** cli-table3 takes time in the square of the rows it is given at once. */
const ROWS_AT_ONCE = 25;

function* chunks(rows: Rows): Generator<Rows> {
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) yield rows.slice(start, start + ROWS_AT_ONCE);
}

async function openPen(color: boolean): Promise<Pen> {
  const { default: Table } = await import('cli-table3');
  const bold = color ? new (await import('chalk')).Chalk({ level: 1 }).bold : (text: string) => text;
  const style = { 'padding-left': 0, 'padding-right': GAP, head: [], border: [], compact: true };
  const tableOf = (rows: Rows, options: object) => {
    const table = new Table({ chars: NO_BORDER, style, ...options });
    table.push(...rows.map((row) => [...row]));
    return { text: table.toString(), widths: table.options.colWidths };
  };
  return {
    bold,
    draw: (rows, widths, right) => {
      const colWidths = widths.map((width) => width + GAP);
      const colAligns = right.map((isRight) => (isRight ? 'right' : 'left'));
      const options = { colAligns, wordWrap: true };
      return [...chunks(rows)].flatMap((some) => {
        return tableOf(some, { ...options, colWidths: [...colWidths] }).text.split('\n');
      });
    },
    // cli-table3 knows how wide a text stands on a terminal and reports it once it has drawn.
    measure: (rows) => {
      const widths = [...chunks(rows)].map((some) => tableOf(some, {}).widths.map((width) => (width ?? 0) - GAP));
      return widths.reduce((widest, some) => widest.map((width, index) => Math.max(width, some[index] ?? 0)));
    },
  };
}

const TIME = /^[\d-]{10} [\d:]{8}Z$/;

/** What may be wrapped is text; amounts (to the right) and times stay on one line. */
function measureGrid(pen: Pen, rows: Rows, right: readonly boolean[]): Measured[] {
  const wrapped = (text: string, column: number) =>
    right[column] === true || TIME.test(text) ? text : text.replaceAll(' ', '\n');
  const least = pen.measure(rows.map((row) => row.map(wrapped)));
  return pen.measure(rows).map((natural, index) => ({ natural, least: least[index] ?? natural }));
}

function gridLines(pen: Pen, grid: Grid, width: number): string[] {
  const titles = grid.titles.map((title) => plainLine(title));
  if (titles.length === 0) return ['(none)'];
  const { lines, widths } = layoutOf(measureGrid(pen, [titles, ...grid.cells], grid.right), width);
  const part = <T>(values: readonly T[], line: readonly number[]) =>
    values.filter((_value, index) => line.includes(index));
  const draw = (rows: Rows) =>
    lines.flatMap((line, number) => {
      const cells = rows.map((row) => part(row, line));
      const drawn = pen.draw(cells, part(widths, line), part(grid.right, line));
      return drawn.map((text) => (number === 0 ? text : ' '.repeat(INDENT) + text));
    });
  const lineWidths = lines.map((line, number) => lineWidth(part(widths, line)) + (number === 0 ? 0 : INDENT));
  const rule = '─'.repeat(Math.min(width, Math.max(...lineWidths)));
  // Rows of one line are drawn at once; a row of several lines keeps them together.
  const body = lines.length === 1 ? draw(grid.cells) : grid.cells.flatMap((row) => draw([row]));
  return [...draw([titles.map((title) => pen.bold(title))]), rule, ...(grid.cells.length === 0 ? ['(none)'] : body)];
}

function blockLines(pen: Pen, blocks: readonly Block[], width: number): string[] {
  const titles = blocks.flatMap((block) => (block.kind === 'pair' ? [[plainLine(block.title)]] : []));
  const [titleWidth = 0] = titles.length > 0 ? pen.measure(titles) : [];
  return blocks.flatMap((block) => {
    const title = pen.bold(plainLine(block.title));
    if (block.kind === 'pair') return pairLines(pen, title, block.text, titleWidth, width);
    const inner =
      block.kind === 'group'
        ? blockLines(pen, block.blocks, width - INDENT)
        : [...gridLines(pen, block.grid, width - INDENT), ...hiddenLine(block.hidden)];
    return [title, ...inner.map((line) => ' '.repeat(INDENT) + line)];
  });
}

function hiddenLine(hidden: number): string[] {
  return hidden > 0 ? [`… ${hidden} more: -o json shows all`] : [];
}

/** Title and value side by side; a value with a word too long for that, such as an id, stands on the next line. */
function pairLines(pen: Pen, title: string, text: string, titleWidth: number, width: number): string[] {
  const [measured = { natural: 0, least: 0 }] = measureGrid(pen, [[text]], []);
  const room = width - titleWidth - GAP;
  if (measured.least <= room) {
    return pen.draw([[title, text]], [titleWidth, Math.max(1, Math.min(room, measured.natural))], [false, false]);
  }
  const below = Math.max(measured.least, width - INDENT);
  return [title, ...pen.draw([[text]], [below], [false]).map((line) => ' '.repeat(INDENT) + line)];
}
