import { describe, expect, it } from 'vitest';
import { paginationOf } from '../../src/present/pagination.ts';
import type { Result } from '../../src/present/result.ts';

async function* none() {}

const PAGE = { list: { isWhole: false } } as const;
const WHOLE = { list: { isWhole: true } } as const;
const JOINED = { ...PAGE, more: none() } as const;

describe('the position of a page', () => {
  it.each<[string, Partial<Result>, number, readonly unknown[]]>([
    [
      'as the service says it, in an object',
      { data: { pagination: { total: 9, limit: 2, offset: 4, hasMore: true } } },
      2,
      [9, 2, 4, true],
    ],
    [
      'as the service says it, beside the rows',
      { data: { total: 9, limit: 2, offset: 4, hasMore: true } },
      2,
      [9, 2, 4, true],
    ],
    ['under another name', { data: { totalCount: 9 }, request: { limit: 2 } }, 2, [9, 2, 0, true]],
    ['from the request', { request: { limit: 2, offset: 4 } }, 2, [null, 2, 4, null]],
    ['before the end', { data: { total: 9 }, request: { limit: 2, offset: 4 } }, 2, [9, 2, 4, true]],
    ['at the end', { data: { total: 6 }, request: { limit: 2, offset: 4 } }, 2, [6, 2, 4, false]],
    ['a short page is the last one', { request: { limit: 5, offset: 4 } }, 2, [6, 5, 4, false]],
    ['a full page may be the last one', { request: { limit: 2 } }, 2, [null, 2, 0, null]],
    ['after a row, whose position is unknown', { request: { limit: 5, startAfter: 'a' } }, 2, [null, 5, null, false]],
    ['a page by number', { request: { limit: 2, page: 3 } }, 2, [null, 2, null, null]],
    ['nothing is known', {}, 2, [null, null, 0, null]],
    ['no number', { data: { total: '9', limit: null, hasMore: 'yes' } }, 2, [null, null, 0, null]],
    ['the count of a page is no total', { data: { count: 5 } }, 2, [null, null, 0, null]],
  ])('%s', (_name, result, rows, [total, limit, offset, hasMore]) => {
    expect(paginationOf({ data: {}, ...PAGE, ...result }, rows)).toEqual({ total, limit, offset, hasMore });
  });

  it.each<[string, Partial<Result>, readonly unknown[]]>([
    ['a list without pages', WHOLE, [2, null, 0, false]],
    ['with a total', { ...WHOLE, data: { total: 3 } }, [3, null, 0, false]],
    ['all pages', { ...JOINED, data: { pagination: { limit: 1, offset: 0, hasMore: true } } }, [2, null, 0, false]],
    ['all pages from an offset', { ...JOINED, request: { limit: 1, offset: 5 } }, [7, null, 5, false]],
    ['all pages after a row', { ...JOINED, request: { startAfter: 'a' } }, [null, null, null, false]],
  ])('of all rows: %s', (_name, result, [total, limit, offset, hasMore]) => {
    expect(paginationOf({ data: {}, ...result }, 2)).toEqual({ total, limit, offset, hasMore });
  });
});
