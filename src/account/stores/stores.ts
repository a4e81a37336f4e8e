import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { Ids, World } from '../../base/world.ts';
import type { StoreSettings } from '../stored-profile.ts';
import type { SecretStore } from './secret-store.ts';

/** Opens a store; only the code of that one is loaded, and nothing is asked of it yet. Throws CliError usage for `environment`, which keeps nothing. */
export async function openStore(world: World, settings: StoreSettings): Promise<SecretStore> {
  switch (settings.kind) {
    case 'file':
      return (await import('./file-store.ts')).createFileStore(world);
    case 'keyring':
      return (await import('./keyring-store.ts')).createKeyringStore(world);
    case 'command':
      return (await import('./command-store.ts')).createCommandStore(world, settings);
    case 'environment':
      throw new CliError('usage', 'FIATRAIL_API_KEY has the key of this profile, so no store does', {
        code: 'STORE_NONE',
        hint: 'keep the key in a file: fiatrail profiles add NAME --store file',
      });
  }
}

/**
 * Proves that a secret can be kept for a profile before one is asked for or made: writes another one under a name of its own,
 * reads it back and removes it. Throws the store's own CliError.
 */
export async function requireWritable(store: SecretStore, profile: string, ids: Ids): Promise<void> {
  const name = `${profile}-probe-${ids.uuid()}`;
  const probe = ids.uuid();
  await store.write(name, 'api-key', new Secret(probe));
  const found = await store.read(name, 'api-key').finally(() => store.remove(name, 'api-key'));
  if (found?.reveal() === probe) return;
  throw new CliError('usage', `${store.place(profile, 'api-key')} did not give back what was written to it`, {
    code: 'STORE_UNRELIABLE',
    hint: 'use another store: fiatrail profiles add NAME --store file',
  });
}
