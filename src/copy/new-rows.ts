import type { Queries } from '../journal/store.ts';
import type { LocalCopy } from './database.ts';
import { readSetting, writeSetting } from './list-state.ts';
import { stored } from './schema.ts';
import type { CopyTable } from './tables.ts';

/** A row that is new or has changed. Times are ISO 8601 in UTC. */
export interface NewRow extends Readonly<Record<string, string | null>> {
  readonly id: string;
  /** When it was made, if it says so. */
  readonly made: string | null;
  /** When it was read as it is now. */
  readonly at: string;
}

interface NewRows {
  readonly rows: readonly NewRow[];
  /** How many there were when the first of them were read. */
  readonly total: number;
  /** Notes that everything up to one of them was asked about, so that it does not come again. */
  noteRead(queries: Queries, row: NewRow): Promise<void>;
}

/** How many rows are in memory at once. */
const BATCH = 500;

/**
 * Yields rows of a table that hold a condition and are new, or have changed since it was noted that they were asked about; `setting` is the name of
 * that note. They come in the order in which they were read, which an index has.
 */
export async function* newRows(
  copy: LocalCopy,
  table: CopyTable,
  setting: string,
  condition: string,
): AsyncGenerator<NewRows> {
  const from = `FROM ${stored(table)} WHERE ${condition} AND (changed_at, id) > (?, ?)`;
  let [at = '', id = ''] = ((await copy.read((queries) => readSetting(queries, setting))) ?? '').split(' ');
  const left = await copy.read((queries) => queries.get<{ n: bigint }>(`SELECT count(*) AS n ${from}`, at, id));
  for (;;) {
    const rows = await copy.read((queries) =>
      queries.all<NewRow>(
        `SELECT id, created_at AS made, changed_at AS at ${from} ORDER BY changed_at, id LIMIT ${BATCH}`,
        at,
        id,
      ),
    );
    const last = rows.at(-1);
    if (!last) return;
    yield {
      rows,
      total: Number(left?.n ?? 0n),
      noteRead: (queries, row) => writeSetting(queries, setting, `${row.at} ${row.id}`),
    };
    [at, id] = [last.at, last.id];
  }
}
