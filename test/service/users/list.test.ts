import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RequestOf } from '../../../src/contract/endpoint.ts';
import { listUsers } from '../../../src/contract/endpoints/user-list.ts';
import { openSandbox, type TestSandbox } from '../../support/sandbox.ts';
import { freshBvn, onboardUser, pass, secondKey } from '../steps.ts';

const USERS = 23;

type Query = RequestOf<typeof listUsers>;

interface Row {
  readonly user_id: string;
  readonly id: bigint;
  readonly created_at: bigint;
  readonly verified_at: bigint;
  readonly active: bigint;
}

let box: TestSandbox;
let rows: readonly Row[];

/**
 * Users in groups with equal times; some are verified before others that were created earlier, and every third is
 * inactive.
 */
beforeAll(async () => {
  box = await openSandbox();
  for (let made = 0; made < USERS - 2; made += 3) {
    await box.call('POST', '/_sandbox/seed', { pace: 'real' });
    await box.call('POST', '/onboarduser', { bvn: freshBvn() });
    await pass(box, 1000);
    await box.call('POST', '/_sandbox/seed', { pace: 'quick' });
    for (let same = 0; same < 2; same++) await box.call('POST', '/onboarduser', { bvn: freshBvn() });
    await pass(box, 1000);
  }
  await box.call('POST', '/_sandbox/advance', { durationMs: 200_000 });
  for (let late = 0; late < 2; late++) await onboardUser(box);
  const other = await secondKey(box);
  await onboardUser(box, freshBvn(), other);
  rows = await box.inside(({ store }) => {
    store.run('UPDATE user SET active = 0 WHERE id % 3 = 0');
    return store.all<Row>('SELECT * FROM user WHERE fintech = 1');
  });
});

afterAll(() => box.close());

/** Computes the expected list with an independent sort. */
function expected({ sortBy = 'verifiedAt', orderDirection = 'desc', status = 'all' }: Query): string[] {
  const column = sortBy === 'createdAt' ? 'created_at' : 'verified_at';
  const sign = orderDirection === 'asc' ? 1 : -1;
  const kept = rows.filter(({ active }) => status === 'all' || (active === 1n) === (status === 'active'));
  return kept
    .toSorted((a, b) => sign * (Number(a[column] - b[column]) || Number(a.id - b.id)))
    .map(({ user_id }) => user_id);
}

async function idsOf(query: Query): Promise<string[]> {
  return (await box.ask(listUsers, query)).users.map(({ userId }) => userId);
}

const orders: Query[] = (['createdAt', 'verifiedAt'] as const).flatMap((sortBy) =>
  (['asc', 'desc'] as const).flatMap((orderDirection) =>
    (['all', 'active', 'inactive'] as const).map((status) => ({ sortBy, orderDirection, status })),
  ),
);

test('the test users distinguish every sort order', () => {
  const shown = orders.map((query) => expected(query).join());
  expect(new Set(shown).size).toBe(orders.length);
  expect(rows.length).toBe(USERS);
  expect(new Set(rows.map(({ verified_at }) => verified_at)).size).toBeLessThan(USERS);
});

describe.each(orders)('sorts by $sortBy $orderDirection, $status', (order) => {
  test.each([1, 2, 7, 100])('pages of %d cover the list, with each user once', async (limit) => {
    const pages: string[][] = [];
    for (let offset = 0; offset === 0 || (pages.at(-1)?.length ?? 0) > 0; offset += limit)
      pages.push(await idsOf({ ...order, limit, offset }));
    expect(pages.flat()).toEqual(expected(order));
    expect(pages.slice(0, -2).filter((page) => page.length !== limit)).toEqual([]);
  });

  test('a page starts at any offset', async () => {
    const all = expected(order);
    for (let offset = 0; offset <= all.length + 1; offset++)
      expect(await idsOf({ ...order, limit: 5, offset })).toEqual(all.slice(offset, offset + 5));
  });
});

interface Pagination {
  readonly currentPage: number;
  readonly hasMore: boolean;
  readonly hasPreviousPage: boolean;
  readonly shown: number;
}

