import type { Queries } from '../journal/store.ts';
import type { Thing } from '../things/thing.ts';
import { isOneOf, type MirrorColumn, type MirrorTable, TABLES } from './tables.ts';

type Engine = Queries['engine'];

/** The layout of the mirror. */
export const VERSION = 1;

/** `frmi`, in ASCII: says of a SQLite file that it is a mirror, and is the advisory lock of whoever creates the tables in PostgreSQL. */
export const FILE_ID = 0x66726d69;

/** The names of a table's own columns in the database, in their order. */
export const columnNames = ({ columns }: MirrorTable): readonly string[] => columns.flatMap(namesOf);

const namesOf = ({ name, kind }: MirrorColumn) => (kind === 'amount' ? [`${name}_minor`, `${name}_asset`] : [name]);

const isInteger = (name: string, { kind }: MirrorColumn) => kind === 'flag' || name.endsWith('_minor');

/** The table that has the rows of a view, with what only the mirror itself needs. */
export const stored = ({ name }: Pick<MirrorTable, 'name'>) => `stored_${name}`;

const integer = (engine: Engine) => (engine === 'sqlite' ? 'INTEGER' : 'BIGINT');

/** Which rows have completed and which have failed: SQL conditions, which indexes and statements have in the same words. */
export const isDone = ({ done }: Pick<MirrorTable, 'done'>): string => isOneOf('status', done);
export const hasFailed = ({ failed }: Pick<MirrorTable, 'failed'>): string => isOneOf('status', failed);

/** Which rows of its list are a thing: an SQL condition. */
export const isThing = ({ types }: Pick<Thing, 'types'>): string => (types ? isOneOf('type', types) : '1 = 1');

/** Whether the index of what failed has every row that meets an SQL condition. */
export const isOfFailed = (condition: string): boolean =>
  TABLES.some((table) => condition.startsWith(hasFailed(table)));

/** Which rows the service does not show: an SQL condition. They are few, so that counting them and all rows is faster than counting the others. */
export const APART = '(gone_at IS NOT NULL OR digest IS NULL)';

/** The schema of a PostgreSQL database that has everything, beside the journal's. */
export const SCHEMA = 'fiatrail_mirror';

/**
 * What a role may do that is no owner. The owner fills the mirror, because it makes indexes and overwrites what was personal. A host asks, and a
 * reader of other tools has the views, and none of what is behind them.
 */
