import type { Page, Row, RowFilter, RowQuery } from './source.ts';

/** Filters whose matches are remembered. */
const MOST_FILTERS = 4;

/** Incremental filter over an append-only list. The searched text of a row must never change. */
interface Search<Item, Last> {
  /** The matches that were added after `since`, in the order of the list, and the last row that there is now. */
  readonly find: (
    filter: RowFilter,
    since: Last | undefined,
  ) => { readonly items: readonly Item[]; readonly last: Last };
  /** Whether the rows up to `last` are still there, as they were. */
  readonly isStill: (last: Last) => boolean;
}

/** What matches a filter; `generation` counts how often what was remembered was no longer there. */
interface Matches<Item> {
  readonly items: readonly Item[];
  readonly generation: number;
}

/**
 * Returns what finds everything that matches a filter, the oldest first. A page that is open asks with every change, so what was found
 * is remembered, and only what was added since is looked at.
 */
export function rememberMatches<Item, Last>({
  find,
  isStill,
}: Search<Item, Last>): (filter: RowFilter) => Matches<Item> {
  const known = new Map<string, { readonly items: readonly Item[]; readonly last: Last }>();
  let generation = 0;
  return (filter) => {
    const { text, state, look, since, until, user, least, most, isDeep } = filter;
    const key = [state, text, look, since, until, user, least, most, isDeep].join(' ');
    let before = known.get(key);
    if (before && !isStill(before.last)) {
      known.clear();
      before = undefined;
      generation += 1;
    }
    const { items: added, last } = find(filter, before?.last);
    const items = before ? (added.length > 0 ? [...before.items, ...added] : before.items) : added;
    known.delete(key);
    known.set(key, { items, last });
    for (const oldest of known.keys()) if (known.size > MOST_FILTERS) known.delete(oldest);
    return { items, generation };
  };
}

/** The rows of a page; a match that is gone has none. */
export function pageOfMatches<Item>(
  { items, generation }: Matches<Item>,
  { from, limit }: RowQuery,
  rowOf: (item: Item) => Row | undefined,
): Page {
  const rows = items.slice(from, from + limit).flatMap((item) => rowOf(item) ?? []);
  return { total: items.length, rows, generation };
}
