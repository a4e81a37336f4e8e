import * as z from 'zod/mini';
import { CliError } from '../../base/errors.ts';
import type { CheckedFile } from '../../bulk/check-file.ts';
import { amountSchema } from '../../present/prints.ts';
import type { Column } from '../../present/result.ts';

/** What a check prints as JSON. */
export const checkedSchema = () => {
  const nullable = z.nullable(z.string());
  return z.object({
    file: z.string(),
    command: z.string(),
    rows: z.int(),
    badRows: z.int(),
    warnings: z.int(),
    sums: z.array(amountSchema()),
    fees: z.nullable(amountSchema()),
    balances: z.array(z.object({ userId: nullable, before: amountSchema(), after: amountSchema() })),
    unreadBalances: z.int(),
    unusedColumns: z.array(z.string()),
    blocked: z.array(z.object({ code: z.string(), message: z.string() })),
    problems: z.array(
      z.object({
        kind: z.enum(['error', 'warning']),
        line: z.int(),
        column: nullable,
        value: nullable,
        problem: z.string(),
        hint: nullable,
      }),
    ),
  });
};

/** What a check found, as it is printed. */
export function checkedData(file: string, command: string, checked: CheckedFile) {
  const { rows, badRows, warnings, sums, fees, balances, unreadBalances, header, blocked, problems } = checked;
  return {
    file,
    command,
    rows,
    badRows,
    warnings,
    sums,
    fees: fees ?? null,
    balances,
    unreadBalances,
    unusedColumns: header.unused,
    blocked: blocked.map(({ code, message }) => ({ code, message })),
    problems: problems.map(({ kind, line, column, value, problem, hint }) => ({
      kind,
      line,
      column,
      value,
      problem,
      hint: hint ?? null,
    })),
  };
}

export const CHECKED_COLUMNS: readonly Column[] = [
  { field: 'file', title: 'File' },
  { field: 'command', title: 'Command' },
  { field: 'rows', title: 'Rows' },
  { field: 'badRows', title: 'Rows with errors' },
  { field: 'warnings', title: 'Warnings' },
  { field: 'sums', title: 'Sum' },
  { field: 'fees', title: 'Fees on top' },
  {
    field: 'balances',
    title: 'Balances',
    columns: [
      { field: 'userId', title: 'User' },
      { field: 'before', title: 'Before' },
      { field: 'after', title: 'After' },
    ],
  },
  { field: 'unusedColumns', title: 'Columns not used' },
  {
    field: 'problems',
    title: 'Problems',
    columns: [
      { field: 'line', title: 'Line' },
      { field: 'kind', title: 'Kind' },
      { field: 'column', title: 'Column' },
      { field: 'value', title: 'Value' },
      { field: 'problem', title: 'Problem' },
      { field: 'hint', title: 'To do', isWide: true },
    ],
  },
];

/** The error of a check that found something for which the file cannot be sent; undefined if it can. */
export function checkedError({ rows, badRows, problems, blocked }: CheckedFile): CliError | undefined {
  const errors = problems.filter(({ kind }) => kind === 'error');
  if (badRows > 0 || errors.length > 0) {
    const what = badRows === 0 ? 'the totals are not those of the rows' : `${badRows} of ${rows} rows have errors`;
    return new CliError('usage', `${what}; nothing was sent`, {
      code: 'BAD_ROWS',
      hint: 'correct the lines that are listed, and check the file again',
    });
  }
  if (rows === 0)
    return new CliError('usage', 'the file has no rows; nothing was sent', {
      code: 'NO_ROWS',
      hint: 'write a row below the titles of the columns',
    });
  return blocked[0];
}
