import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPublicAddress, isWithin, maskedRange, parseRange, rangeText } from '../../src/contract/ip.ts';

function range(text: string) {
  const found = parseRange(text);
  if (!found) throw new Error(`${text} is no range`);
  return found;
}

describe('an address or range is written one way', () => {
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
  ])('%s as %s', (text, written) => {
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
])('%j is no address and no range', (text) => {
  expect(parseRange(text)).toBeUndefined();
});

test('every address survives being written', () => {
  const v4 = fc.ipV4();
  const v6 = fc.ipV6();
  fc.assert(
    fc.property(fc.oneof(v4, v6), (text) => {
      const parsed = range(text);
      expect(range(rangeText(parsed))).toEqual(parsed);
    }),
  );
});

describe('a range holds', () => {
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
  ])('%s holds %s: %s', (outer, inner, holds) => {
    const inside = parseRange(inner);
    // An address with a length that does not fit it is none.
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
])('%s is shown as %s', (text, shown) => {
  expect(maskedRange(range(text))).toBe(shown);
});

describe('an address is', () => {
  test.each([
    ...[
      '0.0.0.0',
      '0.1.2.3',
      '10.0.0.1',
      '100.64.0.1',
      '127.0.0.1',
      '127.255.255.255',
      '169.254.169.254',
      '172.16.0.1',
    ],
    ...['172.31.255.255', '192.0.0.1', '192.168.1.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '::', '::1'],
    ...['fc00::1', 'fdff::1', 'fe80::1', 'ff02::1', '::ffff:10.0.0.1'],
  ])('private: %s', (text) => {
    expect(isPublicAddress(range(text))).toBe(false);
  });

  test.each([
    ...['1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
    ...['172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0', '223.255.255.255', '2606:4700::1111', '::2'],
  ])('public: %s', (text) => {
    expect(isPublicAddress(range(text))).toBe(true);
  });
});
