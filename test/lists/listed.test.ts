import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/base/world.ts';
import { main } from '../../src/main.ts';
import { ACCOUNT, fakeWorld } from '../support/world.ts';

type Row = Readonly<Record<string, unknown>>;

/** How each kind of list is read: how the service is asked for a page, and how it answers. */
interface Kind {
  readonly argv: readonly string[];
  readonly rowsOf: string;
  readonly idField: string;
  row(index: number): Row;
  page(rows: readonly Row[], query: Readonly<Record<string, string>>): Row;
}

const time = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 3_600_000).toISOString();
const sliced = (rows: readonly Row[], start: number, size: string | undefined) =>
  rows.slice(start, start + Number(size ?? '20'));

const KINDS: Readonly<Record<string, Kind>> = {
  'by position': {
    argv: ['users', 'list'],
    rowsOf: 'users',
    idField: 'userId',
    row: (index) => ({
      userId: `u-${index}`,
      verifiedAt: time(index),
      firstName: index % 7 === 0 ? 'Ada' : 'Bola',
      lastName: 'Obi',
    }),
    page: (rows, { limit, offset = '0' }) => ({
      users: sliced(rows, Number(offset), limit),
      pagination: { total: rows.length },
    }),
  },
  'by page number': {
    argv: ['bridge', 'list'],
    rowsOf: 'transactions',
    idField: 'requestId',
    row: (index) => ({ requestId: `b-${index}`, status: 'completed', createdAt: time(index) }),
    page: (rows, { limit = '20', page = '1' }) => ({
      transactions: sliced(rows, (Number(page) - 1) * Number(limit), limit),
      pagination: { total: rows.length, page: Number(page), limit: Number(limit) },
    }),
  },
  'by the last row': {
    argv: ['fx', 'trades', 'list'],
    rowsOf: 'trades',
    idField: 'tradeId',
    row: (index) => ({
      tradeId: `t-${index}`,
      status: 'completed',
      pair: 'CNGN-USDC',
      side: 'buy',
      cngnAmount: '5',
      price: '1400',
      createdAt: time(index),
    }),
    page: (rows, { limit, startAfter }) => ({
      trades: sliced(
        rows,
        startAfter === undefined ? 0 : rows.findIndex(({ tradeId }) => tradeId === startAfter) + 1,
        limit,
      ),
    }),
  },
  'without pages': {
    argv: ['fees', 'withdrawals', 'list'],
    rowsOf: 'withdrawals',
    idField: 'withdrawalId',
    row: (index) => ({ withdrawalId: `w-${index}`, amount: 100_000, status: 'completed', createdAt: time(index) }),
    page: (rows, { limit }) => ({ withdrawals: sliced(rows, 0, limit) }),
  },
};

/** A service whose list has `count` rows, newest first, and to which rows are added in front before each request. */
function serviceOf(kind: Kind, count: number, growth = 0) {
  const rows = Array.from({ length: count }, (_, index) => kind.row(count - 1 - index));
  const ids = rows.map((row) => String(row[kind.idField]));
  let requests = 0;
  const network: Exchange = async ({ url, body }) => {
    requests += 1;
    if (requests > 1)
      for (let more = 0; more < growth; more++) rows.unshift(kind.row(rows.length + requests * 1000 + more));
    const query = body ? (JSON.parse(body) as Row) : Object.fromEntries(new URL(url).searchParams);
    const asked = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
    return {
      status: 200,
      headers: {},
      body: JSON.stringify({ response_code: '00', success: true, data: kind.page(rows, asked) }),
    };
  };
  return { network, ids, requests: () => requests };
}

interface Page {
  readonly ids: readonly string[];
  readonly pagination: Readonly<Record<string, unknown>> & { readonly after: string | null };
  readonly stderr: string;
}

async function read(
  kind: Kind,
  { network }: { readonly network: Exchange },
  ...more: readonly string[]
): Promise<Page> {
  const world = fakeWorld({ network, env: ACCOUNT });
  const code = await main([...kind.argv, ...more, '-o', 'json'], world);
  const stderr = world.stderr.text();
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const printed = JSON.parse(world.stdout.text());
  const ids = (printed[kind.rowsOf] as Row[]).map((row) => String(row[kind.idField]));
  return { ids, pagination: printed.pagination, stderr };
}

async function pages(kind: Kind, service: { readonly network: Exchange }, ...more: readonly string[]) {
  const found: Page[] = [];
  for (let cursor: readonly string[] = []; ; ) {
    const page = await read(kind, service, ...more, ...cursor);
    found.push(page);
    if (page.pagination.after === null) return found;
    cursor = ['--after', page.pagination.after];
  }
}

