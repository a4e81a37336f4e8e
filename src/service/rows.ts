import { Fault, type FaultName } from '../contract/faults.ts';
import type { Database, SqlValue } from '../sqlite/database.ts';
import type { Call } from './context.ts';

/** Columns of a row by name. True is stored as 1, false as 0, and undefined as null. */
type Columns = Readonly<Record<string, SqlValue | boolean | undefined>>;

/** Inserts a row and returns its rowid. */
export function insert(store: Database, table: string, columns: Columns): bigint {
  return store.insert(insertion(table, columns), ...valuesOf(columns));
}

function stored(value: SqlValue | boolean | undefined): SqlValue {
  return typeof value === 'boolean' ? Number(value) : (value ?? null);
}

const valuesOf = (columns: Columns) => Object.values(columns).map(stored);

function insertion(table: string, columns: Columns): string {
  const names = Object.keys(columns);
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (?${', ?'.repeat(names.length - 1)})`;
}

/** Returns a row that exists, by its rowid. */
export function rowOf<R extends object>(store: Database, table: string, id: bigint): R {
  const row = store.get<R>(`SELECT * FROM ${table} WHERE id = ?`, id);
  if (!row) throw new Error(`row ${id} of ${table} is missing`);
  return row;
}

/** Inserts a row and returns all of its columns. With RETURNING, SQLite would look for rows that refer to the new one. */
export function insertRow<R extends object>(store: Database, table: string, columns: Columns): R {
  return rowOf(store, table, insert(store, table, columns));
}

/** Changes some columns of a row. */
export function update(store: Database, table: string, id: bigint, columns: Columns): void {
  const set = Object.keys(columns).join(' = ?, ');
  store.run(`UPDATE ${table} SET ${set} = ? WHERE id = ?`, ...valuesOf(columns), id);
}

/** Inserts a row, or changes `columns` of the one that has its key; `first` are the key and what only a new row gets. */
export function upsert(store: Database, table: string, first: Columns, columns: Columns): void {
  const set = Object.keys(columns).map((name) => `${name} = excluded.${name}`);
  const row = { ...first, ...columns };
  store.run(`${insertion(table, row)} ON CONFLICT DO UPDATE SET ${set.join(', ')}`, ...valuesOf(row));
}

/** Returns the row of the calling fintech whose column `by` is `id`. Throws NOT_FOUND, or another fault, with what is missing. */
export function ownRow<R extends object>(
  { store, fintech }: Call,
  [table, by, id]: readonly [table: string, by: string, id: string],
  missing: string,
  fault: FaultName = 'NOT_FOUND',
): R {
  const row = store.get<R>(`SELECT * FROM ${table} WHERE ${by} = ? AND fintech = ?`, id, fintech.id);
  if (!row) throw new Fault(fault, missing);
  return row;
}

/** Returns the number of rows that a query has counted as `n`. */
export function countOf(store: Database, sql: string, ...values: readonly SqlValue[]): number {
  return Number(store.get<{ n: bigint }>(sql, ...values)?.n ?? 0n);
}

/** The public id of a user; empty for a row that has none. */
export function userIdOf(store: Database, user: bigint | null): string {
  return store.get<{ user_id: string }>('SELECT user_id FROM user WHERE id = ?', user)?.user_id ?? '';
}

/** The address of a wallet. */
export function walletAddressOf(store: Database, wallet: bigint): string {
  return store.get<{ address: string }>('SELECT address FROM wallet WHERE id = ?', wallet)?.address ?? '';
}
