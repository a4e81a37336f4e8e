import { type Amount, type Asset, printable } from '../money/amount.ts';
import type { CellProblem } from './cells.ts';
import type { Header } from './columns.ts';

/** Something about a cell, or a row. A warning stops nothing, but is shown to whoever agrees. */
export interface RowProblem extends CellProblem {
  readonly kind: 'error' | 'warning';
  readonly line: number;
  /** The title of the column in the file; null if it is about the row. */
  readonly column: string | null;
  /** As it stands there; null if it is secret, or missing. */
  readonly value: string | null;
}

/** A cell that something is wrong with: the position of its column and its text, if they can be said. */
interface Cell {
  readonly line: number;
  readonly at?: number | undefined;
  readonly text?: string | undefined;
}

interface FoundRow {
  readonly line: number;
  /** What it moves, if it moves anything. */
  readonly amount: Amount | undefined;
}

/** What was found in a file. */
export interface Findings {
  /** Of many problems, the first are kept, and all are counted. */
  readonly problems: readonly RowProblem[];
  error(cell: Cell, found: CellProblem): void;
  warning(cell: Cell, found: CellProblem): void;
  /** Makes a row bad that was counted as one that can be sent. */
  reject(row: FoundRow, cell: Omit<Cell, 'line'>, found: CellProblem): void;
  /** The number of errors so far. */
  errors(): number;
  badRows(): number;
  warnings(): number;
  /** The sum of the rows that can be sent, by asset. */
  readonly sums: Map<Asset, bigint>;
}

const MOST_PROBLEMS = 10_000;

/** Collects what is found in a file with this header. */
export function findingsOf(header: Header): Findings {
  const problems: RowProblem[] = [];
  const sums = new Map<Asset, bigint>();
  const badLines = new Set<number>();
  const counts = { error: 0, warning: 0 };
  const add = (kind: RowProblem['kind'], { line, at, text }: Cell, found: CellProblem) => {
    counts[kind] += 1;
    if (kind === 'error' && line > header.line) badLines.add(line);
    if (problems.length >= MOST_PROBLEMS) return;
    const column = at === undefined ? null : (header.titles[at] ?? null);
    problems.push({ kind, line, column, value: text === undefined ? null : printable(text), ...found });
  };
  return {
    problems,
    sums,
    error: (cell, found) => add('error', cell, found),
    warning: (cell, found) => add('warning', cell, found),
    reject: ({ line, amount }, cell, found) => {
      const isFirst = !badLines.has(line);
      add('error', { ...cell, line }, found);
      if (!amount || !isFirst) return;
      const { asset, minor } = amount;
      sums.set(asset, (sums.get(asset) ?? 0n) - minor);
    },
    errors: () => counts.error,
    badRows: () => badLines.size,
    warnings: () => counts.warning,
  };
}
