import type { DirectoryEntry } from './directory.ts';
import type { Endpoint } from './endpoint.ts';
import { loadGroup } from './load-group.ts';

/** Returns a function that loads an endpoint with the others of its group. From then on it returns each of them at once. */
export function createLoader(): (entry: DirectoryEntry) => Endpoint | Promise<Endpoint> {
  const loaded = new Map<string, Endpoint>();
  const load = async ({ id, group }: DirectoryEntry) => {
    const endpoints = group === 'control' ? (await import('./control.ts')).controls : await loadGroup(group);
    for (const endpoint of Object.values(endpoints) as Endpoint[]) loaded.set(endpoint.id, endpoint);
    const found = loaded.get(id);
    if (!found) throw new Error(`${group} has no endpoint ${id}`);
    return found;
  };
  return (entry) => loaded.get(entry.id) ?? load(entry);
}
