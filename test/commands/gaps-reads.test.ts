import { expect, test } from 'vitest';
import type { Exchange, HttpRequest } from '../../src/base/world.ts';
import { openProfileInbox } from '../../src/engine/inbox.ts';
import { main } from '../../src/main.ts';
import { success } from '../support/exchange.ts';
import { ACCOUNT, type FakeWorld, fakeWorld } from '../support/world.ts';
import { deliveryOf, received } from '../webhooks/support.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 0, 5, 9);
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

const inboxOf = (world: FakeWorld) => openProfileInbox(world, { name: 'environment', mode: 'live' });

async function keep(world: FakeWorld, ...bodies: object[]): Promise<void> {
  const inbox = await inboxOf(world);
  inbox.add(await Promise.all(bodies.map((body) => received(deliveryOf(body)))));
  inbox.close();
}

const swapped = (hours: number) => ({
  ...{ event: 'swap.completed', eventId: `e-${hours}`, requestId: `swap-${hours}`, timestamp: hoursAgo(hours) },
  data: {},
});
const joined = (hours: number) => ({
  ...{ event: 'user.onboarded', eventId: `u-${hours}`, userId: `user-${hours}`, timestamp: hoursAgo(hours), data: {} },
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
  expect(inbox.counts().events).toBe(6);
  inbox.close();
});

test('a list that repeats its first page is read once more, and each of its rows counts once', async () => {
  const deposits = ROWS.slice(0, 100).map((hours) => ({
    ...{ id: `deposit-${hours}`, type: 'fintech_deposit', status: 'completed', createdAt: hoursAgo(0) },
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
