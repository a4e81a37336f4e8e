import * as z from 'zod/mini';
import type { LineRow } from '../../copy/questions/report/line-rows.ts';
import { figureSchema } from '../../present/prints.ts';
import type { Below, Column, Result } from '../../present/result.ts';

const ROW_COLUMNS: readonly Column[] = [
  { field: 'at', title: 'When' },
  { field: 'thing', title: 'What' },
  { field: 'id', title: 'ID' },
  { field: 'step', title: 'Step' },
  { field: 'amount', title: 'Amount', align: 'right' },
  { field: 'user', title: 'User', isWide: true },
  { field: 'account', title: 'Account', isWide: true },
];

/** The columns of a table with the rows of a figure, and the field that has them. */
export const ROWS = ['rows', ROW_COLUMNS] as const;

export const rowSchema = () =>
  z.object({
    at: z.iso.datetime(),
    thing: z.string(),
    id: z.string(),
    step: z.string(),
    account: z.string(),
    user: z.nullable(z.string()),
    amount: figureSchema(),
  });

/** The rows that a figure adds up, as a result. */
export const rowsResult = (
  head: Readonly<Record<string, unknown>>,
  rows: readonly LineRow[],
  below: readonly Below[],
): Result => ({ data: { ...head, rows }, lists: 'rows', list: { isWhole: true }, columns: ROW_COLUMNS, below });
