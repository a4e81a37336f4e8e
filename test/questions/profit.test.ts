import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { resolveProfile } from '../../src/account/profile.ts';
import { writeKnownUntil } from '../../src/copy/list-state.ts';
import { openCopy } from '../../src/copy/open.ts';
import { UNLISTED } from '../../src/copy/schema.ts';
import type { Queries } from '../../src/journal/store.ts';
import { ACCOUNT, type FakeWorld, fakeWorld } from '../support/world.ts';
import { allRead, copied } from './copy.ts';
import { json, run } from './reports.ts';

const usdc = (value: string) => ({ value, asset: 'USDC' });
const cngn = (value: string) => ({ value, asset: 'CNGN' });

/** A completed trade of USDC: how many, the cNGN on the other side, and what arrived. */
const trade = (id: string, side: 'buy' | 'sell', day: number, usd: string, naira: string, net: object) => ({
  tradeId: id,
  pair: 'CNGN-USDC',
  side,
  status: 'completed',
  usdcAmount: usdc(usd),
  cngnAmount: cngn(naira),
  fintechNetAmount: net,
  createdAt: `2026-01-0${day}T09:00:00.000Z`,
});

async function accountWith(trades: readonly object[], opening = 0) {
  const world = fakeWorld({ env: ACCOUNT });
  await copied(world, { fx_trades: trades });
  const database = new DatabaseSync(join(world.stateDir, 'copy-environment.db'));
  if (opening > 0)
    database.exec(`INSERT INTO ${UNLISTED.name} (at, account, asset, user_id, step, minor, since)
      VALUES ('2026-01-03T00:00:00.000Z', 'assets:vault', 'USDC', '', 'opening', ${opening}, '2026-01-03T00:00:00.000Z')`);
  database.close();
  return world;
}

async function withCopy(world: FakeWorld, change: (queries: Queries) => Promise<void>): Promise<void> {
  const copy = await openCopy(world, resolveProfile(undefined, world));
  await copy.write(change);
  await copy.close();
}
type ProfitRow = Readonly<Record<'id' | 'part' | 'sale', string>> &
  Readonly<Record<'tokens' | 'amount', { readonly value: string }>>;

const TRADES = [
  trade('b1', 'buy', 1, '100', '140000', usdc('100.000000')),
  trade('b2', 'buy', 2, '50', '75000', usdc('50.000000')),
  trade('s1', 'sell', 3, '120', '180000', cngn('179000.000000')),
  trade('s2', 'sell', 4, '30', '45000', cngn('45000.000000')),
];

test('what is sold cost what was paid for the first that were bought, to the last unit', async () => {
  const world = await accountWith(TRADES);
  const { sales, profit, method } = await json(world, 'report', 'profit');
  expect(method).toBe('first in, first out');
  expect(sales).toMatchObject([
    // 100 for 140,000 and 20 of 50 for 30,000.
    {
      id: 's1',
      sold: usdc('120.000000'),
      proceeds: cngn('179000.000000'),
      cost: cngn('170000.000000'),
      profit: cngn('9000.000000'),
    },
    { id: 's2', cost: cngn('45000.000000'), profit: cngn('0.000000') },
  ]);
  expect(profit).toEqual(cngn('9000.000000'));
  const { rows } = await json(world, 'report', 'profit', '--rows', 'profit');
  expect(
    rows.map(({ id, part, sale, tokens, amount }: ProfitRow) => [sale, part, id, tokens.value, amount.value]),
  ).toEqual([
    ['s1', 'proceeds', 's1', '120.000000', '179000.000000'],
    ['s1', 'cost', 'b1', '100.000000', '-140000.000000'],
    ['s1', 'cost', 'b2', '20.000000', '-30000.000000'],
    ['s2', 'proceeds', 's2', '30.000000', '45000.000000'],
    ['s2', 'cost', 'b2', '30.000000', '-45000.000000'],
  ]);
  const later = await json(world, 'report', 'profit', '--since', '2026-01-04');
  expect(later.sales.map(({ id }: { id: string }) => id)).toEqual(['s2']);
});

