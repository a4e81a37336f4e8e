import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decimalText,
  isWireNumber,
  parseExactJson,
  parseJson,
  scaledInteger,
  trimDecimal,
  wireNumber,
  wireNumberText,
} from '../../src/money/decimal.ts';

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength });
/** JSON numbers of up to 40 digits, without an exponent. */
const decimal = fc
  .tuple(fc.constantFrom('', '-'), digits(1, 20), digits(0, 20))
  .map(([sign, whole, fraction]) => `${sign}${whole.replace(/^0+(?=\d)/, '')}${fraction === '' ? '' : `.${fraction}`}`);

/** Parses a number digit by digit into a numerator and a power of ten. */
function rational(text: string): { numerator: bigint; denominator: bigint } {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  let numerator = 0n;
  for (const digit of whole + fraction) numerator = numerator * 10n + BigInt(digit);
  let denominator = 1n;
  for (let place = 0; place < fraction.length; place++) denominator *= 10n;
  for (let step = 0; step < Math.abs(Number(exponent)); step++) {
    if (Number(exponent) > 0) numerator *= 10n;
    else denominator *= 10n;
  }
  return { numerator: mantissa.startsWith('-') ? -numerator : numerator, denominator };
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [rational(a), rational(b)];
  return left.numerator * right.denominator === right.numerator * left.denominator;
}

