import type { World } from '../base/world.ts';

/** Returns a text that finds one request among all that the service shows: `[fr-1a2b3c4d]`. */
export function newTag({ world }: { readonly world: Pick<World, 'ids'> }): string {
  return `[fr-${Buffer.from(world.ids.bytes(4)).toString('hex')}]`;
}
