import type { Database } from '../../sqlite/database.ts';

/** A table that rows are only added to, and what tells its rows from those that another state of the sandbox has under the same number. */
interface GrowingTable {
  readonly table: string;
  readonly name: string;
}

/** The last row of each table. */
export type Ends = readonly { readonly id: bigint; readonly name: unknown }[];

export const endsOf = (store: Database, tables: readonly GrowingTable[]): Ends =>
  tables.map(
    ({ table, name }) =>
      store.get<Ends[number]>(`SELECT id, ${name} AS name FROM ${table} ORDER BY id DESC LIMIT 1`) ?? {
        id: 0n,
        name: undefined,
      },
  );

/** Whether these rows are still there: another state of the sandbox may have been restored, or a new one begun. */
export const areThere = (store: Database, tables: readonly GrowingTable[], ends: Ends): boolean =>
  tables.every(({ table, name }, at) => {
    const row = store.get<{ name: unknown }>(`SELECT ${name} AS name FROM ${table} WHERE id = ?`, ends[at]?.id ?? 0n);
    return row?.name === ends[at]?.name;
  });
