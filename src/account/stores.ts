import type { World } from '../world.ts';
import type { SecretStore } from './secret-store.ts';
import type { StoreSettings } from './stored-profile.ts';

export async function openStore(_world: World, settings: StoreSettings): Promise<SecretStore> {
  throw new Error(`the store ${settings.kind} is being built`);
}
