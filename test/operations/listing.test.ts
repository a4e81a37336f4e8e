import { describe, expect, test } from 'vitest';
import { feeWithdrawals } from '../../src/contract/endpoints/fee-withdrawals.ts';
import { listSwaps } from '../../src/contract/endpoints/swaps.ts';
import type { Account } from '../../src/engine/account.ts';
import { markOf, rowsBefore, search } from '../../src/engine/evidence/listing.ts';
import type { RowsBefore } from '../../src/engine/evidence/work.ts';
import type { ListPeriod } from '../../src/engine/lists/cursor.ts';
import { feeWithdrawal } from '../../src/things/fee-withdrawal.ts';
import { outcomeIn } from '../../src/things/states.ts';
import { listing } from './evidence-rig.ts';

const SINCE_MS = Date.UTC(2026, 0, 5, 9);
const NOW_MS = SINCE_MS + 600_000;

interface Row {
  readonly id?: string | null;
  /** When it was created, after the time back to which the list is read; null if the row does not say it. */
  readonly atMs?: number | null;
  readonly isLike?: boolean;
  readonly text?: string;
  readonly state?: string | null;
}

interface Page {
  readonly rows: readonly Row[];
  readonly hasMore?: boolean;
  readonly total?: number;
  readonly pagination?: { readonly hasMore?: boolean; readonly total?: number } | null;
}

interface Asked {
  readonly size: number;
  readonly count: number;
  readonly lastId: string | undefined;
  readonly period: ListPeriod;
}

/** An account whose service answers each request for a page; `asked` has the requests, and `options` what they were made with. */
function fakeAccount(
  answer: (asked: Asked, index: number) => Page,
  time: { readonly nowMs?: number } = { nowMs: NOW_MS },
) {
  const asked: Asked[] = [];
  const options: unknown[] = [];
  const parts = {
    time: { service: { nowMs: () => time.nowMs, hostAheadMs: () => 0, jumpMs: () => 0 } },
    call: async (_endpoint: unknown, input: Asked, given: unknown) => {
      asked.push(input);
      options.push(given);
      return { data: answer(input, asked.length - 1) };
    },
  };
  return { account: parts as unknown as Account, asked, options };
}

/** A service that has these rows, and pages or a limit. */
const serving =
  (rows: readonly Row[]) =>
  ({ size, count }: Asked): Page => ({ rows: rows.slice(count, count + size) });

/** Times as they are written. One list has a million rows of one moment. */
const known = new Map<number, string>();

function timeOf(atMs: number | null): string | null {
  if (atMs === null) return null;
  const text = known.get(atMs) ?? new Date(SINCE_MS + atMs).toISOString();
  known.set(atMs, text);
  return text;
}

const listOf = ({
  isPartial = false,
  ...more
}: {
  readonly isUnpaged?: boolean;
  readonly isByPage?: boolean;
  readonly isPartial?: boolean;
} = {}) =>
  listing<typeof feeWithdrawals, Row>({
    ...more,
    endpoint: feeWithdrawals,
    page: (size, count, lastId, period) => ({ size, count, lastId, period }),
    rowsOf: (data) => (data as unknown as Page).rows,
    read: ({ id = 'x', atMs = 0, isLike = false, text, state = 'pending' }) => ({
      requestId: id,
      createdAt: timeOf(atMs),
      state,
      isLike,
      isPartial,
      text: text ?? null,
    }),
    outcomeOf: (state) => outcomeIn(feeWithdrawal, state),
  });

const HOUR_MS = 3_600_000;
const QUERY = { request: {}, tag: undefined, sinceMs: SINCE_MS };

/** Rows from one time to another, at equal distances, none of which is like the request. */
const rows = (count: number, fromMs: number, toMs: number, name = 'r'): Row[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `${name}${index}`,
    atMs: Math.round(fromMs + ((toMs - fromMs) * index) / Math.max(1, count - 1)),
  }));

