import type { SqlValue } from '../sqlite/database.ts';

/** What the database puts into a column if nothing is given: the number of a row, which may be that of a deleted one unless it is `numbered once`, or 0. */
type Filling = 'numbered' | 'numbered once' | 0;

/** A column. `Value` is what a row has there. */
export interface Column<Value = unknown> {
  /** `prose` is only compared for equality: on a server, it has the order of the database. Other text is compared by its bytes, as in SQLite. */
  readonly kind: 'text' | 'prose' | 'integer' | 'bytes';
  readonly isOptional?: true;
  readonly filling?: Filling;
  /** The only values. */
  readonly oneOf?: readonly string[];
  /** Only 1: the table has at most one row. */
  readonly isOnly?: true;
  /** The table whose `id` it has. */
  readonly references?: string;
  /** Nothing is ever there: it carries the type. */
  readonly of?: Value;
}

/** What limits the values of a column. */
type Limits = Pick<Column, 'oneOf' | 'isOnly' | 'references'>;

export const text = <V extends string>(limits: Limits & { readonly oneOf?: readonly V[] } = {}): Column<V> => ({
  kind: 'text',
  ...limits,
});

export const prose = <V extends string>(limits: Limits & { readonly oneOf?: readonly V[] } = {}): Column<V> => ({
  kind: 'prose',
  ...limits,
});

/** A whole number, which is read as bigint. */
export const integer = (limits: Limits = {}): Column<bigint> => ({ kind: 'integer', ...limits });

export const bytes = (): Column<Uint8Array> => ({ kind: 'bytes' });

/** A column that may be NULL. */
export const optional = <V>(column: Column<V>): Column<V | null> => ({ ...column, isOptional: true });

interface Filled<V> extends Column<V> {
  readonly filling: Filling;
}

/** A column that the database fills if nothing is given. */
export const filled = <V>(column: Column<V>, filling: Filling): Filled<V> => ({ ...column, filling });

/** A table. From its record follow what makes it in each engine (ddl.ts), the type of its rows, and how rows are written. */
export interface Table<C extends Columns = Columns> extends Constraints {
  readonly name: string;
  /** The columns that tell a row from all others. */
  readonly key: readonly string[];
  readonly columns: C;
}

type Columns = Readonly<Record<string, Column>>;

interface Constraints {
  readonly unique?: readonly string[];
  /** A condition of each row. */
  readonly check?: string;
}

export const table = <C extends Columns>(
  name: string,
  key: readonly (keyof C & string)[],
  columns: C,
  constraints: Constraints = {},
): Table<C> => ({ name, key, columns, ...constraints });

/** A row as it is read. */
export type RowOf<T extends Table> = {
  readonly [N in keyof T['columns']]: T['columns'][N] extends Column<infer V> ? V : never;
};

type Written<V> = V extends bigint ? bigint | number : V;

type MayLack<T extends Table> = {
  [N in keyof T['columns']]: T['columns'][N] extends Filled<unknown> ? N : null extends RowOf<T>[N] ? N : never;
}[keyof T['columns']];

/** A row as it is written. What is left out is NULL, or what the database puts there. */
export type NewRow<T extends Table> = {
  readonly [N in Exclude<keyof T['columns'], MayLack<T>>]: Written<RowOf<T>[N]>;
} & {
  readonly [N in MayLack<T>]?: Written<RowOf<T>[N]> | undefined;
};

type NameOf<T extends Table> = keyof T['columns'] & string;

/** Returns the names of the columns, in their order. */
export function columnNames<T extends Pick<Table, 'columns'>>({ columns }: T) {
  return Object.keys(columns) as (keyof T['columns'] & string)[];
}

/** Returns a row as it will be read. */
export function rowOf<T extends Table>(table: T, row: NewRow<T>): RowOf<T> {
  const given = row as Readonly<Record<string, SqlValue | undefined>>;
  const values = columnNames(table).map((name) => {
    const value = given[name] ?? null;
    return [name, typeof value === 'number' ? BigInt(value) : value];
  });
  return Object.fromEntries(values) as RowOf<T>;
}

/** Returns the statement that inserts rows with values for some columns; `ending` follows the values. */
export function insertSql({ name }: Pick<Table, 'name'>, names: readonly string[], count: number, ending = ''): string {
  const row = `(${names.map(() => '?').join(', ')})`;
  return `INSERT INTO ${name} (${names.join(', ')}) VALUES ${new Array(count).fill(row).join(', ')} ${ending}`.trimEnd();
}

/** Returns the statement that inserts rows, and its values: `queries.run(...insertion(TABLE, rows))`. */
export function insertion<T extends Table>(
  table: T,
  rows: readonly NewRow<T>[],
  ending = '',
): readonly [sql: string, ...values: SqlValue[]] {
  const given = rows as readonly Readonly<Record<string, SqlValue | undefined>>[];
  const isGiven = (name: string) => given.some((row) => row[name] !== undefined);
  const names = columnNames(table).filter((name) => table.columns[name]?.filling === undefined || isGiven(name));
  const values = given.flatMap((row) => names.map((name) => row[name] ?? null));
  return [insertSql(table, names, rows.length, ending), ...values];
}

/** Where a row with its key is there already, the new values of these columns replace those that it has. */
export const replacing = <T extends Table>({ key }: T, names: readonly NameOf<T>[]): string =>
  `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`;

/** Where a row with its key is there already, it stays as it is. */
export const UNLESS_THERE = 'ON CONFLICT DO NOTHING';
