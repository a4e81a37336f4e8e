import { Secret } from '../base/secret.ts';
import type { World } from '../base/world.ts';
import { slowHash } from '../crypto/slow-hash.ts';
import { changeSecret } from './changes.ts';
import { type Profile, secretOf, storedOrBuiltIn } from './profile.ts';
import type { StoredProfile } from './stored-profile.ts';

const KEY_BYTES = 32;

/**
 * Returns what a profile recognizes secret inputs by, when they are given again: a slow hash under a random key in the profile's secret
 * store, which the first secret input creates. Undefined for an account from the environment, which stores nothing. Throws CliError usage
 * if the store fails.
 */
export async function markOfSecrets(
  world: World,
  profile: Profile,
  secrets: readonly string[],
): Promise<string | undefined> {
  const stored = storedOrBuiltIn(profile);
  return stored && slowHash(await recognitionKey(world, stored), JSON.stringify(secrets));
}

async function recognitionKey(world: World, stored: StoredProfile): Promise<Secret> {
  const storedKey = await secretOf(stored, 'recognition-key', world);
  if (storedKey) return storedKey;
  let key = new Secret(Buffer.from(world.ids.bytes(KEY_BYTES)).toString('base64url'));
  await changeSecret(world, stored, 'recognition-key', async (before) => {
    // Another command may have created one since.
    key = (await before()) ?? key;
    return key;
  });
  return key;
}
