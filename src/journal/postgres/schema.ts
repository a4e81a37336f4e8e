import { FIXED_COLUMNS } from '../chain.ts';
import { INDEXES as SQLITE_INDEXES, STATE_LIST } from '../sqlite/schema.ts';
import type { Queries } from '../store.ts';

/** The schema that has everything, so that a database can be shared with other programs. */
export const SCHEMA = 'fiatrail';

/** The columns of each table, as in SQLite (../schema.ts). Text is compared by bytes, as there. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  setting: ['name text COLLATE "C" PRIMARY KEY', 'value text NOT NULL'],
  account_name: ['name text COLLATE "C" PRIMARY KEY', 'account text COLLATE "C" NOT NULL'],
  operation: [
    ...['id text COLLATE "C" PRIMARY KEY', 'kind text NOT NULL', 'account text COLLATE "C" NOT NULL'],
    ...['profile text NOT NULL', 'mode text NOT NULL', 'base_url text NOT NULL', 'endpoint text NOT NULL'],
    ...['effect text NOT NULL', 'command text COLLATE "C" NOT NULL', 'summary text NOT NULL', 'request text NOT NULL'],
    ...['input_digest text COLLATE "C" NOT NULL', 'once_key text COLLATE "C"', 'tag text', 'operator text NOT NULL'],
    ...['host text NOT NULL', 'created_at bigint NOT NULL', 'process bigint NOT NULL', 'asset text COLLATE "C"'],
    ...['minor bigint', 'baseline text', 'authority text', `state text NOT NULL CHECK (state IN (${STATE_LIST}))`],
    ...['request_id text COLLATE "C"', 'verdict text', 'detail text', 'result text', 'updated_at bigint NOT NULL'],
    'busy_until bigint NOT NULL',
  ],
  entry: [
    ...['sequence bigint PRIMARY KEY', 'operation_id text COLLATE "C" REFERENCES operation'],
    ...['subject text COLLATE "C"', 'host text COLLATE "C" NOT NULL', 'state text NOT NULL', 'at bigint NOT NULL'],
    ...['request_id text', 'verdict text', 'detail text', 'result text', 'busy_until bigint', 'value text COLLATE "C"'],
    ...['hash text COLLATE "C" NOT NULL', 'CHECK ((operation_id IS NULL) = (subject IS NOT NULL))'],
  ],
  rotation: [
    ...['operation_id text COLLATE "C" PRIMARY KEY REFERENCES operation', 'profile text NOT NULL'],
    ...['base_url text NOT NULL', 'stage text NOT NULL', 'key_place text NOT NULL', 'old_fingerprint text NOT NULL'],
    ...['pushes text NOT NULL', 'pushed bigint NOT NULL'],
  ],
  spent: [
    ...['account text COLLATE "C" NOT NULL', 'asset text COLLATE "C" NOT NULL', 'day bigint NOT NULL'],
    ...['command text COLLATE "C" NOT NULL', 'minor bigint NOT NULL', 'PRIMARY KEY (account, asset, day, command)'],
  ],
  tally: ['name text PRIMARY KEY', 'count bigint NOT NULL'],
};

/** The statement of each index, and whether it is unique. They are those of SQLite, which compares with null by another operator. */
const INDEXES: Readonly<Record<string, { readonly sql: string; readonly isUnique: boolean }>> = Object.fromEntries(
  SQLITE_INDEXES.map((sql) => [
    /INDEX (\w+)/.exec(sql)?.[1],
    { sql: sql.replace("IS NOT 'not-done'", "IS DISTINCT FROM 'not-done'"), isUnique: sql.startsWith('CREATE UNIQUE') },
  ]),
);

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

interface Trigger {
  readonly table: string;
  readonly when: string;
  readonly runs: string;
  /** As PostgreSQL keeps it: 1 for each row, 2 before, 4 insert, 8 delete, 16 update, 32 truncate. */
  readonly type: number;
}

const TRIGGERS: Readonly<Record<string, Trigger>> = {
  entry_stays: { table: 'entry', when: 'BEFORE UPDATE OR DELETE OR TRUNCATE', runs: 'reject', type: 58 },
  operation_says: { table: 'operation', when: 'BEFORE UPDATE OR DELETE', runs: 'reject_operation', type: 27 },
  name_says: { table: 'account_name', when: 'BEFORE INSERT OR UPDATE OR DELETE', runs: 'reject_name', type: 31 },
  operation_counted: { table: 'operation', when: 'AFTER INSERT', runs: 'count_operation', type: 5 },
};

const functions = (): readonly string[] =>
  Object.entries(FUNCTIONS).map(
    ([name, body]) => `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$${body}$$`,
  );

const triggers = (names = Object.keys(TRIGGERS)): readonly string[] =>
  Object.entries(TRIGGERS)
    .filter(([name]) => names.includes(name))
    .map(
      ([name, { table, when, runs, type }]) =>
        `CREATE TRIGGER ${name} ${when} ON ${table} FOR EACH ${type % 2 === 1 ? 'ROW' : 'STATEMENT'} EXECUTE FUNCTION ${runs}()`,
    );

