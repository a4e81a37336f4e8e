import { describe, expect, test } from 'vitest';
import { createMask } from '../../src/inspector/mask.ts';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

describe('a mask', () => {
  test.each([
    ['a phone number or a BVN in a text', { why: 'call 08031234567 now' }, { why: 'call account-1 now' }],
    ['an account in a text', { why: 'paid to 0123456789.' }, { why: 'paid to account-1.' }],
    ['an account that is a number', { account: 8_031_234_567 }, { account: 'account-1' }],
    ['a BVN that is a number, in a list', { all: [22_345_678_901] }, { all: ['account-1'] }],
    ['an address', { wallet: WALLET }, { wallet: 'address-1' }],
    ['an address that is the name of a field', { [WALLET]: 5 }, { 'address-1': 5 }],
    ['an account that is the name of a field', { '0123456789': 5 }, { 'account-1': 5 }],
    ['an e-mail address', { said: 'ask ada@acme.example' }, { said: 'ask email-1' }],
    [
      'a name, and the same name in a text',
      { userName: 'Ada Obi', said: 'for ADA OBI' },
      { userName: 'name-1', said: 'for name-1' },
    ],
    [
      'what is in a text that is JSON',
      { data: '{"bvn":22345678901,"a":"08031234567"}' },
      { data: '{"bvn":"account-1","a":"account-2"}' },
    ],
  ])('hides %s', (_what, value, masked) => {
    expect(createMask()(value)).toEqual(masked);
  });

  test.each([
    ['a time in seconds', { retryAt: 1_786_000_000, created_at: 1_786_000_000 }],
    ['a duration', { waitMs: 1_786_000_000 }],
    ['an amount', { amount: '₦5,000.00', sum: '1234567890' }],
    ['a decimal', { price: '1234567890.25', share: '0.1234567890' }],
    ['an id', { eventId: 'e-0123456789-a', requestId: '0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de' }],
    ['a number of other digits', { block: 123_456_789, gas: 123_456_789_012 }],
    ['the name of a bank', { bankName: 'Harbour Bank' }],
  ])('keeps %s', (_what, value) => {
    expect(createMask()(value)).toEqual(value);
  });

  test('keeps what is equal equal, also as a number, a text and the name of a field', () => {
    const value = {
      account: 8_031_234_567,
      said: 'to 8031234567',
      8031234567: 1,
      again: WALLET,
      [WALLET]: WALLET.toLowerCase(),
    };
    const [first, ...more] = [createMask(), createMask()].map((mask) => mask(value));
    expect(more).toEqual([first]);
    expect(new Set(JSON.stringify(first).match(/(account|address)-\d/g)).size).toBe(2);
  });
});
