import { changeSecret } from '../../account/changes.ts';
import { fromStored, type Profile, secretOf } from '../../account/profile.ts';
import { isOurStore, profileNames, readProfile, type StoredProfile } from '../../account/stored-profile.ts';
import { openStore, requireWritable } from '../../account/stores/stores.ts';
import { CliError, orUndefined, withDetails } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import type { World } from '../../base/world.ts';
import { fingerprint } from '../../crypto/digest.ts';

/** The other profiles of this machine that a new key concerns. */
export interface KeyHolders {
  /** They hold the key for the same address, in stores that fiatrail writes to. */
  readonly stored: readonly StoredProfile[];
  /** They hold the key, or may, where fiatrail does not replace it: the profile, and why. */
  readonly elsewhere: readonly { readonly name: string; readonly why: string }[];
}

/** Finds the profiles besides `profile` that hold a key. Runs no key command: it is another profile’s, and may ask for something. */
export async function holdersOf(
  world: World,
  { name: own, mode, baseUrl }: Pick<Profile, 'name' | 'mode' | 'baseUrl'>,
  keyFingerprint: string,
): Promise<KeyHolders> {
  const stored: StoredProfile[] = [];
  const elsewhere: { name: string; why: string }[] = [];
  for (const name of profileNames(world)) {
    // An invalid profile concerns only the commands that use it.
    const profile = name === own ? undefined : orUndefined(() => fromStored(readOf(world, name), world));
    if (!profile?.stored || profile.mode === 'embedded') continue;
    const isHere = profile.mode === mode && profile.baseUrl === baseUrl;
    if (!isOurStore(profile.stored.store)) {
      const from = profile.stored.store.kind === 'command' ? 'a key command' : 'FIATRAIL_API_KEY';
      if (isHere) elsewhere.push({ name, why: `takes its key from ${from}` });
      continue;
    }
    const key = await readKey(world, profile.stored);
    if (key === 'unreadable' && isHere) elsewhere.push({ name, why: 'has a key that cannot be read' });
    if (key === 'unreadable' || !key || fingerprint(key) !== keyFingerprint) continue;
    if (isHere) stored.push(profile.stored);
    else elsewhere.push({ name, why: `holds the key for ${profile.baseUrl}` });
  }
  return { stored, elsewhere };
}

function readOf(world: World, name: string): StoredProfile {
  const stored = readProfile(world, name);
  if (!stored) throw new CliError('usage', `there is no profile ${name}`);
  return stored;
}

async function readKey(world: World, stored: StoredProfile): Promise<Secret | 'unreadable' | undefined> {
  return secretOf(stored, 'api-key', world).catch((error: unknown) => {
    if (error instanceof CliError && error.category !== 'interrupted') return 'unreadable' as const;
    throw error;
  });
}

/** Checks that the stores of all profiles take a key, while the old one still works. Throws CliError usage. */
export async function requireHoldersWritable(world: World, { stored }: KeyHolders): Promise<void> {
  for (const { name, store } of stored) {
    try {
      await requireWritable(await openStore(world, store), name, world.ids);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      throw withDetails(error, { message: `profile ${name} holds the same key: ${error.message}` });
    }
  }
}

/** Replaces the old key in every profile that still holds it. It can be repeated. Throws CliError usage for a store that fails. */
export async function replaceInHolders(
  world: World,
  profile: Pick<Profile, 'name' | 'mode' | 'baseUrl'>,
  oldFingerprint: string,
  key: Secret,
): Promise<void> {
  const { stored } = await holdersOf(world, profile, oldFingerprint);
  for (const holder of stored) {
    // Another command may have given the profile another key since.
    await changeSecret(world, holder, 'api-key', async (current) => {
      const now = await current();
      return now && fingerprint(now) !== oldFingerprint ? now : key;
    });
  }
}
