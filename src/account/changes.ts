import { CliError, orUndefined } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { World } from '../base/world.ts';
import { fileErrors } from '../files/file-errors.ts';
import { ensurePrivateFolder, requireOwnFile } from '../files/private-file.ts';
import { DatabaseError } from '../sqlite/database.ts';
import { acquireLock, type Lock } from '../sqlite/lock.ts';
import { configDir, configLockPath } from './paths.ts';
import { storeFor } from './profile.ts';
import {
  isOurStore,
  readDefaultName,
  readProfile,
  removeProfile,
  type StoredProfile,
  writeDefaultName,
  writeProfile,
} from './stored-profile.ts';
import { SECRET_NAMES, type SecretName } from './stores/secret-store.ts';
import { openStore } from './stores/stores.ts';

/** Longer than anything that is done under the lock: a key store that hangs is given up after three seconds. */
const LOCK_WAIT_MS = 20_000;

/**
 * Does what changes the configuration while nobody else does; not to be called from within itself. Throws CliError usage when
 * another command holds it for too long.
 */
async function alone<T>(world: World, work: () => Promise<T>): Promise<T> {
  const lock = await lockConfig(world);
  if (!lock) {
    throw new CliError('usage', 'another command changes the configuration and does not end', {
      code: 'CONFIG_BUSY',
      hint: 'wait for it to end, then run this one again',
    });
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function lockConfig(world: World): Promise<Lock | undefined> {
  const path = configLockPath(world);
  fileErrors('written', path, () => {
    ensurePrivateFolder(configDir(world));
    requireOwnFile(path);
  });
  try {
    return await acquireLock(path, LOCK_WAIT_MS);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    // Where the system refused, it says why; SQLite knows only that it could not.
    fileErrors('written', path, () => {
      throw error.cause;
    });
    throw error;
  }
}

/**
 * Changes a profile as it stands when nobody else changes it; `change` gets what is kept by then. A new API key, and what must
 * move to another store, is kept before the profile is, and taken back where the profile cannot be: both are changed, or neither.
 */
export async function changeProfile(
  world: World,
  name: string,
  change: (kept: StoredProfile | undefined) => StoredProfile | Promise<StoredProfile>,
  apiKey?: Secret,
): Promise<StoredProfile> {
  return alone(world, async () => {
    const kept = readProfile(world, name);
    const changed = await change(kept);
    const undo = apiKey && (await replaceKey(world, changed, apiKey));
    try {
      if (kept) await copySealingKeys(world, kept, changed);
      await writeProfile(world, changed);
    } catch (error) {
      await undo?.();
      throw error;
    }
    if (kept) await removeMoved(world, kept, changed);
    return changed;
  });
}

/** Keeps an API key; what it gives back puts the one before in its place again, as far as that can be done. */
async function replaceKey(world: World, stored: StoredProfile, apiKey: Secret): Promise<() => Promise<void>> {
  const store = await openStore(world, stored.store);
  const before = await store.read(stored.name, 'api-key');
  await store.write(stored.name, 'api-key', apiKey);
  return async () => {
    const back = before ? store.write(stored.name, 'api-key', before) : store.remove(stored.name, 'api-key');
    // Why the profile could not be kept is what is told.
    await back.catch(() => {});
  };
}

const isElsewhere = (name: SecretName, kept: StoredProfile, next: StoredProfile) =>
  storeFor(kept, name).kind !== storeFor(next, name).kind;

const storeOf = (world: World, stored: StoredProfile, name: SecretName) => openStore(world, storeFor(stored, name));

/** What opens sealed answers goes with its profile to another store. Where nothing is sealed, a store that fails can be left all the same. */
async function copySealingKeys(world: World, kept: StoredProfile, next: StoredProfile): Promise<void> {
  if (!isElsewhere('sealing-keys', kept, next)) return;
  const keys = await (await storeOf(world, kept, 'sealing-keys')).read(kept.name, 'sealing-keys').catch((error) => {
    if (error instanceof CliError && kept.sealing?.publicKey === undefined) return undefined;
    throw error;
  });
  if (keys) await (await storeOf(world, next, 'sealing-keys')).write(next.name, 'sealing-keys', keys);
}

/** No secret stays behind where nobody looks for it any more, unless the store fails, which is said: the profile is changed by now. */
async function removeMoved(world: World, kept: StoredProfile, next: StoredProfile): Promise<void> {
  try {
    for (const name of SECRET_NAMES) if (isElsewhere(name, kept, next)) await removeSecret(world, kept, name);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const warning = `warning: what the store before has of ${kept.name} could not be removed: ${error.message}\n`;
    await world.stderr.write(warning).catch(() => {});
  }
}

async function removeSecret(world: World, stored: StoredProfile, name: SecretName): Promise<void> {
  const settings = storeFor(stored, name);
  if (isOurStore(settings)) await (await openStore(world, settings)).remove(stored.name, name);
}

/** Writes a secret to where its profile keeps it by now. Throws CliError usage. */
export async function storeSecret(
  world: World,
  stored: StoredProfile,
  name: SecretName,
  secret: Secret,
): Promise<void> {
  await changeSecret(world, stored, name, async () => secret);
}

/** The same, for one that is made of what is kept there when nobody else changes it. */
export async function changeSecret(
  world: World,
  stored: StoredProfile,
  name: SecretName,
  change: (kept: () => Promise<Secret | undefined>) => Promise<Secret>,
): Promise<void> {
  await alone(world, async () => {
    const store = await storeOf(world, readProfile(world, stored.name) ?? stored, name);
    await store.write(stored.name, name, await change(() => store.read(stored.name, name)));
  });
}

/**
 * Forgets a profile and, where it was the default, that it was. Its secrets go first: should one stay, so does the profile that
 * tells of it. A profile that cannot be read does not say where they are; then those in files go.
 */
export async function deleteProfile(world: World, name: string): Promise<void> {
  await alone(world, async () => {
    const isDefault = readDefaultName(world) === name;
    const stored = orUndefined(() => readProfile(world, name)) ?? { name, mode: 'live', store: { kind: 'file' } };
    for (const secret of SECRET_NAMES) await removeSecret(world, stored, secret);
    removeProfile(world, name);
    if (isDefault) await writeDefaultName(world, undefined);
  });
}

export async function setDefaultProfile(world: World, name: string): Promise<void> {
  await alone(world, () => writeDefaultName(world, name));
}
