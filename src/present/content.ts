import type * as z from 'zod/mini';
import { elementOf, shapeOf, unwrap } from '../contract/rows.ts';
import { type Leaf, leavesOfSchema } from './fields.ts';
import { cutNotice, paginationOf, withoutPageFields } from './pagination.ts';
import { isPlainObject, type Plain, rowConverter, toPlain } from './plain.ts';
import type { Result, ResultShape } from './result.ts';

/** Whether the result is a list: either data is an array or it contains a named list. */
export function isList(result: Result): boolean {
  return result.lists !== undefined || Array.isArray(result.data);
}

/** Whether a result is a list of many pages, which need not be in memory together. */
export const isLongList = (result: Result): boolean => isList(result) && result.more !== undefined;

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

/** Yields the rows of each page. A page is requested only after the previous one is consumed. */
export async function* pagesOf(result: Result): AsyncGenerator<readonly Plain[]> {
  const element = elementSchema(result);
  const plainRow = rowConverter(element, [result.request, result.data]);
  const plainRows = (rows: readonly unknown[]) => rows.map(plainRow);
  yield plainRows(firstRows(result));
  for await (const rows of result.more ?? []) yield plainRows(rows);
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

export async function allRows(result: Result): Promise<Plain[]> {
  const rows: Plain[] = [];
  for await (const page of pagesOf(result)) for (const row of page) rows.push(row);
  return rows;
}

/** Returns the result as one document with the rows of all pages. */
export async function documentOf(result: Result): Promise<Plain> {
  const { data, schema, nests, lists, request } = result;
  if (!isList(result)) return toPlain(data, schema, nests, request);
  const rows = await allRows(result);
  if (lists === undefined || Array.isArray(data)) return rows;
  const around = toPlain(data, schema, nests, request);
  return listDocument<Plain>(result, lists, rows, isPlainObject(around) ? around : {});
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
    const entries = Object.entries(listDocument<Plain>(result, lists, [], around, count));
    const at = entries.findIndex(([name]) => name === lists);
    return [entries.slice(0, at), entries.slice(at + 1)] as const;
  };
  return { name: lists, before: parts(0)[0], after: (count) => parts(count)[1] };
}

/** Returns a list as a document: its rows, their position in the whole list, and the fields around them. */
function listDocument<V>(
  result: Result,
  lists: string,
  rows: readonly V[],
  around: Readonly<Record<string, V>>,
  count = rows.length,
) {
  if (!result.list) return { ...around, [lists]: rows };
  // The position of the first page does not apply to joined ones.
  const { [lists]: _, ...others } = withoutPageFields(around);
  return { [lists]: rows, pagination: paginationOf(result, count), ...others };
}

/** Returns a sentence for a list that is not whole; undefined for any other result. */
export function noticeOf(result: Result, hasAll: boolean): string | undefined {
  const count = firstRows(result).length;
  return result.list
    ? cutNotice(paginationOf(result, count), { count, rows: result.lists ?? 'rows', hasAll })
    : undefined;
}

/** Returns a list with chosen fields of its rows: only the rows, and their position in the whole list. */
export function pickedList(result: Result, picked: readonly Plain[]): Plain {
  const { lists, data } = result;
  return lists === undefined || Array.isArray(data) ? picked : listDocument<Plain>(result, lists, picked, {});
}
