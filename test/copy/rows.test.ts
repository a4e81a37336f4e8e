import { expect, test } from 'vitest';
import { rowsOf } from '../../src/copy/rows.ts';
import { TABLES } from '../../src/copy/tables.ts';
import type { Plain } from '../../src/present/plain.ts';

const trades = TABLES.find(({ name }) => name === 'fx_trades');

/** The net amount of a trade, as its two columns. */
function netOf(fintechNetAmount: Plain): readonly unknown[] {
  if (!trades) throw new Error('no table of trades');
  const at = trades.columns.slice(0, -1).reduce((sum, { kind }) => sum + (kind === 'amount' ? 2 : 1), 0);
  const row = rowsOf(trades, () => true)({ tradeId: 't-1', status: 'completed', fintechNetAmount });
  return row.values.slice(at, at + 2);
}

test.each<[string, Plain, readonly unknown[]]>([
  ['a known amount is a number', { value: '39.920000', asset: 'USDC' }, [39_920_000n, 'USDC']],
  ['an amount of an unknown asset is none', { value: '32.000000', asset: null }, [null, null]],
  ['an amount of an unknown unit is none', { value: '32000000', asset: 'USDC', unit: 'unknown' }, [null, null]],
])('%s', (_, net, columns) => {
  expect(netOf(net)).toEqual(columns);
});
