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

/** Returns the text for `-o raw`: the service's own text, or the rows of all pages joined as JSON. */
export async function rawDocument(result: Result): Promise<string> {
  const { data, schema, lists, more } = result;
  if (!more) return result.raw ?? JSON.stringify(schema ? data : toPlain(data));
  const rows = [...firstRows(result)];
  for await (const page of more) for (const row of page) rows.push(row);
  if (lists === undefined || Array.isArray(data)) return JSON.stringify(rows);
  return JSON.stringify(listDocument(result, lists, rows, data as Record<string, unknown>));
}

/** Returns a list as a document: its rows, their position in the whole list, and the fields around them. */
function listDocument<V>(result: Result, lists: string, rows: readonly V[], around: Readonly<Record<string, V>>) {
  if (!result.list) return { ...around, [lists]: rows };
  // The position of the first page does not apply to joined ones.
  const { [lists]: _, ...others } = withoutPageFields(around);
  return { [lists]: rows, pagination: paginationOf(result, rows.length), ...others };
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
