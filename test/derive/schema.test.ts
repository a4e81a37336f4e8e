import { describe, expect, test } from 'vitest';
import {
  anyText,
  bvn,
  fields,
  group,
  integer,
  list,
  maybe,
  moment,
  money,
  moneyText,
  oneOf,
  only,
  optional,
  orNull,
  pay,
  payload,
  percent,
  stateOf,
  text,
  timestamp,
} from '../../src/contract/fields.ts';
import { jsonSchema } from '../../src/derive/schema.ts';

const of = (schema: Parameters<typeof jsonSchema>[0]) => jsonSchema(schema);

describe('a field as JSON Schema', () => {
  test.each([
    ['text', anyText('public'), { type: 'string', 'x-source': 'public' }],
    [
      'a secret',
      bvn('interface'),
      {
        type: 'string',
        pattern: '^[0-9]{11}$',
        description: 'Secret. Exactly 11 digits',
        format: 'password',
        'x-secret': true,
        'x-source': 'interface',
      },
    ],
    [
      'an amount in Naira',
      pay('interface', 'naira', 'NGN'),
      {
        type: 'number',
        description: 'In Naira. Greater than 0',
        exclusiveMinimum: 0,
        'x-unit': 'naira',
        'x-asset': 'NGN',
        'x-source': 'interface',
      },
    ],
    [
      'kobo',
      money('public', 'kobo', 'NGN'),
      {
        type: 'number',
        description: 'In kobo (100 kobo = ₦1)',
        'x-unit': 'kobo',
        'x-asset': 'NGN',
        'x-source': 'public',
      },
    ],
    [
      'an asset named by another field',
      moneyText('public', 'decimal-string', { field: 'ticker' }),
      {
        type: 'string',
        description: 'Decimal string in the asset named by "ticker"',
        'x-unit': 'decimal-string',
        'x-asset': { field: 'ticker' },
        'x-source': 'public',
      },
    ],
    [
      'a percentage',
      percent('public'),
      { type: 'number', description: 'In percent', 'x-unit': 'percent', 'x-source': 'public' },
    ],
    ['a choice', oneOf('public', ['a', 'b']), { type: 'string', enum: ['a', 'b'], 'x-source': 'public' }],
    [
      'a state that may get new values',
      stateOf('public', ['a', 'b']),
      { type: 'string', 'x-known-values': ['a', 'b'], 'x-source': 'public' },
    ],
    [
      'a whole number',
      integer('public', { min: 1, max: 100 }),
      { type: 'integer', minimum: 1, maximum: 100, 'x-source': 'public' },
    ],
    ['a time', timestamp('public'), { type: 'string', format: 'date-time', 'x-source': 'public' }],
    [
      'a nullable field',
      maybe(oneOf('public', ['a'])),
      { type: ['string', 'null'], enum: ['a', null], 'x-source': 'public' },
    ],
  ])('%s', (_name, schema, expected) => {
    expect(of(schema)).toEqual(expected);
  });

  test('has no format for a time that may be a plain date', () => {
    expect(of(moment('public'))).not.toHaveProperty('format');
  });

  test('includes the limits and items of a list', () => {
    expect(
      of(list('public', group('public', { id: text('public'), note: orNull(anyText('public')) }), { min: 1, max: 20 })),
    ).toEqual({
      type: 'array',
      minItems: 1,
      maxItems: 20,
      items: {
        type: 'object',
        properties: {
          id: expect.objectContaining({ type: 'string', minLength: 1, maxLength: 500 }),
          note: { type: ['string', 'null'], 'x-source': 'public' },
        },
        required: ['id', 'note'],
        'x-source': 'public',
      },
      'x-source': 'public',
    });
  });

  test('rejects additional properties of strict objects only', () => {
    expect(of(only({ a: optional(anyText('public')) }))).toMatchObject({ additionalProperties: false });
    expect(of(fields({ a: anyText('public') }))).not.toHaveProperty('additionalProperties');
    expect(of(payload({}))).toEqual({ type: 'object', properties: {} });
  });
});
