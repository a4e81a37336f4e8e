import { describe, expect, test } from 'vitest';
import { zoneNamed } from '../../src/base/zone.ts';
import { accountIn } from '../../src/copy/questions/report/balance.ts';
import { kindsIn } from '../../src/copy/questions/report/kinds.ts';
import { monthNamed, partsOf } from '../../src/copy/questions/report/periods.ts';
import { usersIn } from '../../src/copy/questions/report/users.ts';
import { main } from '../../src/main.ts';
import { fakeWorld } from '../support/world.ts';
import { copyOf, DEPOSIT, held, looks, NOW_MS, spanOfMonth, TRADE, TRANSFER } from './stored.ts';

const LAGOS = zoneNamed('Africa/Lagos');

/** Midnight of 1 November in Lagos, and the millisecond before it. */
const [FIRST, LAST] = ['2026-10-31T23:00:00.000Z', '2026-10-31T22:59:59.999Z'] as const;

describe('what ends at midnight between two months', () => {
  const ENDS = [
    ['the first moment', FIRST, ['2026-11']],
    ['the last moment', LAST, ['2026-10']],
  ] as const;

  test.each(ENDS)('%s: counts once, with its kind', async (_what, completed_at, months) => {
    const ask = await copyOf({ deposits: [{ ...DEPOSIT, completed_at }] });
    const counted = [];
    for (const month of ['2026-10', '2026-11', '2026-12'])
      if ((await ask((queries) => kindsIn(queries, spanOfMonth(month)))).length > 0) counted.push(month);
    expect(counted).toEqual(months);
  });

  test.each(ENDS)('%s: counts once, if it failed', async (_what, completed_at, months) => {
    const ask = await copyOf({ withdrawals: [{ ...TRANSFER, status: 'failed', completed_at }] });
    const counted = [];
    for (const month of ['2026-10', '2026-11', '2026-12'])
      if ((await ask((queries) => kindsIn(queries, spanOfMonth(month))))[0]?.failed === 1) counted.push(month);
    expect(counted).toEqual(months);
  });

  test.each(ENDS)('%s: moves money in one month', async (_what, completed_at, months) => {
    const ask = await copyOf({
      deposits: [{ ...DEPOSIT, completed_at }],
      ...looks([LAST, 0n], ['2026-11-04T00:00:00.000Z', 0n]),
    });
    const moved = [];
    for (const month of ['2026-10', '2026-11'])
      if (
        (await ask((queries) => accountIn(queries, spanOfMonth(month)))).assets.some(
          ({ in: came }) => came.minor !== 0n,
        )
      )
        moved.push(month);
    expect(moved).toEqual(months);
  });
});

test('a month starts at its midnight also where the clocks change on its first day', () => {
  // Sydney puts its clocks forward at 2 o'clock on 1 October 2023: midnight is still ten hours ahead of UTC, and noon eleven.
  const { sinceMs, untilMs } = monthNamed('2023-10', zoneNamed('Australia/Sydney'), NOW_MS) ?? {
    sinceMs: 0,
    untilMs: 0,
  };
  expect([sinceMs, untilMs].map((ms) => new Date(ms).toISOString())).toEqual([
    '2023-09-30T14:00:00.000Z',
    '2023-10-31T13:00:00.000Z',
  ]);
  const days = partsOf(sinceMs, untilMs, 'day', zoneNamed('Australia/Sydney'));
  expect(days.map(({ name }) => name).slice(0, 2)).toEqual(['2023-10-01', '2023-10-02']);
  expect(days[0]?.untilMs).toBe(Date.UTC(2023, 9, 1, 13));
});

