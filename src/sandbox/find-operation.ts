import type { AnyOperation } from '../service/context.ts';
import { loadOperations } from '../service/operations.ts';
import type { Service } from '../service/service.ts';
import type { Route } from './router.ts';

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
