import type * as z from 'zod/mini';
import { CliError } from '../base/errors.ts';
import { elementOf, shapeOf, unwrap } from '../contract/rows.ts';
import { printable } from '../money/amount.ts';
import { grouped, isWireNumber } from '../money/decimal.ts';
import { isPlainAmount, isPlainObject, isRecord, type Plain, rowConverter, toPlain } from './plain.ts';
import type { Pagination, Result, ResultShape } from './result.ts';

export type Path = readonly string[];

/** A leaf field of a row or document. An `object` leaf has unknown fields; lists are always leaves. */
export interface Leaf {
  readonly path: Path;
  readonly kind: 'amount' | 'number' | 'text' | 'list' | 'object';
}

/** Returns the fields of rows in order of first appearance. Fields that are always null count as text. */
export function leavesOfRows(rows: readonly Plain[]): Leaf[] {
  const found = new Map<string, Leaf>();
  const visit = (value: Plain, path: Path) => {
    if (isPlainObject(value) && Object.keys(value).length > 0) {
      for (const [name, field] of Object.entries(value)) visit(field, [...path, name]);
    } else {
      const key = JSON.stringify(path);
      const known = found.get(key);
      if (!known || known.kind === 'text') found.set(key, { path, kind: value === null ? 'text' : kindOf(value) });
    }
  };
  for (const row of rows) visit(row, []);
  const leaves = [...found.values()];
  // In one pass: the OpenAPI document has thousands of leaves.
  const parents = new Set(leaves.flatMap(({ path }) => path.map((_, length) => JSON.stringify(path.slice(0, length)))));
  return leaves.filter(({ path }) => !parents.has(JSON.stringify(path)));
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

function kindOf(value: Plain): Leaf['kind'] {
  if (isPlainAmount(value)) return 'amount';
  if (isWireNumber(value)) return 'number';
  if (Array.isArray(value)) return 'list';
  return isPlainObject(value) ? 'object' : 'text';
}

function startsWith(path: Path, start: Path): boolean {
  return start.every((name, index) => path[index] === name);
}

/** Throws CliError usage if a name in `fields` does not match any of `leaves`. */
export function checkFields(fields: readonly string[], leaves: readonly Leaf[]): void {
  if (fields.length === 0) throw new CliError('usage', '--fields is empty; name at least one field');
  const unknown = fields.find((field) => !leaves.some((leaf) => reaches(leaf, field.split('.'))));
  if (unknown === undefined) return;
  const names = leaves.map((leaf) => printable(leaf.path.join('.')));
  throw new CliError('usage', `unknown field "${printable(unknown)}"; available fields: ${names.join(', ')}`);
}

function reaches(leaf: Leaf, path: Path): boolean {
  if (startsWith(leaf.path, path)) return true;
  if (!startsWith(path, leaf.path)) return false;
  const [part, ...deeper] = path.slice(leaf.path.length);
  return (
    leaf.kind === 'object' ||
    (leaf.kind === 'amount' && deeper.length === 0 && ['value', 'asset', 'known'].includes(part ?? ''))
  );
}

/** Returns the leaves that `fields` select, in that order. An object name selects all its leaves. */
export function leavesOfFields(fields: readonly string[], leaves: readonly Leaf[]): Leaf[] {
  return fields.flatMap((field): Leaf[] => {
    const path = field.split('.');
    const below = leaves.filter((leaf) => startsWith(leaf.path, path));
    return below.length > 0 ? below : [{ path, kind: 'text' }];
  });
}

/** Returns the value at a path; undefined if any part of the path is missing. */
export function valueAt(row: Plain, path: Path): Plain | undefined {
  let value: Plain | undefined = row;
  for (const name of path) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name] as Plain;
  }
  return value;
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

/** Whether the result is a list: either data is an array or it contains a named list. */
export function isList(result: Result): boolean {
  return result.lists !== undefined || Array.isArray(result.data);
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

/** Returns the text for `-o raw`: the service's own text, or the data as JSON. */
export const rawDocument = ({ data, schema, raw }: Result): string =>
  raw ?? JSON.stringify(schema ? data : toPlain(data));

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
  'pagination',
  'total',
  'totalCount',
  'count',
  'limit',
  'offset',
  'hasMore',
  'currentPage',
  'totalPages',
  'hasNextPage',
  'hasPreviousPage',
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
