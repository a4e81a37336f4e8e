import { describe, expect, it } from 'vitest';
import * as f from '../../src/contract/fields.ts';
import type { Asset, MoneyUnit } from '../../src/money/amount.ts';
import { parseJson } from '../../src/money/decimal.ts';
import { isPlainAmount, rowConverter, toPlain } from '../../src/present/plain.ts';
import { cellText } from '../../src/present/view.ts';

const money = (unit: MoneyUnit, asset: Asset | { field: string }) =>
  f.payload({ amount: f.maybe(f.money('public', unit, asset)) });
const text = (unit: MoneyUnit, asset: Asset | { field: string }) =>
  f.payload({ amount: f.moneyText('public', unit, asset) });

describe('money in every unit', () => {
  it.each([
    ['naira', 'NGN', 5000, '5000.00'],
    ['naira', 'NGN', 528.84, '528.84'],
    ['naira', 'NGN', -3.5, '-3.50'],
    ['naira', 'NGN', 0, '0.00'],
    ['kobo', 'NGN', 500000, '5000.00'],
    ['kobo', 'NGN', 1, '0.01'],
    ['token', 'CNGN', 1.5, '1.500000'],
    ['token', 'USDC', 0.000001, '0.000001'],
    ['base', 'CNGN', 5000000000, '5000.000000'],
    ['base', 'USDT', 1, '0.000001'],
    ['decimal-string', 'CNGN', 7, '7.000000'],
  ] as const)('%s %s: %s is %s', (unit, asset, wire, value) => {
    expect(toPlain({ amount: wire }, money(unit, asset))).toEqual({ amount: { value, asset } });
    expect(toPlain({ amount: String(wire) }, text(unit, asset))).toEqual({ amount: { value, asset } });
  });

  it('reads numbers with more digits than a double', () => {
    const data = parseJson('{"amount": 12345678901234567.123456}');
    expect(toPlain(data, money('token', 'CNGN'))).toEqual({
      amount: { value: '12345678901234567.123456', asset: 'CNGN' },
    });
  });

  it.each([
    ['null', null],
    ['a boolean', true],
    ['an object', { value: 1 }],
    ['a list', [1, 2]],
  ])('leaves other values unchanged: %s', (_name, wire) => {
    expect(toPlain({ amount: wire }, money('naira', 'NGN'))).toEqual({ amount: wire });
  });

  it.each([
    ['finer than the smallest unit', 'naira', 1.005, { value: '1.005', asset: 'NGN' }],
    ['a number with an exponent', 'token', 1e-7, { value: '0.0000001', asset: 'CNGN' }],
    ['a fraction of a kobo', 'kobo', 12.5, { value: '12.5', asset: 'NGN', unit: 'unknown' }],
    ['whole Naira with a point, for kobo', 'kobo', '625.00', { value: '625.00', asset: 'NGN', unit: 'unknown' }],
    [
      'a number with a point, for kobo',
      'kobo',
      JSON.rawJSON('625.0'),
      { value: '625.0', asset: 'NGN', unit: 'unknown' },
    ],
    [
      'whole tokens with a point, for base units',
      'base',
      '7.000000',
      { value: '7.000000', asset: 'USDC', unit: 'unknown' },
    ],
    ['an exponent, for base units', 'base', JSON.rawJSON('7e6'), { value: '7e6', asset: 'USDC', unit: 'unknown' }],
    ['masked', 'naira', '***', { value: '***', asset: 'NGN', unit: 'unknown' }],
    ['empty text', 'naira', '', { value: '', asset: 'NGN', unit: 'unknown' }],
    ['grouped text', 'naira', '5,000', { value: '5,000', asset: 'NGN', unit: 'unknown' }],
    ['text with an exponent', 'token', '5e3', { value: '5e3', asset: 'CNGN', unit: 'unknown' }],
    ['a fraction of a base unit', 'base', '7499999.85', { value: '7499999.85', asset: 'CNGN', unit: 'unknown' }],
  ] as const)('keeps the digits, and the form of an amount: %s', (_name, unit, wire, printed) => {
    expect(toPlain({ amount: wire }, money(unit, printed.asset))).toEqual({ amount: printed });
  });

  it.each(['0', '0.00', '0.000000', 0])('reads 0 in every unit: %s', (wire) => {
    expect(toPlain({ amount: wire }, money('base', 'CNGN'))).toEqual({ amount: { value: '0.000000', asset: 'CNGN' } });
    expect(toPlain({ amount: wire }, money('kobo', 'NGN'))).toEqual({ amount: { value: '0.00', asset: 'NGN' } });
  });

  it('prints an amount that may be masked as it came', () => {
    const schema = f.payload({ limit: f.moneyText('public', 'decimal-string', 'CNGN', { isMasked: true }) });
    expect(toPlain({ limit: '***' }, schema)).toEqual({ limit: { value: '***', asset: 'CNGN' } });
    expect(toPlain({ limit: 'much' }, schema)).toEqual({ limit: { value: 'much', asset: 'CNGN', unit: 'unknown' } });
  });

  it('states US dollars, which no account holds', () => {
    const schema = f.payload({ limit: f.moneyText('public', 'decimal-string', 'USD') });
    expect(toPlain({ limit: '7500' }, schema)).toEqual({ limit: { value: '7500.00', asset: 'USD' } });
  });

  it('leaves percent fields as numbers', () => {
    expect(toPlain({ rate: 1.7 }, f.payload({ rate: f.percent('public') }))).toEqual({ rate: 1.7 });
  });
});

