import { useEffect, useState } from 'preact/hooks';

/** Where the page is: everything that a link to it says. */
export interface Route {
  readonly pane: string;
  readonly id: string;
  readonly text: string;
  readonly state: string;
}

export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [pane = '', id = ''] = path.split('/').map(decoded);
  const parameters = new URLSearchParams(query);
  return { pane, id, text: parameters.get('text') ?? '', state: parameters.get('state') ?? '' };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function hrefOf({ pane, id = '', text = '', state = '' }: Partial<Route>): string {
  const query = new URLSearchParams({ ...(text && { text }), ...(state && { state }) }).toString();
  return `#/${encodeURIComponent(pane ?? '')}${id ? `/${encodeURIComponent(id)}` : ''}${query ? `?${query}` : ''}`;
}

/** Goes somewhere. A filter that is being typed is no place to come back to. */
export function goTo(route: Partial<Route>, isReplacing = false): void {
  if (isReplacing) {
    history.replaceState(null, '', hrefOf(route));
    dispatchEvent(new HashChangeEvent('hashchange'));
  } else location.hash = hrefOf(route);
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
