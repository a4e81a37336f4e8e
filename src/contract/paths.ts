import type { Alias, Endpoint } from './endpoint.ts';

/** Every path of the service starts with this; the sandbox's controls do not. Source: interface (Conventions). */
export const VERSION_PREFIX = '/v1';

/** The segment of a path that the service's own name replaces. */
export const PLATFORM = 'platform';
/** Matches every name. */
const ANY = '*';

/** What a path is matched by. */
type HasPath = Pick<Endpoint, 'method' | 'path' | 'isNamedAfterService' | 'aliases' | 'area'>;

/** An endpoint found by its path. */
export interface PathMatch<E extends HasPath = Endpoint> {
  readonly endpoint: E;
  /** The method and path that matched: the endpoint's own, or one of its aliases. */
  readonly spelling: Alias;
  /** The path parameters as the path has them, still percent-encoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Finds endpoints by whole paths, version prefix included. A literal segment wins over a parameter in the same place. */
interface PathMatcher<E extends HasPath> {
  match(method: string, path: string): PathMatch<E> | undefined;
  /** The endpoints at a path, whatever the method. */
  matchesAt(path: string): PathMatch<E>[];
}

interface Pattern<E extends HasPath> {
  readonly found: Omit<PathMatch<E>, 'parameters'>;
  readonly parts: readonly string[];
  readonly parameterCount: number;
}

export function createPathMatcher<E extends HasPath>(endpoints: readonly E[]): PathMatcher<E> {
  const literal = new Map<string, PathMatch<E>[]>();
  const patterns: Pattern<E>[] = [];
  for (const endpoint of endpoints) {
    for (const { method, path } of [endpoint, ...(endpoint.aliases ?? [])]) {
      const found = { endpoint, spelling: { method, path } };
      const whole = (endpoint.area === 'control' ? '' : VERSION_PREFIX) + path;
      const parts = whole.split('/').map((part) => (endpoint.isNamedAfterService && part === PLATFORM ? ANY : part));
      const parameterCount = parts.filter(isParameter).length;
      if (parameterCount > 0 || parts.includes(ANY)) patterns.push({ found, parts, parameterCount });
      else literal.set(whole, [...(literal.get(whole) ?? []), { ...found, parameters: {} }]);
    }
  }
  patterns.sort((a, b) => a.parameterCount - b.parameterCount);
  const byPattern = (path: string): PathMatch<E>[] => {
    const parts = path.split('/');
    return patterns.flatMap(({ found, parts: pattern }) => {
      const parameters = parametersIn(pattern, parts);
      return parameters ? [{ ...found, parameters }] : [];
    });
  };
  return {
    match: (method, path) => {
      const isAsked = ({ spelling }: PathMatch<E>) => spelling.method === method;
      return literal.get(path)?.find(isAsked) ?? byPattern(path).find(isAsked);
    },
    matchesAt: (path) => [...(literal.get(path) ?? []), ...byPattern(path)],
  };
}

const isParameter = (part: string) => part.startsWith(':');

function parametersIn(pattern: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const found: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index] ?? '';
    if (isParameter(expected)) found[expected.slice(1)] = part;
    else if (expected !== part && !(expected === ANY && part !== '')) return undefined;
  }
  return found;
}
