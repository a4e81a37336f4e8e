import { expect, test } from 'vitest';
import { type Asset, countedWith, leftIn, millionthsOf } from '../../src/money/amount.ts';

test('Naira and cNGN are counted together, and every other asset alone', () => {
  expect([countedWith('NGN'), countedWith('CNGN')]).toEqual([
    ['NGN', 'CNGN'],
    ['NGN', 'CNGN'],
  ]);
  expect([countedWith('USDC'), countedWith('USDT')]).toEqual([['USDC'], ['USDT']]);
});

test.each<[asset: Asset, minor: bigint, millionths: bigint]>([
  ['NGN', 1n, 10_000n],
  ['CNGN', 1n, 1n],
  ['USDC', 1n, 1n],
  ['USDT', 123_456_789n, 123_456_789n],
])('an amount of %s is exact in millionths', (asset, minor, millionths) => {
  expect(millionthsOf({ asset, minor })).toBe(millionths);
  expect(leftIn(asset, millionths)).toEqual({ asset, minor });
});

test('what is left is rounded down, and never below 0', () => {
  expect(leftIn('NGN', 19_999n)).toEqual({ asset: 'NGN', minor: 1n });
  expect(leftIn('NGN', 9_999n)).toEqual({ asset: 'NGN', minor: 0n });
  expect(leftIn('NGN', -10_000n)).toEqual({ asset: 'NGN', minor: 0n });
});
