import { join } from 'node:path';
import { CliError, orUndefined } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { World } from '../base/world.ts';
import { fileErrors } from '../files/inspect.ts';
import { removePrivateFile, requireOwnFile } from '../files/private-file.ts';
import { ensurePrivateFolder } from '../files/private-folder.ts';
import { writeVersioned } from '../files/versioned-file.ts';
import { DatabaseError } from '../sqlite/errors.ts';
import { acquireLock, type Lock } from '../sqlite/lock.ts';
import { configDir, type UserEnv, type WritableUserEnv } from './paths.ts';
import { approve, forgetApprovals, type Pin } from './pin.ts';
import { storeFor } from './profile.ts';
import {
  isOurStore,
  PROFILE_FILE,
  profileFile,
  readDefaultName,
  readProfile,
  type StoredProfile,
  writeSettings,
} from './stored-profile.ts';
import { SECRET_NAMES, type SecretName } from './stores/secret-store.ts';
import { openStore } from './stores/stores.ts';

/** Longer than any work done under the lock; a keychain that hangs is abandoned after 3 seconds. */
const LOCK_WAIT_MS = 20_000;
const LOCK_TRY_MS = 250;

/** Runs `work` under the configuration lock, which is not reentrant. Throws CliError usage if another command keeps the lock too long. */
export async function withConfigLock<T>(world: World, work: () => Promise<T>): Promise<T> {
  const lock = await lockConfig(world);
  if (!lock) {
    throw new CliError('usage', 'another command is changing the configuration and has not finished', {
      code: 'CONFIG_BUSY',
      hint: 'wait for it to finish, then run this command again',
    });
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function lockConfig(world: World): Promise<Lock | undefined> {
  const path = join(configDir(world), 'lock.db');
  fileErrors('written', path, () => {
    ensurePrivateFolder(configDir(world));
    requireOwnFile(path);
  });
  try {
    // SQLite blocks the process while it waits, so signals arrive between short waits.
    for (let leftMs = LOCK_WAIT_MS; leftMs > 0; leftMs -= LOCK_TRY_MS) {
      const lock = await acquireLock(path, LOCK_TRY_MS);
      if (lock) return lock;
      await world.turn();
      if (world.interrupted.aborted) throw new CliError('interrupted', 'interrupted; nothing was saved');
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    // The system error says why; SQLite's own error does not.
    fileErrors('written', path, () => {
      throw error.cause;
    });
    throw error;
  }
}

export async function writeProfile(world: WritableUserEnv, profile: StoredProfile): Promise<void> {
  await writeVersioned(profileFile(world, profile.name), PROFILE_FILE, { ...profile }, world.ids.uuid);
}

export function removeProfile(world: UserEnv, name: string): void {
  const path = profileFile(world, name);
  fileErrors('removed', path, () => removePrivateFile(path));
}

/**
 * Changes a profile under the configuration lock; `change` receives the stored profile as it is then. A new API key, and secrets
 * that move to another store, are written before the profile. If writing the profile fails, the old key is restored, so that
 * either both change or neither does.
 */
export async function changeProfile(
  world: World,
  name: string,
  change: (current: StoredProfile | undefined) => StoredProfile | Promise<StoredProfile>,
  apiKey?: Secret,
): Promise<StoredProfile> {
  return withConfigLock(world, async () => {
    const current = readProfile(world, name);
    const changed = await change(current);
    const undo = apiKey && (await replaceKey(world, changed, apiKey));
    try {
      if (current) await copySecrets(world, current, changed);
      await writeProfile(world, changed);
    } catch (error) {
      await undo?.();
      throw error;
    }
    if (current) await removeMoved(world, current, changed);
    return changed;
  });
}

/** Stores an API key and returns a function that restores the previous one on a best-effort basis. */
async function replaceKey(world: World, stored: StoredProfile, apiKey: Secret): Promise<() => Promise<void>> {
  const store = await openStore(world, stored.store);
  const before = await store.read(stored.name, 'api-key');
  await store.write(stored.name, 'api-key', apiKey);
  return async () => {
    const back = before ? store.write(stored.name, 'api-key', before) : store.remove(stored.name, 'api-key');
    // The error that matters is why the profile could not be written.
    await back.catch(() => {});
  };
}

const isElsewhere = (name: SecretName, current: StoredProfile, next: StoredProfile) =>
  storeFor(current, name).kind !== storeFor(next, name).kind;

const storeOf = (world: World, stored: StoredProfile, name: SecretName) => openStore(world, storeFor(stored, name));

/** The secrets that a profile takes along to another store. */
const TAKEN_ALONG = SECRET_NAMES.filter((name) => name !== 'api-key');

/** Copies the secrets besides the API key to the profile's new store. If nothing is encrypted, a failing old store does not block the move. */
async function copySecrets(world: World, current: StoredProfile, next: StoredProfile): Promise<void> {
  for (const name of TAKEN_ALONG) {
    if (!isElsewhere(name, current, next)) continue;
    const secret = await (await storeOf(world, current, name)).read(current.name, name).catch((error) => {
      if (error instanceof CliError && current.encryption?.publicKey === undefined) return undefined;
      throw error;
    });
    if (secret) await (await storeOf(world, next, name)).write(next.name, name, secret);
  }
}

/** Removes secrets from the store the profile moved away from. A failure is only a warning, because the profile has already changed. */
async function removeMoved(world: World, current: StoredProfile, next: StoredProfile): Promise<void> {
  try {
    for (const name of SECRET_NAMES) if (isElsewhere(name, current, next)) await removeSecret(world, current, name);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const warning = `warning: could not remove the secrets of ${current.name} from its old store: ${error.message}\n`;
    await world.stderr.write(warning).catch(() => {});
  }
}

async function removeSecret(world: World, stored: StoredProfile, name: SecretName): Promise<void> {
  const settings = storeFor(stored, name);
  if (isOurStore(settings)) await (await openStore(world, settings)).remove(stored.name, name);
}

/** Writes a secret to the store the profile uses now. Throws CliError usage. */
export async function storeSecret(
  world: World,
  stored: StoredProfile,
  name: SecretName,
  secret: Secret,
): Promise<void> {
  await changeSecret(world, stored, name, async () => secret);
}

/** Deletes a secret from the store the profile uses now. Throws CliError usage. */
export async function removeStoredSecret(world: World, stored: StoredProfile, name: SecretName): Promise<void> {
  await withConfigLock(world, () => removeSecret(world, readProfile(world, stored.name) ?? stored, name));
}

/** Like `storeSecret`, for a secret computed from the stored one under the configuration lock. */
export async function changeSecret(
  world: World,
  stored: StoredProfile,
  name: SecretName,
  change: (current: () => Promise<Secret | undefined>) => Promise<Secret>,
): Promise<void> {
  await withConfigLock(world, async () => {
    const store = await storeOf(world, readProfile(world, stored.name) ?? stored, name);
    await store.write(stored.name, name, await change(() => store.read(stored.name, name)));
  });
}

/**
 * Deletes a profile, and clears the default if it named this one. Secrets are deleted first: if one cannot be deleted, the
 * profile that refers to it stays. A profile that cannot be read does not say where its secrets are; then those in files are deleted.
 */
export async function deleteProfile(world: World, name: string): Promise<void> {
  await withConfigLock(world, async () => {
    const isDefault = readDefaultName(world) === name;
    const stored = orUndefined(() => readProfile(world, name)) ?? { name, mode: 'live', store: { kind: 'file' } };
    for (const secret of SECRET_NAMES) await removeSecret(world, stored, secret);
    // Another account may get this name later.
    await forgetApprovals(world, name);
    removeProfile(world, name);
    if (isDefault) await writeSettings(world, { defaultProfile: undefined });
  });
}

export async function setDefaultProfile(world: World, name: string): Promise<void> {
  await withConfigLock(world, () => writeSettings(world, { defaultProfile: name }));
}

/** Lets a folder's file choose the live profile that it names. Throws CliError usage. */
export async function approvePin(world: World, pin: Pin): Promise<void> {
  await withConfigLock(world, () => approve(world, pin));
}
