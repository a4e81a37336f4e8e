import { mirrorPath, stateDir } from '../../account/paths.ts';
import type { Profile } from '../../account/profile.ts';
import type { World } from '../../base/world.ts';
import { entryAt } from '../../files/inspect.ts';
import type { Mirror } from './database.ts';

/** Opens the mirror of a profile's account, creating it on first use. Rejects with DatabaseError. */
export async function openMirror(world: World, profile: Pick<Profile, 'name' | 'mode'>): Promise<Mirror> {
  world.ensurePrivateDir(stateDir(world));
  const { openMirrorFile } = await import('./database.ts');
  return openMirrorFile(mirrorPath(world, profile), world.clock);
}

/** Opens the mirror of a profile's account, if there is one. Rejects with DatabaseError. */
export async function existingMirror(
  world: World,
  profile: Pick<Profile, 'name' | 'mode'>,
): Promise<Mirror | undefined> {
  return entryAt(mirrorPath(world, profile)) ? openMirror(world, profile) : undefined;
}
