import { expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { success } from '../support/exchange.ts';
import { ACCOUNT, fakeWorld } from '../support/world.ts';

const TYPES = ['fintech_self_transfer', 'fintech_user_withdrawal', 'user_withdrawal', 'bulk_withdrawal', null];

const ROWS = TYPES.map((type, at) => ({
  requestId: `r-${at}`,
  type,
  amount: '5.000000',
  ticker: 'USDC',
  status: 'completed',
  createdAt: '2026-01-05T09:00:00.000Z',
}));

test.each([
  ['withdrawals', ['r-1', 'r-2', 'r-3', 'r-4']],
  ['history', ['r-0', 'r-1', 'r-2', 'r-3', 'r-4']],
])('%s leaves out what is known to be another thing, and no row whose type is missing or new', async (group, ids) => {
  const world = fakeWorld({
    env: ACCOUNT,
    network: async () => success({ withdrawals: ROWS, total: ROWS.length, hasMore: false }),
  });
  const words = group === 'history' ? ['history', 'withdrawals'] : ['withdrawals', 'list'];
  expect(await main([...words, '-o', 'json', '-q'], world), world.stderr.text()).toBe(0);
  const { withdrawals } = JSON.parse(world.stdout.text());
  expect(withdrawals.map((row: { readonly requestId: string }) => row.requestId)).toEqual(ids);
});
