import { describe, expect, test } from 'vitest';
import { depthOf } from '../../../src/engine/depth.ts';
import { amountText } from '../../../src/money/amount.ts';
import { wireNumber } from '../../../src/money/decimal.ts';
import type { Level } from '../../../src/present/result.ts';

const order = (price: string, availableLiquidity: string | null, maxAmount: string | null = '1000000') => ({
  orderId: `at-${price}`,
  price,
  minAmount: '1',
  maxAmount,
  availableLiquidity,
});

const shown = (levels: readonly Level[]) =>
  levels.map(({ price, amount }) => [amountText(price), amountText(amount)].map(Number));

describe('the depth of an order book', () => {
  test('sorts each side by best price', () => {
    const { upper, lower } = depthOf(
      {
        sellOrders: [order('1410', '9999'), order('1400', '9999')],
        buyOrders: [order('1380', '9999999'), order('1390', '9999999')],
      },
      'CNGN-USDC',
    );
    expect(shown(upper.levels).map(([price]) => price)).toEqual([1400, 1410]);
    expect(shown(lower.levels).map(([price]) => price)).toEqual([1390, 1380]);
  });

  test('counts an order up to its maximum, in cNGN: what the balance of its wallet is counted in is not known', () => {
    const { upper, lower } = depthOf(
      {
        sellOrders: [order('1400', '10', '50000'), order('1500', '1000', '50000')],
        buyOrders: [order('1390', '20000', '50000'), order('1380', '90000', '50000')],
      },
      'CNGN-USDT',
    );
    expect(shown(upper.levels)).toEqual([
      [1400, 50_000],
      [1500, 50_000],
    ]);
    expect(shown(lower.levels)).toEqual([
      [1390, 50_000],
      [1380, 50_000],
    ]);
  });

  test('merges orders at the same price', () => {
    const { lower } = depthOf({ buyOrders: [order('1390', '5', '5'), order('1390.00', '7', '7')] }, 'CNGN-USDC');
    expect(shown(lower.levels)).toEqual([[1390, 12]]);
  });

  test('skips orders without a price and counts missing amounts as zero', () => {
    const { upper } = depthOf({ sellOrders: [{ orderId: 'x' }, order('1400', null, null)] }, 'CNGN-USDC');
    expect(shown(upper.levels)).toEqual([[1400, 0]]);
  });

  test.each([
    [['1400'], ['1390'], 'bid-ask spread 10.00 cNGN (0.71%)'],
    [['1400.5'], ['1400'], 'bid-ask spread 0.50 cNGN (0.03%)'],
    [['1390'], ['1390'], 'bid-ask spread 0.00 cNGN (0%)'],
    [['1380'], ['1390'], 'crossed by 10.00 cNGN (0.71%)'],
    [[], ['1390'], 'no spread: one side is empty'],
    [[], [], 'no spread: one side is empty'],
  ])('asks %j and bids %j give: %s', (asks, bids, words) => {
    const book = {
      sellOrders: asks.map((price) => order(price, '9')),
      buyOrders: bids.map((price) => order(price, '9')),
    };
    expect(depthOf(book, 'CNGN-USDC').middle).toBe(words);
  });

  test('shows what a taker pays or gets, by which it sorts', () => {
    const { upper, lower } = depthOf(
      {
        sellOrders: [
          { ...order('1400', '1'), spread: wireNumber('2') },
          { ...order('1405', '1'), spread: wireNumber('0.5') },
        ],
        buyOrders: [
          { ...order('1388.77', '1'), spread: wireNumber('0.5') },
          { ...order('1388.77', '1'), spread: wireNumber('1') },
        ],
      },
      'CNGN-USDC',
    );
    const prices = (levels: readonly Level[]) => levels.map(({ takerPrice }) => takerPrice && amountText(takerPrice));
    expect(prices(upper.levels)).toEqual(['1412.025000', '1428.000000']);
    expect(prices(lower.levels)).toEqual(['1381.826150', '1374.882300']);
  });

  test.each(['100', '250', '-1'])('has no price for a taker at a spread of %s percent', (spread) => {
    const { lower } = depthOf({ buyOrders: [{ ...order('1390', '1'), spread: wireNumber(spread) }] }, 'CNGN-USDC');
    expect(lower.levels.map(({ takerPrice }) => takerPrice)).toEqual([undefined]);
  });

  test('is empty for an empty book', () => {
    const { upper, lower, title } = depthOf({}, 'CNGN-USDT');
    expect({ upperLevels: upper.levels, lowerLevels: lower.levels, hasUSDT: title.includes('USDT') }).toEqual({
      upperLevels: [],
      lowerLevels: [],
      hasUSDT: true,
    });
  });
});
