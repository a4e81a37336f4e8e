/** Columns between two cells. */
export const GAP = 2;

/** A line of a cell: its text with its style or its link, and how many columns the text takes. */
export interface CellLine {
  readonly shown: string;
  readonly width: number;
}

/** Aligns cells of one line each in columns of these widths. Returns a line for each row. */
export type DrawRows = (
  rows: readonly (readonly CellLine[])[],
  widths: readonly number[],
  right: readonly boolean[],
) => string[];

const GAP_TEXT = ' '.repeat(GAP);

/** Columns without borders, and rows without lines between them. */
const LOOK = {
  chars: {
    ...{ top: '', 'top-left': '', 'top-mid': '', 'top-right': '' },
    ...{ left: '', middle: GAP_TEXT, right: '', 'left-mid': '', mid: '', 'mid-mid': '', 'right-mid': '' },
    ...{ bottom: '', 'bottom-left': '', 'bottom-mid': '', 'bottom-right': '' },
  },
  style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
};

/** cli-table3 compares each cell of a table with the cells of all rows before it. */
const ROWS_AT_ONCE = 20;

/**
 * What cli-table3 gets for each column of a text. It counts columns by rules of its own, by which it would cut names in Arabic and Indic
 * scripts and take the address of a link for text. A character of a private use area takes one column by any rule.
 */
const STAND_IN = '\ue000';
const STAND_INS = new RegExp(`${STAND_IN}+`, 'g');

/** Returns what draws rows: cli-table3, which is loaded now, or what is quicker for the many rows that another program may read. */
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

/** A word that is wider than its column is put into it whole, and a text without a width has a place too. */
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
