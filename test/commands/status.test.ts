import { expect, test } from 'vitest';
import type { Exchange } from '../../src/base/world.ts';
import { main } from '../../src/main.ts';
import { html, success } from '../support/exchange.ts';
import { ACCOUNT, fakeClock, fakeWorld } from '../support/world.ts';

type Rows = Readonly<Record<string, readonly string[]>>;

/** A service whose work is open since these times, newest first, by list and status. */
function service(rows: Rows): Exchange {
  return async ({ url }) => {
    const { pathname, searchParams } = new URL(url);
    const page = (times: readonly string[]) => {
      const offset = Number(searchParams.get('offset') ?? 0);
      return times.slice(offset, offset + 1).map((createdAt) => ({ createdAt }));
    };
    const list = /\/(deposits|payouts|withdrawals)$/.exec(pathname)?.[1];
    if (list !== undefined) {
      const found = rows[`${list} ${searchParams.get('status')}`];
      return found === undefined ? html(502) : success({ [list]: page(found), total: found.length });
    }
    const balance = { token: searchParams.get('token'), totalBalance: '5.000000' };
    return success(
      pathname.endsWith('/balance/multi')
        ? balance
        : { summary: { availableForWithdrawal: 500, pendingWithdrawals: 700 } },
    );
  };
}

const NONE: Rows = {
  'deposits pending': [],
  'deposits processing': [],
  'payouts pending': [],
  'payouts processing': [],
  'withdrawals pending': [],
};

async function status(rows: Rows, ...more: string[]) {
  const world = fakeWorld({ network: service(rows), env: ACCOUNT });
  const code = await main(['status', '-q', '-o', 'json', ...more], world);
  return { code, stdout: world.stdout.text(), stderr: world.stderr.text() };
}

async function openIn(rows: Rows) {
  const { stdout, stderr } = await status(rows);
  expect(stderr).toBe('');
  return JSON.parse(stdout).open;
}

test('money that is processing is as open as money that is pending, since the oldest of both', async () => {
  const open = await openIn({
    ...NONE,
    'payouts pending': ['2026-01-05T08:00:00.000Z', '2026-01-05T07:00:00.000Z'],
    'payouts processing': ['2026-01-04T23:00:00.000Z'],
  });
  expect(open).toMatchObject({
    deposits: { count: 0, since: null },
    payouts: { count: 3, since: '2026-01-04T23:00:00.000Z' },
    withdrawals: { count: 0, since: null },
    feeWithdrawals: { value: '7.00', asset: 'NGN' },
  });
});

test('what cannot be counted is not nothing', async () => {
  const { 'deposits processing': _, ...rest } = NONE;
  expect(await openIn(rest)).toMatchObject({ deposits: null, payouts: { count: 0 } });
});

test('shows itself again only when it has changed', async () => {
  let looks = 0;
  const stop = new AbortController();
  const clock = fakeClock();
  const rows = { ...NONE, 'payouts pending': [] as string[] };
  const world = fakeWorld({
    network: service(rows),
    env: ACCOUNT,
    interrupted: stop.signal,
    clock: {
      ...clock,
      sleep: async (ms, signal) => {
        looks += 1;
        if (looks === 2) rows['payouts pending'].push('2026-01-05T08:00:00.000Z');
        if (looks === 4) stop.abort();
        await clock.sleep(ms, signal).catch(() => {});
      },
    },
  });
  expect(await main(['status', '--watch', '--every', '2s', '-q', '-o', 'ndjson'], world)).toBe(0);
  const counts = world.stdout
    .text()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).open.payouts.count);
  expect(counts).toEqual([0, 1]);
});

test('--every needs --watch', async () => {
  expect(await status(NONE, '--every', '2s')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--every needs --watch'),
  });
});
