import type { List, Row, RowQuery } from './source.ts';

/** Rows that are held in memory: the oldest first, and how many older ones there are. */
export interface Held {
  readonly rows: readonly Row[];
  readonly older: number;
}

/** A list has no more rows than this: what is older is found by the search. */
export const MOST_HELD = 5_000;

/** A list that is read as a whole whenever its version has changed, so that it is never partly old. */
export function heldList(
  version: () => Promise<string>,
  read: () => Promise<Held>,
  detail: (id: string) => Promise<unknown>,
): List {
  let known: { readonly version: string; readonly held: Promise<Held>; readonly generation: number } | undefined;
  const current = async () => {
    const now = await version();
    if (known?.version !== now) known = { version: now, held: read(), generation: (known?.generation ?? 0) + 1 };
    const { held, generation } = known;
    return { ...(await held), generation };
  };
  return {
    page: async (query) => {
      const { rows, older, generation } = await current();
      return { ...pageOf(rows, query), older, generation };
    },
    detail,
  };
}

/** The rows of a page, among those that match. */
export function pageOf(rows: readonly Row[], { text, state, from, limit }: RowQuery) {
  const wanted = text.toLowerCase();
  const isWanted = (row: Row) =>
    (state === '' || row['state'] === state || row['kind'] === state) &&
    (wanted === '' || Object.values(row).some((each) => String(each).toLowerCase().includes(wanted)));
  const matching = wanted === '' && state === '' ? rows : rows.filter(isWanted);
  return { total: matching.length, rows: matching.slice(from, from + limit) };
}
