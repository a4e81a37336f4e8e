import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Amount,
  AmountError,
  type Asset,
  amount,
  amountForm,
  amountForPeople,
  amountText,
  DECIMALS,
  MAX_MINOR,
  minorForPeople,
  parseAmount,
  printable,
} from '../../src/money/amount.ts';

const ASSETS = Object.keys(DECIMALS) as Asset[];
const asset = fc.constantFrom(...ASSETS);
/** Valid in every asset: up to the smallest of the maximum amounts. */
const payable = fc.bigInt({ min: 1n, max: MAX_MINOR.NGN });
const anyMinor = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });

function read(text: string, of: Asset): Amount | undefined {
  try {
    return parseAmount(text, of);
  } catch (error) {
    if (error instanceof AmountError) return undefined;
    throw error;
  }
}

/**
 * Returns every possible meaning of a text as an amount of `of`, independently of the program's grammar: in every unit, and
 * with commas and points as either separator.
 */
function meanings(text: string, of: Asset): Set<bigint> {
  const found = new Set<bigint>();
  const body = text.trim().toLowerCase();
  const units: [string, number][] = [
    ['', DECIMALS[of]],
    [of.toLowerCase(), DECIMALS[of]],
    of === 'NGN' ? ['kobo', 0] : ['base', 0],
  ];
  for (const [word, scale] of units) {
    if (!body.endsWith(word)) continue;
    let figure = body.slice(0, body.length - word.length).trim();
    if (of === 'NGN' && word === '' && figure.startsWith('₦')) figure = figure.slice(1).trim();
    for (const [thousands, point] of [
      [',', '.'],
      ['.', ','],
    ] as const) {
      const minor = naiveMinor(figure, thousands, point, scale);
      if (minor !== undefined) found.add(minor);
    }
  }
  return found;
}

/** Parses digits by hand; undefined if the text is not a number with these separators and at most `scale` decimals. */
function naiveMinor(figure: string, thousands: string, point: string, scale: number): bigint | undefined {
  const [whole = '', fraction, ...rest] = figure.split(point);
  if (rest.length > 0 || (fraction !== undefined && !/^[0-9]+$/.test(fraction))) return undefined;
  const [head = '', ...groups] = whole.split(thousands);
  if (!/^[0-9]+$/.test(head) || groups.some((group) => !/^[0-9]{3}$/.test(group))) return undefined;
  if (groups.length > 0 && (head.length > 3 || head === '0')) return undefined;
  if ((fraction ?? '').length > scale) return undefined;
  let minor = 0n;
  for (const digit of head + groups.join('') + (fraction ?? '').padEnd(scale, '0')) minor = minor * 10n + BigInt(digit);
  return minor;
}

describe('parseAmount reads printed amounts', () => {
  it('from amountText, for every asset', () => {
    fc.assert(
      fc.property(asset, payable, (of, minor) => {
        expect(parseAmount(amountText({ asset: of, minor }), of)).toEqual({ asset: of, minor });
      }),
    );
  });

  it('from amountForPeople, for every asset', () => {
    fc.assert(
      fc.property(asset, payable, (of, minor) => {
        expect(parseAmount(amountForPeople({ asset: of, minor }), of)).toEqual({ asset: of, minor });
      }),
    );
  });

  it('from minorForPeople, without the word units', () => {
    fc.assert(
      fc.property(asset, payable, (of, minor) => {
        const text = minorForPeople({ asset: of, minor }).replace(' units', '');
        expect(parseAmount(text, of)).toEqual({ asset: of, minor });
      }),
    );
  });

  it('amountForPeople and minorForPeople have the same digits as amountText, including negative amounts', () => {
    fc.assert(
      fc.property(asset, anyMinor, (of, minor) => {
        const exact = amountText({ asset: of, minor });
        const people = amountForPeople({ asset: of, minor }).replace(/[^-\d.]/g, '');
        expect(exact.startsWith(people.replace(/0$/, '')) || people.startsWith(exact)).toBe(true);
        expect(minorForPeople({ asset: of, minor }).replace(/[^-\d]/g, '')).toBe(minor.toString());
      }),
    );
  });
});

