import type { Queries } from '../../../journal/store.ts';
import type { Asset } from '../../../money/amount.ts';
import { readSetting, readState } from '../../list-state.ts';
import { TABLES } from '../../tables.ts';
import { MOVEMENTS } from './movement-kinds.ts';
import type { Lacking, Line } from './movements.ts';

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
  const cut = MOVEMENTS.filter(({ table }) => tables.has(table.name));
  const linesOf = ({ way, line, fee }: (typeof MOVEMENTS)[number]): readonly Line[] => [
    line === 'bridged' ? 'out' : (line ?? way),
    ...(fee === '0' ? [] : ['fees' as const]),
    ...(way === 'out' ? ['inFlight' as const] : []),
  ];
  return {
    tables,
    reasonFor: (asset, line) => {
      // An asset that is a column may be any.
      const isOpen = cut.some(
        (kind) => (kind.asset === `'${asset}'` || !kind.asset.startsWith("'")) && linesOf(kind).includes(line),
      );
      return isOpen ? { why: 'LIST_INCOMPLETE' } : undefined;
    },
  };
}
