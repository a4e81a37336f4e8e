import type { Queries } from '../../journal/store.ts';
import type { Amount } from '../../money/amount.ts';
import { parseExactJson } from '../../money/decimal.ts';
import { isPlainObject, type Plain, type PlainObject } from '../../present/plain.ts';
import type { SqlValue } from '../../sqlite/database.ts';
import { thingOfRow } from '../../things/index.ts';
import type { Thing } from '../../things/thing.ts';
import { user } from '../../things/users.ts';
import { readState } from '../list-state.ts';
import { stored } from '../schema.ts';
import { type CopyTable, TABLES, tableOf } from '../tables.ts';

/** A row of the local copy. Times are ISO 8601 in UTC. */
export interface FoundRow {
  readonly kind: Thing;
  readonly id: string;
  /** In the form that -o json prints. */
  readonly row: PlainObject;
  readonly status: string | null;
  readonly createdAt: string | null;
  readonly changedAt: string;
  readonly deletedAt: string | null;
  /** The columns in which it has what was looked for. */
  readonly matchedBy: readonly string[];
  /** How well it fits: 0 by its id, 1 by the number or address of a thing, 2 by what one movement has, 3 by what many have. */
  readonly rank: number;
}

/** Rows that were found; `isCut` if there are more, which are older. */
interface FoundRows {
  readonly rows: readonly FoundRow[];
  readonly isCut: boolean;
}

type CopyRecord = Readonly<Record<string, SqlValue>>;

const marks = (values: readonly unknown[]) => values.map(() => '?').join(', ');

const rankOf = (table: CopyTable, columns: readonly string[]): number => {
  if (columns.includes('id')) return 0;
  if (!table.hasStates) return 1;
  return table.columns.some(({ name, isUnique }) => isUnique && columns.includes(name)) ? 2 : 3;
};

/**
 * What queries find rows by. A thing may have tens of thousands of rows, and SQLite’s own number of a row is in every index, so that no row
 * is read to find it.
 */
const rowKeyOf = ({ engine }: Queries) => (engine === 'sqlite' ? 'rowid' : 'id');

/** Selects rows by the keys that queries find, newest first. Each of them is answered by an index. */
async function select(
  queries: Queries,
  table: CopyTable,
  where: string,
  values: readonly SqlValue[],
  limit: number,
): Promise<CopyRecord[]> {
  const name = stored(table);
  const rowKey = rowKeyOf(queries);
  return queries.all<CopyRecord>(
    `SELECT * FROM ${name} WHERE ${rowKey} IN (SELECT ${rowKey} FROM ${name} WHERE ${rowKey} IN (${where}) ORDER BY created_at DESC, id LIMIT ?)
     ORDER BY created_at DESC, id`,
    ...values,
    limit + 1,
  );
}

function foundIn(table: CopyTable, row: CopyRecord, matchedBy: readonly string[]): FoundRow {
  const whole = parseExactJson(String(row['json'])) as Plain;
  const text = (name: string) => (typeof row[name] === 'string' ? row[name] : null);
  const fields = isPlainObject(whole) ? whole : {};
  return {
    kind: thingOfRow(table.name, fields['type']),
    id: String(row['id']),
    row: fields,
    matchedBy,
    rank: rankOf(table, matchedBy),
    status: text('status'),
    createdAt: text('created_at'),
    deletedAt: text('deleted_at'),
    changedAt: text('changed_at') ?? '',
  };
}

const keyColumns = ({ columns }: CopyTable) =>
  columns.flatMap(({ isKey, kind, name }) => (isKey && kind !== 'amount' ? [name] : []));

/** Returns a query for what `rowKeyOf` names of the rows that meet a condition. */
const keysWhere = (queries: Queries, table: CopyTable, condition: string) =>
  `SELECT ${rowKeyOf(queries)} FROM ${stored(table)} WHERE ${condition}`;

/** One query for the rows that any of these finds, which may find a row more than once. */
const anyOf = (each: readonly string[]) => each.join(' UNION ALL ');