describe('parseAmount rejects ambiguous text', () => {
  const unit = fc.constantFrom(
    '',
    ' ',
    'NGN',
    ' NGN',
    ' ngn',
    'cNGN',
    ' cNGN',
    ' kobo',
    'base',
    ' base',
    ' USDC',
    'USDT',
    ' units',
  );
  const sign = fc.constantFrom('', '', '', '₦', '₦ ', '-', '+', '$', '(', ' ');
  const characters = fc.string({ unit: fc.constantFrom(...'0123456789,,..  ₦eE+-xk'), maxLength: 12 });
  const grouped = fc
    .tuple(
      fc.integer({ min: 0, max: 1999 }),
      fc.array(fc.integer({ min: 0, max: 999 }), { maxLength: 2 }),
      fc.constantFrom(',', '.', ' ', "'"),
      fc.constantFrom('', '.5', ',5', '.25', ',25', '.123', ',123', '.1234567'),
    )
    .map(
      ([head, groups, mark, tail]) =>
        [head, ...groups.map((group) => String(group).padStart(3, '0'))].join(mark) + tail,
    );
  const text = fc
    .tuple(sign, fc.oneof(characters, grouped, fc.double().map(String), fc.string({ maxLength: 8 })), unit)
    .map((parts) => parts.join(''));

  it('according to an independent parser', () => {
    fc.assert(
      fc.property(asset, text, (of, written) => {
        const accepted = read(written, of);
        if (!accepted) return;
        expect(accepted.asset).toBe(of);
        const possible = meanings(written, of);
        // With decimal commas, `5,000` is five and `1.234` is over a thousand. Only these two are settled by the documented forms.
        const grouping = /^[^.]*,\d{3}([^\d.].*)?$/.test(written.trim());
        expect([...possible]).toContain(accepted.minor);
        if (!grouping && !/\.\d{3}(\D|$)/.test(written)) expect([...possible]).toEqual([accepted.minor]);
      }),
      { numRuns: 5000 },
    );
  });

  it('and amounts of another asset', () => {
    fc.assert(
      fc.property(asset, asset, payable, (of, other, minor) => {
        fc.pre(of !== other);
        const written = `${amountText({ asset: other, minor })} ${other}`;
        expect(read(written, of)).toBeUndefined();
      }),
    );
  });
});

describe('parseAmount rejects', () => {
  const long = `1e${'9'.repeat(400)}`;
  it.each<[string, Asset]>([
    ['0', 'NGN'],
    ['0.00', 'NGN'],
    ['0 kobo', 'NGN'],
    ['-5', 'NGN'],
    ['−5', 'NGN'],
    ['(5)', 'NGN'],
    ['1e3', 'NGN'],
    ['1E3', 'CNGN'],
    ['5000.001', 'NGN'],
    ['0.5 kobo', 'NGN'],
    ['1.5 base', 'CNGN'],
    ['5,00', 'NGN'],
    ['5000 USDC', 'NGN'],
    ['5000 cNGN', 'NGN'],
    ['5000 NGN', 'CNGN'],
    ['₦5000', 'CNGN'],
    ['$5000', 'USDC'],
    ['5 kobo', 'CNGN'],
    ['5 base', 'NGN'],
    ['5 units', 'CNGN'],
    ['5 NGN NGN', 'NGN'],
    ['NGN 5', 'NGN'],
    ['５０００', 'NGN'],
    ['٥٠٠٠', 'NGN'],
    ['1.234,56', 'NGN'],
    ['1.234.567', 'NGN'],
    ['1 234', 'NGN'],
    ['1\u00a0234', 'NGN'],
    ["1'234", 'NGN'],
    ['1_000', 'NGN'],
    ['+5', 'NGN'],
    ['', 'NGN'],
    [' ', 'NGN'],
    ['0x10', 'NGN'],
    ['05', 'NGN'],
    ['00.5', 'NGN'],
    ['0,500', 'NGN'],
    ['1,2345', 'NGN'],
    ['12,34', 'NGN'],
    ['1234,567', 'NGN'],
    ['1,,000', 'NGN'],
    [',500', 'NGN'],
    ['5,', 'NGN'],
    ['1.5,000', 'CNGN'],
    ['.5', 'NGN'],
    ['5.', 'NGN'],
    ['5. NGN', 'NGN'],
    ['₦5 NGN', 'NGN'],
    ['₦5 kobo', 'NGN'],
    ['₦₦5', 'NGN'],
    ['₦', 'NGN'],
    ['₦-5', 'NGN'],
    ['NaN', 'NGN'],
    ['Infinity', 'NGN'],
    ['5%', 'NGN'],
    ['5k', 'NGN'],
    ['max', 'NGN'],
    ['5\n6', 'NGN'],
    ['5\u0000', 'NGN'],
    ['5\u200b', 'NGN'],
    ['\u202e5', 'NGN'],
    ['5000.0000001 cNGN', 'CNGN'],
    ['0.0000001', 'USDC'],
    [long, 'NGN'],
    ['9'.repeat(400), 'NGN'],
    [`0.${'0'.repeat(400)}1`, 'CNGN'],
    [`${'1,000'}${',000'.repeat(100)}`, 'NGN'],
    ['100000000000000001 kobo', 'NGN'],
    ['1000000000000000.01', 'NGN'],
    ['100000000000.000001', 'CNGN'],
  ])('%j as %s', (text, of) => {
    expect(() => parseAmount(text, of)).toThrow(AmountError);
  });

  it('numbers that JavaScript prints in another form', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1e21, 1e-7, -0.5]) {
      expect(read(String(value), 'CNGN')).toBeUndefined();
    }
  });

  it('with a message that lists the accepted forms and is safe to print', () => {
    expect(() => parseAmount('5,00', 'NGN')).toThrow(`invalid NGN amount "5,00"; write ${amountForm('NGN')}`);
    expect(() => parseAmount('5 USDC', 'CNGN')).toThrow(
      `expected an amount in cNGN, not "5 USDC"; write ${amountForm('CNGN')}`,
    );
    expect(() => parseAmount('5.001', 'NGN')).toThrow('too many decimals in "5.001"; NGN has at most 2; write ');
    expect(() => parseAmount('0', 'NGN')).toThrow('the amount must be greater than 0');
    expect(() => parseAmount(`\u001b[31m${'x'.repeat(100)}`, 'NGN')).toThrow(
      `invalid NGN amount "?[31m${'x'.repeat(55)}…"`,
    );
  });

  // In quadratic time, a million characters would take longer than the time limit of a test.
  it.each([
    ['digits', '9'.repeat(1e6)],
    ['groups', '1,000'.repeat(2e5)],
    ['points', '1.'.repeat(5e5)],
    ['spaces', ' '.repeat(1e6)],
    ['spaces before a letter', `1${' '.repeat(1e6)}x`],
  ])('a million characters in linear time: %s', (_name, text) => {
    expect(read(text, 'NGN')).toBeUndefined();
  });
});

