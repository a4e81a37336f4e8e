import { FIXED_COLUMNS } from '../../src/journal/tables.ts';

/** The tables of a journal, with each column and another value for it. */
export const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  setting: ['name', 'value'],
  account_name: ['name', 'account'],
  operation: [...FIXED_COLUMNS, 'state', 'request_id', 'verdict', 'detail', 'result', 'updated_at', 'busy_until'],
  entry: [
    'sequence',
    'operation_id',
    'subject',
    'host',
    'state',
    'at',
    'request_id',
    'verdict',
    'detail',
    'result',
    'busy_until',
    'value',
    'hash',
  ],
  rotation: ['operation_id', 'profile', 'base_url', 'stage', 'key_place', 'old_fingerprint', 'pushes', 'pushed'],
  spent: ['account', 'asset', 'day', 'command', 'minor'],
  tally: ['name', 'count'],
};

const NUMBERS = [
  'created_at',
  'process',
  'minor',
  'updated_at',
  'busy_until',
  'sequence',
  'at',
  'pushed',
  'day',
  'count',
];

/** Returns SQL that gives a column another value. */
export function edit(table: string, column: string): string {
  if (table === 'operation' && column === 'state')
    return `state = CASE state WHEN 'sent' THEN 'unknown' ELSE 'sent' END`;
  // An entry is of an operation, or about a subject.
  if (table === 'entry' && column === 'subject')
    return `subject = CASE WHEN subject IS NULL THEN NULL ELSE subject || 'x' END`;
  if (table === 'entry' && column === 'operation_id')
    return `operation_id = CASE WHEN operation_id IS NULL THEN NULL ELSE operation_id || 'x' END`;
  return NUMBERS.includes(column)
    ? `${column} = coalesce(${column}, 0) + 1000`
    : `${column} = coalesce(${column}, '') || 'x'`;
}

/** What tells the rows of each table apart. */
export const KEYS: Readonly<Record<string, string>> = {
  setting: 'name',
  account_name: 'name',
  operation: 'id',
  entry: 'sequence',
  rotation: 'operation_id',
  spent: 'account, asset, day, command',
  tally: 'name',
};

/** What somebody may set in the row of an operation, so that its idempotency key looks free: each column by itself, and what frees keys. */
export const KEY_EDITS: readonly string[] = [
  ...(COLUMNS['operation'] ?? []).map((column) => edit('operation', column)),
  `state = 'refused'`,
  `verdict = 'not-done'`,
  `state = 'resolved', verdict = 'not-done'`,
  'once_key = NULL',
  `account = 'another', once_key = NULL`,
  `state = 'refused', id = 'another'`,
];