test('the cost is not known of what was there before the first sync, which is sold first, or was never bought', async () => {
  const before = await accountWith(TRADES, 130_000_000);
  const { sales, profit, unknown } = await json(before, 'report', 'profit');
  expect(sales).toMatchObject([
    { id: 's1', cost: { value: null, known: { is: 'no', why: 'BOUGHT_BEFORE' } }, profit: { value: null } },
    { id: 's2', profit: { value: null } },
  ]);
  // It was there before, whenever it was read.
  const sold = await accountWith(
    [
      trade('b1', 'buy', 1, '100', '140000', usdc('100.000000')),
      trade('s1', 'sell', 2, '30', '45000', cngn('45000.000000')),
    ],
    130_000_000,
  );
  expect((await json(sold, 'report', 'profit', '--until', '2026-01-02')).sales).toMatchObject([
    { id: 's1', cost: { value: null, known: { is: 'no', why: 'BOUGHT_BEFORE' } } },
  ]);
  expect([profit.value, unknown]).toEqual([null, 2]);
  expect((await run(before, 'report', 'profit', '--complete')).code).toBe(9);
  const short = await accountWith([...TRADES, trade('s3', 'sell', 5, '1', '1500', cngn('1500.000000'))]);
  const { sales: all } = await json(short, 'report', 'profit');
  expect(all.at(-1)).toMatchObject({ id: 's3', cost: { value: null } });
  expect(all.slice(0, 2)).toMatchObject([{ profit: cngn('9000.000000') }, { profit: cngn('0.000000') }]);
});

test('the profit of a period that goes past the last sync, or past the end of a list, is not known, and says until when it is', async () => {
  const world = await accountWith(TRADES);
  await withCopy(world, (queries) => writeKnownUntil(queries, '2026-01-04T12:00:00.000Z'));
  const until = ['--since', '2026-01-01', '--until'];
  const before = await json(world, 'report', 'profit', ...until, '2026-01-04T11:00:00Z');
  expect(before.profit).toEqual(cngn('9000.000000'));
  const after = await json(world, 'report', 'profit', ...until, '2026-01-05T08:00:00Z');
  expect(after.profit).toEqual({
    value: null,
    asset: 'CNGN',
    known: { is: 'no', why: 'AFTER_LAST_SYNC', since: '2026-01-04T12:00:00.000Z' },
  });
  // Each sale that the copy has is known.
  expect(after.sales).toMatchObject([{ profit: cngn('9000.000000') }, { profit: cngn('0.000000') }]);
  expect((await run(world, 'report', 'profit', ...until, '2026-01-05T08:00:00Z', '--complete')).code).toBe(9);
  await withCopy(world, (queries) => allRead(queries, ['fx_trades']));
  const cut = await json(world, 'report', 'profit', ...until, '2026-01-05T08:00:00Z');
  const unknown = { value: null, known: { why: 'LIST_INCOMPLETE' } };
  expect(cut).toMatchObject({ profit: unknown, sales: [{ cost: unknown }, { cost: unknown }] });
});

test('nothing says the profit of sales that may have been before the start of a period, or after its end', async () => {
  const world = await accountWith([
    trade('b1', 'buy', 1, '100', '140000', usdc('100.000000')),
    trade('s1', 'sell', 3, '120', '180000', cngn('179000.000000')),
  ]);
  // Between the request and the latest end of the trade.
  const { profit, sales } = await json(
    world,
    'report',
    'profit',
    '--since',
    '2026-01-01',
    '--until',
    '2026-01-03T09:01:00Z',
  );
  expect(profit).toMatchObject({ value: null, known: { is: 'no', why: 'END_BETWEEN' } });
  expect(sales.length).toBe(1);
  const later = await json(world, 'report', 'profit', '--since', '2026-01-03T09:01:00Z', '--until', '2026-01-04');
  expect(later.profit).toMatchObject({ value: null, known: { is: 'no', why: 'END_BETWEEN' } });
});

test('an amount that is not known leaves no cost known after it', async () => {
  const unknown = { ...trade('b2', 'buy', 2, '50', '75000', usdc('50.000000')), fintechNetAmount: null };
  const world = await accountWith([...TRADES.filter(({ tradeId }) => tradeId !== 'b2'), unknown]);
  const { sales } = await json(world, 'report', 'profit');
  expect(sales).toMatchObject([{ cost: { value: null, known: { is: 'no' } } }, { cost: { value: null } }]);
});
