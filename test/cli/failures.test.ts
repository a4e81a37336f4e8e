import { describe, expect, test } from 'vitest';
import { CATEGORIES, type Category, CliError } from '../../src/base/errors.ts';
import { failedAfterChange } from '../../src/cli/failures.ts';

const CHANGED = { operationId: 'op-1', requestId: 'r-1' };
const errorOf = (category: Category) => new CliError(category, 'the store is full', { code: 'STORE_FULL' });

describe('an error after a change', () => {
  test.each(['usage', 'declined'] as const)('is not reported as %s, which means that nothing was sent', (category) => {
    expect(failedAfterChange(errorOf(category), CHANGED)).toMatchObject({
      category: 'failed',
      code: 'STORE_FULL',
      message: 'the request was accepted, but a later step failed: the store is full',
      operationId: 'op-1',
    });
  });

  const others = (Object.keys(CATEGORIES) as Category[]).filter((each) => each !== 'usage' && each !== 'declined');

  test.each(others)('stays %s', (category) => {
    const error = errorOf(category);
    expect(failedAfterChange(error, CHANGED)).toBe(error);
  });
});

test.each(Object.keys(CATEGORIES) as Category[])(
  'an error of category %s without a change stays as it is',
  (category) => {
    const error = errorOf(category);
    expect(failedAfterChange(error, undefined)).toBe(error);
  },
);
