import type * as z from 'zod/mini';
import { elementOf, shapeOf, unwrap } from '../contract/rows.ts';
import { grouped, isWireNumber } from '../money/decimal.ts';
import { checkFields, type Leaf, leavesOfRows, type Path, valueAt } from './fields.ts';
import { isPlainAmount, isPlainObject, type Plain, rowConverter, toPlain } from './plain.ts';
import type { Pagination, Result, ResultShape } from './result.ts';

/** Whether the result is a list: either data is an array or it contains a named list. */
export function isList(result: Result): boolean {
  return result.lists !== undefined || Array.isArray(result.data);
}

/** Returns the fields of a schema, with those of `nests` merged into the fields around it. */
function leavesOfSchema(schema: z.ZodMiniType, nests?: string): Leaf[] {
  const shape = shapeOf(unwrap(schema).schema) ?? {};
  return Object.entries(shape).flatMap(([name, field]): Leaf[] => {
    const leaves = leavesOfField(name, field);
    if (name !== nests || leaves.every((leaf) => leaf.path.length === 1)) return leaves;
    const inner = leaves.map((leaf) => ({ ...leaf, path: leaf.path.slice(1) }));
    return inner.filter(({ path: [first = ''] }) => first === nests || !Object.hasOwn(shape, first));
  });
}

function leavesOfField(name: string, field: z.ZodMiniType): Leaf[] {
  const { schema, meta } = unwrap(field);
  const path = [name];
  if (meta?.unit !== undefined && meta.asset !== undefined) return [{ path, kind: 'amount' }];
  if (elementOf(schema)) return [{ path, kind: 'list' }];
  const below = leavesOfSchema(schema);
  if (below.length > 0) return below.map((leaf) => ({ ...leaf, path: [name, ...leaf.path] }));
  if (meta?.type === 'object' || shapeOf(schema)) return [{ path, kind: 'object' }];
  if (meta?.type === 'array') return [{ path, kind: 'list' }];
  return [{ path, kind: meta?.type === 'number' || meta?.type === 'integer' ? 'number' : 'text' }];
}

/** Returns a row with only these fields, in this order and with their nesting; missing fields are null. */
function pick(row: Plain, paths: readonly Path[]): Plain {
  const heads = [...new Set(paths.map((path) => path[0] ?? ''))];
  return Object.fromEntries(
    heads.map((head): [string, Plain] => {
      const tails = paths.filter((path) => path[0] === head).map((path) => path.slice(1));
      const value = valueAt(row, [head]) ?? null;
      if (tails.some((tail) => tail.length === 0)) return [head, value];
      return [head, isPlainObject(value) || isPlainAmount(value) ? pick(value, tails) : null];
    }),
  );
}

/** Returns the printable fields according to the schema: those of a row or of the document. */
export function declaredLeaves(shape: ResultShape): Leaf[] | undefined {
  if (!shape.schema) return undefined;
  const element = elementSchema(shape);
  if (shape.lists !== undefined && !element) return undefined;
  const leaves = element ? leavesOfSchema(element) : leavesOfSchema(shape.schema, shape.nests);
  return leaves.length > 0 ? leaves : undefined;
}

/** Returns the schema of a row; undefined for documents. */
function elementSchema({ schema, lists }: ResultShape): z.ZodMiniType | undefined {
  if (!schema) return undefined;
  const root = unwrap(schema).schema;
  const list = lists === undefined ? undefined : shapeOf(root)?.[lists];
  return elementOf(list ? unwrap(list).schema : root);
}

/**
 * Yields the rows of each page; a document is one page with one row. A page is requested only after the previous one is consumed. Without a
 * schema, `fields` are checked against the first page that has rows. Throws CliError usage.
 */
export async function* pagesOf(result: Result, fields?: readonly string[]): AsyncGenerator<readonly Plain[]> {
  let isChecked = !fields || declaredLeaves(result) !== undefined;
  const checked = (rows: readonly Plain[]) => {
    if (fields && !isChecked && rows.length > 0) {
      checkFields(fields, leavesOfRows(rows));
      isChecked = true;
    }
    return rows;
  };
  if (!isList(result)) return yield checked([await documentOf(result)]);
  const plainRow = rowConverter(elementSchema(result), [result.request, result.data]);
  yield checked(firstRows(result).map(plainRow));
  for await (const rows of result.more ?? []) yield checked(rows.map(plainRow));
}

/** Returns a function that picks these fields of a row; without any, it returns the row. */
export function picker(fields: readonly string[] | undefined): (row: Plain) => Plain {
  const paths = fields?.map((field) => field.split('.'));
  return (row) => (paths ? pick(row, paths) : row);
}

function firstRows({ data, lists }: Result): readonly unknown[] {
  if (Array.isArray(data)) return data;
  const rows = listIn(data, lists);
  return Array.isArray(rows) ? rows : [];
}

