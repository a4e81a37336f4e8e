import { describe, expect, test } from 'vitest';
import { amount } from '../../src/money/amount.ts';
import { atLeast, type Figure, isKnown, negated, sumOfFigures, unknownFigure } from '../../src/money/figure.ts';

const FEE = { why: 'FEE_NOT_READ', since: null };
const FIRST = { why: 'BEFORE_FIRST_SYNC', since: '2026-11-26T22:10:00.000Z' };

describe('a sum of figures', () => {
  test('is as known as its least known part', () => {
    const sum = (...figures: Figure[]) => sumOfFigures('NGN', figures);
    expect(sum()).toEqual(amount('NGN', 0n));
    expect(sum(amount('NGN', 5n), amount('NGN', 7n))).toEqual(amount('NGN', 12n));
    const bound = atLeast('NGN', 7n, FEE);
    expect(sum(amount('NGN', 5n), bound)).toEqual({
      asset: 'NGN',
      minor: 12n,
      known: { is: 'at least', ...FEE },
    });
    expect(sum(bound, unknownFigure('NGN', FIRST), amount('NGN', 1n))).toEqual(unknownFigure('NGN', FIRST));
  });

  test('of a least and a most is not known', () => {
    const bound = atLeast('NGN', 7n, FEE);
    expect(sumOfFigures('NGN', [bound, bound])).toMatchObject({ minor: 14n, known: { is: 'at least' } });
    expect(sumOfFigures('NGN', [bound, negated(bound)])).toEqual(unknownFigure('NGN', FEE));
  });
});

test('what is at least 5 is at most -5, and nothing known stays so', () => {
  expect(negated(atLeast('CNGN', 5n, FEE))).toEqual({ asset: 'CNGN', minor: -5n, known: { is: 'at most', ...FEE } });
  expect(negated(amount('CNGN', 5n))).toEqual(amount('CNGN', -5n));
  expect(negated(unknownFigure('CNGN', FEE))).toEqual(unknownFigure('CNGN', FEE));
});

test('at least nothing is not known', () => {
  expect(atLeast('NGN', 0n, FEE)).toEqual(unknownFigure('NGN', FEE));
});

test('only what says all of it says how far a figure is known', () => {
  expect(isKnown({ is: 'no', ...FEE })).toBe(true);
  for (const other of [undefined, null, 'no', { is: 'no' }, { is: 'yes', ...FEE }, { is: 'no', why: 1, since: null }])
    expect(isKnown(other)).toBe(false);
});
