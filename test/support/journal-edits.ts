import { TABLES } from '../../src/journal/tables.ts';

/** The tables of a journal, with the names of their columns. */
export const COLUMNS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  TABLES.map(({ name, columns }) => [name, Object.keys(columns)]),
);

const isNumber = (table: string, column: string) =>
  TABLES.find(({ name }) => name === table)?.columns[column]?.kind === 'integer';

/** Returns SQL that gives a column another value. */
export function edit(table: string, column: string): string {
  if (table === 'operation' && column === 'state')
    return `state = CASE state WHEN 'sent' THEN 'unknown' ELSE 'sent' END`;
  // An entry is of an operation, or about a subject.
  if (table === 'entry' && column === 'subject')
    return `subject = CASE WHEN subject IS NULL THEN NULL ELSE subject || 'x' END`;
  if (table === 'entry' && column === 'operation_id')
    return `operation_id = CASE WHEN operation_id IS NULL THEN NULL ELSE operation_id || 'x' END`;
  return isNumber(table, column)
    ? `${column} = coalesce(${column}, 0) + 1000`
    : `${column} = coalesce(${column}, '') || 'x'`;
}

/** What tells the rows of each table apart. */
export const KEYS: Readonly<Record<string, string>> = Object.fromEntries(
  TABLES.map(({ name, key }) => [name, key.join(', ')]),
);

/** What someone may set in the row of an operation, so that its idempotency key looks free: each column by itself, and what frees keys. */
export const KEY_EDITS: readonly string[] = [
  ...(COLUMNS['operation'] ?? []).map((column) => edit('operation', column)),
  `state = 'rejected'`,
  `verdict = 'not-done'`,
  `state = 'resolved', verdict = 'not-done'`,
  'once_key = NULL',
  `account = 'another', once_key = NULL`,
  `state = 'rejected', id = 'another'`,
];