describe('no digit is lost', () => {
  it('by wireNumber, to JSON and back', () => {
    fc.assert(
      fc.property(decimal, (text) => {
        const wire = wireNumber(text);
        expect(isWireNumber(wire)).toBe(true);
        expect(isSame(JSON.stringify(wire), text)).toBe(true);
        expect(isSame(wireNumberText(wire), text)).toBe(true);
        const back = parseJson(JSON.stringify({ n: wire })) as { n: number };
        expect(isSame(wireNumberText(back.n), text)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('by parseJson, wherever the number occurs', () => {
    fc.assert(
      fc.property(decimal, fc.constantFrom('', ' ', '\n'), (text, space) => {
        const documents = [text, `[${space}${text}${space}]`, `{"a":${space}${text},"b":{"c":[1,${text}]}}`];
        for (const document of documents) {
          const printed = JSON.stringify(parseJson(document));
          const numbers = printed.match(/-?\d[\d.eE+-]*/g) ?? [];
          expect(isSame(numbers.at(-1) ?? '', text)).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('by parseExactJson, which keeps each number as it is written', () => {
    const form = fc
      .tuple(decimal, fc.constantFrom('', '0', '00', 'e2', 'E-3'))
      .map((parts) => parts.join(''))
      .filter((text) => !/^-?0\d/.test(text));
    fc.assert(
      fc.property(form, decimal, (text, other) => {
        for (const document of [text, `[${text},${other}]`, `{"a":${text},"b":{"c":[1,${other}]}}`])
          expect(JSON.stringify(parseExactJson(document))).toBe(document);
      }),
      { numRuns: 2000 },
    );
  });

  it('by parseJson for numbers with exponents', () => {
    fc.assert(
      fc.property(
        decimal,
        fc.integer({ min: -30, max: 30 }),
        fc.constantFrom('e', 'E', 'e+', 'e-'),
        (text, power, mark) => {
          const source = mark.length === 2 ? `${text}${mark}${Math.abs(power)}` : `${text}${mark}${power}`;
          const value = parseJson(source);
          if (!isWireNumber(value)) throw new Error(`${source} is no number`);
          expect(isSame(wireNumberText(value), source)).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each([
    '9007199254740993',
    '0.1234567890123456789',
    '12345678901234567890',
    '-0.00000000000000000001',
    '1e400',
    '-1e-400',
    '123456789012345.67',
    '1.7976931348623159e308',
  ])('%s keeps its text', (text) => {
    expect(JSON.stringify(parseJson(`{"n":${text}}`))).toBe(`{"n":${text}}`);
  });

  it('while short numbers stay plain numbers', () => {
    for (const text of ['0', '5000', '-1.5', '528.84', '123456789012']) expect(parseJson(text)).toBe(Number(text));
    expect(wireNumber('5000.00')).toBe(5000);
    expect(wireNumber('8.840')).toBe(8.84);
    expect(wireNumber('0.000001')).toBe(0.000001);
  });
});

describe('parseJson', () => {
  const short = fc.oneof(
    fc.integer({ min: -1e9, max: 1e9 }),
    fc.integer({ min: -99999, max: 99999 }).map((cents) => cents / 100),
  );
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'medium' },
      short,
      fc.string(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('tree')),
      fc.dictionary(fc.string(), tie('tree')),
    ),
  }));

  it('equals JSON.parse for short numbers', () => {
    fc.assert(
      fc.property(tree, fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  it('equals JSON.parse for a large document, with or without long numbers', () => {
    const rows = Array.from({ length: 20_000 }, (_row, index) => ({
      id: `id-${index}`,
      amount: index * 1.25,
      tags: [index, null, true],
      name: '1234567890123456 é "x"',
    }));
    const text = JSON.stringify(rows);
    expect(parseJson(text)).toEqual(rows);
    expect(parseJson(`[${text},12345678901234567890.5]`)).toEqual([rows, { rawJSON: '12345678901234567890.5' }]);
  });

  it('leaves strings that look like numbers alone', () => {
    expect(parseJson('{"a":"12345678901234567890","12345678901234567890":"1e400"}')).toEqual({
      a: '12345678901234567890',
      '12345678901234567890': '1e400',
    });
  });

  it('keeps names that are special in JavaScript as fields', () => {
    const text = '{"__proto__":{"n":12345678901234567890},"rawJSON":"1"}';
    const value = parseJson(text) as Record<string, unknown>;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).toBe(text);
    expect(isWireNumber(parseJson('{"rawJSON":"1"}'))).toBe(false);
  });

  it.each(['', '{', '01', '1.', '.5', '+1', 'NaN', 'Infinity', '{"a":12345678901234567890', '<html>', '[1,]'])(
    'refuses %j',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );
});

describe('scaledInteger', () => {
  const exponent = fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.integer({ min: 0, max: 40 })), {
    nil: undefined,
  });

  it('agrees with a naive implementation', () => {
    fc.assert(
      fc.property(decimal, exponent, fc.integer({ min: 0, max: 12 }), (text, power, scale) => {
        const source = power ? `${text}${power[0]}${power[1]}` : text;
        const { numerator, denominator } = rational(source);
        const scaled = numerator * 10n ** BigInt(scale);
        expect(scaledInteger(source, scale)).toBe(scaled % denominator === 0n ? scaled / denominator : undefined);
      }),
      { numRuns: 3000 },
    );
  });

  it('is the inverse of decimalText', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
        fc.integer({ min: 0, max: 12 }),
        (minor, scale) => {
          const text = decimalText(minor, scale);
          expect(scaledInteger(text, scale)).toBe(minor);
          expect(text.split('.')[1]?.length ?? 0).toBe(scale);
          expect(isSame(trimDecimal(text), text)).toBe(true);
          expect(trimDecimal(text)).not.toMatch(/\..*0$|\.$/);
        },
      ),
    );
  });

  it.each<[string, number, bigint | undefined]>([
    ['5', 2, 500n],
    ['5.00', 2, 500n],
    ['5.000', 2, 500n],
    ['5.001', 2, undefined],
    ['1e3', 0, 1000n],
    ['1.5e1', 0, 15n],
    ['15e-1', 0, undefined],
    ['15e-1', 1, 15n],
    ['-0.01', 2, -1n],
    ['-0', 2, 0n],
    ['0e999', 2, 0n],
    ['1e-999', 6, undefined],
    ['1e1000', 6, undefined],
    ['', 2, undefined],
    ['5,0', 2, undefined],
    ['+5', 2, undefined],
    ['05', 2, undefined],
    ['.5', 2, undefined],
    ['5.', 2, undefined],
    [' 5', 2, undefined],
    ['5\n', 2, undefined],
    ['0x5', 2, undefined],
    ['NaN', 2, undefined],
    ['Infinity', 2, undefined],
    ['５', 2, undefined],
  ])('%j at scale %i', (text, scale, minor) => {
    expect(scaledInteger(text, scale)).toBe(minor);
  });
});

describe('isWireNumber', () => {
  it.each([
    [0, true],
    [-1.5, true],
    [JSON.rawJSON('12345678901234567890'), true],
    [Number.NaN, false],
    [Number.POSITIVE_INFINITY, false],
    ['5', false],
    [5n, false],
    [null, false],
    [{ rawJSON: '5' }, false],
    [[5], false],
  ])('%o: %s', (value, is) => {
    expect(isWireNumber(value)).toBe(is);
  });
});

describe('scaledInteger of any text', () => {
  /** Texts around those that are read without a pattern: short and long, with leading and trailing zeros, with points in any place. */
  const nearPlain = fc.string({ unit: fc.constantFrom(...'0012345678999..'), minLength: 0, maxLength: 18 });
  const JSON_DIGITS = /^(?:0|[1-9]\d*)(?:\.\d+)?$/;

  it('is the same number for any text, or none if it is no number, or too fine', () => {
    fc.assert(
      fc.property(nearPlain, fc.integer({ min: 0, max: 8 }), (text, scale) => {
        const found = scaledInteger(text, scale);
        const { numerator, denominator } = rational(JSON_DIGITS.test(text) ? text : '0');
        const scaled = numerator * 10n ** BigInt(scale);
        const isExact = JSON_DIGITS.test(text) && scaled % denominator === 0n;
        expect(found).toBe(isExact ? scaled / denominator : undefined);
      }),
      { numRuns: 20_000 },
    );
  });

  it.each(['', '.', '.5', '5.', '00', '05', '0.5.', '1 ', '٣', '1e3x', '-'])('%j is no number', (text) => {
    expect(scaledInteger(text, 2)).toBe(undefined);
  });
});
