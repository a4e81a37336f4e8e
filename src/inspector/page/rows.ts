import type { Page, Row } from '../source.ts';

/** Rows are asked for in blocks of this many and, while a list scrolls, one block before they are seen. */
const BLOCK = 100;
/** After an answer that took long, the next refresh waits this many times as long, so that a page which is open takes no more than a quarter of the server's time. */
const RESTS = 3;
const LONG_MS = 20;
/** More rows than this are forgotten, and asked for again once they are seen. */
const MOST_KNOWN = 5_000;

/** Asks for rows from a position on, or for the newest. */
export type AskRows = (from: number | 'newest', limit: number) => Promise<Page & { readonly from?: number }>;

/** The rows of a list that are known here. Positions count from the oldest row, so that new rows move none. */
export interface KnownRows {
  /** The total is −1 until it is known. */
  about(): Omit<Page, 'rows'>;
  at(position: number): Row | undefined;
  /** Asks for what of these positions is not known, or may have changed since. While the list scrolls, asks for what is near them, too. */
  see(from: number, to: number, isScrolling: boolean): void;
  /** Asks again for these positions, or for as many of the newest rows. One answer is waited for at a time. */
  refresh(from: number | 'newest', limit: number): void;
}

interface KnownRow {
  readonly row: Row;
  /** After how many refreshes it was asked for. */
  readonly age: number;
}

/** `draw` is called whenever there is something new to show. */
export function createRows(ask: AskRows, draw: () => void): KnownRows {
  const rows = new Map<number, KnownRow>();
  const asked = new Set<number>();
  let about: Omit<Page, 'rows'> = { total: -1, generation: 0 };
  let age = 0;
  let [isRefreshing, next] = [false, undefined as readonly [number | 'newest', number] | undefined];
  const take = ({ rows: read, ...now }: Page, from: number, askedAt: number) => {
    if (now.generation !== about.generation) rows.clear();
    about = now;
    for (const [index, row] of read.entries()) {
      if ((rows.get(from + index)?.age ?? 0) > askedAt) continue;
      rows.delete(from + index);
      rows.set(from + index, { row, age: askedAt });
    }
    for (const oldest of rows.keys()) if (rows.size > MOST_KNOWN) rows.delete(oldest);
    draw();
  };
  const readBlock = async (block: number) => {
    asked.add(block);
    const askedAt = age;
    await ask(block * BLOCK, BLOCK)
      .then((answer) => take(answer, block * BLOCK, askedAt))
      .catch(() => {})
      .finally(() => asked.delete(block));
  };
  const refresh = async (from: number | 'newest', limit: number) => {
    next = [from, limit];
    if (isRefreshing) return;
    isRefreshing = true;
    while (next) {
      const [first, count] = next;
      next = undefined;
      // What was read before may have changed.
      age += 1;
      const askedAt = age;
      const startMs = performance.now();
      const answer = await ask(first, count).catch(() => undefined);
      const tookMs = performance.now() - startMs;
      if (answer) take(answer, answer.from ?? Number(first), askedAt);
      if (tookMs > LONG_MS) await new Promise((resolve) => setTimeout(resolve, tookMs * RESTS));
    }
    isRefreshing = false;
  };
  const isWanted = (block: number, from: number, to: number, near: number) => {
    const last = Math.min(about.total - 1, to + near, (block + 1) * BLOCK - 1);
    for (let at = Math.max(block * BLOCK, from - near); at <= last; at++) {
      const known = rows.get(at);
      if (at >= from && at <= to ? known?.age !== age : !known) return true;
    }
    return false;
  };
  return {
    about: () => about,
    at: (position) => rows.get(position)?.row,
    see: (from, to, isScrolling) => {
      const near = isScrolling ? BLOCK : 0;
      const last = Math.floor(Math.min(about.total - 1, to + near) / BLOCK);
      for (let block = Math.floor(Math.max(0, from - near) / BLOCK); block <= last; block++)
        if (!asked.has(block) && isWanted(block, from, to, near)) readBlock(block);
    },
    refresh,
  };
}
