import { LOAD_BY_START } from './by-start.ts';
import type { Thing } from './thing.ts';

/** Loads the kind of thing that an endpoint starts, and no other; undefined for any other change. */
export const loadThingStartedBy = async (endpointId: string): Promise<Thing | undefined> =>
  Object.hasOwn(LOAD_BY_START, endpointId) ? LOAD_BY_START[endpointId]?.() : undefined;