/** Finds the rows that have one of these keys: an id, a hash, an address, a number; up to `limit` of each table. */
export async function rowsWithKey(queries: Queries, keys: readonly string[], limit: number): Promise<FoundRows> {
  const rows: FoundRow[] = [];
  let isCut = false;
  if (keys.length === 0) return { rows, isCut };
  for (const table of TABLES) {
    const columns = ['id', ...keyColumns(table)];
    const each = columns.map((column) => keysWhere(queries, table, `${column} IN (${marks(keys)})`));
    const found = await select(
      queries,
      table,
      anyOf(each),
      columns.flatMap(() => keys),
      limit,
    );
    isCut ||= found.length > limit;
    for (const row of found.slice(0, limit))
      rows.push(
        foundIn(
          table,
          row,
          columns.filter((column) => keys.includes(String(row[column]))),
        ),
      );
  }
  return { rows, isCut };
}

/** Finds the rows that move one of these sums. */
export async function rowsWithSum(queries: Queries, sums: readonly Amount[], limit: number): Promise<FoundRows> {
  const rows: FoundRow[] = [];
  let isCut = false;
  for (const table of TABLES) {
    const columns = table.columns.filter(({ kind, isKey }) => kind === 'amount' && isKey).map(({ name }) => name);
    if (columns.length === 0 || sums.length === 0) continue;
    const each = columns.flatMap((column) =>
      sums.map(() => keysWhere(queries, table, `${column}_minor = ? AND ${column}_asset = ?`)),
    );
    const values = columns.flatMap(() => sums.flatMap(({ asset, minor }) => [minor, asset]));
    const found = await select(queries, table, anyOf(each), values, limit);
    isCut ||= found.length > limit;
    const has = (row: CopyRecord, column: string) =>
      sums.some(({ asset, minor }) => row[`${column}_minor`] === minor && row[`${column}_asset`] === asset);
    for (const row of found.slice(0, limit))
      rows.push(
        foundIn(
          table,
          row,
          columns.filter((column) => has(row, column)),
        ),
      );
  }
  return { rows, isCut };
}

/** More names than this have a part in common that says too little. */
const MOST_NAMES = 500;

/**
 * Finds the rows in whose names each of these folded words occurs: of a user, one word in the first name and one in the last.
 * The names are scanned, of which there are fewer than rows; the rows are then found by index. Undefined if too many names have a word.
 */
export async function rowsWithName(
  queries: Queries,
  words: readonly string[],
  limit: number,
): Promise<FoundRows | undefined> {
  const rows: FoundRow[] = [];
  let isCut = false;
  // Needs no escaping, unlike LIKE.
  const has = queries.engine === 'sqlite' ? 'instr' : 'strpos';
  const namesOf = async (conditions: readonly string[]) =>
    queries.all<{ name: string }>(
      `SELECT name FROM person_name WHERE ${conditions.map(() => `${has}(folded, ?) > 0`).join(' AND ')} LIMIT ${MOST_NAMES + 1}`,
      ...conditions,
    );
  if (words.length === 0) return { rows, isCut };
  const whole = await namesOf(words);
  if (whole.length > MOST_NAMES) return undefined;
  const names = whole.map(({ name }) => name);
  // Where first and last name are columns of their own, no single name has all the words.
  const byWord = words.length > 1 ? await Promise.all(words.map(async (word) => namesOf([word]))) : [];
  const isNarrow = byWord.length > 0 && byWord.every((each) => each.length > 0 && each.length <= MOST_NAMES);
  for (const table of TABLES) {
    const columns = table.columns.filter(({ isName }) => isName).map(({ name }) => name);
    if (columns.length === 0) continue;
    const one = (each: readonly string[]) =>
      anyOf(columns.map((column) => keysWhere(queries, table, `${column} IN (${marks(each)})`)));
    const parts = isNarrow ? byWord.map((each) => each.map(({ name }) => name)) : [];
    const rowKey = rowKeyOf(queries);
    const every = parts.map((each) => `${rowKey} IN (${one(each)})`).join(' AND ');
    const valuesOf = (each: readonly string[]) => columns.flatMap(() => each);
    const newest = await newestNamed(queries, table, columns, names, limit);
    const queriesOf = [
      ...(newest.length > 0 ? [marks(newest)] : []),
      ...(parts.length > 0 ? [keysWhere(queries, table, every)] : []),
    ];
    if (queriesOf.length === 0) continue;
    const values = [...newest, ...parts.flatMap(valuesOf)];
    const where = queriesOf.join(`) OR ${rowKey} IN (`);
    const found = await select(queries, table, where, values, limit);
    isCut ||= found.length > limit;
    const all = new Set([...names, ...parts.flat()]);
    for (const row of found.slice(0, limit))
      rows.push(
        foundIn(
          table,
          row,
          columns.filter((column) => all.has(String(row[column]))),
        ),
      );
  }
  return { rows, isCut };
}

