import { describe, expect, test } from 'vitest';
import { createOrder, updateOrder } from '../../src/contract/endpoints/fx-orders.ts';
import { signatureReason } from '../../src/engine/plans/signatures.ts';

const LIMITS = [{ asset: 'CNGN', minor: '100000000' }] as const;
const reason = (input: object) => signatureReason(LIMITS, updateOrder, { orderId: 'order-1', ...input });

describe('a change of an order', () => {
  test('that only pauses it needs no signature', () => {
    expect(reason({ status: 'paused' })).toBeUndefined();
    expect(reason({ status: 'paused', price: undefined, minAmount: undefined })).toBeUndefined();
  });

  test.each([
    ['its price', { status: 'paused', price: '1' }],
    ['its maximum', { status: 'paused', maxAmount: '900000' }],
    ['its minimum', { status: 'paused', minAmount: '1' }],
    ['its spread', { status: 'paused', spread: 5 }],
  ])('that pauses it and changes %s needs one', (_what, input) => {
    expect(reason(input)).toBeTypeOf('string');
  });

  test.each(['active', 'deleted'])('that makes it %s needs one', (status) => {
    expect(reason({ status })).toBeTypeOf('string');
  });
});

test.each([
  ['1400', undefined],
  ['1.4', 'more than 100.00 USDC'],
])('an order at %s needs a signature for the stablecoin that it may give: %s', (price, why) => {
  const order = {
    orderType: 'buy',
    baseCurrency: 'cNGN',
    quoteCurrency: 'USDC',
    minAmount: '1',
    maxAmount: '500',
    price,
  };
  expect(signatureReason([{ asset: 'USDC', minor: '100000000' }], createOrder, order)).toBe(why);
});
