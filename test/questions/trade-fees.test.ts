import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { MOVEMENTS } from '../../src/copy/questions/report/movement-kinds.ts';

const SALE = {
  side: 'sell',
  pair: 'CNGN-USDC',
  cngn_minor: 57_000_000_000n,
  usdc_minor: 40_000_000n,
  usdt_minor: null,
};

/** What a report takes as the fee of each movement into the account by this trade. */
function feesOf(trade: Readonly<Record<string, bigint | string | null>>): unknown[] {
  const database = new DatabaseSync(':memory:');
  const columns = Object.keys(trade).map((name) => `? AS ${name}`);
  return MOVEMENTS.filter(({ kind, way }) => kind === 'trades' && way === 'in').flatMap(({ own, fee }) =>
    database
      .prepare(`SELECT ${fee} AS fee FROM (SELECT ${columns.join(', ')}) WHERE ${own}`)
      .all(...Object.values(trade))
      .map(({ fee: minor }) => (minor === null ? null : Number(minor))),
  );
}

test.each([
  ['in the cNGN that came in', 56_886_000_000n, 'CNGN', 114_000_000],
  ['in the stablecoin that was sold', 32_000_000n, 'USDC', null],
  ['in an asset that is not known', null, null, null],
])('a net amount %s says the fee of a sale only if it is one of what came in', (_, net_minor, net_asset, fee) => {
  expect(feesOf({ ...SALE, net_minor, net_asset })).toEqual([fee]);
});
