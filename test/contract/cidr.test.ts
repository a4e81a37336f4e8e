import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  containment,
  isWithin,
  maskedRange,
  matchesVisible,
  parseRange,
  parseVisible,
  rangeText,
} from '../../src/contract/cidr.ts';
import { isPublicAddress } from '../../src/service/events/webhook-url.ts';

function range(text: string) {
  const found = parseRange(text);
  if (!found) throw new Error(`${text} is not a range`);
  return found;
}

describe('rangeText writes the canonical form', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['0.0.0.0', '0.0.0.0'],
    ['255.255.255.255', '255.255.255.255'],
    ['203.0.113.7/32', '203.0.113.7'],
    ['203.0.113.0/24', '203.0.113.0/24'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['::', '::'],
    ['::1', '::1'],
    ['2001:DB8::1', '2001:db8::1'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:0:0:0:1', '2001:db8:0:1::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['10:0:0:0:0:0:0:1', '10::1'],
    ['1:0:0:0:0:0:0:10', '1::10'],
    ['2001:db8::', '2001:db8::'],
    ['2001:db8::/32', '2001:db8::/32'],
    ['2001:db8::1/128', '2001:db8::1'],
    ['::/0', '::/0'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ['::FFFF:7f00:1', '127.0.0.1'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
    ['::ffff:0:0/96', '0.0.0.0/0'],
  ])('of %s: %s', (text, written) => {
    expect(rangeText(range(text))).toBe(written);
    expect(range(written)).toEqual(range(text));
  });
});

test.each([
  '',
  ' ',
  'localhost',
  '127.0.0',
  '127.0.0.1.1',
  '127.0.0.256',
  '127.0.0.01',
  '0127.0.0.1',
  '0x7f.0.0.1',
  '2130706433',
  '127.0.0.-1',
  '127.0.0.1 ',
  '127.0.0.1\n',
  '١٢٧.0.0.1',
  '127.0.0.1/33',
  '127.0.0.1/08',
  '127.0.0.1/',
  '127.0.0.1/8/8',
  '127.0.0.1/-1',
  '10.1.2.3/8',
  '2001:db8::1/64',
  ':',
  ':::',
  '::1::',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '1:2:3:4:5:6:7::8:9',
  '1:2:3:4::5:6:7:8',
  '12345::',
  'g::1',
  '::1/129',
  'fe80::1%eth0',
  '[::1]',
  '::ffff:1.2.3',
  '::ffff:1.2.3.256',
  '1.2.3.4::',
  '*',
  '10.*',
])('rejects %j as an address or range', (text) => {
  expect(parseRange(text)).toBeUndefined();
});

test('round-trips every address', () => {
  const v4 = fc.ipV4();
  const v6 = fc.ipV6();
  fc.assert(
    fc.property(fc.oneof(v4, v6), (text) => {
      const parsed = range(text);
      expect(range(rangeText(parsed))).toEqual(parsed);
    }),
  );
});

describe('isWithin', () => {
  test.each([
    ['10.0.0.0/8', '10.0.0.0', true],
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.0.0.0/8', '9.255.255.255', false],
    ['10.0.0.4/30', '10.0.0.7', true],
    ['10.0.0.4/30', '10.0.0.8', false],
    ['10.0.0.4', '10.0.0.4', true],
    ['10.0.0.4', '10.0.0.5', false],
    ['10.0.0.4', '10.0.0.4/31', false],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '::1', false],
    ['::/0', '203.0.113.9', false],
    ['::/0', '2001:db8::1', true],
    ['127.0.0.1', '::ffff:127.0.0.1', true],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::', false],
  ])('%s contains %s: %s', (outer, inner, holds) => {
    const inside = parseRange(inner);
    // An address with host bits beyond its prefix is invalid.
    expect(inside !== undefined && isWithin(inside, range(outer))).toBe(holds);
  });
});

test.each([
  ['127.0.0.1', '127.0.*.*'],
  ['203.0.113.0/24', '203.0.*.*/24'],
  ['::ffff:203.0.113.7', '203.0.*.*'],
  ['2001:db8::1', '2001:db8:*'],
  ['2001:db8:abcd::/48', '2001:db8:*/48'],
  ['::1', '0:0:*'],
])('masks %s as %s', (text, shown) => {
  expect(maskedRange(range(text))).toBe(shown);
});

