import { useEffect, useState } from 'preact/hooks';

/** Where the page is: everything that a link to it says. */
export interface Route {
  readonly pane: string;
  readonly id: string;
  readonly text: string;
  readonly state: string;
  readonly look: string;
  readonly since: string;
  readonly until: string;
  readonly user: string;
  readonly least: string;
  readonly most: string;
  /** Of what charts show: the period, and its parts. */
  readonly period: string;
  readonly by: string;
}

/** What a list is reduced by, as it is in the address. */
export const FILTERS = ['text', 'state', 'look', 'since', 'until', 'user', 'least', 'most'] as const;

/** What the address says besides. */
const SHOWN = ['period', 'by'] as const;

export type Filters = Pick<Route, (typeof FILTERS)[number]>;

/** The filters that say something. */
export const givenIn = (filters: Partial<Filters>): [string, string][] =>
  FILTERS.flatMap((name): [string, string][] => {
    const value = filters[name] ?? '';
    return value === '' ? [] : [[name, value]];
  });

export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [pane = '', id = ''] = path.split('/').map(decoded);
  const parameters = new URLSearchParams(query);
  const given = Object.fromEntries([...FILTERS, ...SHOWN].map((name) => [name, parameters.get(name) ?? '']));
  return { pane, id, ...(given as unknown as Omit<Route, 'pane' | 'id'>) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function hrefOf({ pane, id = '', ...filters }: Partial<Route>): string {
  const shown = SHOWN.flatMap((name): [string, string][] => (filters[name] ? [[name, filters[name]]] : []));
  const query = new URLSearchParams([...givenIn(filters), ...shown]).toString();
  return `#/${encodeURIComponent(pane ?? '')}${id ? `/${encodeURIComponent(id)}` : ''}${query ? `?${query}` : ''}`;
}

/** Goes somewhere, before the next key is read. A filter that is being typed is no place to come back to. */
export function goTo(route: Partial<Route>, isReplacing = false): void {
  if (isReplacing) history.replaceState(null, '', hrefOf(route));
  else if (hrefOf(route) !== location.hash) history.pushState(null, '', hrefOf(route));
  dispatchEvent(new HashChangeEvent('hashchange'));
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  useEffect(() => {
    const changed = () => setRoute(routeOf(location.hash));
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return route;
}
