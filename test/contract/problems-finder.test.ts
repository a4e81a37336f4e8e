import { describe, expect, test } from 'vitest';
import { problemsFinder, problemsOf } from '../../src/contract/check.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { startOfframp } from '../../src/contract/endpoints/offramp.ts';
import * as f from '../../src/contract/fields.ts';

const GOOD = { userId: 'u-1', amount: 5, accountNumber: '0123456789', bankCode: '000013', ticker: 'CNGN' };

/** Values of which each one follows a valid one, and differs from it in one field. */
const OTHERS: readonly unknown[] = [
  ...Object.keys(GOOD).flatMap((name) =>
    ['', 'x\u0000', '1', -1, 0, null, undefined, {}, []].map((value) => ({ ...GOOD, [name]: value })),
  ),
  ...Object.keys(GOOD).map((name) => Object.fromEntries(Object.entries(GOOD).filter(([key]) => key !== name))),
  { ...GOOD, more: 1 },
  { ...GOOD, userId: 'u-2' },
  undefined,
  null,
  'text',
  [],
  5,
];

describe('many values find the problems that each has alone', () => {
  test('of plain fields', () => {
    const schema = startOfframp.request();
    const problemsIn = problemsFinder(schema);
    for (const other of OTHERS) {
      expect(problemsIn(GOOD)).toEqual([]);
      expect(problemsIn(other)).toEqual(problemsOf(schema, other));
    }
  });

  test('of fields that are checked together, and of no others than those', () => {
    const together = f.checkedFields(f.exactlyOne('to', 'toUser'), {
      to: f.maybe(f.text('public')),
      toUser: f.maybe(f.text('public')),
    });
    const strict = f.only({ to: f.text('public') });
    for (const schema of [together, strict]) {
      const problemsIn = problemsFinder(schema);
      for (const value of [{ to: 'a' }, { toUser: 'a' }, { to: 'a', toUser: 'a' }, {}, { to: 'a', more: 1 }])
        expect(problemsIn(value)).toEqual(problemsOf(schema, value));
    }
  });

  test.each(endpoints.map((each) => [each.id, each] as const))('of %s', (_, { request }) => {
    const schema = request();
    const problemsIn = problemsFinder(schema);
    for (const value of [...OTHERS, { ...GOOD, userId: 'x'.repeat(600) }])
      expect(problemsIn(value)).toEqual(problemsOf(schema, value));
  });
});
