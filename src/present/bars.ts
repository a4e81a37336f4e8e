import { GAP } from './draw.ts';
import type { Panel, Point, PresentOptions } from './result.ts';
import { openPaint } from './style.ts';
import { plainLine } from './text.ts';
import { widthOf, wrap } from './width.ts';

/** From an eighth of a character to all of it; one character for plain terminals. */
const BLOCKS = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
const ASCII = ['#'];

/** Below this, a bar says nothing, so only the figures are printed. */
const MIN_BAR_WIDTH = 4;

/** A longer bar is no easier to compare. */
const MAX_BAR_WIDTH = 60;

/**
 * Draws each panel as one bar a line, in its own scale, with its figure. What is not known has no bar, what is not zero has at least one
 * stroke, and a bound ends with a sign. No line is wider than `width` unless a label and a figure are. Ends with a newline.
 */
export async function barsText(
  panels: readonly Panel[],
  width: number,
  { color, isPlain = false }: Pick<PresentOptions, 'color' | 'isPlain'>,
): Promise<string> {
  const paint = await openPaint(color);
  const parts = isPlain ? ASCII : BLOCKS;
  const drawn = panels.map(({ title, points }) => {
    const [labels, figures] = [points.map(({ label }) => label), points.map(({ text }) => plainLine(text))];
    const [labelWidth, figureWidth] = [widest(labels), widest(figures)];
    const room = Math.min(MAX_BAR_WIDTH, width - labelWidth - figureWidth - 2 * GAP);
    const most = points.reduce((max, { size }) => (size !== null && sizeOf(size) > max ? sizeOf(size) : max), 0n);
    const lines = points.map((point, index) => {
      const figure = figures[index] ?? '';
      const cells = [point.label.padEnd(labelWidth), ' '.repeat(figureWidth - widthOf(figure)) + figure];
      const bar = room < MIN_BAR_WIDTH ? '' : barOf(point, most, room, parts);
      return [...cells, bar && paint(bar, (point.size ?? 0n) < 0n ? 'red' : 'green')].join(' '.repeat(GAP)).trimEnd();
    });
    return [...wrap(plainLine(title), width).map((line) => paint(line, 'bold')), ...lines];
  });
  return drawn.map((lines) => lines.map((line) => `${line}\n`).join('')).join('\n');
}

const widest = (texts: readonly string[]) => texts.reduce((most, text) => Math.max(most, widthOf(text)), 0);

const sizeOf = (size: bigint) => (size < 0n ? -size : size);

/** Rounds to the nearest stroke, and leaves room for the sign of a bound. */
function barOf({ size, isBound }: Point, most: bigint, width: number, parts: readonly string[]): string {
  if (size === null || size === 0n || most === 0n) return '';
  const steps = BigInt((width - 1) * parts.length);
  const length = Math.max(1, Number((sizeOf(size) * steps + most / 2n) / most));
  const [whole, rest] = [Math.floor(length / parts.length), length % parts.length];
  return (parts.at(-1) ?? '').repeat(whole) + (rest > 0 ? parts[rest - 1] : '') + (isBound ? '?' : '');
}
