import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { problemsOf, responseProblems } from '../../src/contract/check.ts';

const ROW = z.object({ id: z.string(), tags: z.optional(z.array(z.string())) });
const SCHEMA = z.object({
  rows: z.array(ROW),
  nested: z.optional(z.object({ rows: z.array(ROW) })),
  total: z.number(),
});

const never = () => false;
const rows = (count: number, make: (index: number) => unknown) =>
  Array.from({ length: count }, (_, index) => make(index));
const good = (index: number) => ({ id: `${index}` });
const fieldsOf = (value: unknown) => responseProblems(SCHEMA, value, never).problems.map(({ field }) => field);

describe('responseProblems', () => {
  test.each([
    ['a short list', { rows: rows(3, () => ({})), total: 'x' }],
    ['no object', [1, 2]],
    ['a list that is no list', { rows: 1, total: 1 }],
    ['null', null],
    ['a short list in an object', { rows: [], nested: { rows: [{ id: 1 }] }, total: 1 }],
  ])('finds what the schema finds: %s', (_what, value) => {
    const expected = problemsOf(SCHEMA, value);
    expect(responseProblems(SCHEMA, value, never)).toEqual({
      problems: expected,
      isOnlyIncomplete: expected.every(({ isMissing }) => isMissing),
      isLate: false,
    });
  });

  test('accepts a long list, at the top, in an object and in an item', () => {
    const long = rows(5_000, (index) => ({ ...good(index), tags: rows(index === 7 ? 2_000 : 0, String) }));
    expect(fieldsOf({ rows: long, nested: { rows: long }, total: 1 })).toEqual([]);
  });

  test('names the wrong item of a long list, and stops there', () => {
    const found = responseProblems(SCHEMA, { rows: rows(5_000, () => ({ id: 1 })), total: 1 }, never);
    expect(found).toMatchObject({ problems: [{ field: 'rows.0.id' }], isOnlyIncomplete: false });
    expect(fieldsOf({ rows: rows(5_000, (index) => (index === 4_321 ? 'x' : good(index))), total: 1 })).toEqual([
      'rows.4321',
    ]);
    expect(fieldsOf({ rows: [{ id: 'a', tags: rows(2_000, (index) => (index ? 'x' : 1)) }], total: 1 })).toEqual([
      'rows.0.tags.0',
    ]);
  });

  test('lists at most 100 missing fields, and still finds the wrong one after them', () => {
    const missing = { rows: rows(5_000, () => ({})), total: 1 };
    expect(responseProblems(SCHEMA, missing, never)).toMatchObject({
      problems: { length: 100 },
      isOnlyIncomplete: true,
    });
    const wrongLast = { rows: [...missing.rows, { id: 1 }], total: 1 };
    expect(responseProblems(SCHEMA, wrongLast, never)).toMatchObject({ isOnlyIncomplete: false });
    expect(fieldsOf(wrongLast).at(-1)).toBe('rows.5000.id');
  });

  test('stops when the time has run out', () => {
    let looks = 0;
    const isLate = () => {
      looks += 1;
      return looks > 2;
    };
    const value = { rows: rows(5_000, (index) => (index === 4_999 ? { id: 1 } : good(index))), total: 1 };
    expect(responseProblems(SCHEMA, value, isLate)).toEqual({ problems: [], isOnlyIncomplete: true, isLate: true });
  });
});
