import { grouped, isWireNumber } from '../money/decimal.ts';
import type { Result } from './result.ts';

/** Where the printed rows are in the whole list. One form for every list; null means that the service does not say. */
type Pagination = {
  readonly total: number | null;
  /** The size of the page; null if there are no pages, or all of them were read. */
  readonly limit: number | null;
  /** The number of rows before the first one. */
  readonly offset: number | null;
  readonly hasMore: boolean | null;
};

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

/** Returns the position of `count` printed rows, from what the response says, else from what was requested. */
export function paginationOf({ data, request, more, list }: Result, count: number): Pagination {
  const stated = { ...fieldsOf(data), ...fieldsOf(fieldsOf(data)['pagination']) };
  const asked = fieldsOf(request);
  const isWhole = more !== undefined || list?.isWhole === true;
  const known = numberIn(stated, 'total') ?? numberIn(stated, 'totalCount');
  const offset = numberIn(stated, 'offset') ?? numberIn(asked, 'offset') ?? (skipsSome(asked) ? null : 0);
  const whole = offset === null ? null : offset + count;
  if (isWhole) return { total: known ?? whole, limit: null, offset, hasMore: false };
  const limit = numberIn(stated, 'limit') ?? numberIn(asked, 'limit');
  const hasMore = booleanIn(stated, 'hasMore') ?? hasMoreOf(count, limit, offset, known);
  return { total: known ?? (hasMore === false ? whole : null), limit, offset, hasMore };
}

const skipsSome = ({ page, startAfter }: Fields) => page !== undefined || startAfter !== undefined;

function hasMoreOf(count: number, limit: number | null, offset: number | null, total: number | null): boolean | null {
  if (total !== null && offset !== null) return offset + count < total;
  return limit !== null && count < limit ? false : null;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function numberIn(fields: Fields, name: string): number | null {
  const value = fields[name];
  return isWireNumber(value) && typeof value === 'number' ? value : null;
}

function booleanIn(fields: Fields, name: string): boolean | null {
  const value = fields[name];
  return typeof value === 'boolean' ? value : null;
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

/** `20 of 258 users; --all for the rest`. Undefined if the list ends with the printed rows. */
export function cutNotice(
  { total, offset, hasMore }: Pagination,
  { count, rows, hasAll }: Printed,
): string | undefined {
  if (hasMore === false || (count === 0 && hasMore === null)) return undefined;
  const what = rowsInWords(rows);
  const part = offset ? `${grouped(offset + 1)} to ${grouped(offset + count)}` : grouped(count);
  const extent =
    total === null
      ? `${part} of the ${what}, and there ${hasMore ? 'are' : 'may be'} more`
      : `${part} of ${grouped(total)} ${what}`;
  return `${extent}; ${hasAll ? '--all for the rest' : 'see --help for the next page'}`;
}
