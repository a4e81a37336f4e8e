import type { List, Row, RowQuery } from './source.ts';

/** Rows that are held in memory, the oldest first, and whether there are older ones. */
export interface Held {
  readonly rows: readonly Row[];
  readonly hasOlder: boolean;
}

/** A list has no more rows than this: what is older is found by the search. */
export const MOST_HELD = 5_000;

/** Reads something again whenever its version has changed, so that it is never partly old. `generation` counts the readings. */
export function heldWhile<T>(version: () => Promise<string>, read: () => Promise<T>) {
  let known: { readonly version: string; readonly held: Promise<T> } | undefined;
  let generation = 0;
  return async (): Promise<{ readonly value: T; readonly generation: number }> => {
    const now = await version();
    if (known?.version !== now) {
      const held = read();
      known = { version: now, held };
      generation += 1;
      // What could not be read, such as a file that was busy, is read again when it is asked for.
      held.catch(() => {
        if (known?.held === held) known = undefined;
      });
    }
    return { value: await known.held, generation };
  };
}

/** A list that is read as a whole whenever its version has changed. */
export function heldList(
  version: () => Promise<string>,
  read: () => Promise<Held>,
  detail: (id: string) => Promise<unknown>,
): List {
  const current = heldWhile(version, read);
  return {
    page: async (query) => {
      const { value, generation } = await current();
      return { ...pageOf(value.rows, query), hasOlder: value.hasOlder, generation };
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
