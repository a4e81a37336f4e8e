import * as z from 'zod/mini';
import { grouped, isWireNumber } from '../money/decimal.ts';
import type { Pagination, Result } from './result.ts';

/** The fields of responses that contain the position of a page. They are printed as `pagination` only. */
const PAGE_FIELDS: ReadonlySet<string> = new Set([
  ...['pagination', 'total', 'totalCount', 'count', 'limit', 'offset', 'hasMore'],
  ...['currentPage', 'totalPages', 'hasNextPage', 'hasPreviousPage'],
]);

type Fields = Readonly<Record<string, unknown>>;

/** Returns the fields of a response without those that contain the position of the page. */
export function withoutPageFields<V>(data: Readonly<Record<string, V>>): Record<string, V> {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !PAGE_FIELDS.has(name)));
}

/** Returns the position of `count` printed rows: what the command knows of it, else what the response says. */
export function paginationOf({ data, more, list }: Result, count: number): Pagination {
  const { isWhole = false, position = {} } = list ?? {};
  const stated = { ...fieldsOf(data), ...fieldsOf(fieldsOf(data)['pagination']) };
  const { total = numberIn(stated, 'total') ?? numberIn(stated, 'totalCount'), limit = null, offset = 0 } = position;
  const { hasMore = null, after = null } = position;
  if (!isWhole && more === undefined) return { total, limit, offset, hasMore, after };
  return {
    total: total ?? (offset === null ? null : offset + count),
    limit: null,
    offset,
    hasMore: false,
    after: null,
  };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function numberIn(fields: Fields, name: string): number | null {
  const value = fields[name];
  return isWireNumber(value) && typeof value === 'number' ? value : null;
}

/** The form of a position in JSON. */
export function paginationSchema() {
  const count = z.nullable(z.int());
  return z.object({
    ...{ total: count, limit: count, offset: count },
    hasMore: z.nullable(z.boolean()),
    after: z.nullable(z.string()),
  });
}

interface Printed {
  readonly count: number;
  /** What the rows are: `users`, `bankAccounts`. */
  readonly rows: string;
  /** Whether the command has --all. */
  readonly hasAll: boolean;
}

/** `bankAccounts` as people say it: `bank accounts`. */
export const rowsInWords = (lists: string): string => lists.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** `20 of 258 users; for the next page: --after CURSOR; for all: --all`. Undefined if the list ends with the printed rows. */
export function cutNotice(
  { total, offset, hasMore, after }: Pagination,
  { count, rows, hasAll }: Printed,
): string | undefined {
  if (hasMore === false || (count === 0 && hasMore === null)) return undefined;
  const what = rowsInWords(rows);
  const part = offset ? `${grouped(offset + 1)} to ${grouped(offset + count)}` : grouped(count);
  const extent =
    total === null
      ? `${part} of the ${what}, and there ${hasMore ? 'are' : 'may be'} more`
      : `${part} of ${grouped(total)} ${what}`;
  const next = after === null ? [] : [`for the next page: --after ${after}`];
  const rest = [...next, ...(hasAll ? ['for all: --all'] : [])].join('; ');
  return rest === '' ? extent : `${extent}; ${rest}`;
}