const ROW: Row = { id: 'r', atMs: 9_000 };
const LIKE: Row = { id: 'like', atMs: 1_000, isLike: true };

async function searched(all: readonly Row[], more: Parameters<typeof listOf>[0] = {}) {
  const { account, asked } = fakeAccount(serving(all));
  const { candidates, isComplete, wrongTimes } = await search(account, QUERY, listOf(more));
  return {
    ids: candidates.map(({ requestId }) => requestId),
    isComplete,
    wrongTimes: wrongTimes?.replace(/ row of .*/, ' row of …'),
    asked: asked.map(({ size, count }) => `${count}+${size}`),
  };
}

const CONTRADICTORY = 'the times of the list contradict its order';

describe('a search reads a list', () => {
  test.each<[string, readonly Row[], ids: string[], asked: string[], wrongTimes?: string]>([
    ['without rows', [], [], ['0+100']],
    ['of one page', [...rows(3, 9_000, 8_000), LIKE], ['like'], ['0+100', '4+100']],
    ['of exactly one page', [...rows(99, 9_000, 2_000), LIKE], ['like'], ['0+100', '100+100']],
    [
      'newest first, and stops after a page that is too old',
      [...rows(99, 9_000, 2_000), LIKE, ...rows(250, -60_000, -90_000)],
      ['like'],
      ['0+100', '100+100'],
    ],
    [
      'newest first, and reads on after a page of which one row is too old',
      [...rows(99, 9_000, 2_000), { id: 'old', atMs: -1 }, LIKE, ...rows(10, -5_000, -6_000)],
      ['like'],
      ['0+100', '100+100', '111+100'],
    ],
    [
      'newest first, and reads on after a page of which one row is exactly old enough',
      [{ id: 'edge', atMs: 0 }, ...rows(99, -1, -60_000), LIKE],
      ['like'],
      ['0+100', '100+100', '101+100'],
      CONTRADICTORY,
    ],
    [
      'newest first, and reads on after a page of old rows of which one has no time',
      [{ id: 'timeless', atMs: null }, ...rows(99, -1_000, -60_000), ...rows(1, -60_000, -60_000), LIKE],
      ['like'],
      ['0+100', '100+100', '102+100'],
      CONTRADICTORY,
    ],
    [
      'oldest first, to its end',
      [...rows(100, -90_000, -75_000), ...rows(100, -74_900, -60_000, 's'), LIKE],
      ['like'],
      ['0+100', '100+100', '200+100', '201+100'],
    ],
    [
      'without an order, to its end',
      [...rows(50, -60_000, -90_000), ...rows(50, -60_000, -90_000, 's'), LIKE],
      ['like'],
      ['0+100', '100+100', '101+100'],
      CONTRADICTORY,
    ],
    [
      'newest first with many rows a second, and stops',
      [...rows(100, -1, -30_000), ...rows(100, -30_000, -60_000, 's')],
      [],
      ['0+100'],
    ],
    [
      'that rises slowly after it fell, to its end',
      [{ id: 'first', atMs: -300_000 }, ...rows(99, -397_000, -5_000), LIKE],
      ['like'],
      ['0+100', '100+100', '101+100'],
      CONTRADICTORY,
    ],
    [
      'that has an order on its first page only, to its end',
      [...rows(100, 9_000, 2_000), ...rows(100, -90_000, -60_000, 's'), LIKE],
      ['like'],
      ['0+100', '100+100', '200+100', '201+100'],
      CONTRADICTORY,
    ],
    [
      'of one moment, to its end: nobody knows its order',
      [...rows(100, -60_000, -60_000), LIKE],
      ['like'],
      ['0+100', '100+100', '101+100'],
    ],
    [
      'of rows that differ by no more than servers do, to its end',
      [...rows(100, -60_000, -65_000), LIKE],
      ['like'],
      ['0+100', '100+100', '101+100'],
    ],
    [
      'without times, to its end',
      [...Array.from({ length: 100 }, (_, index) => ({ id: `t${index}`, atMs: null })), { ...LIKE, atMs: null }],
      ['like'],
      ['0+100', '100+100', '101+100'],
    ],
    [
      'whose rows differ a little from its order, which proves nothing wrong',
      [...rows(50, -60_000, -90_000), ...rows(50, -85_000, -99_000, 's'), ...rows(10, -100_000, -101_000)],
      [],
      ['0+100'],
    ],
    [
      'whose rows differ more from its order',
      [...rows(50, -60_000, -90_000), ...rows(50, -84_999, -99_000, 's'), ...rows(10, -100_000, -101_000, 't')],
      [],
      ['0+100', '100+100', '110+100'],
      CONTRADICTORY,
    ],
    ['with a row that is a little of the future', [{ id: 'next', atMs: 605_000 }, LIKE], ['like'], ['0+100', '2+100']],
    [
      'with a row of the future',
      [{ id: 'next', atMs: 605_001 }, LIKE],
      ['like'],
      ['0+100', '2+100'],
      'the list has a row of …',
    ],
  ])('%s', async (_what, all, ids, asked, wrongTimes) => {
    expect(await searched(all)).toEqual({ ids, isComplete: true, asked, wrongTimes });
  });

  test('whose pages shift while it is read, and finds each row once', async () => {
    const all = [...rows(99, 9_000, 2_000), LIKE, ...rows(60, 900, -60_000)];
    const { account, asked } = fakeAccount((page, index) =>
      serving(index === 0 ? all : [{ id: 'new', atMs: 10_000, isLike: true }, ...all])(page),
    );
    const found = await search(account, QUERY, listOf());
    expect(found.candidates.map(({ requestId }) => requestId)).toEqual(['like']);
    expect({ ...found, count: asked.length }).toMatchObject({ isComplete: true, wrongTimes: undefined, count: 3 });
  });

  test('by the id of the last row that has one', async () => {
    const { account, asked } = fakeAccount(serving(rows(150, 9_000, 2_000)));
    await search(account, QUERY, listOf());
    expect(asked.map(({ lastId }) => lastId)).toEqual([undefined, 'r99', 'r149']);
  });

  test('without pages, with an ever larger limit', async () => {
    expect(await searched([...rows(300, 90_000, 2_000), LIKE], { isUnpaged: true })).toEqual({
      ids: ['like'],
      isComplete: true,
      wrongTimes: undefined,
      asked: ['0+100', '0+200', '0+400', '0+800'],
    });
  });

  test('without pages, back to the time of the request', async () => {
    const all = [...rows(99, 9_000, 2_000), LIKE, ...rows(900, -60_000, -90_000)];
    expect(await searched(all, { isUnpaged: true })).toMatchObject({ ids: ['like'], isComplete: true });
  });

  test('as a whole since a time, and not back to another one only', async () => {
    const all = [...rows(99, 9_000, 2_000), LIKE, ...rows(250, -60_000, -90_000, 's')];
    const { account, asked } = fakeAccount(serving(all));
    expect(await search(account, QUERY, listOf(), SINCE_MS)).toMatchObject({ isComplete: true, total: 0 });
    expect(asked.map(({ count, period }) => [count, period.startDate])).toEqual(
      [0, 100, 200, 300, 350].map((count) => [count, '2026-01-05T09:00:00.000Z']),
    );
  });

  test('whose service counts pages, without skipping a row of a page that was shorter', async () => {
    const all = [...rows(60, 9_000, 2_000), LIKE];
    // No page has more than 25 rows, whatever it is asked for.
    const { account, asked } = fakeAccount(({ size, count }) => {
      const [number, most] = [Math.floor(count / size), Math.min(size, 25)];
      return { rows: all.slice(number * most, (number + 1) * most) };
    });
    const found = await search(account, QUERY, listOf({ isByPage: true }));
    expect(found).toMatchObject({ isComplete: true, candidates: [{ requestId: 'like' }] });
    expect(asked.map(({ size, count }) => [count, size])).toEqual([
      [0, 100],
      [25, 25],
      [50, 25],
      [61, 1],
    ]);
  });

  test('of a service that does not say its time; no row is then of the future', async () => {
    const { account } = fakeAccount(serving([{ id: 'next', atMs: 9_000_000 }]), {});
    expect(await search(account, QUERY, listOf())).toMatchObject({ isComplete: true, wrongTimes: undefined });
  });
});

