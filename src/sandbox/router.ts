import { isUtf8 } from 'node:buffer';
import type * as z from 'zod/mini';
import type { DirectoryEntry } from '../contract/directory.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { Fault } from '../contract/faults.ts';
import { rowsOf } from '../contract/rows.ts';
import { parseJson } from '../money/decimal.ts';
import type { Call } from '../service/context.ts';
import { loadOperations } from '../service/operations.ts';
import type { Service } from '../service/service.ts';

/** Throws VALIDATION_ERROR if a path or query, still percent-encoded, does not stand for valid UTF-8. */
export function requireUtf8(encoded: string, part: 'path' | 'query'): void {
  // Node passes each byte of the request line on as one character.
  if (/[^\x20-\x7e]/.test(encoded))
    throw new Fault('VALIDATION_ERROR', `${part}: expected characters outside ASCII to be percent-encoded as UTF-8`);
  if (!encoded.includes('%')) return;
  // A query may have a bare percent sign, as forms have it.
  if (part === 'path' && /%(?![0-9a-f]{2})/i.test(encoded))
    throw new Fault('VALIDATION_ERROR', 'path: expected two hexadecimal digits after each %');
  const bytes = encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  if (!isUtf8(Buffer.from(bytes, 'latin1')))
    throw new Fault('VALIDATION_ERROR', `${part}: expected percent-encoded UTF-8`);
}

/** A request matched to its endpoint. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly group: DirectoryEntry['group'];
  readonly path: Readonly<Record<string, string>>;
  /** The whole path as it arrived, still percent-encoded. */
  readonly pathname: string;
  readonly query: string;
}

export function splitUrl(url: string): { pathname: string; query: string } {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2);
  const pathAndQuery = start === -1 ? '/' : url.slice(start);
  const mark = pathAndQuery.indexOf('?');
  return mark === -1
    ? { pathname: pathAndQuery, query: '' }
    : { pathname: pathAndQuery.slice(0, mark), query: pathAndQuery.slice(mark + 1) };
}

/**
 * Returns the query's fields with the contract's types: `limit=5` is a number if the field is one. Throws
 * VALIDATION_ERROR for text that is not UTF-8 and for a repeated parameter.
 */
export function readQuery(schema: z.ZodMiniType, query: string): Record<string, unknown> {
  if (query === '') return {};
  requireUtf8(query, 'query');
  const types = new Map(rowsOf(schema).map((row) => [row.name, row.type]));
  const fields: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (Object.hasOwn(fields, name))
      throw new Fault('VALIDATION_ERROR', 'query: a parameter appears more than once; send each one once');
    const type = types.get(name);
    const isPlain = /^-?\d+(\.\d+)?$/.test(value);
    if ((type === 'number' || type === 'integer') && isPlain)
      fields[name] = parseJson(value.replace(/^(-?)0+(?=\d)/, '$1'));
    else if (type === 'boolean' && (value === 'true' || value === 'false')) fields[name] = value === 'true';
    else fields[name] = value;
  }
  return fields;
}

/** An operation of any endpoint, as called by the router. */
type AnyOperation = (call: Call, input: never) => unknown;

/** The operation of an endpoint. */
export interface FoundOperation {
  readonly operation: AnyOperation;
  /** Whether it runs outside a transaction, because it replaces the state file. */
  readonly isOnFile: boolean;
}

/** Returns a function that loads the operation of an endpoint, with the others of its group, and from then on returns it at once. */
export function createOperations(service: Service): (route: Route) => FoundOperation | Promise<FoundOperation> {
  const loaded = new Map<string, FoundOperation>();
  const add = (operations: Readonly<Record<string, AnyOperation>>, isOnFile: boolean) => {
    for (const [id, operation] of Object.entries(operations)) loaded.set(id, { operation, isOnFile });
  };
  const load = async ({ endpoint: { id }, group }: Route) => {
    if (group === 'control') {
      const { createControls, createFileControls } = await import('./control.ts');
      add(createControls(service), false);
      add(createFileControls(service), true);
    } else add(await loadOperations[group](), false);
    const found = loaded.get(id);
    if (!found) throw new Error(`no operation for ${id}`);
    return found;
  };
  return (route) => loaded.get(route.endpoint.id) ?? load(route);
}
