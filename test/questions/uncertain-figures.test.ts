import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { copyPath } from '../../src/account/paths.ts';
import { resolveProfile } from '../../src/account/profile.ts';
import { readBalances, saveBalances } from '../../src/copy/balances.ts';
import { openCopyFile } from '../../src/copy/database.ts';
import { dueIn, nairaAt } from '../../src/copy/questions/known.ts';
import { uncountedIn } from '../../src/copy/questions/report/movements.ts';
import { main } from '../../src/main.ts';
import { success } from '../support/exchange.ts';
import { ACCOUNT, type FakeWorld, fakeWorld } from '../support/world.ts';
import { copied, deposit, payout, USER } from './copy.ts';

/** An amount as the local copy has it of a response that did not say its unit. */
const DOUBTED = { value: '64000', asset: 'NGN', unit: 'unknown' } as const;
const OTHER = { value: '75.00', asset: null } as const;

const PERIOD = ['--since', '2026-01-01', '--until', '2026-01-06'];

async function worldWith(rows: Parameters<typeof copied>[1]): Promise<FakeWorld> {
  const world = fakeWorld({ env: ACCOUNT });
  await copied(world, rows);
  return world;
}

async function json(world: FakeWorld, ...argv: string[]) {
  const before = world.stdout.text().length;
  const code = await main([...argv, '-o', 'json', '-q'], world);
  return { code, ...JSON.parse(world.stdout.text().slice(before)) };
}

const ownDeposit = (id: string, more: object = {}) => deposit(id, { type: 'fintech_deposit', userId: null, ...more });

describe('an uncertain amount', () => {
  test('is in no sum of a report, which shows its row without an amount', async () => {
    const world = await worldWith({
      deposits: [ownDeposit('d1'), ownDeposit('d2', { amount: DOUBTED }), ownDeposit('d3', { amount: OTHER })],
    });
    const { kinds } = await json(world, 'report', '--by', 'kind', ...PERIOD);
    expect(kinds).toMatchObject([
      {
        kind: 'deposits of the account',
        completed: 2,
        amount: { value: null, asset: null, known: { is: 'no', why: 'NOT_STATED' } },
      },
      { kind: 'deposits of the account', completed: 1, amount: { value: '5100.00', asset: 'NGN' } },
    ]);
  });

  test('is no movement of a balance', async () => {
    const world = await worldWith({
      deposits: [ownDeposit('d1', { feeAmount: null }), ownDeposit('d2', { amount: DOUBTED })],
    });
    const copy = await openCopyFile(copyPath(world, resolveProfile(undefined, world)), world);
    const look = (at: string, minor: bigint) =>
      copy.write((queries) =>
        saveBalances(queries, {
          at,
          balances: [{ source: 'wallet', place: 'base', asset: 'CNGN', minor }],
          wallets: [],
        }),
      );
    await look('2026-01-03T00:00:00.000Z', 0n);
    await look('2026-01-05T00:00:00.000Z', 5_100_000_000n);
    await copy.close();
    const { code, assets, differences, uncounted } = await json(world, 'report', '--by', 'asset', ...PERIOD);
    expect({ code, differences, uncounted }).toEqual({ code: 0, differences: [], uncounted: 1 });
    expect(assets).toMatchObject([
      { asset: 'CNGN', in: { value: '5100.000000', known: { is: 'at least' } }, closing: { value: '5100.000000' } },
      // No one stated what the fees were.
      { asset: 'NGN', closing: { value: null, known: { why: 'NOT_STATED' } } },
    ]);
    await main(['report', '-q', ...PERIOD], world);
    expect(world.stdout.text()).toMatch(/Amounts +1 movement has no known amount and is in no sum/);
  });

  test('is counted as unknown once, whatever ways it moves in, and not if nothing came of it', async () => {
    const trade = { tradeId: 't-1', pair: 'CNGN-USDC', side: 'sell', status: 'completed' };
    const at = { createdAt: '2026-01-04T09:00:00.000Z' };
    const world = await worldWith({
      fx_trades: [
        { ...trade, ...at, cngnAmount: { ...DOUBTED, asset: 'CNGN' }, usdcAmount: { ...DOUBTED, asset: 'USDC' } },
      ],
      payouts: [
        payout('p1'),
        payout('p2', { amount: DOUBTED, status: 'processing', completedAt: null }),
        payout('p3', { amount: DOUBTED, status: 'failed' }),
        payout('p4', { amount: DOUBTED, type: 'user_offramp' }),
        payout('p5', { amount: DOUBTED, createdAt: '2025-12-30T09:00:00.000Z' }),
      ],
    });
    const copy = await openCopyFile(copyPath(world, resolveProfile(undefined, world)), world);
    const span = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-06T00:00:00.000Z' };
    // One was completed in the period, whenever it was made.
    expect(await copy.read((queries) => uncountedIn(queries, span))).toBe(3);
    await copy.close();
  });

  test('is not what a user paid in', async () => {
    const other = { ...USER, userId: 'user-0002' };
    const world = await worldWith({
      users: [USER, other],
      deposits: [
        deposit('d1'),
        deposit('d2', { amount: DOUBTED }),
        deposit('d3', { amount: DOUBTED, userId: 'user-0002' }),
      ],
    });
    const { users } = await json(world, 'report', 'users', ...PERIOD);
    expect(users).toMatchObject([
      { user: 'user-0001', onramps: 2, amount: { value: '5100.00', known: { is: 'at least', why: 'NOT_STATED' } } },
      { user: 'user-0002', onramps: 1, amount: { value: null, known: { is: 'no', why: 'NOT_STATED' } } },
    ]);
  });

  test('is no sum that is found, and is shown as it came where its row is', async () => {
    const world = await worldWith({ payouts: [payout('p1'), payout('p2', { amount: DOUBTED })] });
    expect(await main(['find', '64000', '-q', '--no-input'], world)).not.toBe(0);
    expect(world.stdout.text()).not.toContain('p2');
    expect(await json(world, 'find', 'p2')).toMatchObject({ code: 0, id: 'p2', amount: DOUBTED });
    await main(['find', 'p2', '-q'], world);
    expect(world.stdout.text()).toContain('64000 (unit unknown, NGN)');
    expect(world.stdout.text()).not.toContain('₦64,000');
  });

  test('is NULL for a query, and the amount beside it is a number', async () => {
    const world = await worldWith({
      payouts: [payout('p1'), payout('p2', { amount: DOUBTED }), payout('p3', { amount: OTHER })],
    });
    const database = new DatabaseSync(copyPath(world, resolveProfile(undefined, world)));
    const rows = database.prepare('SELECT id, amount_minor, amount_asset FROM payouts ORDER BY id').all();
    database.close();
    expect(rows.map((row) => Object.values(row))).toEqual([
      ['p1', 70_000, 'NGN'],
      ['p2', null, null],
      ['p3', null, null],
    ]);
  });

  test('is no Naira that was paid or is due', () => {
    const known = { value: '742.41', asset: 'NGN' } as const;
    expect(nairaAt({ amount: known }, 'amount')).toEqual({ asset: 'NGN', minor: 74_241n });
    for (const amount of [DOUBTED, OTHER, { value: '742.41', asset: 'CNGN' } as const])
      expect(nairaAt({ amount }, 'amount')).toBeUndefined();
    const createdAt = '2026-01-04T09:00:00.000Z';
    expect(dueIn({ totalAmountWithFee: known, createdAt })?.total.minor).toBe(74_241n);
    expect(dueIn({ totalAmountWithFee: DOUBTED, createdAt })).toBeUndefined();
  });
});