describe('a list that was not read as a whole', () => {
  /** A row on each of four pages, and then none. */
  const few = (index: number): readonly Row[] => (index < 4 ? rows(1, 9_000, 0, `${index}-`) : []);

  test.each<[string, (asked: Asked, index: number) => Page, isComplete: boolean, count: number]>([
    ['says that there is more, and has it', (_, index) => ({ rows: few(index), hasMore: index < 3 }), true, 5],
    ['says so beside its rows', (_, index) => ({ rows: few(index), pagination: { hasMore: index < 3 } }), true, 5],
    ['says how many there are, and has them', (_, index) => ({ rows: few(index), total: 4 }), true, 5],
    ['says beside its rows how many', (_, index) => ({ rows: few(index), pagination: { total: 4 } }), true, 5],
    ['says nothing of pages', (_, index) => ({ rows: few(index), pagination: null }), true, 5],
    ['has fewer rows than asked for on each page', (_, index) => ({ rows: few(index) }), true, 5],
    [
      'says on one page that there are more',
      (_, index) => ({ rows: few(index), total: index === 1 ? 5 : 0 }),
      false,
      5,
    ],
    ['has no rows to read', () => ({}) as unknown as Page, false, 1],
    ['does not turn the page', () => ({ rows: rows(3, 9_000, 0) }), false, 2],
    [
      'says that there is more, and has nothing',
      (_, index) => ({ rows: rows(1 - index, 9_000, 0), hasMore: true }),
      false,
      2,
    ],
    ['says how many there are, and has fewer', (_, index) => ({ rows: rows(1 - index, 9_000, 0), total: 9 }), false, 2],
    [
      'says that there is more than its newest rows, and has nothing',
      (_, index) => ({ rows: index === 0 ? rows(100, 9_000, 0) : [], hasMore: true }),
      false,
      2,
    ],
    ['never ends', (_, index) => ({ rows: rows(100, 9_000, 0, `${index}-`) }), false, 100],
  ])('%s', async (_what, answer, isComplete, count) => {
    const { account, asked } = fakeAccount(answer);
    const found = await search(account, QUERY, listOf());
    expect({ isComplete: found.isComplete, count: asked.length }).toEqual({ isComplete, count });
  });

  test.each<[string, (asked: Asked) => Page, largest: number]>([
    ['has no pages, and says that there is more', () => ({ rows: rows(1, 9_000, 0), hasMore: true }), 200],
    ['has no pages, and always as many rows as asked for', ({ size }) => ({ rows: Array(size).fill(ROW) }), 819_200],
  ])('%s', async (_what, answer, largest) => {
    const { account, asked } = fakeAccount(answer);
    expect(await search(account, QUERY, listOf({ isUnpaged: true }))).toMatchObject({ isComplete: false });
    expect(asked.at(-1)?.size).toBe(largest);
  });

  test.each([true, false])('has rows that say less than the request, or not: %s', async (isPartial) => {
    const { account } = fakeAccount(serving([LIKE]));
    expect(await search(account, QUERY, listOf({ isPartial }))).toMatchObject({ candidates: [{ isPartial }] });
  });
});

