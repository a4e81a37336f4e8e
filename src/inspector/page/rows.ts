import type { Page, Row } from '../source.ts';

/** Rows are asked for in blocks of this many and, while a list scrolls, one block before they are seen. */
const BLOCK = 100;
/** After an answer that took long, this many times as long is waited, so that an open page takes no more than a quarter of the server's time. */
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

interface ReadRow {
  readonly row: Row;
  /** Refresh count at the time of the request. */
  readonly age: number;
}

interface PageClock {
  nowMs(): number;
  sleep(durationMs: number): Promise<void>;
}

/** `draw` is called whenever there is something new to show. */
export function createRows(ask: AskRows, draw: () => void, clock: PageClock): KnownRows {
  const rows = new Map<number, ReadRow>();
  const asked = new Set<number>();
  let about: Omit<Page, 'rows'> = { total: -1, generation: 0 };
  let age = 0;
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
  const refresh = oneAtATime(async (from: number | 'newest', limit: number) => {
    // What was read before may have changed.
    age += 1;
    const askedAt = age;
    const startMs = clock.nowMs();
    const answer = await ask(from, limit).catch(() => undefined);
    const tookMs = clock.nowMs() - startMs;
    if (answer) take(answer, answer.from ?? Number(from), askedAt);
    if (tookMs > LONG_MS) await clock.sleep(tookMs * RESTS);
  });
  const isWanted = (block: number, from: number, to: number, near: number) => {
    const last = Math.min(about.total - 1, to + near, (block + 1) * BLOCK - 1);
    for (let at = Math.max(block * BLOCK, from - near); at <= last; at++)
      if (at >= from && at <= to ? rows.get(at)?.age !== age : !rows.has(at)) return true;
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

/** Returns what runs work once at a time: of what is wanted in the meantime, the last is run afterwards. */
function oneAtATime<Wanted extends readonly unknown[]>(work: (...wanted: Wanted) => Promise<void>) {
  let isRunning = false;
  let next: Wanted | undefined;
  return async (...wanted: Wanted): Promise<void> => {
    next = wanted;
    if (isRunning) return;
    isRunning = true;
    for (let now: Wanted | undefined = next; now; now = next) {
      next = undefined;
      await work(...now);
    }
    isRunning = false;
  };
}
