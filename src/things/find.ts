import { directory } from '../contract/directory.ts';
import { LOAD_BY_GROUP } from './by-group.ts';
import type { Thing } from './thing.ts';

/** Loads the kind of thing that an endpoint starts, and no other; undefined for any other change. */
export async function loadThingStartedBy(endpointId: string): Promise<Thing | undefined> {
  const group = directory.find(({ id }) => id === endpointId)?.group ?? '';
  const all = Object.values((await LOAD_BY_GROUP[group]?.()) ?? {}) as readonly Partial<Thing>[];
  return all.find((each): each is Thing => each.starts?.some(({ id }) => id === endpointId) ?? false);
}
