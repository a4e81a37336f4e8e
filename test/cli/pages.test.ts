import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allPages, type ListPage } from '../../src/engine/lists/pages.ts';

interface Row {
  readonly id: string | null;
}

interface FakeList {
  /** Newest first. */
  rows: Row[];
  grow(count: number): void;
  page(offset: number, limit: number): ListPage<Row>;
  readonly asked: number[];
}

function fakeList(count: number, { hasIds = true, knowsTotal = true } = {}): FakeList {
  let made = 0;
  const row = (): Row => {
    made += 1;
    return { id: hasIds ? `r-${made}` : null };
  };
  const list: FakeList = {
    rows: [],
    asked: [],
    grow: (more) => {
      for (let each = 0; each < more; each++) list.rows.unshift(row());
    },
    page: (offset, limit) => {
      list.asked.push(offset);
      return { rows: list.rows.slice(offset, offset + limit), total: knowsTotal ? list.rows.length : undefined };
    },
  };
  list.grow(count);
  return list;
}

interface Reading {
  readonly offset?: number;
  readonly size: number;
  readonly remembered?: number;
  readonly isOldestFirst?: boolean;
  /** Changes the list before each further page. */
  readonly before?: (turn: number) => void;
  /** Called if the service counts more rows than it returns; a list that only changes never does. */
  readonly fellShort?: (returned: number, total: number) => Promise<void>;
  /** The page size of the service, if not the requested one. */
  readonly given?: number;
}

/** Reads all pages and returns their rows. */
async function read(list: FakeList, { before, given, offset = 0, ...options }: Reading): Promise<Row[]> {
  const first = list.page(offset, given ?? options.size);
  const rows = [...first.rows];
  let turn = 0;
  const fetchPage = async (at: number) => {
    turn += 1;
    if (turn > 10_000) throw new Error('endless loop');
    before?.(turn);
    return list.page(at, given ?? options.size);
  };
  for await (const page of allPages({
    // A list that only changes is whole.
    fellShort: async (returned, total) => {
      throw new Error(`${returned} of ${total}`);
    },
    ...options,
    first,
    offset,
    idOf: (row) => row.id,
    fetchPage,
    turn: async () => {},
  }))
    rows.push(...page);
  return rows;
}

const counts = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 30 });
const sizes = fc.integer({ min: 1, max: 9 });

describe('allPages on a newest-first list', () => {
  test('returns each row once, even if rows are added between pages', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        sizes,
        fc.integer({ min: 0, max: 20 }),
        counts,
        fc.integer({ min: 0, max: 40 }),
        fc.boolean(),
        async (count, size, offset, growth, remembered, hasIds) => {
          const list = fakeList(count, { hasIds });
          const meant = list.rows.slice(offset);
          const rows = await read(list, {
            size,
            offset,
            remembered,
            before: (turn) => list.grow(growth[turn - 1] ?? 0),
          });
          // Compares identities: rows without ids do not differ otherwise.
          expect(rows.length).toBe(meant.length);
          expect(rows.every((row, index) => row === meant[index])).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('makes one request per page if nothing is added', async () => {
    const list = fakeList(250);
    expect((await read(list, { size: 100 })).length).toBe(250);
    expect(list.asked).toEqual([0, 100, 200]);
  });

  test('skips added rows if there are more than it remembers', async () => {
    const list = fakeList(300);
    const meant = [...list.rows];
    const rows = await read(list, {
      size: 100,
      remembered: 100,
      before: (turn) => list.grow(turn === 1 ? 5_000 : 0),
    });
    expect(rows).toEqual(meant);
    expect(list.asked).toEqual([0, 100, 5_100, 5_200, 5_300]);
  });

  test('recognises rows by their ids if the service gives no total', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 60 }), sizes, counts, async (count, size, growth) => {
        const list = fakeList(count, { knowsTotal: false });
        const meant = list.rows.map(({ id }) => id);
        const rows = await read(list, { size, before: (turn) => list.grow(growth[turn - 1] ?? 0) });
        const old = rows.filter(({ id }) => meant.includes(id)).map(({ id }) => id);
        expect(old).toEqual(meant);
      }),
    );
  });

  test('skips no rows if rows are removed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        sizes,
        fc.array(fc.tuple(fc.nat(100), fc.integer({ min: 0, max: 3 })), { maxLength: 30 }),
        async (count, size, losses) => {
          const list = fakeList(count);
          const rows = await read(list, {
            size,
            before: (turn) => {
              const [at, many] = losses[turn - 1] ?? [0, 0];
              list.rows.splice(at % Math.max(1, list.rows.length), many);
            },
          });
          const ids = rows.map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
          expect(list.rows.filter(({ id }) => !ids.includes(id))).toEqual([]);
        },
      ),
    );
  });

  test('continues after pages that are smaller than requested', async () => {
    const list = fakeList(30);
    expect(await read(list, { size: 10, given: 7 })).toEqual(list.rows);
  });

  test('ends if the total is the number of rows in the page', async () => {
    const list = fakeList(37);
    const page = list.page;
    list.page = (offset, limit) => {
      const { rows } = page(offset, limit);
      return { rows, total: rows.length };
    };
    expect(await read(list, { size: 10 })).toEqual(list.rows);
  });

  test('ends if the total is too high, and tells of it', async () => {
    const list = fakeList(37);
    const page = list.page;
    list.page = (offset, limit) => ({ ...page(offset, limit), total: 1_000_000 });
    const short: number[][] = [];
    const fellShort = async (...found: [number, number]) => void short.push(found);
    expect(await read(list, { size: 10, fellShort })).toEqual(list.rows);
    expect(short).toEqual([[37, 1_000_000]]);
  });
});

test('allPages reads an oldest-first list including added rows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 60 }), sizes, counts, async (count, size, growth) => {
      const list = fakeList(count);
      let made = 0;
      const append = (more: number) => {
        for (let each = 0; each < more; each++) list.rows.push({ id: `new-${made++}` });
      };
      const rows = await read(list, {
        size,
        isOldestFirst: true,
        before: (turn) => append(growth[turn - 1] ?? 0),
      });
      expect(rows).toEqual(list.rows.slice(0, rows.length));
      expect(rows.length).toBeGreaterThanOrEqual(count);
    }),
  );
});

test('allPages remembers a limited number of ids', async () => {
  // A row is not recognised if more rows than it remembers came in between.
  const list = fakeList(0);
  list.rows = Array.from({ length: 50 }, (_, index) => ({ id: index === 40 ? '1' : String(index) }));
  const seen = (await read(list, { size: 5, remembered: 20 })).filter(({ id }) => id === '1');
  const all = (await read(list, { size: 5, remembered: 100 })).filter(({ id }) => id === '1');
  expect({ seen: seen.length, all: all.length }).toEqual({ seen: 2, all: 1 });
});