function listIn(data: unknown, lists: string | undefined): unknown {
  if (typeof data !== 'object' || data === null || lists === undefined || !Object.hasOwn(data, lists)) return undefined;
  return (data as Record<string, unknown>)[lists];
}

async function allRows(result: Result, fields?: readonly string[]): Promise<Plain[]> {
  const rows: Plain[] = [];
  for await (const page of pagesOf(result, fields)) for (const row of page) rows.push(row);
  return rows;
}

/** Returns the result as one document with the rows of all pages. With `fields`, a list is only its rows and their position. */
export async function documentOf(result: Result, fields?: readonly string[]): Promise<Plain> {
  const { data, schema, nests, lists, request } = result;
  if (!isList(result) && !fields) return toPlain(data, schema, nests, request);
  const rows = (await allRows(result, fields)).map(picker(fields));
  if (!isList(result)) return rows[0] ?? null;
  if (lists === undefined || Array.isArray(data)) return rows;
  const around = fields ? {} : toPlain(data, schema, nests, request);
  return listDocument(result, lists, rows, isPlainObject(around) ? around : {});
}

/** Yields the rows of each page as the service sent them. */
export async function* rawRowsOf(result: Result): AsyncGenerator<readonly unknown[]> {
  yield firstRows(result);
  yield* result.more ?? [];
}

/** The fields around a list, in their order: undefined `name` if the list is the document. */
interface Outline {
  readonly name: string | undefined;
  readonly before: readonly (readonly [string, Plain])[];
  after(count: number): readonly (readonly [string, Plain])[];
}

/** Returns what is around the rows of a list: nothing but their position if its fields were picked. */
export function outlineOf(result: Result, isPicked: boolean, isRaw: boolean): Outline {
  const { data, schema, nests, lists, request } = result;
  if (lists === undefined || Array.isArray(data)) return { name: undefined, before: [], after: () => [] };
  const plain = isRaw ? (data as Plain) : toPlain(data, schema, nests, request);
  const around = !isPicked && isPlainObject(plain) ? plain : {};
  const parts = (count: number) => {
    const entries = Object.entries(listDocument(result, lists, [], around, count));
    const at = entries.findIndex(([name]) => name === lists);
    return [entries.slice(0, at), entries.slice(at + 1)] as const;
  };
  return { name: lists, before: parts(0)[0], after: (count) => parts(count)[1] };
}

/** Returns a list as a document: its rows, their position in the whole list, and the fields around them. */
function listDocument(
  result: Result,
  lists: string,
  rows: readonly Plain[],
  around: Readonly<Record<string, Plain>>,
  count = rows.length,
) {
  if (!result.list) return { ...around, [lists]: rows };
  // The position of the first page does not apply to joined ones.
  const { [lists]: _, ...others } = withoutPageFields(around);
  return { [lists]: rows, pagination: paginationOf(result, count), ...others };
}

/** The fields of responses that contain the position of a page. They are printed as `pagination` only. */
const PAGE_FIELDS: ReadonlySet<string> = new Set([
  ...['pagination', 'total', 'totalCount', 'count', 'limit', 'offset', 'hasMore'],
  ...['currentPage', 'totalPages', 'hasNextPage', 'hasPreviousPage'],
]);

/** Returns the fields of a response without those that contain the position of the page. */
export function withoutPageFields<V>(data: Readonly<Record<string, V>>): Record<string, V> {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !PAGE_FIELDS.has(name)));
}

/** Returns the position of `count` printed rows: what the command knows of it, else what the response says. */
function paginationOf({ data, more, list }: Result, count: number): Pagination {
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

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function numberIn(fields: Readonly<Record<string, unknown>>, name: string): number | null {
  const value = fields[name];
  return isWireNumber(value) && typeof value === 'number' ? value : null;
}

/** `bankAccounts` as people say it: `bank accounts`. */
export const rowsInWords = (lists: string): string => lists.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/**
 * Returns a sentence for a list that is not whole: `20 of 258 users; for the next page: --after CURSOR; for all: --all`. Undefined for any
 * other result. `hasAll`: the command has --all.
 */
export function noticeOf(result: Result, hasAll: boolean): string | undefined {
  if (!result.list || result.list.isWhole || result.more !== undefined) return undefined;
  const count = firstRows(result).length;
  const { total, offset, hasMore, after } = paginationOf(result, count);
  if (hasMore === false || (count === 0 && hasMore === null)) return undefined;
  const what = rowsInWords(result.lists ?? 'rows');
  const part = offset ? `${grouped(offset + 1)} to ${grouped(offset + count)}` : grouped(count);
  const extent =
    total === null
      ? `${part} of the ${what}, and there ${hasMore ? 'are' : 'may be'} more`
      : `${part} of ${grouped(total)} ${what}`;
  const next = after === null ? [] : [`for the next page: --after ${after}`];
  return [extent, ...next, ...(hasAll ? ['for all: --all'] : [])].join('; ');
}