/** SQLite takes at most 500 selects in one. */
const MOST_SELECTS = 250;

/** Returns the keys of the newest rows that have one of these names. A name may be in a tenth of all rows, so the index has their order. */
async function newestNamed(
  queries: Queries,
  table: CopyTable,
  columns: readonly string[],
  names: readonly string[],
  limit: number,
): Promise<SqlValue[]> {
  const each = columns.flatMap((column) => names.map((name) => ({ column, name })));
  const newest = new Map<SqlValue, string>();
  const rowKey = rowKeyOf(queries);
  for (let at = 0; at < each.length; at += MOST_SELECTS) {
    const part = each.slice(at, at + MOST_SELECTS);
    const selects = part.map(
      ({ column }) =>
        `SELECT row_key, created_at FROM (SELECT ${rowKey} AS row_key, created_at FROM ${stored(table)} WHERE ${column} = ? ORDER BY created_at DESC, id LIMIT ${limit + 1}) AS newest`,
    );
    const found = await queries.all<{ row_key: SqlValue; created_at: string | null }>(
      selects.join(' UNION ALL '),
      ...part.map(({ name }) => name),
    );
    for (const { row_key: key, created_at: at } of found) newest.set(key, at ?? '');
  }
  const isBefore = ([, one]: readonly [SqlValue, string], [, other]: readonly [SqlValue, string]) =>
    one < other ? 1 : one > other ? -1 : 0;
  return [...newest]
    .toSorted(isBefore)
    .slice(0, limit + 1)
    .map(([key]) => key);
}

/** Finds the user that has one of these ids or wallets. */
export async function userWith(queries: Queries, keys: readonly string[]): Promise<FoundRow | undefined> {
  const table = tableOf(user);
  if (keys.length === 0) return undefined;
  const columns = ['id', ...keyColumns(table)];
  const each = columns.map((column) => keysWhere(queries, table, `${column} IN (${marks(keys)})`));
  const values = columns.flatMap(() => keys);
  const [row] = await select(queries, table, anyOf(each), values, 1);
  return row && foundIn(table, row, ['id']);
}

/** The statuses that a row was seen in, with the time of the sync that saw each. */
export async function statusesOf(queries: Queries, { kind, id }: Pick<FoundRow, 'kind' | 'id'>) {
  return queries.all<{ status: string; seen_at: string }>(
    'SELECT status, seen_at FROM stored_status_changes WHERE kind = ? AND id = ? ORDER BY seen_at',
    kind.list?.name ?? '',
    id,
  );
}

/** How far the copy reaches. Times are ISO 8601 in UTC. */
export interface Reach {
  /** The time of the oldest row. */
  readonly from: string | null;
  /** The time of the oldest sync of a list; null if one was never read. */
  readonly syncedAt: string | null;
  /** The lists that may lack rows. */
  readonly partial: readonly string[];
}

/** Returns how far the copy reaches, without counting rows. */
export async function reachOf(queries: Queries): Promise<Reach> {
  const states = await Promise.all(
    TABLES.map(async (table) => ({
      ...(await readState(queries, table)),
      name: table.name,
      from: (await queries.get<{ at: string | null }>(`SELECT min(created_at) AS at FROM ${stored(table)}`))?.at,
    })),
  );
  const [from = null] = states.flatMap((state) => state.from ?? []).toSorted();
  const isRead = states.every(({ syncedAt }) => syncedAt !== null);
  const [syncedAt = null] = isRead ? states.flatMap((state) => state.syncedAt ?? []).toSorted() : [];
  return { from, syncedAt, partial: states.flatMap(({ gap, name }) => (gap === null ? [] : [name])) };
}
