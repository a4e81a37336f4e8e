import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Asset,
  DECIMALS,
  fromWire,
  MAX_MINOR,
  type MoneyUnit,
  toWireNumber,
  toWireText,
  wireForPeople,
} from '../../src/money/amount.ts';
import { parseJson, type WireNumber } from '../../src/money/decimal.ts';
import {
  cappedPercentOf,
  cngnBaseFromKobo,
  percentFromWire,
  percentOfRoundHalfUp,
  percentText,
  percentToWire,
} from '../../src/money/rates.ts';

const ASSETS = Object.keys(DECIMALS) as Asset[];
const UNITS: MoneyUnit[] = ['naira', 'kobo', 'token', 'base', 'decimal-string'];
const asset = fc.constantFrom(...ASSETS);
const unit = fc.constantFrom(...UNITS);
const minor = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });

describe('an amount round-trips', () => {
  it('as a number in every unit, also through JSON', () => {
    fc.assert(
      fc.property(asset, unit, minor, (of, travels, value) => {
        const amount = { asset: of, minor: value };
        const wire = toWireNumber(amount, travels);
        expect(fromWire(wire, travels, of)).toEqual(amount);
        expect(fromWire(parseJson(JSON.stringify(wire)) as WireNumber, travels, of)).toEqual(amount);
      }),
      { numRuns: 2000 },
    );
  });

  it('as text in every unit', () => {
    fc.assert(
      fc.property(asset, unit, minor, (of, travels, value) => {
        const amount = { asset: of, minor: value };
        expect(fromWire(toWireText(amount, travels), travels, of)).toEqual(amount);
      }),
    );
  });

  it('at the maximum, in every unit', () => {
    for (const of of ASSETS) {
      for (const travels of UNITS) {
        for (const value of [1n, MAX_MINOR[of] - 1n, MAX_MINOR[of]]) {
          expect(fromWire(toWireNumber({ asset: of, minor: value }, travels), travels, of)?.minor).toBe(value);
        }
      }
    }
  });
});

describe('wire forms', () => {
  it.each<[Asset, bigint, MoneyUnit, string, string, string]>([
    ['NGN', 500000n, 'naira', '5000.00', '5000', '5000 naira'],
    ['NGN', 500000n, 'kobo', '500000', '500000', '500000 kobo'],
    ['NGN', 52884n, 'naira', '528.84', '528.84', '528.84 naira'],
    ['CNGN', 1500000n, 'token', '1.500000', '1.5', '1.5 tokens'],
    ['CNGN', 1500000n, 'base', '1500000', '1500000', '1500000 base'],
    ['USDC', 1n, 'decimal-string', '0.000001', '0.000001', '0.000001 tokens'],
    ['CNGN', 99999999999999999n, 'token', '99999999999.999999', '99999999999.999999', '99999999999.999999 tokens'],
  ])('%s %d in %s', (of, value, travels, text, json, people) => {
    const amount = { asset: of, minor: value };
    expect(toWireText(amount, travels)).toBe(text);
    expect(Number(JSON.stringify(toWireNumber(amount, travels)))).toBe(Number(json));
    expect(wireForPeople(amount, travels)).toBe(people);
  });

  it.each<[WireNumber | string, MoneyUnit, Asset]>([
    [1.005, 'naira', 'NGN'],
    [0.5, 'kobo', 'NGN'],
    [0.1, 'base', 'CNGN'],
    [1e-7, 'token', 'CNGN'],
    [Number.NaN, 'naira', 'NGN'],
    ['', 'naira', 'NGN'],
    ['5,000', 'naira', 'NGN'],
    [' 5', 'naira', 'NGN'],
    ['₦5', 'naira', 'NGN'],
  ])('rejects %s in %s of %s', (value, travels, of) => {
    expect(fromWire(value, travels, of)).toBeUndefined();
  });
});

describe('a figure of a response whose unit or asset is not known', () => {
  it.each([{ value: '7', unit: 'unknown' } as const, { value: '7', asset: null } as const])(
    'is no amount: %j',
    (figure) => {
      for (const travels of UNITS) expect(fromWire(figure, travels, 'CNGN')).toBeUndefined();
    },
  );
});

describe('percentages', () => {
  const percent = fc.bigInt({ min: 0n, max: 200_000_000n });

  it('percentOfRoundHalfUp rounds to the nearest integer, halves up', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 25n }), percent, (value, rate) => {
        // value * rate / 10^8, as quotient and remainder.
        const product = value * rate;
        const whole = product / 100_000_000n;
        const remainder = product - whole * 100_000_000n;
        const expected = remainder + remainder >= 100_000_000n ? whole + 1n : whole;
        expect(percentOfRoundHalfUp(value, rate)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    [52000n, '1.7', 884n],
    [500000n, '1.7', 8500n],
    [1n, '50', 1n],
    [1n, '49.999999', 0n],
    [50n, '1', 1n],
    [49n, '1', 0n],
    [0n, '100', 0n],
    [123n, '0', 0n],
    [123n, '100', 123n],
  ])('%d at %s percent is %d', (value, rate, part) => {
    const parsed = percentFromWire(JSON.rawJSON(rate));
    expect(parsed).toBeDefined();
    expect(percentOfRoundHalfUp(value, parsed ?? 0n)).toBe(part);
  });

  it.each([
    ['below the cap', 52_000n, 1_700_000n, 1_000n, { minor: 884n, beforeCapMinor: 884n, isCapped: false }],
    ['exactly at the cap', 52_000n, 1_700_000n, 884n, { minor: 884n, beforeCapMinor: 884n, isCapped: false }],
    ['above the cap', 52_000n, 1_700_000n, 883n, { minor: 883n, beforeCapMinor: 884n, isCapped: true }],
    ['with a cap of nothing', 52_000n, 1_700_000n, 0n, { minor: 0n, beforeCapMinor: 884n, isCapped: true }],
    ['without a cap', 52_000n, 1_700_000n, undefined, { minor: 884n, beforeCapMinor: 884n, isCapped: false }],
    ['rounded half up before it is capped', 50n, 1_000_000n, 1n, { minor: 1n, beforeCapMinor: 1n, isCapped: false }],
  ])('cappedPercentOf %s', (_what, value, rate, cap, share) => {
    expect(cappedPercentOf(value, rate, cap)).toEqual(share);
  });

  it('round-trip', () => {
    fc.assert(
      fc.property(percent, (rate) => {
        expect(percentFromWire(percentToWire(rate))).toBe(rate);
        expect(percentFromWire(JSON.rawJSON(percentText(rate)))).toBe(rate);
      }),
    );
    expect(percentText(1_700_000n)).toBe('1.7');
    expect(percentFromWire(1.7)).toBe(1_700_000n);
    expect(percentFromWire(0.0000001)).toBeUndefined();
  });
});

describe('Naira and cNGN', () => {
  it('convert 1:1, exactly', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: MAX_MINOR.NGN }), (kobo) => {
        const [naira, tokens] = [toWireText({ asset: 'NGN', minor: kobo }, 'naira'), cngnBaseFromKobo(kobo)];
        expect(toWireText({ asset: 'CNGN', minor: tokens }, 'token')).toBe(`${naira}0000`);
      }),
    );
    expect(cngnBaseFromKobo(1n)).toBe(10_000n);
  });
});
