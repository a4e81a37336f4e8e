import { describe, expect, test } from 'vitest';
import {
  answer,
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
        description: 'secret; exactly 11 digits',
        format: 'password',
        'x-secret': true,
        'x-source': 'interface',
      },
    ],
    [
      'a number of Naira',
      pay('interface', 'naira', 'NGN'),
      {
        type: 'number',
        description: 'a number of Naira; above 0',
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
        description: 'kobo, of which 100 are one Naira',
        'x-unit': 'kobo',
        'x-asset': 'NGN',
        'x-source': 'public',
      },
    ],
    [
      'a token that another field names',
      moneyText('public', 'decimal-string', { field: 'ticker' }),
      {
        type: 'string',
        description: 'decimal text in what "ticker" names',
        'x-unit': 'decimal-string',
        'x-asset': { field: 'ticker' },
        'x-source': 'public',
      },
    ],
    [
      'a percentage',
      percent('public'),
      { type: 'number', description: 'percent', 'x-unit': 'percent', 'x-source': 'public' },
    ],
    ['a choice', oneOf('public', ['a', 'b']), { type: 'string', enum: ['a', 'b'], 'x-source': 'public' }],
    [
      'a state that may be new',
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
      'what may be null',
      maybe(oneOf('public', ['a'])),
      { type: ['string', 'null'], enum: ['a', null], 'x-source': 'public' },
    ],
  ])('%s', (_name, schema, expected) => {
    expect(of(schema)).toEqual(expected);
  });

  test('a date may be a plain one, so it has no format', () => {
    expect(of(moment('public'))).not.toHaveProperty('format');
  });

  test('a list has its own limits and what it is of', () => {
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

  test('an object that takes no other field says so', () => {
    expect(of(only({ a: optional(anyText('public')) }))).toMatchObject({ additionalProperties: false });
    expect(of(fields({ a: anyText('public') }))).not.toHaveProperty('additionalProperties');
    expect(of(answer({}))).toEqual({ type: 'object', properties: {} });
  });
});