describe('a row', () => {
  const found = async (row: Row, tag?: string) => {
    const { account } = fakeAccount(serving([row]));
    return (await search(account, { ...QUERY, tag }, listOf())).candidates;
  };

  test.each([
    ['completed', 'settled'],
    ['failed', 'failed'],
    ['pending', 'accepted'],
    ['new words', 'accepted'],
  ])('that is %s is %s', async (state, outcome) => {
    expect(await found({ ...LIKE, state })).toEqual([
      { requestId: 'like', createdAt: timeOf(1_000), state, outcome, isExact: false, isPartial: false },
    ]);
  });

  test('without the tag that the request carried is no proof where the list shows texts', async () => {
    expect(await found(LIKE, '[fr-1a2b3c4d]')).toMatchObject([{ isExact: false, isPartial: true }]);
    expect(await found({ ...LIKE, text: '[fr-1a2b3c4d]' }, '[fr-1a2b3c4d]')).toMatchObject([{ isPartial: false }]);
    expect(await found(LIKE)).toMatchObject([{ isPartial: false }]);
  });

  test('without a state is still one', async () => {
    expect(await found({ ...LIKE, state: null })).toMatchObject([{ state: 'unknown', outcome: 'accepted' }]);
  });

  test('is a candidate whenever it is from', async () => {
    expect(await found({ ...LIKE, atMs: -9_000_000 })).toHaveLength(1);
  });

  test.each<[string, Row, string | undefined, readonly object[]]>([
    ['like the request', LIKE, undefined, [{ isExact: false }]],
    ['like nothing', { ...LIKE, isLike: false }, undefined, []],
    ['with the tag', { ...LIKE, isLike: false, text: 'a ref-1 b' }, 'ref-1', [{ isExact: true }]],
    ['with another tag', { ...LIKE, isLike: false, text: 'ref-2' }, 'ref-1', []],
    ['like the request, with another tag', { ...LIKE, text: 'ref-2' }, 'ref-1', [{ isExact: false }]],
    ['with a text, of a request without a tag', { ...LIKE, isLike: false, text: 'undefined' }, undefined, []],
    ['without an id', { ...LIKE, id: null }, undefined, []],
  ])('%s', async (_what, row, tag, expected) => {
    expect(await found(row, tag)).toMatchObject(expected);
    expect(await found(row, tag)).toHaveLength(expected.length);
  });
});

