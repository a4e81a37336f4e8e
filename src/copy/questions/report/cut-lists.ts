import type { Queries } from '../../../journal/store.ts';
import type { Asset } from '../../../money/amount.ts';
import { readKnownUntil, readState } from '../../list-state.ts';
import { TABLES } from '../../tables.ts';
import { type Lacking, LINES_OF, type Line } from './movements.ts';

/** The lists that may lack rows, and what that leaves open. */
export interface CutLists {
  readonly tables: ReadonlyMap<string, Lacking>;
  /** Why a line of an asset may lack rows; undefined if it has all of them. */
  reasonFor(asset: Asset, line: Line): Lacking | undefined;
}

/** Returns which lists may lack rows of before a moment: those that were not read to their end, and all of them after the last sync that ended. */
export async function cutListsIn(queries: Queries, until: string): Promise<CutLists> {
  const tables = new Map<string, Lacking>();
  const after = afterLastSync(await readKnownUntil(queries), until);
  for (const table of TABLES) {
    const { gap } = await readState(queries, table);
    const lacking = gap === null ? after : ({ why: 'LIST_INCOMPLETE' } as const);
    if (lacking) tables.set(table.name, lacking);
  }
  const cut = [...tables].flatMap(([name, lacking]) => (LINES_OF[name] ?? []).map((each) => ({ ...each, lacking })));
  return {
    tables,
    reasonFor: (asset, line) =>
      cut.find(({ lines, assets }) => lines.includes(line) && assets.includes(asset))?.lacking,
  };
}

/** Why not everything of before a moment is in the copy; undefined if it is. A sync that stopped has read some of the lists, and not what follows from them. */
export function afterLastSync(knownUntil: string | undefined, until: string): Lacking | undefined {
  if (knownUntil === undefined) return { why: 'LIST_INCOMPLETE' };
  return until > knownUntil ? { why: 'AFTER_LAST_SYNC', since: knownUntil } : undefined;
}
