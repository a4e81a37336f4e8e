import { controls } from './control.ts';
import type { Endpoint } from './endpoint.ts';
import { type EndpointGroup, groups } from './endpoints/index.ts';

/** Where an endpoint is: its methods and paths, and the group that defines it. */
export interface DirectoryEntry
  extends Pick<Endpoint, 'id' | 'method' | 'path' | 'isNamedAfterService' | 'aliases' | 'area'> {
  readonly group: EndpointGroup | 'control';
}

/**
 * Every endpoint of the service, and the sandbox's controls. In the bundle this is data (scripts/build.ts), so that an
 * endpoint is found without loading the others.
 */
export const directory: readonly DirectoryEntry[] = Object.entries({
  ...groups,
  control: controls,
}).flatMap(([group, members]) =>
  Object.values(members as Readonly<Record<string, Endpoint>>).map(
    ({ id, method, path, isNamedAfterService, aliases, area }) => ({
      id,
      method,
      path,
      group: group as EndpointGroup | 'control',
      ...(isNamedAfterService && { isNamedAfterService }),
      ...(aliases && { aliases }),
      ...(area && { area }),
    }),
  ),
);
