import { INDEXES as SQLITE_INDEXES } from '../sqlite/schema.ts';
import { FIXED_COLUMNS, MOVING_COLUMNS, TABLES } from '../tables.ts';
import type { SchemaLayout } from './gate.ts';

/** The schema that has everything, so that a database can be shared with other programs. */
export const SCHEMA = 'fiatrail';

/** `frjr`, in ASCII: the advisory lock that a transaction which writes holds until it ends. */
export const LOCK = 0x66726a72;

/**
 * What a role may do that is no owner: docs/journal.md quotes it, and a test makes a payment with it. The owner creates and upgrades the tables, and
 * imports. A host appends entries and keeps what repeats them. A reader sees everything but the settings, of which one is the key of the digests.
 */
export const GRANTS = {
  host: [
    `GRANT USAGE ON SCHEMA ${SCHEMA} TO fiatrail_host`,
    `GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA ${SCHEMA} TO fiatrail_host`,
    `GRANT UPDATE (${MOVING_COLUMNS.join(', ')}) ON ${SCHEMA}.operation TO fiatrail_host`,
    `GRANT UPDATE (stage, pushes, pushed) ON ${SCHEMA}.rotation TO fiatrail_host`,
    `GRANT UPDATE (minor) ON ${SCHEMA}.spent TO fiatrail_host`,
    `GRANT UPDATE (count) ON ${SCHEMA}.tally TO fiatrail_host`,
    `GRANT UPDATE (value) ON ${SCHEMA}.setting TO fiatrail_host`,
    `GRANT UPDATE (account), DELETE ON ${SCHEMA}.account_name TO fiatrail_host`,
    `GRANT UPDATE (holder, host, process, busy_until) ON ${SCHEMA}.file_lease TO fiatrail_host`,
  ],
  reader: [
    `GRANT USAGE ON SCHEMA ${SCHEMA} TO fiatrail_reader`,
    ...['operation', 'entry', 'account_name', 'rotation', 'spent', 'tally', 'file_row', 'file_lease'].map(
      (name) => `GRANT SELECT ON ${SCHEMA}.${name} TO fiatrail_reader`,
    ),
  ],
} as const;

/** The statement of each index: those of SQLite, which compares with null by another operator. */
const INDEXES = SQLITE_INDEXES.map((sql) => sql.replace("IS NOT 'not-done'", "IS DISTINCT FROM 'not-done'"));

const both = (row: string) => FIXED_COLUMNS.map((name) => `${row}.${name}`).join(', ');
const of = (column: string) =>
  `(SELECT ${column} FROM ${SCHEMA}.entry WHERE operation_id = new.id ORDER BY sequence DESC LIMIT 1)`;
const lastOf = (column: string) =>
  `coalesce((SELECT ${column} FROM ${SCHEMA}.entry WHERE operation_id = new.id AND ${column} IS NOT NULL ORDER BY sequence DESC LIMIT 1), old.${column})`;
const accountOf = (row: string) =>
  `(SELECT value FROM ${SCHEMA}.entry WHERE subject = 'account ' || ${row}.name ORDER BY sequence DESC LIMIT 1)`;

/** The bodies of the functions that the triggers run. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  reject: ` BEGIN RAISE EXCEPTION 'an entry never changes and is never deleted'; END `,
  reject_operation: ` BEGIN
  IF tg_op = 'DELETE' OR (${both('new')}) IS DISTINCT FROM (${both('old')})
    OR new.state IS DISTINCT FROM ${of('state')} OR new.verdict IS DISTINCT FROM ${of('verdict')}
    OR new.detail IS DISTINCT FROM ${of('detail')} OR new.updated_at IS DISTINCT FROM ${of('at')}
    OR new.request_id IS DISTINCT FROM ${lastOf('request_id')} OR new.result IS DISTINCT FROM ${lastOf('result')}
    OR new.busy_until IS DISTINCT FROM ${lastOf('busy_until')}
  THEN RAISE EXCEPTION 'an operation says what its entries say'; END IF; RETURN new; END `,
  reject_name: ` BEGIN
  IF tg_op = 'DELETE' THEN
    IF ${accountOf('old')} IS NULL THEN RETURN old; END IF;
  ELSIF ${accountOf('new')} = new.account THEN RETURN new; END IF;
  RAISE EXCEPTION 'an account name says what its entries say'; END `,
  count_operation: ` BEGIN UPDATE ${SCHEMA}.tally SET count = count + 1 WHERE name = 'operations'; RETURN NULL; END `,
};

/** When each trigger runs, in the order in which a server says it, and what it runs. */
const TRIGGERS: Readonly<Record<string, string>> = {
  entry_stays: 'BEFORE DELETE OR UPDATE OR TRUNCATE ON entry FOR EACH STATEMENT EXECUTE FUNCTION reject()',
  operation_says: 'BEFORE DELETE OR UPDATE ON operation FOR EACH ROW EXECUTE FUNCTION reject_operation()',
  name_says: 'BEFORE INSERT OR DELETE OR UPDATE ON account_name FOR EACH ROW EXECUTE FUNCTION reject_name()',
  operation_counted: 'AFTER INSERT ON operation FOR EACH ROW EXECUTE FUNCTION count_operation()',
};

const functions = (): readonly string[] =>
  Object.entries(FUNCTIONS).map(
    ([name, body]) => `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$${body}$$`,
  );

/** The journal's schema. */
export const LAYOUT: SchemaLayout = {
  schema: SCHEMA,
  version: 1,
  lock: LOCK,
  host: GRANTS.host,
  tables: TABLES,
  creation: [
    ...INDEXES,
    ...functions(),
    ...Object.entries(TRIGGERS).map(([name, when]) => `CREATE TRIGGER ${name} ${when}`),
    `INSERT INTO tally VALUES ('operations', 0)`,
  ],
};