describe('an asset named by a field', () => {
  const schema = f.payload({
    token: f.maybe(f.anyText('public')),
    amount: f.maybe(f.money('public', 'token', { field: 'token' })),
    inner: f.maybe(
      f.group('public', {
        token: f.maybe(f.anyText('public')),
        amount: f.money('public', 'token', { field: 'token' }),
      }),
    ),
    rows: f.maybe(
      f.list(
        'public',
        f.group('public', {
          token: f.maybe(f.anyText('public')),
          amount: f.money('public', 'token', { field: 'token' }),
        }),
      ),
    ),
  });
  const row = { amount: 2 };

  it.each([
    ['beside it', { token: 'USDC', amount: 2 }, { token: 'USDC', amount: { value: '2.000000', asset: 'USDC' } }],
    ['in mixed case', { token: 'cNGN', amount: 2 }, { token: 'cNGN', amount: { value: '2.000000', asset: 'CNGN' } }],
    [
      'in the root',
      { token: 'USDT', inner: row },
      { token: 'USDT', inner: { amount: { value: '2.000000', asset: 'USDT' } } },
    ],
    [
      'beside it before the root',
      { token: 'USDT', inner: { token: 'USDC', ...row } },
      { token: 'USDT', inner: { token: 'USDC', amount: { value: '2.000000', asset: 'USDC' } } },
    ],
    ['unknown', { token: 'DOGE', amount: 2 }, { token: 'DOGE', amount: { value: '2.000000', asset: null } }],
    ['missing', { amount: 2.5 }, { amount: { value: '2.500000', asset: null } }],
    ['no text', { token: 5, amount: 2 }, { token: 5, amount: { value: '2.000000', asset: null } }],
    [
      'of each row',
      {
        rows: [
          { token: 'USDC', ...row },
          { token: 'NGN', ...row },
        ],
      },
      {
        rows: [
          { token: 'USDC', amount: { value: '2.000000', asset: 'USDC' } },
          { token: 'NGN', amount: { value: '2.00', asset: 'NGN' } },
        ],
      },
    ],
  ])('%s', (_name, data, plain) => {
    expect(toPlain(data, schema)).toEqual(plain);
  });

  it('is looked up in the request if no field of the response names it', () => {
    const schema = f.payload({ amount: f.money('public', 'token', { field: 'token' }) });
    expect(toPlain({ amount: 2 }, schema, undefined, { token: 'USDT' })).toEqual({
      amount: { value: '2.000000', asset: 'USDT' },
    });
  });

  it('has a default for what neither names', () => {
    const schema = f.payload({ amount: f.money('public', 'base', { field: 'ticker', byDefault: 'CNGN' }) });
    expect(toPlain({ amount: 2 }, schema)).toEqual({ amount: { value: '0.000002', asset: 'CNGN' } });
    expect(toPlain({ amount: 2, ticker: 'USDC' }, schema)).toMatchObject({ amount: { asset: 'USDC' } });
  });

  it('has no default for a name that is none of the service’s', () => {
    const schema = f.payload({ amount: f.money('public', 'base', { field: 'ticker', byDefault: 'CNGN' }) });
    expect(toPlain({ amount: 2, ticker: 'DOGE' }, schema)).toEqual({
      ticker: 'DOGE',
      amount: { value: '2', asset: null, unit: 'unknown' },
    });
  });

  it('is the stablecoin of the pair', () => {
    const schema = f.payload({ amount: f.moneyText('public', 'decimal-string', { leg: 'stablecoin' }) });
    expect(toPlain({ pair: 'CNGN-USDT', amount: '1' }, schema)).toMatchObject({ amount: { asset: 'USDT' } });
    expect(toPlain({ amount: '1' }, schema)).toMatchObject({ amount: { asset: null } });
  });

  it('is not known where the sources contradict each other', () => {
    const schema = f.payload({ amount: f.moneyText('public', 'decimal-string', null) });
    expect(toPlain({ token: 'USDC', amount: '32.00' }, schema)).toMatchObject({
      amount: { value: '32.000000', asset: null },
    });
  });

  it.each([
    ['of the stablecoin', '32.00', { cngnAmount: '57000', usdcAmount: '40.00' }, 'USDC'],
    ['of the cNGN', '56886.00', { cngnAmount: '57000', usdcAmount: '40.00' }, 'CNGN'],
    ['of all of it', '40.00', { cngnAmount: '57000', usdcAmount: '40.00' }, 'USDC'],
    [
      'of half of it, which is the highest documented fee',
      '20.00',
      { cngnAmount: '57000', usdcAmount: '40.00' },
      'USDC',
    ],
    ['of neither: less than half', '19.99', { cngnAmount: '57000', usdcAmount: '40.00' }, null],
    ['of neither: more than both', '57000.01', { cngnAmount: '57000', usdcAmount: '40.00' }, null],
    ['of either', '30.00', { cngnAmount: '40', usdcAmount: '40.00' }, null],
    ['of a figure whose unit is not known', '32.00', { usdcAmount: { value: '40', unit: 'unknown' } }, null],
    ['of nothing that is there', '32.00', {}, null],
    ['and nothing', '0.00', { usdcAmount: '0.00' }, null],
  ])('is that of the figure of which it can be the rest after fees: %s', (_name, net, beside, asset) => {
    const schema = f.payload({
      net: f.moneyText('public', 'decimal-string', { netOf: { cngnAmount: 'CNGN', usdcAmount: 'USDC' } }),
    });
    expect(toPlain({ net, ...beside }, schema)).toMatchObject({ net: { asset } });
  });

  it('is looked up in the other fields that may name it', () => {
    const schema = f.payload({ amount: f.money('public', 'token', { field: 'token', byDefault: 'CNGN' }) });
    expect(toPlain({ amount: 2, currency: 'USDC' }, schema, undefined, { token: 'USDT' })).toMatchObject({
      amount: { value: '2.000000', asset: 'USDC' },
    });
  });

  it('is looked up in the row, then in the data of the first page', () => {
    const element = f.group('public', { amount: f.money('public', 'token', { field: 'token' }) });
    expect(rowConverter(element, [{ token: 'USDC' }])(row)).toEqual({ amount: { value: '2.000000', asset: 'USDC' } });
    expect(rowConverter(element, [{ token: 'USDC' }])({ token: 'USDT', ...row })).toMatchObject({
      amount: { asset: 'USDT' },
    });
  });
});