describe.each(Object.entries(KINDS))('a list that is read %s', (_name, kind) => {
  test('has every row once, on pages of any size and with rows that come in between', async () => {
    await fc.assert(
      fc.asyncProperty(
        // Never more than a few pages: a long list on pages of one row runs the same command a hundred times.
        fc
          .integer({ min: 1, max: 100 })
          .chain((limit) => fc.record({ limit: fc.constant(limit), count: fc.nat({ max: Math.min(130, 5 * limit) }) })),
        kind.rowsOf === 'withdrawals' ? fc.constant(0) : fc.constantFrom(0, 0, 1, 3),
        async ({ limit, count }, growth) => {
          const service = serviceOf(kind, count, growth);
          const found = await pages(kind, service, '--limit', String(limit));
          expect(found.flatMap(({ ids }) => ids)).toEqual(service.ids);
          expect(found.slice(0, -1).map(({ ids }) => ids.length)).toEqual(found.slice(1).map(() => limit));
        },
      ),
      { numRuns: Number(process.env['FIATRAIL_SOAK_RUNS'] ?? 15) },
    );
  });

  test('asks once for a page', async () => {
    const service = serviceOf(kind, 45);
    const first = await read(kind, service, '--limit', '10');
    expect([first.ids.length, service.requests()]).toEqual([10, 1]);
    await read(kind, service, '--limit', '10', '--after', first.pagination.after ?? '');
    expect(service.requests()).toBe(2);
  });

  test('prints the rest after a page', async () => {
    const service = serviceOf(kind, 245);
    const { pagination } = await read(kind, service, '--limit', '7');
    const rest = await read(kind, service, '--all', '--after', pagination.after ?? '');
    expect(rest.ids).toEqual(service.ids.slice(7));
    expect(rest.pagination).toMatchObject({ hasMore: false, after: null, limit: null });
  });
});

describe.each(['by position', 'by the last row', 'without pages'])(
  'a period that the service cannot filter by, %s',
  (name) => {
    const kind = KINDS[name] as Kind;
    // From the 30th to the 89th row, with both.
    const flags = ['--since', time(30), '--until', time(89)];
    const wanted = (ids: readonly string[]) =>
      ids.filter((id) => Number(id.split('-')[1]) >= 30 && Number(id.split('-')[1]) <= 89);

    test('is filtered here, which is said, and counts towards the limit', async () => {
      const service = serviceOf(kind, 250);
      const page = await read(kind, service, ...flags, '--limit', '20');
      expect(page.ids).toEqual(wanted(service.ids).slice(0, 20));
      expect(page.pagination).toMatchObject({ total: null, limit: 20, offset: null, hasMore: true });
      expect(page.stderr).toMatch(
        /the service cannot filter by --since or --until; fiatrail read 1\d\d \w+ on \d+ pages?/,
      );
    });

    test('is filtered without a word with -q; the total of pages is not known', async () => {
      const page = await read(kind, serviceOf(kind, 250), ...flags, '--limit', '20', '-q');
      expect({ stderr: page.stderr, total: page.pagination['total'] }).toEqual({
        stderr: expect.not.stringContaining('cannot filter'),
        total: null,
      });
    });

    test('is the same on every page, and in the whole list', async () => {
      const service = serviceOf(kind, 250);
      const found = await pages(kind, service, ...flags, '--limit', '25');
      expect(found.flatMap(({ ids }) => ids)).toEqual(wanted(service.ids));
      expect((await read(kind, service, ...flags, '--all')).ids).toEqual(wanted(service.ids));
      expect((await read(kind, service, ...flags, '--all')).pagination).toMatchObject({ total: 60, hasMore: false });
    });
  },
);

test('what a list leaves out by itself is not called a filter', async () => {
  const world = fakeWorld();
  expect(await main(['withdrawals', 'list', '-o', 'json'], world)).toBe(0);
  expect(world.stderr.text()).not.toContain('cannot filter');
});

describe('users list --search', () => {
  const kind = KINDS['by position'] as Kind;

  test.each(['ada', 'ADA obi', 'obi ada'])('%s finds the parts of a name', async (text) => {
    const service = serviceOf(kind, 150);
    const { ids } = await read(kind, service, '--search', text, '--all');
    expect(ids).toEqual(service.ids.filter((id) => Number(id.slice(2)) % 7 === 0));
  });

  test('a cursor is of the same search alone', async () => {
    const service = serviceOf(kind, 150);
    const { pagination } = await read(kind, service, '--search', 'ada', '--limit', '2');
    const world = fakeWorld({ network: service.network, env: ACCOUNT });
    expect(await main([...kind.argv, '--search', 'bola', '--after', pagination.after ?? ''], world)).toBe(2);
    expect(world.stderr.text()).toContain('another list, filter or account');
  });
});
