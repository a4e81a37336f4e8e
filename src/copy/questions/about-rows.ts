import type { Queries } from '../../journal/store.ts';
import type { Plain } from '../../present/plain.ts';
import { thingOfRow } from '../../things/index.ts';
import { fieldsOf, type RowRecord, recordNames, rowReader } from '../forms.ts';
import { stored } from '../schema.ts';
import { TABLES } from '../tables.ts';
import { marks } from './in-copy.ts';
import { amountIn, textIn } from './typed.ts';

/** What a row says of itself, as it is now. */
export interface AboutRow {
  readonly createdAt: string | null;
  readonly amount: Plain;
  readonly who: string | null;
}

/** A row of a list, by the name of its view. */
interface RowName {
  readonly list: string;
  readonly id: string;
}

export const nothingAbout: AboutRow = { createdAt: null, amount: null, who: null };

export const rowKey = ({ list, id }: RowName): string => `${list} ${id}`;

/** How many ids a statement has. */
const IDS_A_STATEMENT = 500;

/** Reads what rows say of themselves, by `rowKey`. */
export async function aboutRows(queries: Queries, rows: readonly RowName[]): Promise<ReadonlyMap<string, AboutRow>> {
  const about = new Map<string, AboutRow>();
  for (const [list, own] of Map.groupBy(rows, (row) => row.list)) {
    const table = TABLES.find(({ name }) => name === list);
    if (!table) continue;
    const rowOf = rowReader(table);
    const ids = [...new Set(own.map(({ id }) => id))];
    for (let from = 0; from < ids.length; from += IDS_A_STATEMENT) {
      const part = ids.slice(from, from + IDS_A_STATEMENT);
      const found = await queries.all<RowRecord>(
        `SELECT ${recordNames(table).join(', ')} FROM ${stored(table)} WHERE id IN (${marks(part)})`,
        ...part,
      );
      for (const record of found) {
        const row = fieldsOf(rowOf(record));
        const thing = thingOfRow(list, row['type']);
        const [amount, who] = [amountIn(row, thing.amount), textIn(row, thing.who) ?? null];
        const createdAt = record['created_at'] === null ? null : String(record['created_at']);
        about.set(rowKey({ list, id: String(record['id']) }), { createdAt, amount, who });
      }
    }
  }
  return about;
}