describe('data around money', () => {
  const schema = f.payload({ secret: f.bvn('interface'), list: f.list('public', f.anyText('public')) });

  it.each([
    ['fields the schema does not know', { other: { deep: [1, { a: null }] } }],
    ['secret fields', { secret: '22222222222' }],
    ['shapes the schema does not expect', { list: 'none' }],
    ['names that mean something to JavaScript', JSON.parse('{"__proto__": {"x": 1}, "constructor": "y"}')],
  ])('passes through %s', (_name, data) => {
    expect(JSON.stringify(toPlain(data, schema))).toBe(JSON.stringify(data));
  });

  it.each([[null], ['text'], [5], [true], [[]]])('keeps %j unchanged', (data) => {
    expect(toPlain(data, schema)).toEqual(data);
  });

  it('keeps the text of long numbers', () => {
    expect(JSON.stringify(toPlain(parseJson('{"n": 1234567890.12345678901234567890}')))).toBe(
      '{"n":1234567890.12345678901234567890}',
    );
  });

  it('prints Amounts without a schema, and in fields unknown to a schema', () => {
    const data = {
      a: { asset: 'NGN', minor: 500000n },
      b: [{ asset: 'CNGN', minor: -1n }],
      c: 12n,
      d: 10n ** 30n,
      e: undefined,
    };
    const plain =
      '{"a":{"value":"5000.00","asset":"NGN"},"b":[{"value":"-0.000001","asset":"CNGN"}],"c":12,"d":1000000000000000000000000000000}';
    expect(JSON.stringify(toPlain(data))).toBe(plain);
    expect(JSON.stringify(toPlain(data, schema))).toBe(plain);
  });

  it('is its own plain form', () => {
    const once = toPlain({ a: { asset: 'NGN', minor: 500000n }, n: parseJson('12345678901234567890') });
    expect(JSON.stringify(toPlain(once))).toBe(JSON.stringify(once));
  });
});

