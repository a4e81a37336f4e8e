import { expect, test } from 'vitest';
import type { Exchange, HttpRequest } from '../../src/base/world.ts';
import { openProfileInbox } from '../../src/engine/connection/inbox.ts';
import { main } from '../../src/main.ts';
import { success } from '../support/exchange.ts';
import { ACCOUNT, type FakeWorld, fakeWorld } from '../support/world.ts';
import { deliveryOf, received } from '../webhooks/support.ts';

const HOUR_MS = 3_600_000;
/** When the newest work of the service began: long enough ago that its events should be there. */
const NOW_MS = Date.UTC(2026, 0, 5, 8, 55);
const hoursAgo = (hours: number) => new Date(NOW_MS - hours * HOUR_MS).toISOString();
const ROWS = Array.from({ length: 2_000 }, (_each, hours) => hours);

interface Asked {
  readonly path: string;
  readonly limit: number;
  readonly offset: number;
  readonly startDate: string | undefined;
  readonly endDate: string | undefined;
}

function askedBy({ method, url, body = '' }: HttpRequest): Asked {
  const { pathname, searchParams } = new URL(url);
  const fields = method === 'GET' ? Object.fromEntries(searchParams) : (JSON.parse(body) as Record<string, unknown>);
  const { limit, offset, startDate, endDate } = fields as Record<string, string>;
  return { path: pathname.replace('/v1', ''), limit: Number(limit), offset: Number(offset), startDate, endDate };
}

/** A service with a user for each of the last hours, of which it returns at most 50 at once, and a swap for each. */
function service(
  onSwaps: () => void = () => {},
  others: object = {},
): { readonly exchange: Exchange; readonly asked: Asked[] } {
  const asked: Asked[] = [];
  const exchange: Exchange = async (request) => {
    const one = askedBy(request);
    asked.push(one);
    const page = <T>(rows: readonly T[], most = 100) => rows.slice(one.offset, one.offset + Math.min(one.limit, most));
    if (one.path === '/listfintechusers') {
      const users = page(ROWS, 50).map((hours) => ({ userId: `user-${hours}`, verifiedAt: hoursAgo(hours) }));
      return success({ users, pagination: { total: ROWS.length } });
    }
    if (one.path !== '/swaphistory')
      return success({ deposits: [], payouts: [], withdrawals: [], total: 0, ...others });
    onSwaps();
    const { startDate = hoursAgo(1e5), endDate = hoursAgo(0) } = one;
    const inPeriod = ROWS.filter((hours) => hoursAgo(hours) >= startDate && hoursAgo(hours) <= endDate);
    const swap = { status: 'completed', sellToken: 'CNGN', buyToken: 'USDC', amountIn: '1' };
    return success({
      swaps: page(inPeriod).map((hours) => ({ ...swap, requestId: `swap-${hours}`, createdAt: hoursAgo(hours) })),
      pagination: { total: inPeriod.length, limit: 100, offset: one.offset, hasMore: false },
    });
  };
  return { exchange, asked };
}

const inboxOf = (world: FakeWorld) => openProfileInbox(world, { name: 'environment', mode: 'live', baseUrl: '' });

async function keep(world: FakeWorld, ...bodies: object[]): Promise<void> {
  const inbox = await inboxOf(world);
  await inbox.add(await Promise.all(bodies.map((body) => received(deliveryOf(body)))));
  await inbox.close();
}

const swapped = (hours: number) => ({
  event: 'swap.completed',
  eventId: `e-${hours}`,
  requestId: `swap-${hours}`,
  timestamp: hoursAgo(hours),
  data: {},
});
const joined = (hours: number) => ({
  event: 'user.onboarded',
  eventId: `u-${hours}`,
  userId: `user-${hours}`,
  timestamp: hoursAgo(hours),
  data: {},
});

async function gaps(world: FakeWorld, ...options: string[]) {
  const code = await main(['webhooks', 'inbox', 'gaps', ...options, '-o', 'json', '-q'], world);
  const { missing, unlisted } = JSON.parse(world.stdout.text()) as Record<'missing' | 'unlisted', { id: string }[]>;
  return { code, missing: missing?.map(({ id }) => id), unlisted: unlisted?.map(({ id }) => id) };
}

