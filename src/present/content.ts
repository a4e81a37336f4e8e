import type * as z from 'zod/mini';
import { elementOf, shapeOf, unwrap } from '../contract/rows.ts';
import { type Leaf, leavesOfSchema } from './fields.ts';
import { isPlainObject, type Plain, rowConverter, toPlain } from './plain.ts';
import type { Result, ResultShape } from './result.ts';

/** True when the result is rows: a named list inside data, or data that is an array. */
export function isList(result: Result): boolean {
  return result.lists !== undefined || Array.isArray(result.data);
}

/** What the schema says of the fields that can be printed: those of a row, or of the document. */
export function declaredLeaves(shape: ResultShape): Leaf[] | undefined {
  if (!shape.schema) return undefined;
  const element = elementSchema(shape);
  if (shape.lists !== undefined && !element) return undefined;
  const leaves = element ? leavesOfSchema(element) : leavesOfSchema(shape.schema, shape.nests);
  return leaves.length > 0 ? leaves : undefined;
}

/** The schema of one row; undefined for documents. */
function elementSchema({ schema, lists }: ResultShape): z.ZodMiniType | undefined {
  if (!schema) return undefined;
  const whole = unwrap(schema).schema;
  const list = lists === undefined ? undefined : shapeOf(whole)?.[lists];
  return elementOf(list ? unwrap(list).schema : whole);
}

/** The rows of the first page, then of each further page, which is asked for only when its turn comes. */
export async function* pagesOf(result: Result): AsyncGenerator<readonly Plain[]> {
  const element = elementSchema(result);
  const plainRow = rowConverter(element, result.data);
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

/** The whole answer as one document, the rows of all pages joined. */
export async function documentOf(result: Result): Promise<Plain> {
  const { data, schema, nests, lists } = result;
  if (!isList(result)) return toPlain(data, schema, nests);
  const rows = await allRows(result);
  if (lists === undefined || Array.isArray(data)) return rows;
  const around = toPlain(data, schema, nests);
  return { ...(isPlainObject(around) ? around : {}), [lists]: rows };
}

/** The answer for `-o raw`: the service's text; with further pages, their rows joined to the first page's. */
export async function rawDocument(result: Result): Promise<string> {
  const { data, schema, lists, more } = result;
  if (!more) return result.raw ?? JSON.stringify(schema ? data : toPlain(data));
  const rows = [...firstRows(result)];
  for await (const page of more) for (const row of page) rows.push(row);
  return JSON.stringify(lists === undefined || Array.isArray(data) ? rows : { ...(data as object), [lists]: rows });
}
