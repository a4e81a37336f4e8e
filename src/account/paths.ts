import { isAbsolute, join, resolve } from 'node:path';
import type { World } from '../base/world.ts';

type Place = Pick<World, 'env' | 'homeDir' | 'platform'>;

/** A relative one is to be ignored, by their specification: it would mean another folder for each command. */
const absolute = (path: string | undefined) => (path && isAbsolute(path) ? path : undefined);

/** Where the sandbox and the journal are kept. */
export function stateDir({ env, homeDir, platform }: Place): string {
  // Absolute, so that no name can look like anything but a path to those who open it.
  if (env['FIATRAIL_STATE_DIR']) return resolve(env['FIATRAIL_STATE_DIR']);
  if (platform === 'win32') return join(env['LOCALAPPDATA'] || join(homeDir, 'AppData', 'Local'), 'fiatrail');
  return join(absolute(env['XDG_STATE_HOME']) ?? join(homeDir, '.local', 'state'), 'fiatrail');
}

/** Where profiles and, in the store `file`, their secrets are kept. */
export function configDir({ env, homeDir, platform }: Place): string {
  if (env['FIATRAIL_CONFIG_DIR']) return resolve(env['FIATRAIL_CONFIG_DIR']);
  if (platform === 'win32') return join(env['APPDATA'] || join(homeDir, 'AppData', 'Roaming'), 'fiatrail');
  return join(absolute(env['XDG_CONFIG_HOME']) ?? join(homeDir, '.config'), 'fiatrail');
}

/** Held by whoever changes the configuration. */
export function configLockPath(place: Place): string {
  return join(configDir(place), 'lock.db');
}

export function sandboxPath(place: Place): string {
  return join(stateDir(place), 'sandbox.db');
}

export function journalPath(place: Place): string {
  return join(stateDir(place), 'journal.db');
}

/** Where the replacements of keys that are not at an end keep what must not be lost. */
export function rotationsDir(place: Place): string {
  return join(stateDir(place), 'rotations');
}

/** Where the store `file` keeps its secrets. */
export function secretsDir(place: Place): string {
  return join(configDir(place), 'secrets');
}

/** Where it is remembered that the key store of the system cannot be used. */
export function keyringMemoryPath(place: Place): string {
  return join(stateDir(place), 'keyring.json');
}

/** A path as a person gave it, from the folder the program runs in. */
export function absolutePath(path: string): string {
  return resolve(path);
}