test('a period without an end is read from the newest row to a week before it, and no further', async () => {
  const { exchange, asked } = service();
  const world = fakeWorld({ env: ACCOUNT, network: exchange });
  await keep(world, swapped(40), swapped(1), joined(40), joined(200));
  const result = await gaps(world, '--since', hoursAgo(47));
  const wanted = (name: string, ...reported: number[]) =>
    ROWS.slice(0, 48).flatMap((hours) => (reported.includes(hours) ? [] : [`${name}-${hours}`]));
  expect(result).toEqual({ code: 3, missing: [...wanted('user', 40), ...wanted('swap', 1, 40)], unlisted: [] });
  const readOf = (path: string) => asked.filter((one) => one.path === path).map(({ offset }) => offset);
  // A week and 47 hours are 215 rows; a page that is older ends the list.
  expect(readOf('/listfintechusers')).toEqual([0, 50, 100, 150, 200, 250]);
  expect(readOf('/swaphistory')).toEqual([0, 100, 200, 300]);
  expect(asked.filter(({ startDate, endDate }) => startDate ?? endDate)).toEqual([]);
});

test('a period that ended is asked for by itself, and a list that takes no period is searched for its end', async () => {
  const { exchange, asked } = service();
  const world = fakeWorld({ env: ACCOUNT, network: exchange });
  const ofNobody = [998, 1_000, 1_002].map((hours) => ({
    ...swapped(hours),
    eventId: `n-${hours}`,
    requestId: 'none',
  }));
  await keep(world, swapped(1_000), joined(1_001), swapped(10), joined(9), ...ofNobody);
  const result = await gaps(world, '--since', hoursAgo(1_001), '--until', hoursAgo(999));
  expect(result).toEqual({ code: 3, missing: ['user-1000', 'swap-1001'], unlisted: [6] });
  const swaps = asked.filter(({ path }) => path === '/swaphistory');
  expect(new Set(swaps.map(({ startDate, endDate }) => [startDate, endDate].join()))).toEqual(
    new Set([[hoursAgo(1_001 + 7 * 24), hoursAgo(999)].join()]),
  );
  const users = asked.filter(({ path }) => path === '/listfintechusers');
  expect(users.filter(({ limit }) => limit === 100).map(({ offset }) => offset)).toEqual([
    1_000, 1_050, 1_100, 1_150, 1_200,
  ]);
  expect(users.length).toBeLessThan(20);
});

test('an event that arrives while the lists are read is not unlisted', async () => {
  let deliver = () => {};
  const { exchange } = service(() => deliver());
  const world = fakeWorld({ env: ACCOUNT, network: exchange });
  const reported = [swapped(0), swapped(1), joined(0), joined(1)];
  await keep(world, ...reported, { ...swapped(0), eventId: 'x', requestId: 'swap-of-nobody' });
  const inbox = await inboxOf(world);
  const late = await received(deliveryOf({ ...swapped(0), eventId: 'y', requestId: 'swap-of-now' }));
  deliver = () => void inbox.add([late]);
  expect(await gaps(world, '--since', hoursAgo(1))).toEqual({ code: 0, missing: [], unlisted: [5] });
  expect((await inbox.counts()).events).toBe(6);
  await inbox.close();
});

test('a list that repeats its first page is read once more, and each of its rows counts once', async () => {
  const deposits = ROWS.slice(0, 100).map((hours) => ({
    id: `deposit-${hours}`,
    type: 'fintech_deposit',
    status: 'completed',
    createdAt: hoursAgo(0),
  }));
  const { exchange, asked } = service(undefined, { deposits, total: 10_000 });
  const world = fakeWorld({ env: ACCOUNT, network: exchange });
  await keep(world, swapped(0), joined(0));
  const { missing } = await gaps(world, '--since', hoursAgo(0));
  expect(missing).toEqual(deposits.map(({ id }) => id));
  expect(asked.filter(({ path }) => path === '/deposits').map(({ offset }) => offset)).toEqual([0, 100]);
});

test('a refund that names no sender should have been reported', async () => {
  const refund = { id: 'd', type: 'user_onramp', status: 'failed', createdAt: hoursAgo(0), depositor: null };
  const { exchange } = service(undefined, { deposits: [refund], total: 1 });
  const world = fakeWorld({ env: ACCOUNT, network: exchange });
  await keep(world, swapped(0), joined(0));
  await gaps(world, '--since', hoursAgo(0));
  expect((JSON.parse(world.stdout.text()) as { missing: { event: string }[] }).missing).toMatchObject([
    { event: 'fintech.user.deposit.received', kind: 'user_onramp', id: 'd' },
    { event: 'fintech.user.deposit.funding.refunded', kind: 'user_onramp', id: 'd' },
  ]);
});

test('without --since, the 30 days before the last event are compared, and the command says so', async () => {
  const { exchange, asked } = service();
  const world = fakeWorld({ env: ACCOUNT, network: exchange });
  await keep(world, joined(5), joined(1_900));
  expect(await main(['webhooks', 'inbox', 'gaps', '-o', 'json'], world)).toBe(3);
  const { since, missing } = JSON.parse(world.stdout.text()) as { since: string; missing: { id: string }[] };
  const hours = 30 * 24 + 5;
  expect(since).toBe(hoursAgo(hours));
  expect(missing).toHaveLength(2 * (hours + 1) - 1);
  expect(world.stderr.text()).toContain('events of the last 30 days are compared; for earlier ones, give --since DATE');
  const offsets = asked.filter(({ path }) => path === '/listfintechusers').map(({ offset }) => offset);
  expect(Math.max(...offsets)).toBeLessThan(hours + 9 * 24);
});