export const GRANTS = {
  host: [
    `GRANT USAGE ON SCHEMA ${SCHEMA} TO fiatrail_host`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${SCHEMA} TO fiatrail_host`,
  ],
  reader: [
    `GRANT USAGE ON SCHEMA ${SCHEMA} TO fiatrail_reader`,
    ...['balances', 'status_changes', ...TABLES.map(({ name }) => name)].map(
      (name) => `GRANT SELECT ON ${SCHEMA}.${name} TO fiatrail_reader`,
    ),
  ],
} as const;

/**
 * The tables and views. `digest` is NULL for a row that only an event told of; `pass` is the last reading of the whole list that had the
 * row. Times are ISO 8601 in UTC.
 */
export function creation(engine: Engine): readonly string[] {
  const whole = integer(engine);
  const strict = engine === 'sqlite' ? ' STRICT' : '';
  const view = (name: string, select: string) => `CREATE VIEW ${name} AS ${select}`;
  const statements = [
    `CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL)${strict}`,
    `CREATE TABLE person_name (name TEXT PRIMARY KEY, folded TEXT NOT NULL)${strict}`,
    `CREATE TABLE stored_status_changes (kind TEXT NOT NULL, id TEXT NOT NULL, status TEXT NOT NULL, seen_at TEXT NOT NULL,
       PRIMARY KEY (kind, id, seen_at))${strict}`,
    view('status_changes', 'SELECT kind, id, status, seen_at FROM stored_status_changes'),
    `CREATE TABLE stored_balances (source TEXT NOT NULL, place TEXT NOT NULL, asset TEXT NOT NULL, minor ${whole} NOT NULL,
       at TEXT NOT NULL, PRIMARY KEY (source, place, asset, at))${strict}`,
    `CREATE TABLE stored_balance_checks (at TEXT PRIMARY KEY)${strict}`,
    // Differences between two looks at the balances that no list explains, once a person has accepted them; `until` is the second look.
    `CREATE TABLE stored_accepted (asset TEXT NOT NULL, minor ${whole} NOT NULL, since TEXT NOT NULL, until TEXT NOT NULL,
       reason TEXT NOT NULL, who TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (asset, until, at))${strict}`,
    // What a user's wallets held when they were read; NULL if the service did not say it.
    `CREATE TABLE stored_owed (user_id TEXT NOT NULL, asset TEXT NOT NULL, minor ${whole}, at TEXT NOT NULL,
       PRIMARY KEY (user_id, asset))${strict}`,
    `CREATE TABLE stored_deposit_fees (amount_minor ${whole} PRIMARY KEY, fee_minor ${whole} NOT NULL, at TEXT NOT NULL)${strict}`,
    view('balances', 'SELECT at, source, place, minor AS balance_minor, asset AS balance_asset FROM stored_balances'),
    ...TABLES.flatMap((table) => [
      `CREATE TABLE ${stored(table)} (id TEXT PRIMARY KEY, status TEXT, created_at TEXT, ${table.columns
        .flatMap((column) => namesOf(column).map((name) => `${name} ${isInteger(name, column) ? whole : 'TEXT'}`))
        .join(', ')}, is_open ${whole} NOT NULL, is_personal ${whole} NOT NULL, json TEXT NOT NULL, digest TEXT,
         pass ${whole} NOT NULL, first_seen_at TEXT NOT NULL, changed_at TEXT NOT NULL, gone_at TEXT)${strict}`,
      `CREATE INDEX ${table.name}_open ON ${stored(table)} (created_at) WHERE is_open = 1`,
      view(table.name, `SELECT ${viewColumns(table).join(', ')} FROM ${stored(table)}`),
    ]),
  ];
  // Text is compared by bytes, as in SQLite.
  const inEngine = (text: string) => (engine === 'sqlite' ? text : text.replace(/\bTEXT\b/g, 'TEXT COLLATE "C"'));
  return statements.map(inEngine);
}

/** The columns of a view. */
const viewColumns = (table: MirrorTable): readonly string[] => [
  'id',
  'status',
  'created_at',
  ...columnNames(table),
  'is_open',
  'first_seen_at',
  'changed_at',
  'gone_at',
];

/** The indexes that wait until a list was read once: a list that is filled without them is filled in half the time. */
export function indexesOf(table: MirrorTable): readonly string[] {
  const keys = table.columns.flatMap((column) =>
    column.isKey || column.isName
      ? namesOf(column)
          .slice(0, 1)
          .map((name) => ({ name, isName: column.isName }))
      : [],
  );
  const has = (name: string) => table.columns.some((column) => column.name === name);
  const hasEnd = has('completed_at');
  const index = (name: string, columns: readonly string[], where = '') =>
    `CREATE INDEX IF NOT EXISTS ${table.name}_${name} ON ${stored(table)} (${columns.join(', ')})${where && ` WHERE ${where}`}`;
  // What a report adds up and counts is in the index, so that it reads no row.
  const type = has('type') ? ['type'] : [];
  const user = has('user_id') ? ['user_id'] : [];
  const sums = hasEnd
    ? [index('completed', ['completed_at', ...type, 'amount_asset', 'amount_minor', ...user], isDone(table))]
    : [];
  const ends = ['completed_at', 'updated_at'].filter(has);
  const { own } = table;
  return [
    ...(own
      ? ['created_at', ...(hasEnd ? ['completed_at'] : [])].map((name) => index(`own_${name}`, [name], own))
      : []),
    index('created_at', ['created_at']),
    // Most old rows have nothing personal left, and nobody looks for what is not there.
    // Many rows can have a name, of which the newest are looked for.
    ...keys.map(({ name, isName }) => index(name, isName ? [name, 'created_at'] : [name], `${name} IS NOT NULL`)),
    ...sums,
    ...(table.failed.length > 0 ? [index('failed', ['created_at', ...type, ...ends], hasFailed(table))] : []),
    index('personal', ['created_at'], 'is_personal = 1'),
    index('apart', ['gone_at'], APART),
  ];
}

/** What a list that was read once has besides. */
export const later = (): readonly string[] => TABLES.flatMap(indexesOf);
