import type { Queries } from '../../journal/store.ts';
import type { Amount } from '../../money/amount.ts';
import type { PlainObject } from '../../present/plain.ts';
import type { SqlValue } from '../../sqlite/database.ts';
import { thingOfRow } from '../../things/index.ts';
import type { Thing } from '../../things/thing.ts';
import { user } from '../../things/users.ts';
import { FORM, fieldsOf, type RowRecord, rowReader } from '../forms.ts';
import { readKnownUntil, readState } from '../list-state.ts';
import { stored } from '../schema.ts';
import { type CopyTable, TABLES, tableOf } from '../tables.ts';
import { afterLastSync } from './report/cut-lists.ts';
import type { IdStart } from './typed.ts';

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
  /** How well it fits: 0 by its id, 1 by the number or address of a thing, 2 by what one movement has, 3 by what many have, 4 by what is worth as much. */
  readonly rank: number;
}

/** Rows that were found, and the lists that have more, which are older. */
export interface FoundRows {
  readonly rows: readonly FoundRow[];
  readonly cut: readonly string[];
}

const NONE: FoundRows = { rows: [], cut: [] };

export const marks = (values: readonly unknown[]) => values.map(() => '?').join(', ');

const rankOf = (table: CopyTable, columns: readonly string[]): number => {
  if (columns.includes('id')) return 0;
  if (!table.hasStates) return 1;
  return table.columns.some(({ name, isUnique }) => isUnique && columns.includes(name)) ? 2 : 3;
};

/**
 * What queries find rows by. A thing may have tens of thousands of rows, and SQLite’s own number of a row is in every index, so that no row
 * is read to find it.
 */
export const rowKeyOf = ({ engine }: Queries) => (engine === 'sqlite' ? 'rowid' : 'id');

/** Selects rows by the keys that queries find, newest first. Each of them is answered by an index. */
async function select(
  queries: Queries,
  table: CopyTable,
  where: string,
  values: readonly SqlValue[],
  limit: number,
): Promise<RowRecord[]> {
  const name = stored(table);
  const rowKey = rowKeyOf(queries);
  return queries.all<RowRecord>(
    `SELECT *, ${FORM} FROM ${name} WHERE ${rowKey} IN (SELECT ${rowKey} FROM ${name} WHERE ${rowKey} IN (${where}) ORDER BY created_at DESC, id LIMIT ?)
     ORDER BY created_at DESC, id`,
    ...values,
    limit + 1,
  );
}

