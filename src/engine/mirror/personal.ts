import type { Queries } from '../../journal/store.ts';
import { parseExactJson } from '../../money/decimal.ts';
import type { Plain } from '../../present/plain.ts';
import type { Mirror } from './database.ts';
import { mirrorRow } from './rows.ts';
import { dropUnusedNames } from './save-rows.ts';
import { columnNames, stored } from './schema.ts';
import { type MirrorTable, TABLES } from './tables.ts';

/** How many rows are changed in one transaction. */
const BATCH = 500;

/** Things that exist are personal for as long as the service lists them; everything else from the time that it was made. */
const ageOf = ({ readBy }: MirrorTable) =>
  readBy === 'count' || readBy === 'whole' ? 'gone_at' : 'coalesce(created_at, first_seen_at)';

/** Removes what is personal from rows of before a time, also from the files. Returns how many rows had it. */
export async function forgetPersonal(mirror: Mirror, beforeAt: string): Promise<number> {
  let count = 0;
  for (const table of TABLES) {
    const sql = `SELECT id, json FROM ${stored(table)} WHERE is_personal = 1 AND ${ageOf(table)} < ? LIMIT ${BATCH}`;
    for (let found = BATCH; found === BATCH; count += found)
      found = await mirror.write(async (queries) => {
        const rows = await queries.all<{ id: string; json: string }>(sql, beforeAt);
        for (const row of rows) await strip(queries, table, row);
        return rows.length;
      });
  }
  if (count === 0) return 0;
  await mirror.write(dropUnusedNames);
  await mirror.erase();
  return count;
}

async function strip(
  queries: Queries,
  table: MirrorTable,
  { id, json }: { readonly id: string; readonly json: string },
) {
  const row = mirrorRow(table, parseExactJson(json) as Plain, false);
  const names = columnNames(table);
  await queries.run(
    `UPDATE ${stored(table)} SET ${names.map((name) => `${name} = ?`).join(', ')}, json = ?, digest = ?, is_personal = 0 WHERE id = ?`,
    ...[...row.values, row.json, row.digest, id],
  );
}