const pages: [query: Query, pagination: Pagination][] = [
  [{}, { currentPage: 1, hasMore: true, hasPreviousPage: false, shown: 20 }],
  [{ limit: 100 }, { currentPage: 1, hasMore: false, hasPreviousPage: false, shown: USERS }],
  [{ limit: USERS }, { currentPage: 1, hasMore: false, hasPreviousPage: false, shown: USERS }],
  [{ limit: USERS - 1 }, { currentPage: 1, hasMore: true, hasPreviousPage: false, shown: USERS - 1 }],
  [
    { limit: 10, offset: 10 },
    { currentPage: 2, hasMore: true, hasPreviousPage: true, shown: 10 },
  ],
  [
    { limit: 10, offset: 13 },
    { currentPage: 2, hasMore: false, hasPreviousPage: true, shown: 10 },
  ],
  [
    { limit: 10, offset: 20 },
    { currentPage: 3, hasMore: false, hasPreviousPage: true, shown: 3 },
  ],
  [
    { limit: 1, offset: USERS - 1 },
    { currentPage: USERS, hasMore: false, hasPreviousPage: true, shown: 1 },
  ],
  [
    { limit: 10, offset: USERS },
    { currentPage: 3, hasMore: false, hasPreviousPage: true, shown: 0 },
  ],
  [
    { limit: 10, offset: 1_000_000 },
    { currentPage: 100_001, hasMore: false, hasPreviousPage: true, shown: 0 },
  ],
  [
    { offset: Number.MAX_SAFE_INTEGER },
    { currentPage: Math.floor(Number.MAX_SAFE_INTEGER / 20) + 1, hasMore: false, hasPreviousPage: true, shown: 0 },
  ],
];

test.each(pages)('the pagination of %o', async (query, { shown, ...expectedFields }) => {
  const { users, pagination } = await box.ask(listUsers, query);
  const { limit = 20, offset = 0 } = query;
  expect(users.length).toBe(shown);
  expect(pagination).toEqual({
    ...expectedFields,
    total: USERS,
    limit,
    offset,
    totalPages: Math.ceil(USERS / limit),
    hasNextPage: expectedFields.hasMore,
  });
});

test.each([
  ['active', 16],
  ['inactive', 7],
] as const)('the total of %s users counts only those', async (status, total) => {
  const { users, pagination } = await box.ask(listUsers, { status, limit: 5 });
  expect(pagination).toMatchObject({ total, totalPages: Math.ceil(total / 5), hasMore: true });
  expect(users.map(({ isActive }) => isActive)).toEqual(Array(5).fill(status === 'active'));
});

test('orderBy is used unless sortBy is given', async () => {
  const query = { orderDirection: 'asc', limit: 100 } as const;
  expect(await idsOf({ ...query, orderBy: 'createdAt' })).toEqual(expected({ ...query, sortBy: 'createdAt' }));
  expect(await idsOf({ ...query, orderBy: 'createdAt', sortBy: 'verifiedAt' })).toEqual(
    expected({ ...query, sortBy: 'verifiedAt' }),
  );
});

const refused: [what: string, query: Record<string, unknown>][] = [
  ['a limit of 0', { limit: 0 }],
  ['a limit of 101', { limit: 101 }],
  ['a fractional limit', { limit: 1.5 }],
  ['a limit as text', { limit: '5' }],
  ['an offset below 0', { offset: -1 }],
  ['an unknown status', { status: 'gone' }],
  ['an unsortable field', { sortBy: 'lastName' }],
  ['an unknown direction', { orderDirection: 'ASC' }],
];

test.each(refused)('%s is rejected', async (_what, query) => {
  const { status, envelope } = await box.call('POST', '/listfintechusers', query);
  expect({ status, response_code: envelope.response_code }).toEqual({ status: 400, response_code: '01' });
});

test('a fintech without users has an empty page', async () => {
  await using empty = await openSandbox();
  const { users, pagination } = await empty.ask(listUsers, { offset: 3 });
  expect(users).toEqual([]);
  expect(pagination).toMatchObject({ total: 0, totalPages: 0, hasMore: false, hasPreviousPage: true });
});
