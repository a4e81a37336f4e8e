import Table from 'cli-table3';
import { type CellLine, type DrawRows, GAP } from './table.ts';

/**
 * What cli-table3 gets for each column of a text. It counts columns by rules of its own, by which it would cut names in Arabic and
 * Indic scripts, and its time grows with the square of a text. A character of a private use area takes one column by any rule.
 */
const STAND_IN = '\ue000';
const STAND_INS = new RegExp(`${STAND_IN}+`, 'g');

/** cli-table3 compares each cell of a table with the cells of all rows before it. */
const ROWS_AT_ONCE = 20;

/** Columns without borders, and rows without lines between them. */
const LOOK = {
  chars: {
    ...{ top: '', 'top-left': '', 'top-mid': '', 'top-right': '' },
    ...{ left: '', middle: ' '.repeat(GAP), right: '', 'left-mid': '', mid: '', 'mid-mid': '', 'right-mid': '' },
    ...{ bottom: '', 'bottom-left': '', 'bottom-mid': '', 'bottom-right': '' },
  },
  style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
};

/** Draws rows on a terminal. */
export const drawRows: DrawRows = (rows, widths, right) => {
  const lines: string[] = [];
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE)
    lines.push(...drawTable(rows.slice(start, start + ROWS_AT_ONCE), widths, right));
  return lines;
};

const drawTable: DrawRows = (rows, widths, right) => {
  const colAligns = right.map((isRight) => (isRight ? 'right' : 'left'));
  const table = new Table({ ...LOOK, colWidths: [...widths], colAligns });
  // A word that is wider than its column is put in it whole, and one without a width has a place too.
  const standIn = ({ shown, width }: CellLine, column: number) =>
    shown === '' ? '' : STAND_IN.repeat(Math.max(1, Math.min(width, widths[column] ?? 0)));
  for (const row of rows) table.push(row.map(standIn));
  const texts = rows.flatMap((row) => row.map(({ shown }) => shown).filter((text) => text !== '')).values();
  return table
    .toString()
    .split('\n')
    .map((line) => line.replace(STAND_INS, () => texts.next().value ?? ''));
};
