import type { AnyOperation } from '../service/operation.ts';
import { loadOperations } from '../service/operations/index.ts';
import type { Service } from '../service/service.ts';
import type { Route } from './router.ts';

/** The operation of an endpoint. */
export interface FoundOperation {
  readonly operation: AnyOperation;
  /** Whether it runs outside a transaction, because it replaces the state file. */
  readonly isOnFile: boolean;
}

/** Loads the operation of an endpoint with the others of its group. */
export async function findOperation({ endpoint: { id }, group }: Route, service: Service): Promise<FoundOperation> {
  if (group !== 'control') return found((await loadOperations[group]())[id as never], id, false);
  const { createControls, createFileControls } = await import('./control.ts');
  const onFile: Readonly<Record<string, AnyOperation>> = createFileControls(service);
  const inUnit: Readonly<Record<string, AnyOperation>> = createControls(service);
  return found(onFile[id] ?? inUnit[id], id, Object.hasOwn(onFile, id));
}

function found(operation: AnyOperation | undefined, id: string, isOnFile: boolean): FoundOperation {
  if (!operation) throw new Error(`no operation for ${id}`);
  return { operation, isOnFile };
}