test('a balance of unknown outcome is in no place of the copy', async () => {
  const balances: Readonly<Record<string, unknown>> = {
    CNGN: [
      { network: 'base', balance: '20.500000' },
      { network: 'bsc', balance: { value: '84210334500', unit: 'unknown' } },
    ],
    USDC: [{ network: 'base', balance: { value: '7.000000', asset: null } }],
    USDT: [{ network: 'base', balance: '0' }],
  };
  const fees = { totalAccumulatedFees: { value: '1540.00', unit: 'unknown' }, pendingFees: 4000 };
  const account = {
    world: { clock: { now: () => 0 } },
    call: async ({ id }: { readonly id: string }, { token = '' }: { readonly token?: string }) => {
      if (id.startsWith('fees.')) return { data: { summary: fees } };
      return { data: id.includes('balance') ? { token, networkBalances: balances[token] } : {} };
    },
  };
  const { balances: found } = await readBalances(account as never);
  expect(found).toEqual([
    { source: 'wallet', place: 'base', asset: 'CNGN', minor: 20_500_000n },
    { source: 'wallet', place: 'base', asset: 'USDT', minor: 0n },
    { source: 'fees', place: 'pending', asset: 'NGN', minor: 4000n },
  ]);
});

test('a balance of unknown outcome is owed to nobody, and no balance that is known is none', async () => {
  const balances: Readonly<Record<string, string>> = { 'user-0001': '20.500000', 'user-0002': '84210334500' };
  const owed = async (token: string) => {
    const world = fakeWorld({
      env: ACCOUNT,
      network: async ({ url }) => {
        const id = /user-\d+/.exec(url)?.[0] ?? '';
        const asked = new URL(url).searchParams.get('token');
        const totalBalance = asked === token ? balances[id] : '84210334500';
        return success({ userId: id, token: asked, totalBalance, networkBalances: [] });
      },
    });
    await copied(world, { users: [USER, { ...USER, userId: 'user-0002' }] });
    return json(world, 'report', 'owed');
  };
  expect(await owed('CNGN')).toMatchObject({
    users: 2,
    unknown: 2,
    owed: [
      { asset: 'CNGN', amount: { value: '20.500000', known: { is: 'at least', why: 'NOT_STATED' } }, users: 1 },
      { asset: 'USDC', amount: { value: null, asset: 'USDC', known: { is: 'no' } }, users: 0 },
      { asset: 'USDT', amount: { value: null, asset: 'USDT', known: { is: 'no' } }, users: 0 },
    ],
  });
});

test('what a status leaves open does not replace what the list said of a payout', async () => {
  const world = fakeWorld({
    env: ACCOUNT,
    network: async () =>
      success({ requestId: 'p2', status: 'processing', amount: 70_000, currency: 'NGN', bankAccount: null }),
  });
  await copied(world, { payouts: [payout('p2', { status: 'processing', completedAt: null })] });
  const found = await json(world, 'find', 'p2');
  expect(found).toMatchObject({ kind: 'payout', status: 'processing', amount: { value: '700.00', asset: 'NGN' } });
});
