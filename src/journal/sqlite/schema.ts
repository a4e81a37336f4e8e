import { type Parts, partsMadeBy } from '../../sqlite/parts.ts';
import { tableInFile } from '../../store/ddl.ts';
import { OPEN_LIST } from '../rotations.ts';
import { FIXED_COLUMNS, TABLES } from '../tables.ts';

const OUTCOME_UNKNOWN = `state IN ('sent', 'unknown')`;

/** What an operation that is done, or may be, has: it holds its idempotency key. */
const HOLDS = `once_key IS NOT NULL AND state <> 'rejected' AND verdict IS NOT 'not-done'`;

const of = (columns: string) =>
  `(SELECT ${columns} FROM entry WHERE operation_id = new.id ORDER BY sequence DESC LIMIT 1)`;
const lastOf = (column: string) =>
  `coalesce((SELECT ${column} FROM entry WHERE operation_id = new.id AND ${column} IS NOT NULL ORDER BY sequence DESC LIMIT 1), old.${column})`;
const both = (row: string) => FIXED_COLUMNS.map((name) => `${row}.${name}`).join(', ');
const factOf = (row: string) =>
  `(SELECT value FROM entry WHERE subject = 'account ' || ${row}.name ORDER BY sequence DESC LIMIT 1)`;

/** The first page of a list costs the same however long the journal is: there is an index for each set of filters, in the order of the list. */
export const INDEXES: readonly string[] = [
  'CREATE INDEX entry_of ON entry (operation_id, sequence) WHERE operation_id IS NOT NULL',
  'CREATE INDEX entry_about ON entry (subject, sequence) WHERE subject IS NOT NULL',
  // The names of an account, found by what the entries say of them.
  `CREATE INDEX entry_naming ON entry (value) WHERE subject >= 'account ' AND subject < 'account!'`,
  `CREATE UNIQUE INDEX held_once_key ON operation (account, once_key) WHERE ${HOLDS}`,
  'CREATE INDEX operation_like ON operation (account, input_digest, created_at)',
  'CREATE INDEX operation_by_request ON operation (request_id) WHERE request_id IS NOT NULL',
  'CREATE INDEX operation_by_time ON operation (created_at, id)',
  'CREATE INDEX operation_by_kind ON operation (kind, created_at, id)',
  'CREATE INDEX operation_by_state ON operation (state, created_at, id)',
  'CREATE INDEX operation_by_state_kind ON operation (state, kind, created_at, id)',
  `CREATE INDEX operation_unknown ON operation (created_at, id) WHERE ${OUTCOME_UNKNOWN}`,
  `CREATE INDEX operation_unknown_by_kind ON operation (kind, created_at, id) WHERE ${OUTCOME_UNKNOWN}`,
  'CREATE INDEX operation_by_once_key ON operation (once_key, created_at, id) WHERE once_key IS NOT NULL',
  'CREATE INDEX file_row_named ON file_row (account, reference)',
  `CREATE UNIQUE INDEX open_rotation ON rotation (profile, base_url) WHERE stage IN (${OPEN_LIST})`,
];

/** Reject what the entries do not say. */
export const TRIGGERS: readonly string[] = [
  `CREATE TRIGGER entry_update BEFORE UPDATE ON entry BEGIN SELECT raise(ABORT, 'an entry never changes'); END`,
  `CREATE TRIGGER entry_delete BEFORE DELETE ON entry BEGIN SELECT raise(ABORT, 'an entry is never deleted'); END`,
  `CREATE TRIGGER operation_delete BEFORE DELETE ON operation
  BEGIN SELECT raise(ABORT, 'an operation is never deleted'); END`,
  `CREATE TRIGGER operation_update BEFORE UPDATE ON operation
  WHEN (${both('new')}) IS NOT (${both('old')})
    OR (new.state, new.verdict, new.detail, new.updated_at) IS NOT ${of('state, verdict, detail, at')}
    OR new.request_id IS NOT ${lastOf('request_id')} OR new.result IS NOT ${lastOf('result')}
    OR new.busy_until IS NOT ${lastOf('busy_until')}
  BEGIN SELECT raise(ABORT, 'an operation says what its entries say'); END`,
  `CREATE TRIGGER operation_counted AFTER INSERT ON operation
  BEGIN UPDATE tally SET count = count + 1 WHERE name = 'operations'; END`,
  ...(['INSERT', 'UPDATE'] as const).map(
    (event) => `CREATE TRIGGER account_name_${event.toLowerCase()} BEFORE ${event} ON account_name
  WHEN ${factOf('new')} IS NOT new.account BEGIN SELECT raise(ABORT, 'an account name says what its entries say'); END`,
  ),
  `CREATE TRIGGER account_name_delete BEFORE DELETE ON account_name
  WHEN ${factOf('old')} IS NOT NULL BEGIN SELECT raise(ABORT, 'an account name says what its entries say'); END`,
];

const made = () => [...TABLES.map((table) => tableInFile(table)), ...INDEXES, ...TRIGGERS];

export const parts = (): Parts => ({ needed: partsMadeBy(made()) });

/** What makes a new journal. */
export const creation = (): string => [...made(), `INSERT INTO tally VALUES ('operations', 0)`].join(';\n');
