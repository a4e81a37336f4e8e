import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import { waitOption } from '../../src/terminal/parse/field-options.ts';
import {
  amountOf,
  amountOfToken,
  argument,
  digits,
  duration,
  id,
  newFile,
  oneOf,
  option,
  optionalArgument,
  repeated,
  required,
  secret,
  switchOn,
  wholeNumber,
  word,
} from '../../src/terminal/parse/parameters.ts';

/** Returns the CliError of a rejected text. */
function refused(parse: () => unknown): CliError {
  try {
    const value = parse();
    throw new Error(`it was taken as ${String(value)}`);
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}

describe('a duration', () => {
  const DAY = 86_400_000;
  test.each([
    ['1ms', 1],
    ['500ms', 500],
    ['30s', 30_000],
    ['1.5s', 1_500],
    ['6m', 360_000],
    ['2h', 7_200_000],
    ['5d', 5 * DAY],
    ['1y', 365 * DAY],
    ['100y', 36_500 * DAY],
    ['200y', 73_000 * DAY],
    ['0.001s', 1],
    ['007s', 7_000],
  ])('%s is %d ms', (text, milliseconds) => {
    expect(duration(text)).toBe(milliseconds);
  });

  test.each([
    '',
    '5',
    's',
    '0s',
    '0ms',
    '-1s',
    '+1s',
    '1S',
    '1M',
    '1 s',
    ' 1s',
    '1s ',
    '1min',
    '1w',
    '1e3s',
    '1,5s',
    '.5s',
    '1.s',
    '1.2345s',
    '0.4ms',
    'forever',
    '１s',
    '1h30m',
    '1s\n',
  ])('rejects %j and shows the format', (text) => {
    const error = refused(() => duration(text));
    expect({ category: error.category, hint: error.hint }).toEqual({
      category: 'usage',
      hint: 'for example 500ms, 30s, 6m (minutes), 2h, 5d or 100y',
    });
  });

  test.each(['201y', '9999999999s', '99999999999999999999ms'])('rejects %j as too long', (text) => {
    const { message, hint } = refused(() => duration(text));
    expect({ message, hint }).toEqual({ message: `the duration "${text}" is too long`, hint: 'the maximum is 200y' });
  });
});

describe('an id', () => {
  test.each([
    'x',
    '0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de',
    'vr_1758000000000_abcd',
    'a/b?c#d%e',
    '~!@$^&*()',
    '"quoted"',
    'x'.repeat(500),
  ])('accepts %s unchanged', (text) => {
    expect(id(text)).toBe(text);
  });

  test.each([
    '',
    ' ',
    'a b',
    ' a',
    'a ',
    'a\nb',
    'a\u0000',
    'a\u001b[31m',
    'ünïcode',
    'a\u200b',
    'x'.repeat(501),
    '\u007f',
  ])('rejects %j', (text) => {
    expect(refused(() => id(text)).category).toBe('usage');
  });

  test('that is empty is named as such', () => {
    expect(refused(() => id('')).message).toBe('the id is empty');
  });

  test('with control characters is not printed unchanged', () => {
    expect(refused(() => id('a\u001b[31m b\u202e')).message).toBe('invalid id "a?[31m b?"; ids have no spaces');
  });

  test('is truncated in an error if it is long', () => {
    expect(refused(() => id('x y'.repeat(1000))).message.length).toBeLessThan(100);
  });
});

describe('digits', () => {
  const account = digits('account number', 10);
  const code = digits('bank code', 3, 6);

  test.each(['0123456789', '0000000000'])('accepts %s as an account number', (text) => {
    expect(account(text)).toBe(text);
  });

  test.each([
    '',
    '123456789',
    '01234567890',
    '012345678a',
    '0123 45678',
    ' 0123456789',
    '0123456789\n',
    '-123456789',
    '١٢٣٤٥٦٧٨٩٠',
    '０１２３４５６７８９',
    '1e00000000',
  ])('rejects %j as an account number', (text) => {
    expect(refused(() => account(text)).message).toMatch(/^invalid account number ".*"; expected 10 digits$/s);
  });

  test.each(['058', '0058', '000013'])('accepts %s as a bank code', (text) => {
    expect(code(text)).toBe(text);
  });

  test.each(['', '58', '0000013', 'GTB'])('rejects %j as a bank code', (text) => {
    expect(refused(() => code(text)).message).toMatch(/^invalid bank code ".*"; expected 3 to 6 digits$/s);
  });
});

describe('an amount', () => {
  const naira = amountOf('NGN');
  const tokens = amountOf('CNGN');

  test.each([
    ['5000', 500_000n],
    ['5,000', 500_000n],
    ['5,000.50', 500_050n],
    ['0.01', 1n],
    ['₦5000', 500_000n],
    ['₦ 5,000', 500_000n],
    ['5000 NGN', 500_000n],
    ['5000ngn', 500_000n],
    ['500000 kobo', 500_000n],
    ['1 kobo', 1n],
    [' 5000 ', 500_000n],
    ['1,000,000,000', 100_000_000_000n],
  ])('%j is %d kobo', (text, minor) => {
    expect(naira(text)).toEqual({ asset: 'NGN', minor });
  });

  test.each([
    ['5000', 5_000_000_000n],
    ['1.5 cNGN', 1_500_000n],
    ['0.000001', 1n],
    ['1500000 base', 1_500_000n],
  ])('%j is %d base units of cNGN', (text, minor) => {
    expect(tokens(text)).toEqual({ asset: 'CNGN', minor });
  });

  test.each([
    '',
    ' ',
    '0',
    '0.00',
    '-5',
    '+5',
    '1e3',
    '1E3',
    '5000.001',
    '5,00',
    '50,00',
    '5,0000',
    '1.234,56',
    '1,234.567',
    '5.000.000',
    '5000 USDC',
    '5000 USD',
    '$5000',
    '₦5000 NGN',
    '0.5 kobo',
    '５０００',
    '٥٠٠٠',
    '0x10',
    '1_000',
    'NaN',
    'Infinity',
    'all',
    '05',
    '.5',
    '5.',
    '5 000',
    '1/2',
    '5000\n5',
    '99999999999999999999',
  ])('rejects %j as Naira and shows the format, or the limit', (text) => {
    const error = refused(() => naira(text));
    expect({ category: error.category, code: error.code }).toEqual({ category: 'usage', code: 'VALIDATION_ERROR' });
    // The form of an amount that is too small or too large is right.
    const isOutOfRange = /^(0|0\.00|9+)$/.test(text);
    expect(error.message.includes('write 5000, 5,000.50, ₦5000, "5000 NGN" or "500000 kobo"')).toBe(!isOutOfRange);
    if (isOutOfRange)
      expect(error.message).toMatch(/^the amount must be (greater than 0|at most ₦10,000,000,000\.00)$/);
  });

  test.each(['0.0000001', '5000 NGN', '₦5', '500 kobo', '1.5 base', '5 USDT'])(
    'rejects %j as cNGN and shows the format',
    (text) => {
      expect(refused(() => tokens(text)).message).toContain('write 5000, 1.5, "1.5 cNGN" or "1500000 base"');
    },
  );
});

describe('a whole number', () => {
  test.each([
    ['1', 1],
    ['100', 100],
    ['007', 7],
  ])('accepts %s', (text, value) => {
    expect(wholeNumber(1, 100)(text)).toBe(value);
  });

  test.each(['', '0', '101', '-1', '1.0', '1e1', ' 1', '0x1', 'ten', '9'.repeat(20)])('rejects %j', (text) => {
    expect(refused(() => wholeNumber(1, 100)(text)).message).toContain('expected a whole number from 1 to 100');
  });
});

describe('a choice', () => {
  test('accepts one of its values', () => {
    expect(oneOf('on', 'off')('off')).toBe('off');
  });

  test.each(['', 'On', 'on ', 'toString', '__proto__'])('rejects %j', (text) => {
    expect(refused(() => oneOf('on', 'off')(text)).message).toContain('expected one of on, off');
  });
});

describe('a word', () => {
  test('accepts any text', () => {
    expect(word(' ')).toBe(' ');
  });

  test('rejects empty text', () => {
    expect(refused(() => word('')).category).toBe('usage');
  });
});

describe('a parameter', () => {
  test('that is required is marked as such and has a prompt', () => {
    expect({ argument: argument('user-id', '', id), required: required('--amount <n>', '', word) }).toMatchObject({
      argument: { kind: 'argument', required: true, question: 'User id:' },
      required: { kind: 'option', required: true, question: '--amount <n>:' },
    });
  });

  test('that is optional and omitted is undefined', () => {
    expect([option('--a <b>', '', id).parse(undefined), optionalArgument('a', '', id).parse(undefined)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('that is repeatable is a list', () => {
    expect({ repeats: repeated('-f <x>', '', word).repeats, parse: repeated('-f <x>', '', word).parse('a') }).toEqual({
      repeats: true,
      parse: ['a'],
    });
  });

  test('that is a switch is true', () => {
    expect(switchOn('--a', '').parse(undefined)).toBe(true);
  });

  test('that is a secret is not printed', () => {
    expect(`${secret('hush')}`).toBe('[redacted]');
  });

  test.each([
    [undefined, 600_000],
    ['30s', 30_000],
  ])('--wait %s is %d ms', (text, milliseconds) => {
    expect(waitOption.parse(text)).toBe(milliseconds);
  });
});

describe('an amount of a token that is not known yet', () => {
  test.each([
    ['5.0000001', 'too many decimals in "5.0000001"; tokens have at most 6; write '],
    ['5.0000001 usdt', 'too many decimals in "5.0000001 usdt"; USDT has at most 6; write '],
    ['5 EUR', 'expected an amount in CNGN, USDC or USDT, not "5 EUR"; write '],
    ['much', 'invalid token amount "much"; write '],
    ['0', 'the amount must be greater than 0'],
  ])('%s: %s', (text, message) => {
    const { message: said, code } = refused(() => amountOfToken(text));
    expect({ said, code }).toEqual({ said: expect.stringContaining(message), code: 'VALIDATION_ERROR' });
    expect(said).not.toContain('cNGN');
  });

  test.each(['5', '1.5', '1500000 base'])('%s is an amount of any token', (text) => {
    expect((['CNGN', 'USDC', 'USDT'] as const).map((token) => amountOfToken(text)(token).asset)).toEqual([
      'CNGN',
      'USDC',
      'USDT',
    ]);
  });

  test('is rejected for another token than it names', () => {
    expect(refused(() => amountOfToken('5 usdt')('USDC')).message).toContain('"5 usdt" is not an amount of USDC');
    expect(refused(() => amountOfToken('99999999999')).message).toBe(
      'the amount must be at most 10,000,000,000 tokens',
    );
    expect(amountOfToken('5 usdt')('USDT')).toEqual({ asset: 'USDT', minor: 5_000_000n });
  });
});

describe('the name of a new file', () => {
  test.each(['rows.csv', './-', '../rows.csv', '/tmp/.rows', 'a.b/c', '...'])('may be %s', (text) => {
    expect(newFile(text)).toBe(text);
  });

  test.each([
    ['-', '"-" is not a file name'],
    ['e/', '"e/" names a folder'],
    ['/', '"/" names a folder'],
    ['.', '"." names a folder'],
    ['a/..', '"a/.." names a folder'],
    ['', 'the value is empty'],
  ])('may not be "%s"', (text, message) => {
    expect(() => newFile(text)).toThrow(message);
  });
});