describe('the movements of an account', () => {
  test('have a trade once, and a failed one among what failed', async () => {
    const ask = await copyOf({
      fx_trades: [
        { ...TRADE, id: 'x-1' },
        { ...TRADE, id: 'x-2', side: 'sell' },
        { ...TRADE, id: 'x-3', status: 'failed' },
      ],
      ...looks(['2026-10-01T00:00:00.000Z', 0n], ['2026-11-04T00:00:00.000Z', 0n]),
    });
    const { assets } = await ask((queries) => accountIn(queries, spanOfMonth('2026-10')));
    const sums = assets.map(({ asset, count, failed }) => [asset, count, failed]);
    // A purchase leaves in cNGN, and a sale in the stablecoin.
    expect(sums.filter(([, count, failed]) => count !== 0 || failed !== 0)).toEqual([
      ['CNGN', 1, 1],
      ['USDC', 1, 0],
    ]);
  });

  test('have the fee of a deposit that the service states only by what it mints', async () => {
    const minted = { ...DEPOSIT, fee_minor: null, fee_asset: null, funding_minor: 69_500n, funding_asset: 'NGN' };
    const ask = await copyOf({
      deposits: [{ ...minted, completed_at: '2026-10-31T20:01:00.000Z' }],
      balance_checks: ['2026-10-31T19:00:00.000Z', '2026-10-31T21:00:00.000Z'].map((at) => ({ at })),
      balances: [
        { ...held('2026-10-31T19:00:00.000Z', 0n), asset: 'CNGN' },
        { ...held('2026-10-31T21:00:00.000Z', 695_000_000n), asset: 'CNGN' },
      ],
    });
    const { assets, differences } = await ask((queries) => accountIn(queries, spanOfMonth('2026-10')));
    expect(assets.find(({ asset }) => asset === 'CNGN')).toMatchObject({
      in: { minor: 700_000_000n },
      fees: { minor: -5_000_000n },
    });
    expect(differences).toEqual([]);
  });

  test('before anyone looked do not say what the balance was: no list may have all of them', async () => {
    const ask = await copyOf({
      withdrawals: [{ ...TRANSFER, completed_at: '2026-10-31T20:01:00.000Z' }],
      ...looks(['2026-10-31T20:30:00.000Z', 4_000n]),
    });
    const { assets } = await ask((queries) =>
      accountIn(queries, { from: '2026-10-31T19:00:00.000Z', to: '2026-10-31T21:00:00.000Z' }),
    );
    expect(assets.find(({ asset }) => asset === 'USDC')).toMatchObject({
      opening: { minor: null, known: { is: 'no', why: 'BEFORE_FIRST_SYNC', since: '2026-10-31T20:30:00.000Z' } },
      out: { minor: -5_000n },
      closing: { asset: 'USDC', minor: 4_000n },
    });
  });
});

describe('the looks that a period compares', () => {
  const [first, second, third] = ['2026-10-10', '2026-10-20', '2026-11-10'].map((day) => `${day}T00:00:00.000Z`);
  const compared = async (month: string) => {
    const ask = await copyOf(looks([first ?? '', 1n], [second ?? '', 1n], [third ?? '', 1n]));
    return (await ask((queries) => accountIn(queries, spanOfMonth(month)))).compared;
  };

  test('start with the last one before it', async () => {
    expect(await compared('2026-10')).toEqual({ from: first, to: second });
    expect(await compared('2026-11')).toEqual({ from: second, to: third });
  });

  test.each(['2026-09', '2026-12'])('are none if nobody looked in %s', async (month) => {
    expect(await compared(month)).toBeNull();
  });

  test('make a change that is a part of the period only if both are in it', async () => {
    const ask = await copyOf(
      looks(['2026-09-30T22:59:59.999Z', 1_000n], [LAST, 1_070n], ['2026-11-02T00:00:00.000Z', 1_070n]),
    );
    const [before, after] = [spanOfMonth('2026-10'), spanOfMonth('2026-11')];
    const { parts } = await ask((queries) => accountIn(queries, { from: before.from, to: after.to }, [before, after]));
    expect(parts.map((part) => part.map(({ asset, unlisted }) => [asset, unlisted.minor]))).toEqual([
      [['USDC', 70n]],
      [],
    ]);
    const alone = await ask((queries) => accountIn(queries, after));
    expect(alone.differences).toEqual([]);
  });
});

test('of a user, only withdrawals that completed are counted', async () => {
  const [user_id, completed_at] = ['u-1', '2026-10-31T20:01:00.000Z'];
  const withdrawal = { ...TRANSFER, type: 'user_withdrawal', user_id, completed_at };
  const ask = await copyOf({
    deposits: [{ ...DEPOSIT, type: 'user_onramp', user_id, completed_at }],
    withdrawals: ['completed', 'failed', 'cancelled', 'pending'].map((status) => ({
      ...withdrawal,
      id: status,
      status,
    })),
  });
  const { users } = await ask((queries) => usersIn(queries, spanOfMonth('2026-10'), 10));
  expect(users).toMatchObject([{ user: user_id, onramps: 1, withdrawals: 1, offramps: 0, paidOut: { minor: 0n } }]);
});

