import type { Queries } from '../../../journal/store.ts';
import type { Asset } from '../../../money/amount.ts';
import { readSetting, readState } from '../../list-state.ts';
import { TABLES } from '../../tables.ts';
import { lastCheckAt } from './checks.ts';
import { type Lacking, LINES_OF, type Line } from './movements.ts';

/** The lists that may lack rows, and what that leaves open. */
export interface CutLists {
  readonly tables: ReadonlyMap<string, Lacking>;
  /** Why a line of an asset may lack rows; undefined if it has all of them. */
  reasonFor(asset: Asset, line: Line): Lacking | undefined;
}

/** Returns which lists may lack rows of before a moment: those that were not read to their end, and all of them after the last sync. */
export async function cutListsIn(queries: Queries, until: string): Promise<CutLists> {
  const tables = new Map<string, Lacking>();
  const endedAt = (await readSetting(queries, 'synced-at')) ?? '';
  const states = [];
  for (const table of TABLES) states.push({ ...(await readState(queries, table)), name: table.name });
  // A sync that stopped had read the balances, and only some of the lists.
  const hasStopped = states.some(({ syncedAt }) => (syncedAt ?? '') > endedAt);
  const isOld = (syncedAt: string | null) => hasStopped && (syncedAt ?? '') <= endedAt;
  // Every list is read after the balances.
  const readUntil = await lastCheckAt(queries);
  for (const { gap, name, syncedAt } of states) {
    if (gap !== null || isOld(syncedAt)) tables.set(name, { why: 'LIST_INCOMPLETE' });
    else if (readUntil !== undefined && until > readUntil) tables.set(name, afterLastSync(readUntil));
  }
  const cut = [...tables].flatMap(([name, lacking]) => (LINES_OF[name] ?? []).map((each) => ({ ...each, lacking })));
  return {
    tables,
    reasonFor: (asset, line) =>
      cut.find(({ lines, assets }) => lines.includes(line) && assets.includes(asset))?.lacking,
  };
}

/** Why nothing is known after the last sync. */
export const afterLastSync = (at: string): Lacking => ({ why: 'AFTER_LAST_SYNC', since: at });
