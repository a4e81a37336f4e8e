import { type Amount, amountForPeople } from '../money/amount.ts';
import { GAP } from './draw.ts';
import type { Depth, Level, PresentOptions } from './result.ts';
import { openPaint, type Style } from './style.ts';
import { plainLine } from './text.ts';
import { widthOf, wrap } from './width.ts';

/** The characters that draw bars and rules: block elements, or ASCII for plain terminals. */
interface Strokes {
  readonly parts: readonly string[];
  readonly rule: string;
}

const BLOCKS: Strokes = { parts: ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'], rule: '─' };

const ASCII: Strokes = { parts: ['#'], rule: '-' };

/** A line of the chart: its cells, and the total amount at its price or better. */
interface BookLine {
  readonly cells: readonly [price: string, withSpread: string, here: string, upToHere: string];
  readonly totalMinor: bigint;
}

/** The columns that fit and their widths, the width of the bars, and the amount of a full bar. */
interface Fitted {
  readonly columns: readonly (readonly [column: 0 | 1 | 2 | 3, width: number])[];
  readonly barWidth: number;
  readonly fullMinor: bigint;
}

const TITLES = ['Price', 'With spread', 'At this price', 'Up to here'] as const;

/** Narrower bars are useless, so amount columns are dropped first. */
const MIN_BAR_WIDTH = 12;

/**
 * Draws both sides of an order book as bars of cumulative depth, with the spread in the middle between the best prices.
 * No line is wider than `width` unless a price is. Ends with a newline.
 */
export async function depthText(
  depth: Depth,
  width: number,
  { color, isPlain }: Pick<PresentOptions, 'color' | 'isPlain'>,
): Promise<string> {
  const strokes = isPlain ? ASCII : BLOCKS;
  const paint = await openPaint(color);
  const [upper, lower] = [stepsOf(depth.upper.levels), stepsOf(depth.lower.levels)];
  const fitted = fittedTo([...upper, ...lower], width);
  const draw = (steps: readonly BookLine[], style: Style) =>
    steps.length === 0 ? ['(none)'] : steps.map((step) => lineOf(step, fitted, strokes, (bar) => paint(bar, style)));
  const words = (text: string) => wrap(plainLine(text), width);
  const lines = [
    ...words(depth.title).map((line) => paint(line, 'bold')),
    ...words(depth.upper.title),
    paint(fitted.columns.map(([column, width]) => TITLES[column].padStart(width)).join(' '.repeat(GAP)), 'bold'),
    ...draw(upper.toReversed(), 'red'),
    ...ruled(depth.middle, width, strokes),
    ...draw(lower, 'green'),
    ...words(depth.lower.title),
  ];
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function stepsOf(levels: readonly Level[]): BookLine[] {
  let totalMinor = 0n;
  return levels.map(({ price, takerPrice, amount }) => {
    totalMinor += amount.minor;
    const total: Amount = { asset: amount.asset, minor: totalMinor };
    const prices = [amountForPeople(price), takerPrice ? amountForPeople(takerPrice) : ''] as const;
    return { cells: [...prices, amountForPeople(amount), amountForPeople(total)], totalMinor };
  });
}

/** Drops amount columns from the right until a bar fits. */
function fittedTo(steps: readonly BookLine[], width: number): Fitted {
  const widths = TITLES.map((title, column) =>
    steps.reduce((largest, { cells }) => Math.max(largest, widthOf(cells[column] ?? '')), title.length),
  );
  const fullMinor = steps.reduce((largest, { totalMinor }) => (totalMinor > largest ? totalMinor : largest), 0n);
  const hasSpread = steps.some(({ cells: [, withSpread] }) => withSpread !== '');
  const shown = ([0, 1, 2, 3] as const).filter((column) => column !== 1 || hasSpread);
  const all = shown.map((column) => [column, widths[column] ?? 0] as const);
  const room = (columns: Fitted['columns']) => columns.reduce((left, [, own]) => left - own - GAP, width);
  const some = shown.map((_, dropped) => all.slice(0, all.length - dropped));
  const columns = some.find((each) => room(each) >= MIN_BAR_WIDTH) ?? all.slice(0, 1);
  return { columns, barWidth: Math.max(0, room(columns)), fullMinor };
}

function lineOf(
  { cells, totalMinor }: BookLine,
  { columns, barWidth, fullMinor }: Fitted,
  strokes: Strokes,
  paint: (bar: string) => string,
) {
  const texts = columns.map(([column, width]) => ' '.repeat(width - widthOf(cells[column])) + cells[column]);
  return [...texts, paint(barOf(totalMinor, fullMinor, barWidth, strokes))].join(' '.repeat(GAP));
}

/** Draws a bar of at least one stroke, so that a small amount is never invisible. */
function barOf(minor: bigint, fullMinor: bigint, width: number, { parts }: Strokes): string {
  if (width === 0 || fullMinor === 0n) return '';
  const steps = BigInt(width * parts.length);
  const length = Number((minor * steps + fullMinor / 2n) / fullMinor);
  const strokes = Math.max(length, 1);
  const fullCells = Math.floor(strokes / parts.length);
  const rest = strokes % parts.length;
  return (parts.at(-1) ?? '').repeat(fullCells) + (rest > 0 ? parts[rest - 1] : '');
}

/** `── spread 10.00 cNGN (0.71 percent) ──…`, as wide as the chart; wrapped without a rule if it does not fit. */
function ruled(words: string, width: number, { rule }: Strokes): string[] {
  const text = `${rule.repeat(2)} ${plainLine(words)} `;
  return widthOf(text) <= width ? [text + rule.repeat(width - widthOf(text))] : wrap(plainLine(words), width);
}