test('of a user, offramps are counted by the wallets that rows name with it; those of other wallets are told', async () => {
  const completed_at = '2026-10-31T20:01:00.000Z';
  const offramp = { ...DEPOSIT, type: 'user_offramp', completed_at };
  const ask = await copyOf({
    users: [{ id: 'u-1', first_name: 'ADA', last_name: 'OBI', evm_wallet: '0xa' }, { id: 'u-2' }],
    deposits: [{ ...DEPOSIT, type: 'user_onramp', user_id: 'u-2', wallet_address: '0xb', completed_at }],
    payouts: [
      { ...offramp, id: 'p-1', wallet_address: '0xa' },
      { ...offramp, id: 'p-2', wallet_address: '0xb' },
      { ...offramp, id: 'p-3', wallet_address: '0xb', status: 'failed' },
      { ...offramp, id: 'p-4', wallet_address: '0xc' },
      { ...offramp, id: 'p-5', wallet_address: '0xa', completed_at: FIRST },
    ],
  });
  const amount = { asset: 'NGN', minor: 70_000n };
  // Any user may have the other one too.
  const paidOut = { ...amount, known: { is: 'at least', why: 'USER_NOT_KNOWN', since: null } };
  const countsKnown = { is: 'at least', why: 'USER_NOT_KNOWN', since: null };
  expect(await ask((queries) => usersIn(queries, spanOfMonth('2026-10'), 10))).toEqual({
    unownedOfframps: 1,
    users: [
      { user: 'u-2', name: null, onramps: 1, amount, offramps: 1, paidOut, withdrawals: 0, countsKnown },
      {
        user: 'u-1',
        name: 'ADA OBI',
        onramps: 0,
        amount: { ...amount, minor: 0n },
        offramps: 1,
        paidOut,
        withdrawals: 0,
        countsKnown,
      },
    ],
  });
});

test('a payment that never arrived failed, and is not sent back', async () => {
  const created_at = '2026-11-10T12:00:00.000Z';
  const rows = ['failed', 'cancelled'].map((status) => ({ ...DEPOSIT, id: status, status, created_at }));
  const ask = await copyOf({ deposits: rows });
  const kinds = await ask((queries) => kindsIn(queries, spanOfMonth('2026-11')));
  expect(kinds).toMatchObject([{ failed: 2, refunded: { asset: 'NGN', minor: 70_000n } }]);
});

test.each([
  ['the same month', '2026-11-20T12:00:00.000Z', [0, 1, 70_000n], []],
  ['a later month', '2026-12-02T12:00:00.000Z', [1, 0, undefined], [0, 1, 70_000n]],
])('a payout that came back in %s is counted once in each', async (_when, updated_at, november, december) => {
  const payout = { ...DEPOSIT, id: 'p-1', type: 'fintech_offramp', status: 'reversed', updated_at };
  const at = { created_at: '2026-11-10T12:00:00.000Z', completed_at: '2026-11-10T12:01:00.000Z' };
  const ask = await copyOf({ payouts: [{ ...payout, ...at }] });
  const countsIn = async (month: string) =>
    (await ask((queries) => kindsIn(queries, spanOfMonth(month)))).flatMap(({ completed, failed, refunded }) => [
      completed,
      failed,
      refunded?.minor,
    ]);
  expect([await countsIn('2026-11'), await countsIn('2026-12')]).toEqual([november, december]);
});

test.each([
  ['october', '2026-10'],
  ['Oct', '2026-10'],
  ['oct. 2025', '2025-10'],
  ['december', '2026-12'],
  ['may', '2026-05'],
])('%s is the month %s: without a year, the last one that has begun', (name, month) => {
  expect(monthNamed(name, LAGOS, NOW_MS)).toEqual(monthNamed(month, LAGOS, NOW_MS));
  expect(monthNamed(name, LAGOS, Date.UTC(2026, 8, 1))?.sinceMs).toBeLessThan(Date.UTC(2026, 8, 1));
});

test.each(['octo', 'octobers', 'oct 26', 'ma'])('%s is no month', (name) => {
  expect(monthNamed(name, LAGOS, NOW_MS)).toBeUndefined();
});

test('a payment that failed is sent back, and a fee withdrawal without the time of its end counts when it was made', async () => {
  const created_at = '2026-11-10T12:00:00.000Z';
  const sum = { amount_minor: 70_000n, amount_asset: 'NGN' };
  const ask = await copyOf({
    deposits: [{ ...DEPOSIT, status: 'failed', created_at }],
    fee_withdrawals: [{ id: 'f-1', status: 'completed', ...sum, created_at }],
  });
  const kinds = await ask((queries) => kindsIn(queries, spanOfMonth('2026-11')));
  const amount = { asset: 'NGN', minor: 70_000n };
  expect(kinds).toMatchObject([
    { kind: 'deposits of the account', completed: 0, failed: 1, refunded: amount },
    { kind: 'fee withdrawals', completed: 1, failed: 0, amount, refunded: null },
  ]);
});

test.each([
  [['report', 'accept', 'USDC', '2026-13', '--reason', 'x'], 'invalid period "2026-13"'],
  [['report', '2026-13'], 'invalid period "2026-13"'],
  [['report', 'fees', 'octobers'], 'invalid period "octobers"'],
  [['report', 'users', 'october', '--since', '7d'], 'a month and --since or --until cannot be combined'],
  [['report', '--svg', 'bars.svg'], '--svg draws days, weeks or months'],
])('%j is rejected for its period, and not for the copy that is missing', async (argv, message) => {
  const world = fakeWorld();
  expect(await main(argv, world)).toBe(2);
  expect(world.stderr.text()).toContain(message);
});
