import { cpus, loadavg, totalmem } from 'node:os';
import { median, quantile } from './statistics.ts';

export type Unit = 'ms' | 'MB' | 'kB' | '/s' | '';

/** The target of a figure, as a ratio to its baseline. */
export interface Target {
  readonly is: 'at most' | 'at least';
  readonly ratio: number;
  /** A stretch goal. */
  readonly beyond?: number;
}

/** One row of the table. */
export interface Figure {
  readonly name: string;
  readonly unit: Unit;
  readonly values: readonly number[];
  readonly against: string;
  readonly beside: readonly number[];
  /** Pairwise, one per run. */
  readonly ratios: readonly number[];
  readonly target?: Target;
  readonly note?: string;
}

/** A row that cannot be measured on this machine, and why. */
export interface Unmeasured {
  readonly name: string;
  readonly why: string;
}

export type Row = Figure | Unmeasured;

const HEAD = ['name', 'figure', 'compared with', 'ratio (median)', 'p10–p90', 'target', ''];

function meets(ratio: number, { is }: Target, bound: number): boolean {
  return is === 'at most' ? ratio <= bound : ratio >= bound;
}

export function isMissed(row: Row): boolean {
  if (!('ratios' in row) || !row.target) return false;
  return !meets(median(row.ratios), row.target, row.target.ratio);
}

function verdict(row: Figure): string {
  if (!row.target) return '';
  if (isMissed(row)) return 'OVER';
  const { beyond } = row.target;
  return beyond !== undefined && meets(median(row.ratios), row.target, beyond) ? 'ok, beyond' : 'ok';
}

function targetText(target: Target | undefined): string {
  if (!target) return '–';
  const sign = target.is === 'at most' ? '≤' : '≥';
  const beyond = target.beyond === undefined ? '' : ` (beyond: ${target.beyond})`;
  return `${sign} ${target.ratio}${beyond}`;
}

function amountText(values: readonly number[], unit: Unit): string {
  const value = median(values);
  const digits = unit === 'ms' ? 1 : 0;
  return `${value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`.trimEnd();
}

function cells(row: Row, mark: string): string[] {
  if (!('ratios' in row)) return [row.name, 'not measured', row.why, '', '', '', ''];
  return [
    row.name + mark,
    amountText(row.values, row.unit),
    `${row.against}: ${amountText(row.beside, row.unit)}`,
    median(row.ratios).toFixed(2),
    `${quantile(row.ratios, 0.1).toFixed(2)}–${quantile(row.ratios, 0.9).toFixed(2)}`,
    targetText(row.target),
    verdict(row),
  ];
}

/** Formats the rows as a Markdown table, aligned for a terminal, with notes below. */
export function tableText(rows: readonly Row[]): string {
  const notes: string[] = [];
  const lines = rows.map((row) => {
    if (!('note' in row) || row.note === undefined) return cells(row, '');
    if (!notes.includes(row.note)) notes.push(row.note);
    return cells(row, ` [${notes.indexOf(row.note) + 1}]`);
  });
  const widths = HEAD.map((title, column) =>
    Math.max(title.length, ...lines.map((line) => line[column]?.length ?? 0), 2),
  );
  const lineText = (line: readonly string[]) =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  const noteLines = notes.map((note, index) => `[${index + 1}] ${note}`);
  return `${[lineText(HEAD), rule, ...lines.map(lineText), '', ...noteLines].join('\n').trimEnd()}\n`;
}

/** Describes the machine of the measurement. */
export function machineText(): string {
  const [first] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `Node ${process.versions.node}, ${cpus().length} × ${first?.model.trim()}, ${memory} GB, ${process.platform}; ${loadText()}`;
}

export function loadText(): string {
  return `load ${loadavg()
    .map((load) => load.toFixed(2))
    .join(' ')}`;
}