describe('before a request leaves, one page tells', () => {
  const other: Row = { id: 'other', atMs: 500 };
  const newestFirst = [LIKE, ...rows(99, -1_000, -60_000)];

  const readBefore = (shown: readonly Row[], sinceMs: number | null) => ({
    ids: shown.flatMap(({ id, isLike }) => (isLike ? [id] : [])),
    marks: shown.map(({ id }) => markOf(String(id))),
    sinceMs,
  });

  test.each<[string, Page, object | undefined]>([
    ['all rows of a short list', { rows: [LIKE, other] }, readBefore([LIKE, other], null)],
    ['that there is none', { rows: [] }, readBefore([], null)],
    ['nothing of a row without an id', { rows: [{ ...LIKE, id: null }] }, readBefore([], null)],
    ['a row without a time', { rows: [{ ...LIKE, atMs: null }] }, readBefore([{ ...LIKE, atMs: null }], null)],
    ['the rows since its oldest one', { rows: newestFirst }, readBefore(newestFirst, SINCE_MS - 60_000)],
    [
      'the same of a short page that says more',
      { rows: [LIKE, { id: 'o', atMs: -9_000 }], hasMore: true },
      readBefore([LIKE, { id: 'o', atMs: -9_000 }], SINCE_MS - 9_000),
    ],
    [
      'the same if more is said beside it',
      { rows: [LIKE, { id: 'o', atMs: -9_000 }], pagination: { total: 3 } },
      readBefore([LIKE, { id: 'o', atMs: -9_000 }], SINCE_MS - 9_000),
    ],
    ['nothing if it has no list', {} as Page, undefined],
    ['nothing if the list is oldest first', { rows: newestFirst.toReversed() }, undefined],
    ['nothing if the list has no order', { rows: [...newestFirst.slice(50), ...newestFirst.slice(0, 50)] }, undefined],
    ['nothing if the rows have no times', { rows: newestFirst.map((row) => ({ ...row, atMs: null })) }, undefined],
  ])('%s', async (_what, page, expected) => {
    const { account, asked, options } = fakeAccount(() => page);
    expect(await rowsBefore(account, listOf(), { isBeforehand: true })).toEqual(expected);
    expect(asked).toEqual([{ size: 100, count: 0, lastId: undefined, period: {} }]);
    expect(options).toEqual([{ isBeforehand: true }]);
  });
});

