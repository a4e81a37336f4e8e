import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { Ids, World } from '../../base/world.ts';
import type { StoreSettings } from '../stored-profile.ts';
import type { SecretStore } from './secret-store.ts';

/** Opens a store without accessing it; only its own code is loaded. Throws CliError usage for `environment`, which stores nothing. */
export async function openStore(world: World, settings: StoreSettings): Promise<SecretStore> {
  switch (settings.kind) {
    case 'file':
      return (await import('./file-store.ts')).createFileStore(world);
    case 'keyring':
      return (await import('./keyring-store.ts')).createKeyringStore(world);
    case 'command':
      return (await import('./command-store.ts')).createCommandStore(world, settings);
    case 'environment':
      throw new CliError('usage', 'this profile takes its key from FIATRAIL_API_KEY and has no store', {
        code: 'STORE_NONE',
        hint: advice`keep the key in a file with: [fiatrail profiles add NAME --store file]`,
      });
  }
}

/** Writes, reads and removes a probe secret, before a real one is asked for or created. Throws the store's CliError. */
export async function requireWritable(store: SecretStore, profile: string, ids: Ids): Promise<void> {
  const name = `${profile}-probe-${ids.uuid()}`;
  const probe = ids.uuid();
  await store.write(name, 'api-key', new Secret(probe));
  const found = await store.read(name, 'api-key').finally(() => store.remove(name, 'api-key'));
  if (found?.reveal() === probe) return;
  throw new CliError('usage', `${store.location(profile, 'api-key')} did not return what was written to it`, {
    code: 'STORE_UNRELIABLE',
    hint: advice`use another store, for example: [fiatrail profiles add NAME --store file]`,
  });
}
