import { describe, expect, it } from 'vitest';
import { documentOf, noticeOf } from '../../src/present/content.ts';
import type { Result } from '../../src/present/result.ts';

async function* none() {}

const WHOLE = { list: { isWhole: true } } as const;
const JOINED = { list: { isWhole: false }, more: none() } as const;
const position = { total: 9, limit: 2, offset: 4, hasMore: true, after: 'c' } as const;

describe('the position of a page', () => {
  it.each<[string, Partial<Result>, readonly unknown[]]>([
    ['as the command knows it', { list: { isWhole: false, position } }, [9, 2, 4, true, 'c']],
    ['nothing is known', { list: { isWhole: false } }, [null, null, 0, null, null]],
    ['a total of the response', { list: { isWhole: false }, data: { totalCount: 9 } }, [9, null, 0, null, null]],
    ['no number', { list: { isWhole: false }, data: { total: '9' } }, [null, null, 0, null, null]],
    ['the count of a page is no total', { list: { isWhole: false }, data: { count: 5 } }, [null, null, 0, null, null]],
    ['a list without pages', WHOLE, [2, null, 0, false, null]],
    ['a list without pages, with a total', { ...WHOLE, data: { total: 3 } }, [3, null, 0, false, null]],
    ['all pages', { ...JOINED, data: { pagination: { limit: 1, hasMore: true } } }, [2, null, 0, false, null]],
    [
      'all pages from a row',
      { ...JOINED, list: { isWhole: true, position: { offset: 5 } } },
      [7, null, 5, false, null],
    ],
    [
      'all pages after a row whose position is unknown',
      { ...JOINED, list: { isWhole: true, position: { offset: null } } },
      [null, null, null, false, null],
    ],
  ])('%s', async (_name, { data = {}, ...result }, [total, limit, offset, hasMore, after]) => {
    const rows = [{ n: 1 }, { n: 2 }];
    const document = await documentOf({ ...result, data: { ...(data as object), rows }, lists: 'rows' });
    expect(document).toEqual({ rows, pagination: { total, limit, offset, hasMore, after } });
  });
});

describe('the notice of a list that is cut', () => {
  it.each([
    [position, 2, true, '5 to 6 of 9 bank accounts; for the next page: --after c; for all: --all'],
    [{ ...position, offset: 0 }, 2, true, '2 of 9 bank accounts; for the next page: --after c; for all: --all'],
    [
      { ...position, total: null, hasMore: null },
      2,
      true,
      '5 to 6 of the bank accounts, and there may be more; for the next page: --after c; for all: --all',
    ],
    [{ ...position, after: null }, 2, false, '5 to 6 of 9 bank accounts'],
    [{ ...position, hasMore: false }, 2, true, undefined],
    [{ ...position, hasMore: null }, 0, true, undefined],
  ])('%j, %i rows, --all: %s', (at, count, hasAll, notice) => {
    const list = { isWhole: false, position: at };
    const data = { bankAccounts: Array.from({ length: count }, () => ({})) };
    expect(noticeOf({ data, lists: 'bankAccounts', list }, hasAll)).toBe(notice);
  });

  it.each([{ list: { isWhole: true, position } }, { ...JOINED, list: { isWhole: false, position } }])(
    'is not given of all rows: %j',
    (result) => {
      expect(noticeOf({ data: [1, 2], ...result }, true)).toBeUndefined();
    },
  );
});