const indexes = (names = Object.keys(INDEXES)): readonly string[] => names.map((name) => INDEXES[name]?.sql ?? '');

/** What makes the tables. `setting` also has the version of the tables, the journal's id and the server that it was written on. */
export const CREATE: string = [
  ...Object.entries(TABLES).map(([name, columns]) => `CREATE TABLE ${name} (${columns.join(', ')})`),
  ...indexes(),
  ...functions(),
  ...triggers(),
  `INSERT INTO tally VALUES ('operations', 0)`,
  '',
].join(';\n');

/**
 * What brings the tables of each older version to the next one. From version 3, `transition` is `entry`, so that a process of an earlier
 * version, which knows the tables already, fails to write to it instead of breaking the chain.
 */
export const UPGRADES: Readonly<Record<string | number, string>> = {
  1: 'ALTER TABLE operation ADD COLUMN baseline text',
  2: [
    'DROP TRIGGER transition_stays ON transition',
    'ALTER TABLE transition RENAME TO entry',
    'ALTER INDEX transition_pkey RENAME TO entry_pkey',
    'ALTER TABLE entry ALTER COLUMN operation_id DROP NOT NULL',
    `ALTER TABLE entry ADD COLUMN subject text COLLATE "C", ADD COLUMN busy_until bigint, ADD COLUMN value text COLLATE "C",
       ADD CHECK ((operation_id IS NULL) = (subject IS NOT NULL))`,
    'DROP INDEX transition_of; DROP INDEX transition_by_host; DROP INDEX transition_by_hash',
    'ALTER TABLE rotation ALTER COLUMN pushed DROP DEFAULT',
    'ALTER TABLE operation ADD COLUMN authority text',
    // The digest of an input with a secret goes, because the secret could be guessed from it.
    `UPDATE operation SET input_digest = '-' WHERE request LIKE '%"[redacted]"%'`,
    `UPDATE operation SET busy_until = 0 WHERE state NOT IN ('prepared', 'sent', 'unknown')`,
    ...indexes(['entry_of', 'entry_about']),
    ...functions(),
    ...triggers(['entry_stays', 'operation_says', 'name_says']),
  ].join(';\n'),
  // Whoever opens the journal then records the keys that operations were given (../joint.ts).
  3: [...indexes(['entry_naming']), `UPDATE setting SET value = '' WHERE name = 'joined'`].join(';\n'),
};

const columnsOf = (columns: readonly string[]) =>
  columns
    .flatMap((column) => (/^[a-z]/.test(column) ? [column.split(' ', 1)[0] ?? ''] : []))
    .toSorted()
    .join(' ');

/** Everything in the schema, a line each, as the server describes it (tables.ts). */
const EXPECTED_LINES: readonly string[] = [
  ...Object.entries(TABLES).map(([name, columns]) => `table ${name} ${columnsOf(columns)}`),
  ...Object.keys(TABLES).map((name) => `index ${name}_pkey true true`),
  ...Object.entries(INDEXES).map(([name, { isUnique }]) => `index ${name} ${isUnique} true`),
  ...Object.entries(FUNCTIONS).map(([name, body]) => `function ${name} ${body}`),
  ...Object.entries(TRIGGERS).map(([name, { table, runs, type }]) => `trigger ${name} ${table} ${type} O ${runs}`),
];

/** Everything in the schema that acts or rejects, as a line each. */
const GUARDS = `
  SELECT 'trigger ' || t.tgname || ' ' || c.relname || ' ' || t.tgtype::text || ' ' || t.tgenabled::text || ' ' || p.proname AS line
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_proc p ON p.oid = t.tgfoid WHERE n.nspname = 'fiatrail' AND NOT t.tgisinternal
  UNION ALL SELECT 'function ' || p.proname || ' ' || p.prosrc FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = 'fiatrail'
  UNION ALL SELECT 'rule ' || r.rulename FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'fiatrail'
  UNION ALL SELECT 'index ' || c.relname || ' ' || i.indisunique::text || ' ' || (i.indisvalid AND i.indisready)::text
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'fiatrail'
  UNION ALL SELECT 'table ' || c.relname || ' ' || (SELECT string_agg(a.attname, ' ' ORDER BY a.attname) FROM pg_attribute a
      WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'fiatrail' AND c.relkind <> 'i'`;

/** Like `changeOfTables`, on a server. */
export async function changeOnServer(queries: Queries): Promise<string | undefined> {
  const rows = await queries.all<{ line: string }>(GUARDS);
  const found = new Set(rows.map(({ line }) => line));
  const named = (line: string) => line.split(' ', 2).join(' ');
  const missing = EXPECTED_LINES.find((line) => !found.delete(line));
  if (missing !== undefined) return `its ${named(missing)} is missing or another one`;
  const [added] = found;
  return added === undefined ? undefined : `${named(added)} was added to it`;
}