function foundIn(table: CopyTable, row: RowRecord, matchedBy: readonly string[]): FoundRow {
  const text = (name: string) => (typeof row[name] === 'string' ? row[name] : null);
  const fields = fieldsOf(rowReader(table)(row));
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
export const keysWhere = (queries: Queries, table: CopyTable, condition: string) =>
  `SELECT ${rowKeyOf(queries)} FROM ${stored(table)} WHERE ${condition}`;

/** One query for the rows that any of these finds, which may find a row more than once. */
export const anyOf = (each: readonly string[]) => each.join(' UNION ALL ');

/** The rows of a table that a query finds, of which `columnsOf` says by which columns. */
export async function foundBy(
  queries: Queries,
  table: CopyTable,
  [where, values]: readonly [where: string, values: readonly SqlValue[]],
  limit: number,
  columnsOf: (row: RowRecord) => readonly string[],
): Promise<FoundRows> {
  const found = await select(queries, table, where, values, limit);
  return {
    rows: found.slice(0, limit).map((row) => foundIn(table, row, columnsOf(row))),
    cut: found.length > limit ? [table.name] : [],
  };
}

/** What is found in each of the tables. */
export async function inTables(find: (table: CopyTable) => Promise<FoundRows | undefined>): Promise<FoundRows> {
  const all: FoundRows[] = [];
  for (const table of TABLES) all.push((await find(table)) ?? NONE);
  return { rows: all.flatMap(({ rows }) => rows), cut: all.flatMap(({ cut }) => cut) };
}

/** Finds the rows that have one of these keys: an id, a hash, an address, a number; up to `limit` of each table. */
export async function rowsWithKey(queries: Queries, keys: readonly string[], limit: number): Promise<FoundRows> {
  if (keys.length === 0) return NONE;
  return inTables((table) => {
    const columns = ['id', ...keyColumns(table)];
    const each = columns.map((column) => keysWhere(queries, table, `${column} IN (${marks(keys)})`));
    const where = [anyOf(each), columns.flatMap(() => keys)] as const;
    return foundBy(queries, table, where, limit, (row) => columns.filter((name) => keys.includes(String(row[name]))));
  });
}

/** Follows every text that begins with another one. */
const LAST_CHARACTER = '\u{10ffff}';

/** What has no meaning of its own in a pattern of LIKE. */
const literal = (text: string) => text.replace(/[\\%_]/g, '\\$&');

/**
 * Finds the rows whose id or other text of their own begins so, up to `limit` of each column of each table. The ids of newer rows come after
 * those of older ones, so they are read from their end.
 */
export async function rowsWithStart(queries: Queries, starts: readonly IdStart[], limit: number): Promise<FoundRows> {
  if (starts.length === 0) return NONE;
  return inTables((table) => {
    const own = table.columns.filter(
      ({ isKey, isUnique, kind }) => isKey && kind === 'text' && (isUnique || !table.hasStates),
    );
    const columns = ['id', ...own.map(({ name }) => name)];
    const rowKey = rowKeyOf(queries);
    const all = columns.flatMap((column) => starts.map((each) => ({ column, ...each })));
    const each = all.map(({ column, end }) => {
      const ends = end === '' ? '' : ` AND ${column} LIKE ? ESCAPE '\\'`;
      const keys = `SELECT ${rowKey} AS row_key FROM ${stored(table)} WHERE ${column} >= ? AND ${column} < ?${ends}`;
      return `SELECT row_key FROM (${keys} ORDER BY ${column} DESC LIMIT ${limit + 1}) AS newest`;
    });
    const values = all.flatMap(({ start, end }) => [
      start,
      start + LAST_CHARACTER,
      ...(end === '' ? [] : [`%${literal(end)}`]),
    ]);
    const begins = (text: unknown) => starts.some(({ start }) => String(text).startsWith(start));
    return foundBy(queries, table, [anyOf(each), values], limit, (row) => columns.filter((name) => begins(row[name])));
  }).then(({ rows, cut }) => ({ cut, rows: rows.map((row) => ({ ...row, rank: Math.max(row.rank, 1) })) }));
}

/** Finds the rows that move one of these sums. */
export async function rowsWithSum(queries: Queries, sums: readonly Amount[], limit: number): Promise<FoundRows> {
  return inTables(async (table) => {
    const columns = table.columns.filter(({ kind, isKey }) => kind === 'amount' && isKey).map(({ name }) => name);
    if (columns.length === 0 || sums.length === 0) return undefined;
    const each = columns.flatMap((column) =>
      sums.map(() => keysWhere(queries, table, `${column}_minor = ? AND ${column}_asset = ?`)),
    );
    const values = columns.flatMap(() => sums.flatMap(({ asset, minor }) => [minor, asset]));
    const has = (row: RowRecord, column: string) =>
      sums.some(({ asset, minor }) => row[`${column}_minor`] === minor && row[`${column}_asset`] === asset);
    return foundBy(queries, table, [anyOf(each), values], limit, (row) => columns.filter((name) => has(row, name)));
  });
}

/** The lists whose rows name both a user and a wallet: those of an onramp are not in the row of the user. */
const OF_WALLETS = TABLES.filter(({ columns }) =>
  ['user_id', 'wallet_address'].every((name) => columns.some((column) => column.name === name)),
);

/** Returns the wallets of a user that its row does not name, the newest `limit`. */
export async function walletsOf(queries: Queries, userId: string, limit: number): Promise<string[]> {
  const each = OF_WALLETS.map(
    (table) =>
      `SELECT wallet_address AS wallet, created_at AS at FROM ${stored(table)} WHERE user_id = ? AND wallet_address IS NOT NULL`,
  );
  const sql = `SELECT wallet FROM (${each.join(' UNION ALL ')}) AS part GROUP BY wallet ORDER BY max(at) DESC, wallet LIMIT ${limit}`;
  const rows = await queries.all<{ wallet: string }>(sql, ...OF_WALLETS.map(() => userId));
  return rows.map(({ wallet }) => wallet);
}

/** Finds the user that has one of these ids or wallets, also wallets of its onramps. */
export async function userWith(queries: Queries, keys: readonly string[]): Promise<FoundRow | undefined> {
  const table = tableOf(user);
  if (keys.length === 0) return undefined;
  const columns = ['id', ...keyColumns(table)];
  const own = columns.map((column) => keysWhere(queries, table, `${column} IN (${marks(keys)})`));
  const others = OF_WALLETS.map(
    (each) => `SELECT user_id FROM ${stored(each)} WHERE wallet_address IN (${marks(keys)}) AND user_id IS NOT NULL`,
  );
  const ofWallet = keysWhere(queries, table, `id IN (${others.join(' UNION ')})`);
  const values = [...columns, ...OF_WALLETS].flatMap(() => keys);
  const [row] = await select(queries, table, anyOf([...own, ofWallet]), values, 1);
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

/** Returns how far the copy reaches, without counting rows. Every table may lack rows of after the last sync. */
export async function reachOf(queries: Queries, until?: string): Promise<Reach> {
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
  const isAfter = until !== undefined && afterLastSync(await readKnownUntil(queries), until) !== undefined;
  return { from, syncedAt, partial: states.flatMap(({ gap, name }) => (gap === null && !isAfter ? [] : [name])) };
}
