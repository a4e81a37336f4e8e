/** The natural and minimum width of a column, without gaps. The minimum is the longest word if the text may wrap. */
export interface Measured {
  readonly natural: number;
  readonly least: number;
}

/** The columns on each line of a row, and the width of each column. A table that fits has one line per row. */
interface Layout {
  readonly lines: readonly (readonly number[])[];
  readonly widths: readonly number[];
}

export const GAP = 2;
/** Indentation of the second and further lines of a row. */
export const INDENT = 2;
/** Text wrapped narrower than this is hard to read; a second line is better. */
const MIN_WRAP_WIDTH = 16;

/**
 * Fits columns into `width`: at their natural width if possible, otherwise by wrapping the widest texts at words,
 * otherwise by splitting each row over several lines, unless each must be one line. Words are never cut, because they may be ids.
 */
export function layoutOf(columns: readonly Measured[], width: number, isOneLine = false): Layout {
  const indexes = columns.map((_column, index) => index);
  const widths = columns.map((column) => column.natural);
  if (lineWidth(widths) <= width) return { lines: [indexes], widths };
  const shrunk = shrink(columns, width);
  if (isOneLine || lineWidth(shrunk) <= width) return { lines: [indexes], widths: shrunk };
  return fold(columns, width);
}

/** Whether wider columns need no more lines than narrower ones: what is wider is shown in full, and nothing else gets less room. */
export function fitsInstead(wider: readonly Measured[], narrower: readonly Measured[], width: number): boolean {
  const wide = layoutOf(wider, width);
  const narrow = layoutOf(narrower, width);
  if (wide.lines.length !== narrow.lines.length) return false;
  return wider.every(({ natural }, index) => {
    const own = wide.widths[index] ?? 0;
    return own >= natural || (natural === narrower[index]?.natural && own >= (narrow.widths[index] ?? 0));
  });
}

export function lineWidth(widths: readonly number[]): number {
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
