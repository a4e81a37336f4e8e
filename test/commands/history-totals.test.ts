import { expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { account, HOUR_MS, must, pass, run } from '../questions/reports.ts';
import { success } from '../support/exchange.ts';
import { ACCOUNT, fakeWorld } from '../support/world.ts';

test('history transactions adds up each status by itself: no sum has what failed beside what was completed', async () => {
  const { world, ids, accountNumber } = await account();
  await must(world, 'sandbox', 'pay', accountNumber, '--amount', '700', '--sender', 'HARMATTAN PAY');
  for (const [index, id] of ids.entries())
    await must(world, 'payout', 'create', '--amount', String(200 + index), '--to', id, '--yes');
  await must(world, 'sandbox', 'settle');
  await pass(world, HOUR_MS);
  const { stdout } = await run(world, 'history', 'transactions');
  const totals = stdout.slice(stdout.indexOf('Totals\n'));
  // Payouts to two of the four accounts fail or are returned by the bank.
  expect(totals).toMatch(/completed +in +1 +₦700\.00/);
  expect(totals).toMatch(/completed +out +2 +₦404\.00/);
  expect(totals).toMatch(/failed +out +2 +₦402\.00/);
  const failed = await run(world, 'history', 'transactions', '--status', 'failed');
  expect(failed.stdout).toMatch(/Totals\n.*\n.*\n +failed +out +2 +₦402\.00\n$/);
});

test('history transactions says that transfers of statuses which no one documented are in no total', async () => {
  const world = fakeWorld({
    env: ACCOUNT,
    network: async ({ url }) => {
      const status = new URL(url).searchParams.get('status');
      const count = status === null ? 3 : status === 'completed' ? 2 : 0;
      const summary = { totalDeposits: count, depositVolume: `${count}00.00`, totalPayouts: 0, payoutVolume: '0.00' };
      const page = { total: 0, limit: 20, offset: 0, hasMore: false };
      return success({ transactions: [], pagination: page, summary, filters: { status } });
    },
  });
  await main(['history', 'transactions'], world);
  expect(world.stdout.text()).toMatch(
    /Totals, without transfers of other statuses\n.*\n.*\n +completed +in +2 +₦200\.00\n$/,
  );
});
