import type { Queries } from '../../../journal/store.ts';
import type { Asset } from '../../../money/amount.ts';
import { readSetting, readState } from '../../list-state.ts';
import { TABLES } from '../../tables.ts';
import { type Lacking, LINES_OF, type Line } from './movements.ts';

/** The lists that may lack rows, and what that leaves open. */
export interface CutLists {
  readonly tables: ReadonlySet<string>;
  /** Why a line of an asset may lack rows; undefined if it has all of them. */
  reasonFor(asset: Asset, line: Line): Lacking | undefined;
}

/** Returns which lists may lack rows. */
export async function cutListsIn(queries: Queries): Promise<CutLists> {
  const tables = new Set<string>();
  const endedAt = (await readSetting(queries, 'synced-at')) ?? '';
  const states = [];
  for (const table of TABLES) states.push({ ...(await readState(queries, table)), name: table.name });
  // A sync that stopped had read the balances, and only some of the lists.
  const hasStopped = states.some(({ syncedAt }) => (syncedAt ?? '') > endedAt);
  const isOld = (syncedAt: string | null) => hasStopped && (syncedAt ?? '') <= endedAt;
  for (const { gap, name, syncedAt } of states) if (gap !== null || isOld(syncedAt)) tables.add(name);
  const cut = [...tables].flatMap((name) => LINES_OF[name] ?? []);
  return {
    tables,
    reasonFor: (asset, line) =>
      cut.some(({ lines, assets }) => lines.includes(line) && assets.includes(asset))
        ? { why: 'LIST_INCOMPLETE' }
        : undefined,
  };
}