describe('isPublicAddress', () => {
  test.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.255',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fc00::1',
    'fdff::1',
    'fe80::1',
    'ff02::1',
    '::ffff:10.0.0.1',
    '::2',
    '::7f00:1',
    'fec0::1',
    '2002:7f00:1::',
    '64:ff9b::127.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::1',
    '2001::1',
  ])('is false for %s', (text) => {
    expect(isPublicAddress(range(text))).toBe(false);
  });

  test.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '223.255.255.255',
    '2606:4700::1111',
    '64:ff9b::8.8.8.8',
  ])('is true for %s', (text) => {
    expect(isPublicAddress(range(text))).toBe(true);
  });
});

describe('a masked address or range', () => {
  const shown = (text: string) => {
    const { known, prefix } = parseVisible(text) ?? {};
    return [known && rangeText(known), prefix];
  };

  test.each([
    ['203.0.*.*', '203.0.0.0/16', undefined],
    ['203.0.***.***', '203.0.0.0/16', undefined],
    ['203.0.*', '203.0.0.0/16', undefined],
    ['203.0.113.*', '203.0.113.0/24', undefined],
    ['203.0.*.*/24', '203.0.0.0/16', 24],
    ['10.0.*.*/8', '10.0.0.0/16', 8],
    ['2001:db8:*', '2001:db8::/32', undefined],
    ['2001:db8:*/48', '2001:db8::/32', 48],
    ['0:0:*', '::/32', undefined],
    ['203.0.113.7', '203.0.113.7', 32],
    ['203.0.113.0/24', '203.0.113.0/24', 24],
  ])('%s is read as %s', (text, known, prefix) => {
    expect(shown(text)).toEqual([known, prefix]);
  });

  test.each(['', '*', '*.*.*.*', '300.0.*.*', '2001::db8:*', 'office', '203.0.*.7', ':*'])('%j is rejected', (text) => {
    expect(parseVisible(text)).toBeUndefined();
  });

  test('fits the range it was made from', () => {
    const ranges = fc.record({ first: fc.nat(0xffff_ffff), prefix: fc.integer({ min: 0, max: 32 }) });
    const check = ({ first, prefix }: { first: number; prefix: number }) => {
      const whole = (1n << 32n) - 1n;
      const fixed = BigInt(first) & (whole ^ ((1n << BigInt(32 - prefix)) - 1n));
      const each = { version: 4, first: fixed, prefix } as const;
      const back = parseVisible(maskedRange(each));
      expect(back && matchesVisible(each, back)).toBe(true);
    };
    fc.assert(fc.property(ranges, check));
  });

  test.each([
    ['203.0.113.7', '203.0.*.*', true],
    ['203.1.113.7', '203.0.*.*', false],
    ['203.0.113.0/24', '203.0.*.*/24', true],
    ['203.0.113.0/24', '203.0.*.*/25', false],
    ['203.0.113.7', '203.0.*.*/24', false],
    ['10.0.0.0/8', '10.0.*.*/8', true],
    ['203.0.113.0/24', '203.0.*.*', true],
    ['2001:db8::7', '2001:db8:*', true],
    ['203.0.113.7', '2001:db8:*', false],
  ])('%s fits %s: %s', (text, masked, fits) => {
    const back = parseVisible(masked);
    expect(back && matchesVisible(range(text), back)).toBe(fits);
  });

  test.each([
    ['203.0.113.7', '203.0.*.*', 'maybe'],
    ['203.0.*.*', '203.0.*.*', 'maybe'],
    ['203.0.*.*/24', '203.0.*.*', 'maybe'],
    ['203.0.0.0/16', '203.0.*.*', 'surely'],
    ['203.0.*.*/16', '203.0.*.*', 'surely'],
    ['200.0.*.*/5', '203.0.*.*', 'surely'],
    ['0.0.0.0/0', '203.0.*.*', 'surely'],
    ['::/0', '203.0.*.*', 'no'],
    ['198.51.*.*/16', '203.0.*.*', 'no'],
    ['198.51.100.7', '203.0.*.*', 'no'],
    ['203.0.113.0/24', '203.0.113.7', 'surely'],
    ['203.0.113.8', '203.0.113.7', 'no'],
    ['2001:db8::/32', '2001:db8:*', 'surely'],
    ['2001:db8::/48', '2001:db8:*', 'maybe'],
    ['nothing', '203.0.*.*', 'maybe'],
    ['203.0.113.7', 'nothing', 'maybe'],
  ])('%s contains %s: %s', (outer, address, holds) => {
    expect(containment(parseVisible(outer), parseVisible(address))).toBe(holds);
  });
});
