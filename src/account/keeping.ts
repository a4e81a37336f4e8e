import { CliError } from '../exit.ts';
import type { Secret } from '../secret.ts';
import { acquireLock } from '../sqlite/lock.ts';
import type { World } from '../world.ts';
import { configDir, configLockPath } from './paths.ts';
import { ensurePrivateFolder } from './private-file.ts';
import { storeFor } from './profile.ts';
import type { SecretName } from './secret-store.ts';
import {
  readDefaultName,
  readProfile,
  removeProfile,
  type StoredProfile,
  writeDefaultName,
  writeProfile,
} from './stored-profile.ts';
import { openStore } from './stores.ts';

/** Longer than anything that is done under the lock: a key store that hangs is given up after three seconds. */
const LOCK_WAIT_MS = 20_000;

/** Does what changes the configuration while nobody else does. Throws CliError usage when another command holds it for too long. */
async function alone<T>(world: World, work: () => Promise<T>): Promise<T> {
  ensurePrivateFolder(configDir(world));
  const lock = await acquireLock(configLockPath(world), LOCK_WAIT_MS);
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

/** Changes a profile as it stands when nobody else changes it; `change` gets what is kept by then. */
export async function changeProfile(
  world: World,
  name: string,
  change: (kept: StoredProfile | undefined) => StoredProfile | Promise<StoredProfile>,
): Promise<StoredProfile> {
  return alone(world, async () => {
    const changed = await change(readProfile(world, name));
    await writeProfile(world, changed);
    return changed;
  });
}

/** Keeps a profile and, where one is given, its API key: the key first, since a profile without it is of no use. */
export async function keepProfile(world: World, stored: StoredProfile, apiKey: Secret | undefined): Promise<void> {
  await alone(world, async () => {
    if (apiKey) await keepSecret(world, stored, 'api-key', apiKey);
    await writeProfile(world, stored);
  });
}

/** Writes a secret to where its profile keeps it. Throws CliError usage. */
export async function keepSecret(world: World, stored: StoredProfile, name: SecretName, secret: Secret): Promise<void> {
  await (await openStore(world, storeFor(stored, name))).write(stored.name, name, secret);
}

/** Forgets a profile, its secrets and, where it was the default, that it was. */
export async function forgetProfile(world: World, stored: StoredProfile): Promise<void> {
  await alone(world, async () => {
    const isDefault = readDefaultName(world) === stored.name;
    if (isDefault) await writeDefaultName(world, undefined);
    removeProfile(world, stored.name);
    for (const name of ['api-key', 'sealing-keys'] as const) {
      const settings = storeFor(stored, name);
      if (settings.kind === 'file' || settings.kind === 'keyring')
        await (await openStore(world, settings)).remove(stored.name, name);
    }
  });
}

export async function keepDefault(world: World, name: string): Promise<void> {
  await alone(world, () => writeDefaultName(world, name));
}
