import type { Asset } from '../money/amount.ts';
import { columnNames, integer, optional, prose, type RowOf, type Table, table, text } from '../store/table.ts';
import { NEXT, type OperationKind, type OperationState, type Verdict } from './states.ts';

/**
 * The columns of an operation that never change. The chain covers all of them, in this order, by the operation's first entry. A new column must not join them
 * as it is, or no operation of before would agree with its hash: `fixedText` and its SQL in chain.ts must leave it out of rows that lack it.
 */
const FIXED = {
  id: text(),
  kind: prose<OperationKind>(),
  account: text(),
  profile: prose(),
  mode: prose(),
  base_url: prose(),
  endpoint: prose(),
  effect: prose(),
  command: text(),
  summary: prose(),
  request: prose(),
  input_digest: text(),
  once_key: optional(text()),
  tag: optional(prose()),
  run_by: prose(),
  host: prose(),
  created_at: integer(),
  process: integer(),
  asset: optional(text<Asset>()),
  minor: optional(integer()),
  baseline: optional(prose()),
  authority: optional(prose()),
};

/** The columns of an operation that repeat what its entries say. */
const MOVING = {
  state: prose({ oneOf: Object.keys(NEXT) as OperationState[] }),
  request_id: optional(text()),
  verdict: optional(prose<Verdict>()),
  detail: optional(prose()),
  result: optional(prose()),
  updated_at: integer(),
  busy_until: integer(),
};

export const FIXED_COLUMNS = columnNames({ columns: FIXED });
export const MOVING_COLUMNS = columnNames({ columns: MOVING });

/** Whether a fixed column is a number. */
export const isNumber = (name: keyof typeof FIXED): boolean => FIXED[name].kind === 'integer';

/** A row per intent. */
export const OPERATION = table('operation', ['id'], { ...FIXED, ...MOVING });

/** A row of an operation. */
export type OperationRow = RowOf<typeof OPERATION>;

/** Is only appended to, and chained by hashes (chain.ts): transitions of operations, and facts (entries.ts). The other tables repeat what they say. */
export const ENTRY = table(
  'entry',
  ['sequence'],
  {
    sequence: integer(),
    operation_id: optional(text({ references: 'operation' })),
    subject: optional(text()),
    host: text(),
    state: prose(),
    at: integer(),
    request_id: optional(prose()),
    verdict: optional(prose()),
    detail: optional(prose()),
    result: optional(prose()),
    busy_until: optional(integer()),
    value: optional(text()),
    hash: text(),
  },
  { check: '(operation_id IS NULL) = (subject IS NOT NULL)' },
);

/** An entry as its row says. */
export type EntryRow = RowOf<typeof ENTRY>;

/** The key of the input digests; on a server, also the journal's id, and which server it was written on. */
export const SETTING = table('setting', ['name'], { name: text(), value: prose() });

/** Maps what identifies an account to its id. */
export const ACCOUNT_NAME = table('account_name', ['name'], { name: text(), account: text() });

/** How far each rotation of an API key is. */
export const ROTATION = table('rotation', ['operation_id'], {
  operation_id: text({ references: 'operation' }),
  profile: prose(),
  base_url: prose(),
  stage: prose(),
  key_place: prose(),
  old_fingerprint: prose(),
  pushes: prose(),
  pushed: integer(),
});

/** The sum of each day in Lagos. */
export const SPENT = table('spent', ['account', 'asset', 'day', 'command'], {
  account: text(),
  asset: text<Asset>(),
  day: integer(),
  command: text(),
  minor: integer(),
});

/** The number of operations. */
const TALLY = table('tally', ['name'], { name: prose(), count: integer() });

/** The rows of files, as they were when the file was staged. A fact has the digest of all rows of a file. */
export const FILE_ROW = table('file_row', ['file', 'number'], {
  file: text(),
  number: integer(),
  account: text(),
  reference: text(),
  line: integer(),
  texts: prose(),
});

/** Which process sends the rows of a file, and until when it is at work without saying so again. */
export const FILE_LEASE = table('file_lease', ['file'], {
  file: text(),
  holder: text(),
  host: prose(),
  process: integer(),
  busy_until: integer(),
});

export const TABLES: readonly Table[] = [
  SETTING,
  ACCOUNT_NAME,
  OPERATION,
  ENTRY,
  ROTATION,
  SPENT,
  TALLY,
  FILE_ROW,
  FILE_LEASE,
];
