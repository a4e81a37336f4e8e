/** How wide a column is: as it stands, and at least (its longest word, when it may be wrapped). Gaps not counted. */
export interface Measured {
  readonly natural: number;
  readonly least: number;
}

/** Which columns stand on which line of a row, and how wide each is. One line when the table fits. */
export interface Layout {
  readonly lines: readonly (readonly number[])[];
  readonly widths: readonly number[];
}

export const GAP = 2;
/** Lines of a row after its first are set in by this much. */
export const INDENT = 2;
/** Text wrapped narrower than this reads badly; a second line is better. */
const NARROWEST = 16;

/**
 * Fits columns into `width`: as they are; else with the widest texts wrapped at words; else with each row on several
 * lines. No word is ever cut, since it may be an id: a word wider than the terminal is left to the terminal.
 */
export function layoutOf(columns: readonly Measured[], width: number): Layout {
  const all = columns.map((_column, index) => index);
  const widths = columns.map((column) => column.natural);
  if (lineWidth(widths) <= width) return { lines: [all], widths };
  const shrunk = shrink(columns, width);
  if (lineWidth(shrunk) <= width) return { lines: [all], widths: shrunk };
  return fold(columns, width);
}

export function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + GAP, -GAP);
}

/** The first column names the row and keeps its width; the widest of the others gives way first. */
function shrink(columns: readonly Measured[], width: number): number[] {
  const widths = columns.map((column) => column.natural);
  const floors = columns.map(({ natural, least }, index) =>
    index === 0 ? natural : Math.max(least, Math.min(natural, NARROWEST)),
  );
  const room = (index: number) => (widths[index] ?? 0) - (floors[index] ?? 0);
  for (let excess = lineWidth(widths) - width; excess > 0; excess--) {
    const loose = widths.map((_width, index) => index).filter((index) => room(index) > 0);
    const [widest] = loose.toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** A wide first column has its line to itself when that costs no further line. */
function fold(columns: readonly Measured[], width: number): Layout {
  const widths = columns.map(({ natural, least }) => Math.max(least, Math.min(natural, width - INDENT)));
  const dense = linesOf(widths, width, false);
  const airy = (widths[0] ?? 0) * 2 > width ? linesOf(widths, width, true) : dense;
  return { lines: airy.length <= dense.length ? airy : dense, widths };
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
