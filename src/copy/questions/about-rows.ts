import type { Queries } from '../../journal/store.ts';
import { parseExactJson } from '../../money/decimal.ts';
import { isPlainObject, type Plain } from '../../present/plain.ts';
import { thingOfRow } from '../../things/index.ts';
import { stored } from '../schema.ts';
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
    const ids = [...new Set(own.map(({ id }) => id))];
    for (let from = 0; from < ids.length; from += IDS_A_STATEMENT) {
      const part = ids.slice(from, from + IDS_A_STATEMENT);
      const found = await queries.all<{ id: string; created_at: string | null; json: string }>(
        `SELECT id, created_at, json FROM ${stored({ name: list })} WHERE id IN (${marks(part)})`,
        ...part,
      );
      for (const { id, created_at, json } of found) {
        const parsed = parseExactJson(json) as Plain;
        const row = isPlainObject(parsed) ? parsed : {};
        const thing = thingOfRow(list, row['type']);
        const [amount, who] = [amountIn(row, thing.amount), textIn(row, thing.who) ?? null];
        about.set(rowKey({ list, id }), { createdAt: created_at, amount, who });
      }
    }
  }
  return about;
}