/** Swaps of an account, and what the command says of them. */
function gapsOf(rows: readonly object[]) {
  const swap = { sellToken: 'CNGN', buyToken: 'USDC', amountIn: '1', createdAt: hoursAgo(1), status: 'completed' };
  const network: Exchange = async ({ url }) => {
    const swaps = rows.map((row) => ({ ...swap, ...row }));
    return success(
      url.includes('/swaphistory')
        ? { swaps, pagination: { total: swaps.length, limit: 100, offset: 0, hasMore: false } }
        : { deposits: [], payouts: [], withdrawals: [], users: [], pagination: { total: 0 }, total: 0 },
    );
  };
  const own = fakeWorld({ env: ACCOUNT, network });
  return async (...options: string[]) => {
    const before = own.stdout.text().length;
    const argv = ['webhooks', 'inbox', 'gaps', '--since', hoursAgo(24), ...options, '-o', 'json', '-q'];
    const code = await main(argv, own);
    const printed = own.stdout.text().slice(before);
    return { code, ...(printed === '' ? {} : (JSON.parse(printed) as object)), stderr: own.stderr.text() };
  };
}

test('work that began or changed within the grace is not missing an event yet', async () => {
  const minutesAgo = (minutes: number) => new Date(Date.UTC(2026, 0, 5, 9) - minutes * 60_000).toISOString();
  const run = gapsOf([
    { requestId: 'began', createdAt: minutesAgo(4) },
    { requestId: 'ended', updatedAt: minutesAgo(4) },
  ]);
  expect(await run()).toMatchObject({ code: 0, missing: [], unsettled: 2 });
  expect(await run('--grace', '3m')).toMatchObject({
    code: 3,
    missing: [{ id: 'began' }, { id: 'ended' }],
    unsettled: 0,
  });
});

test('a gap that was accepted with a reason is shown and does not count', async () => {
  const rows: object[] = [{ requestId: 'one' }];
  const run = gapsOf(rows);
  expect(await run('--accept', 'other', '--reason', 'seen')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no event of other is missing'),
  });
  expect(await run()).toMatchObject({ code: 3, missing: [{ id: 'one' }], closed: [] });
  const accepted = { event: 'swap.completed', id: 'one', reason: 'seen on the chain', acceptedAt: hoursAgo(-1 / 12) };
  expect(await run('--accept', 'one', '--reason', 'seen on the chain')).toMatchObject({ code: 0, closed: [accepted] });
  expect(await run()).toMatchObject({ code: 0, missing: [], closed: [accepted] });
  rows[0] = { requestId: 'one', status: 'failed' };
  rows.push({ requestId: 'two' });
  const after = { code: 3, missing: [{ event: 'swap.failed', id: 'one' }, { id: 'two' }], closed: [] };
  expect(await run()).toMatchObject(after);
});

test.each([
  ['--accept', 'one'],
  ['--reason', 'seen'],
])('%s is not enough', async (...options) => {
  const run = gapsOf([{ requestId: 'one' }]);
  expect(await run(...options)).toMatchObject({ code: 2, stderr: expect.stringContaining('need each other') });
});

test('what may have been reported by an event that was deleted is not missing', async () => {
  const { exchange } = service();
  const world = fakeWorld({ env: ACCOUNT, network: exchange });
  const inbox = await inboxOf(world);
  const old = deliveryOf({ ...swapped(2), eventId: 'old' }, { sentAtMs: Date.parse(hoursAgo(2)) });
  await inbox.add([await received(old, Date.parse(hoursAgo(2)))]);
  await world.clock.sleep(1, new AbortController().signal);
  expect(await inbox.prune(world.clock.now())).toBe(1);
  await inbox.add([await received(deliveryOf(swapped(0)))]);
  await inbox.close();
  const at = world.stderr.text().length;
  const code = await main(['webhooks', 'inbox', 'gaps', '--since', hoursAgo(50), '-o', 'json'], world);
  const { missing } = JSON.parse(world.stdout.text()) as { missing: { id: string }[] };
  expect({ code, missing: missing.map(({ id }) => id) }).toEqual({ code: 3, missing: ['user-0', 'user-1', 'swap-1'] });
  expect(world.stderr.text().slice(at)).toContain('were deleted; later ones are compared');
});
