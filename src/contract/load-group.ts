import type { EndpointGroup } from './endpoints/index.ts';

/** Loads the endpoints of a group without those of the others. In the bundle there is one import for each (scripts/build.ts). */
export const loadGroup = (group: EndpointGroup): Promise<object> => import(`./endpoints/${group}.ts`);