describe('nested objects merged with the fields around them', () => {
  const merged = (data: unknown) => JSON.stringify(toPlain(data, undefined, 'inner'));

  it.each([
    ['in its place', '{"a":1,"inner":{"b":2,"c":3},"d":4}', '{"a":1,"b":2,"c":3,"d":4}'],
    ['the outer field wins, before it', '{"b":1,"inner":{"b":2,"c":3}}', '{"b":1,"c":3}'],
    ['the outer field wins, after it', '{"inner":{"b":2,"c":3},"b":1}', '{"c":3,"b":1}'],
    ['the outer field wins, null as it is', '{"inner":{"b":2},"b":null}', '{"b":null}'],
    ['a field of its own name', '{"inner":{"inner":2}}', '{"inner":2}'],
    ['empty', '{"a":1,"inner":{}}', '{"a":1}'],
    ['null disappears', '{"a":1,"inner":null}', '{"a":1}'],
    ['absent', '{"a":1}', '{"a":1}'],
    ['flat already', '{"a":1,"inner":"text"}', '{"a":1,"inner":"text"}'],
    ['a list stays', '{"inner":[{"b":1}]}', '{"inner":[{"b":1}]}'],
    ['no object at all', '[1]', '[1]'],
  ])('%s', (_name, data, plain) => {
    expect(merged(JSON.parse(data))).toBe(plain);
  });

  it('are merged after their money is read', () => {
    const schema = f.payload({
      token: f.anyText('public'),
      inner: f.group('public', { amount: f.money('public', 'token', { field: 'token' }) }),
    });
    expect(toPlain({ token: 'USDC', inner: { amount: 1 } }, schema, 'inner')).toEqual({
      token: 'USDC',
      amount: { value: '1.000000', asset: 'USDC' },
    });
  });
});

describe('an amount as printed', () => {
  it.each([
    [{ value: '5000.00', asset: 'NGN' }, '₦5,000.00'],
    [{ value: '1299.974550', asset: 'CNGN' }, '1,299.97455 cNGN'],
    [{ value: '-7500.5', asset: 'USD' }, '-$7,500.50'],
    [{ value: '2.500000', asset: null }, '2.500000 (asset unknown)'],
    [{ value: '***', asset: 'CNGN' }, '*** cNGN'],
    [{ value: '0.125', asset: 'NGN' }, '0.125 NGN'],
    [{ value: '7499999.85', asset: 'CNGN', unit: 'unknown' }, '7499999.85 (unit unknown, cNGN)'],
    [{ value: '1425000', asset: null, unit: 'unknown' }, '1425000 (unit and asset unknown)'],
  ])('%j is shown as %s', (amount, text) => {
    expect({ is: isPlainAmount(amount), text: cellText(amount) }).toEqual({ is: true, text });
  });

  it.each([
    [{ value: '5' }],
    [{ value: '5', unit: 'kobo' }],
    [{ value: 5, asset: 'NGN' }],
    [{ value: '5', asset: 'DOGE' }],
    [{ value: '5', asset: 'NGN', of: 'x' }],
    [{ value: '5', asset: 'NGN', unit: 'kobo' }],
    [{ value: '5', unit: 'unknown' }],
    [['5', 'NGN']],
    [null],
  ])('%j is none', (value) => {
    expect(isPlainAmount(value)).toBe(false);
  });
});
