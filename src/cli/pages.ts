/** Rows asked for at a time by `--all`: the most that the lists of the service give. */
export const PAGE_SIZE = 100;

/** Ids kept of what was given out last: as many as rows may come in between two pages and still be told apart by id. */
const REMEMBERED = 2_000;

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** How many rows the whole list had when the page was read; undefined where the service does not say. */
  readonly total: number | undefined;
}

interface Pages<Row> {
  readonly first: Page<Row>;
  /** The offset of the first page. */
  readonly offset: number;
  /** Rows asked for at a time. */
  readonly size: number;
  readonly idOf: (row: Row) => string | null | undefined;
  readonly fetchPage: (offset: number) => Promise<Page<Row>>;
  /** Lets a page that was asked for leave, before the one in hand is worked on. */
  readonly turn: () => Promise<void>;
  /** The list is sorted the other way, so that what is new comes last and shifts nothing. */
  readonly isOldestFirst?: boolean;
  /** How many ids are kept. */
  readonly remembered?: number;
}

/**
 * The pages after the first one, each row once and none left out, though rows come in while the list is read. A newest-first
 * list then shifts: when its total grew by d, up to d rows come again. They are known by their ids; where more came in
 * than ids are kept, or rows have none, the first d are dropped. When the total shrank, the same rows are asked for
 * again from as much earlier. One page is read ahead while the one before it is printed. Memory is bounded.
 */
export async function* allPages<Row>(pages: Pages<Row>): AsyncGenerator<readonly Row[]> {
  const { first, offset, size, idOf, fetchPage, turn } = pages;
  const seen = createMemory(pages.remembered ?? REMEMBERED);
  seen.add(first.rows.map(idOf));
  let { total } = first;
  let lowest = total ?? 0;
  let next = offset + first.rows.length;
  /** Rows that come again from `next` on, by the total. */
  let due = 0;
  let isFruitful = true;
  let ahead: Promise<Page<Row>> | undefined;
  for (let isMore = goesOn(first, next, size); isMore; ) {
    const page = await (ahead ?? fetchPage(next));
    ahead = undefined;
    const grown = page.total === undefined || total === undefined ? 0 : page.total - total;
    total = page.total ?? total;
    // A total that means something else, such as the rows of the page, must not lead round in circles.
    if (grown < 0 && next > offset && (isFruitful || (total ?? 0) < lowest)) {
      lowest = Math.min(lowest, total ?? 0);
      next = Math.max(offset, next + grown);
      due = 0;
      continue;
    }
    due += pages.isOldestFirst ? 0 : Math.max(0, grown);
    const isById = due <= seen.size() && page.rows.every((row) => typeof idOf(row) === 'string');
    const fresh = isById ? page.rows.filter((row) => !seen.has(idOf(row))) : page.rows.slice(due);
    const passed = isById ? page.rows.length : Math.max(page.rows.length, due);
    next += passed;
    due = Math.max(0, due - passed);
    seen.add(fresh.map(idOf));
    isFruitful = fresh.length > 0;
    isMore = goesOn(page, next, size);
    if (isMore) {
      ahead = readAhead(() => fetchPage(next));
      await turn();
    }
    if (fresh.length > 0) yield fresh;
  }
}

/** A page that is on its way. What goes wrong with it is told to whoever asks for it, and to nobody else. */
function readAhead<Row>(fetchPage: () => Promise<Page<Row>>): Promise<Page<Row>> {
  const page = fetchPage();
  page.catch(() => {});
  return page;
}

/** A page that came short is the last one, unless the total says that the service gives fewer rows than were asked for. */
function goesOn({ rows, total }: Page<unknown>, next: number, size: number): boolean {
  return rows.length >= size || (rows.length > 0 && total !== undefined && next < total);
}

/** The ids given to it last, at most `most`. */
function createMemory(most: number) {
  const ids = new Set<string>();
  return {
    size: () => ids.size,
    has: (id: string | null | undefined) => typeof id === 'string' && ids.has(id),
    add: (more: readonly (string | null | undefined)[]) => {
      for (const id of more) if (typeof id === 'string') ids.add(id);
      for (const oldest of ids) {
        if (ids.size <= most) break;
        ids.delete(oldest);
      }
    },
  };
}
