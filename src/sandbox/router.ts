import type * as z from 'zod/mini';
import { controls } from '../contract/control.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { endpoints } from '../contract/endpoints/index.ts';
import { rowsOf } from '../contract/rows.ts';
import { parseJson } from '../money/decimal.ts';

/** A request matched to its endpoint. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly path: Readonly<Record<string, string>>;
  readonly query: string;
}

export type Router = (method: string, url: string) => Route | undefined;

/** The prefix of the service's paths. Source: interface (Conventions). */
export const VERSION_PREFIX = '/v1';

interface Pattern {
  readonly endpoint: Endpoint;
  readonly parts: readonly string[];
}

/** Matches method and path against the contract: literal paths by lookup, paths with parameters one by one. */
export function createRouter(): Router {
  const literal = new Map<string, Endpoint>();
  const patterns: Pattern[] = [];
  for (const endpoint of [...endpoints, ...controls] as readonly Endpoint[]) {
    for (const { method, path } of [endpoint, ...(endpoint.aliases ?? [])]) {
      const key = `${method} ${endpoint.area === 'control' ? '' : VERSION_PREFIX}${path}`;
      if (path.includes('/:')) patterns.push({ endpoint, parts: key.split('/') });
      else literal.set(key, endpoint);
    }
  }
  return (method, url) => {
    const { pathname, query } = splitUrl(url);
    const key = `${method} ${pathname}`;
    const endpoint = literal.get(key);
    if (endpoint) return { endpoint, path: {}, query };
    const parts = key.split('/');
    for (const pattern of patterns) {
      const path = matchParts(pattern.parts, parts);
      if (path) return { endpoint: pattern.endpoint, path, query };
    }
    return undefined;
  };
}

function splitUrl(url: string): { pathname: string; query: string } {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2);
  const pathAndQuery = start === -1 ? '/' : url.slice(start);
  const mark = pathAndQuery.indexOf('?');
  return mark === -1
    ? { pathname: pathAndQuery, query: '' }
    : { pathname: pathAndQuery.slice(0, mark), query: pathAndQuery.slice(mark + 1) };
}

function matchParts(pattern: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const found: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index] ?? '';
    if (!expected.startsWith(':')) {
      if (expected !== part) return undefined;
    } else {
      found[expected.slice(1)] = decoded(part);
    }
  }
  return found;
}

/** An invalid encoding matches nothing, so the text is looked up unchanged. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns the query's fields with the contract's types: `limit=5` is a number if the field is one. */
export function readQuery(schema: z.ZodMiniType, query: string): Record<string, unknown> {
  if (query === '') return {};
  const types = new Map(rowsOf(schema).map((row) => [row.name, row.type]));
  const fields: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    const type = types.get(name);
    const isPlain = /^-?\d+(\.\d+)?$/.test(value);
    if ((type === 'number' || type === 'integer') && isPlain)
      fields[name] = parseJson(value.replace(/^(-?)0+(?=\d)/, '$1'));
    else if (type === 'boolean' && (value === 'true' || value === 'false')) fields[name] = value === 'true';
    else fields[name] = value;
  }
  return fields;
}
