import { expect, test } from 'vitest';
import { OPEN_TRADE_STATES, TRADE_STATES } from '../../../src/contract/fx.ts';
import { trade } from '../../../src/service/fx/machine.ts';
import { IS_OPEN_TRADE } from '../../../src/service/schema/schema.ts';
import { openSandbox } from '../../support/sandbox.ts';

test('a trade is open in the states that its machine leaves', () => {
  expect(new Set(trade.transitions.flatMap(({ from }) => from))).toEqual(new Set(OPEN_TRADE_STATES));
});

test('the contract names every state of the machine', () => {
  const states = trade.transitions.flatMap(({ from, to }) => [...from, to]);
  expect(new Set(states)).toEqual(new Set(TRADE_STATES));
});

test('open trades are found by their index', async () => {
  await using box = await openSandbox();
  const plan = box.service.store.all<{ detail: string }>(
    `EXPLAIN QUERY PLAN SELECT COUNT(*) AS n FROM fx_trade WHERE fintech = ? AND ${IS_OPEN_TRADE}`,
    1n,
  );
  expect(plan.map(({ detail }) => detail).join()).toContain('fx_trade_open');
});
