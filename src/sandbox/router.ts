import type { DirectoryEntry } from '../contract/directory.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { Call } from '../service/context.ts';
import { loadOperations } from '../service/operations.ts';
import type { Service } from '../service/service.ts';

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
    if (id === 'sandbox.simulate') add((await import('./simulate.ts')).simulation, false);
    else if (group === 'control') {
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
