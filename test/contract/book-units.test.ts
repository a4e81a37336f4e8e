import { describe, expect, test } from 'vitest';
import { listOrders } from '../../src/contract/endpoints/fx-orders.ts';
import { quote } from '../../src/contract/endpoints/fx-quotes.ts';
import { readData } from '../../src/contract/reading/index.ts';

const pricesOf = (data: unknown) =>
  (readData(listOrders, data) as { readonly orders: readonly { readonly price: unknown }[] }).orders.map(
    ({ price }) => price,
  );

const order = (price: string, more: object = {}) => ({ orders: [{ orderId: 'o-1', price, ...more }] });

describe('the unit of order book figures', () => {
  test.each([
    ['a decimal point', order('1425.00'), '1425.00'],
    ['a decimal point in another figure', order('1425', { maxAmount: '90000.00' }), '1425'],
    ['a field that names tokens', { ...order('1425'), unit: 'token' }, '1425'],
    ['a field that names base units', { ...order('1425000000'), unit: 'base' }, '1425.000000'],
    ['a field of the order', order('1425000', { amountUnit: 'smallest unit' }), '1.425000'],
    ['nothing to tell, because it is 0', order('0'), '0'],
  ])('is told by %s', (_, data, price) => {
    expect(pricesOf(data)).toEqual([price]);
  });

  test('is unknown if every figure is a whole number', () => {
    expect(pricesOf(order('1425000'))).toEqual([{ value: '1425000', unit: 'unknown' }]);
    expect(pricesOf(order('1425000', { unit: 'lots' }))).toEqual([{ value: '1425000', unit: 'unknown' }]);
  });

  test('does not concern quotes', () => {
    expect(readData(quote, { quote: { price: '1425' } })).toEqual({ quote: { price: '1425' } });
  });
});
