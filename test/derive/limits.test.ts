import { describe, expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { problemsOf } from '../../src/contract/check.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { type FieldMeta, moneyText, pay, payText, percent, percentFrom } from '../../src/contract/fields.ts';
import { shapeOf, unwrap } from '../../src/contract/rows.ts';
import { jsonSchema, limitsOf } from '../../src/derive/schema.ts';
import { wireNumber } from '../../src/money/decimal.ts';

const POSITIVE = '^(?:0*[1-9]\\d*(?:\\.\\d+)?|0+\\.0*[1-9]\\d*)$';

describe('limits', () => {
  test.each([
    ['an amount', pay('public', 'token', 'CNGN'), { exclusiveMinimum: 0 }],
    ['an amount in kobo', pay('public', 'kobo', 'NGN'), { exclusiveMinimum: 0 }],
    ['an amount that may be 0', pay('public', 'kobo', 'NGN', { minMinor: 0n }), { minimum: 0 }],
    ['an amount as text', payText('public', 'CNGN'), { pattern: POSITIVE }],
    ['an amount of an asset named elsewhere', payText('public', { field: 'pair' }), { pattern: POSITIVE }],
    ['1,000 or more', payText('public', 'CNGN', { minMinor: 10n ** 9n }), { pattern: '^0*[1-9]\\d{3,}(?:\\.\\d+)?$' }],
    ['1 or more', payText('public', 'CNGN', { minMinor: 10n ** 6n }), { pattern: '^0*[1-9]\\d{0,}(?:\\.\\d+)?$' }],
    ['a minimum no pattern has', payText('public', 'CNGN', { minMinor: 1_500_000n }), { pattern: POSITIVE }],
    ['a percentage', percentFrom('public', '0.1', '50'), { minimum: 0.1, maximum: 50 }],
    ['a percentage in a response', percent('public'), {}],
    ['an amount in a response', moneyText('public', 'token', 'CNGN'), {}],
  ])('%s', (_name, schema, limits) => {
    expect(limitsOf(schema, unwrap(schema).meta as FieldMeta)).toEqual(limits);
  });
});

/** Every amount in a request, at any depth. */
function amountsOf(schema: z.ZodMiniType, path: string): [path: string, schema: z.ZodMiniType, meta: FieldMeta][] {
  return Object.entries(shapeOf(schema) ?? {}).flatMap(([name, field]) => {
    const { schema: inner, meta } = unwrap(field);
    const own = meta?.unit && meta.unit !== 'percent' && meta.asset ? [[`${path}.${name}`, inner, meta] as const] : [];
    return [
      ...own.map((each) => [...each] as [string, z.ZodMiniType, FieldMeta]),
      ...amountsOf(inner, `${path}.${name}`),
    ];
  });
}

const amounts = endpoints.flatMap(({ id, request }) => amountsOf(request(), id));

test('the contract has amounts in requests', () => {
  expect(amounts.length).toBeGreaterThan(15);
});

test.each(amounts)('%s: the schema accepts what the contract accepts', (_path, schema, { type, unit }) => {
  const {
    pattern,
    minimum = -1,
    exclusiveMinimum = -1,
  } = jsonSchema(schema) as {
    readonly pattern?: string;
    readonly minimum?: number;
    readonly exclusiveMinimum?: number;
  };
  const isWhole = unit === 'kobo' || unit === 'base';
  const texts = ['-1', '0', '1', '999', '1000', '1001', '25000', ...(isWhole ? [] : ['0.50', '999.99', '1000.01'])];
  for (const text of type === 'string' ? [...texts, '0.00', '007', '01000', '', 'x', '.5', '1e5', '+1'] : texts) {
    const accepted =
      type === 'string'
        ? new RegExp(pattern ?? '').test(text)
        : Number(text) >= minimum && Number(text) > exclusiveMinimum;
    const value = type === 'string' ? text : wireNumber(text);
    expect({ text, accepted }).toEqual({ text, accepted: problemsOf(schema, value).length === 0 });
  }
});