describe('before a request leaves, a page of one moment is read with those after it', () => {
  const first = [LIKE, ...rows(99, 1_000, 0)];
  const marks = first.map(({ id }) => markOf(String(id)));
  const second = [{ ...LIKE, id: 'like-2', atMs: 0 }, ...rows(99, -1_000, -60_000, 's')];
  const ids = ['like', 'like-2'];

  test.each<[string, readonly Row[], object | undefined, requests: number]>([
    [
      'until they show the order',
      [...first, ...second, ...rows(100, -HOUR_MS, -HOUR_MS)],
      { ids, sinceMs: -60_000 },
      2,
    ],
    ['until the list ends', [...first, ...second.slice(0, 1)], { ids, sinceMs: null }, 3],
    ['for five pages at most', rows(1_000, 0, 0), undefined, 5],
    [
      'and they show that the list is oldest first',
      [...rows(100, 0, 0), ...rows(100, 1_000, 60_000, 's')],
      undefined,
      2,
    ],
  ])('%s', async (_what, all, expected, requests) => {
    const { account, options } = fakeAccount(serving(all));
    const since = expected && 'sinceMs' in expected && typeof expected.sinceMs === 'number' ? SINCE_MS : 0;
    const sinceMs =
      expected && 'sinceMs' in expected && expected.sinceMs !== null ? since + Number(expected.sinceMs) : null;
    const known = expected && { ...expected, marks, sinceMs };
    expect(await rowsBefore(account, listOf(), { isBeforehand: true })).toEqual(known);
    expect(options).toEqual(Array.from({ length: requests }, () => ({ isBeforehand: true })));
  });
});

test.each<[string, number | null, isDue: boolean]>([
  ['an hour before it', -HOUR_MS, true],
  ['more than an hour before it', -HOUR_MS - 1, false],
  ['a moment that it does not say', null, true],
])('a list that can be asked since a time must later have a row of %s: %s', async (_what, atMs, isDue) => {
  const row: Row = { id: 'a', atMs: atMs === null ? null : NOW_MS - SINCE_MS + atMs };
  const { account } = fakeAccount(() => ({ rows: [row] }));
  const ranged = { ...listOf(), endpoint: listSwaps } as unknown as ReturnType<typeof listOf>;
  expect(await rowsBefore(account, ranged, {})).toEqual({ ids: [], marks: isDue ? [markOf('a')] : [], sinceMs: null });
});

test.each<[string, RowsBefore | undefined, number, boolean]>([
  ['no list that was read before', undefined, 1, false],
  ['a list that was read before up to its beginning', { ids: [], sinceMs: null }, 3, true],
  ['a list that was read before up to an hour before', { ids: [], sinceMs: SINCE_MS - 2 * HOUR_MS }, 3, true],
  ['a list that was read before up to a minute ago', { ids: [], sinceMs: SINCE_MS - 1 }, 1, false],
])(
  'with %s, a list whose times are an hour behind the service’s is read as far as needed',
  async (_what, before, pages, isFound) => {
    const newer = Array.from({ length: 100 }, (_, index) => ({
      id: `n${index}`,
      atMs: -HOUR_MS - index * 1_000,
      isLike: false,
    }));
    const { account, asked } = fakeAccount(serving([...newer, { ...LIKE, atMs: -HOUR_MS - 100_000 }]));
    const { candidates } = await search(account, { ...QUERY, before }, listOf());
    expect([asked.length, candidates.length > 0]).toEqual([pages, isFound]);
  },
);