describe('parseAmount accepts', () => {
  it.each<[string, Asset, bigint]>([
    ['5000', 'NGN', 500000n],
    ['5,000', 'NGN', 500000n],
    ['5,000.50', 'NGN', 500050n],
    ['5000.5', 'NGN', 500050n],
    ['1,234,567.89', 'NGN', 123456789n],
    ['₦5000', 'NGN', 500000n],
    ['₦ 5,000', 'NGN', 500000n],
    ['5000 NGN', 'NGN', 500000n],
    ['5000NGN', 'NGN', 500000n],
    ['5000 ngn', 'NGN', 500000n],
    [' 5000 ', 'NGN', 500000n],
    ['0.01', 'NGN', 1n],
    ['1 kobo', 'NGN', 1n],
    ['50000 kobo', 'NGN', 50000n],
    ['500,000 KOBO', 'NGN', 500000n],
    ['10000000000', 'NGN', MAX_MINOR.NGN],
    ['5000', 'CNGN', 5000000000n],
    ['1.5 cNGN', 'CNGN', 1500000n],
    ['1.5 CNGN', 'CNGN', 1500000n],
    ['0.000001', 'CNGN', 1n],
    ['1500000 base', 'CNGN', 1500000n],
    ['1299.974550', 'CNGN', 1299974550n],
    ['10000000000', 'CNGN', MAX_MINOR.CNGN],
    ['2.50 USDC', 'USDC', 2500000n],
    ['1 base', 'USDT', 1n],
  ])('%j as %s', (text, of, minor) => {
    expect(parseAmount(text, of)).toEqual({ asset: of, minor });
  });
});

describe('formats for people', () => {
  it.each<[Amount, string, string, string]>([
    [amount('NGN', 500000n), '5000.00', '₦5,000.00', '500,000 kobo'],
    [amount('NGN', 1n), '0.01', '₦0.01', '1 kobo'],
    [amount('NGN', 0n), '0.00', '₦0.00', '0 kobo'],
    [amount('NGN', -123456789n), '-1234567.89', '-₦1,234,567.89', '-123,456,789 kobo'],
    [amount('CNGN', 1299974550n), '1299.974550', '1,299.97455 cNGN', '1,299,974,550 base units'],
    [amount('CNGN', 5000000000n), '5000.000000', '5,000.00 cNGN', '5,000,000,000 base units'],
    [amount('USDC', -1n), '-0.000001', '-0.000001 USDC', '-1 base units'],
    [amount('USDT', 1000000n), '1.000000', '1.00 USDT', '1,000,000 base units'],
  ])('%o', (value, text, people, minor) => {
    expect({
      amountText: amountText(value),
      amountForPeople: amountForPeople(value),
      minorForPeople: minorForPeople(value),
    }).toEqual({ amountText: text, amountForPeople: people, minorForPeople: minor });
  });

  it('printable replaces control characters and truncates', () => {
    expect(printable('a\u0000\u202e\u009bb')).toBe('a???b');
    expect(printable('x'.repeat(61))).toBe(`${'x'.repeat(60)}…`);
    expect(printable('x'.repeat(60))).toBe('x'.repeat(60));
  });
});
