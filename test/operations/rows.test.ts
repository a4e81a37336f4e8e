import { describe, expect, test } from 'vitest';
import { amount } from '../../src/money/amount.ts';
import { amountMatch, compared } from '../../src/things/likeness.ts';

describe('the amount of a row', () => {
  const wanted = amount('CNGN', 7_000_000n);

  test.each([
    ['equals the request', '7.000000', 'equal', { isLike: true, isPartial: false }],
    ['differs', '7.500000', 'other', { isLike: false, isPartial: false }],
    [
      'of an unknown unit proves nothing',
      { value: '7.000000', unit: 'unknown' as const },
      'unknown',
      { isLike: true, isPartial: true },
    ],
    [
      'of an unknown asset proves nothing',
      { value: '7.000000', asset: null },
      'unknown',
      { isLike: true, isPartial: true },
    ],
  ])('%s', (_, value, match, likeness) => {
    expect(amountMatch(value, 'decimal-string', wanted)).toBe(match);
    expect(compared([amountMatch(value, 'decimal-string', wanted)], [])).toEqual(likeness);
  });
});
