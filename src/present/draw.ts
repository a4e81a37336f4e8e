/** The number of columns between two cells. */
export const GAP = 2;

/** One line of a cell: its text with its style or link, and the width of the text in columns. */
export interface CellLine {
  readonly shown: string;
  readonly width: number;
}

/** Draws rows of single-line cells in columns of the given widths. Returns one line for each row. */
export type DrawRows = (
  rows: readonly (readonly CellLine[])[],
  widths: readonly number[],
  right: readonly boolean[],
) => string[];

const GAP_TEXT = ' '.repeat(GAP);

/** No borders, and no lines between rows. */
const LOOK = {
  chars: {
    top: '',
    'top-left': '',
    'top-mid': '',
    'top-right': '',
    left: '',
    middle: GAP_TEXT,
    right: '',
    'left-mid': '',
    mid: '',
    'mid-mid': '',
    'right-mid': '',
    bottom: '',
    'bottom-left': '',
    'bottom-mid': '',
    'bottom-right': '',
  },
  style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
};

/** cli-table3 compares each cell with every cell above it, so long tables are drawn in parts. */
const ROWS_AT_ONCE = 20;

/**
 * Stands for one column of text. cli-table3 measures text with string-width 4, which is wrong for Arabic and Indic scripts and for links,
 * and cuts what seems too wide. So it gets this private-use character, which counts as one column, and the text is put in afterwards.
 */
const STAND_IN = '\ue000';
const STAND_INS = new RegExp(`${STAND_IN}+`, 'g');

/** Returns the function that draws rows: for a terminal with cli-table3, which is loaded now; for a pipe with padding only, which is 50 times as fast. */
export async function openDrawRows(isPiped: boolean): Promise<DrawRows> {
  if (isPiped) return joinRows;
  const { default: Table } = await import('cli-table3');
  const drawTable: DrawRows = (rows, widths, right) => {
    const colAligns = right.map((isRight) => (isRight ? 'right' : 'left'));
    const table = new Table({ ...LOOK, colWidths: [...widths], colAligns });
    for (const row of rows) table.push(row.map((cell, column) => standInFor(cell, widths[column] ?? 0)));
    const texts = rows.flatMap((row) => row.map(({ shown }) => shown).filter((text) => text !== '')).values();
    const lines = table.toString().split('\n');
    return lines.map((line) => line.replace(STAND_INS, () => texts.next().value ?? ''));
  };
  return (rows, widths, right) => {
    const lines: string[] = [];
    for (let start = 0; start < rows.length; start += ROWS_AT_ONCE)
      lines.push(...drawTable(rows.slice(start, start + ROWS_AT_ONCE), widths, right));
    return lines;
  };
}

/** A word that is wider than its column keeps its place and is shown whole; so is text that has no width. */
function standInFor({ shown, width }: CellLine, columnWidth: number): string {
  return shown === '' ? '' : STAND_IN.repeat(Math.max(1, Math.min(width, columnWidth)));
}

const joinRows: DrawRows = (rows, widths, right) =>
  rows.map((row) => {
    const cells = row.map(({ shown, width }, column) => {
      const padding = ' '.repeat(Math.max(0, (widths[column] ?? 0) - width));
      return right[column] ? padding + shown : shown + padding;
    });
    return cells.join(GAP_TEXT);
  });
