import { isAbsolute, join, resolve } from 'node:path';
import type { World } from '../base/world.ts';

type Place = Pick<World, 'env' | 'homeDir' | 'platform'>;

/** The XDG specification says to ignore relative paths. */
const absolute = (path: string | undefined) => (path && isAbsolute(path) ? path : undefined);

/** Returns the folder of the sandbox and the journal. */
export function stateDir({ env, homeDir, platform }: Place): string {
  // Absolute, so that SQLite cannot take the name for a URI or a special name.
  if (env['FIATRAIL_STATE_DIR']) return resolve(env['FIATRAIL_STATE_DIR']);
  if (platform === 'win32') return join(env['LOCALAPPDATA'] || join(homeDir, 'AppData', 'Local'), 'fiatrail');
  return join(absolute(env['XDG_STATE_HOME']) ?? join(homeDir, '.local', 'state'), 'fiatrail');
}

/** Returns the folder of profiles and of secrets in the store `file`. */
export function configDir({ env, homeDir, platform }: Place): string {
  if (env['FIATRAIL_CONFIG_DIR']) return resolve(env['FIATRAIL_CONFIG_DIR']);
  if (platform === 'win32') return join(env['APPDATA'] || join(homeDir, 'AppData', 'Roaming'), 'fiatrail');
  return join(absolute(env['XDG_CONFIG_HOME']) ?? join(homeDir, '.config'), 'fiatrail');
}

/** The lock that a command holds while it changes the configuration. */
export function configLockPath(place: Place): string {
  return join(configDir(place), 'lock.db');
}

export function sandboxPath(place: Place): string {
  return join(stateDir(place), 'sandbox.db');
}

/** The folder of the tour, which has a sandbox and a journal of its own. */
export function tourDir(place: Place): string {
  return join(stateDir(place), 'tour');
}

export function journalPath(place: Place): string {
  return join(stateDir(place), 'journal.db');
}

/** The folders that remember which journal each account has: beside the profiles, and beside the journal. */
export function journalMemoryDirs(place: Place): { readonly configFolder: string; readonly stateFolder: string } {
  return { configFolder: join(configDir(place), 'journals'), stateFolder: join(stateDir(place), 'journals') };
}

/** The completion cache. */
export function completionCachePath(place: Place): string {
  return join(stateDir(place), 'completion.db');
}

/** The file in which psql looks for passwords. */
export function passwordFilePath({ env, homeDir, platform }: Place): string {
  if (env['PGPASSFILE']) return resolve(env['PGPASSFILE']);
  if (platform === 'win32')
    return join(env['APPDATA'] || join(homeDir, 'AppData', 'Roaming'), 'postgresql', 'pgpass.conf');
  return join(homeDir, '.pgpass');
}

/** The inbox of a profile: the webhook events that it received. Every embedded profile has the same sandbox, and so the same inbox. */
export function inboxPath(place: Place, { name, mode }: { readonly name: string; readonly mode: string }): string {
  return join(stateDir(place), `inbox-${mode === 'embedded' ? 'embedded' : name}.db`);
}

/** The folder where unfinished key rotations keep what must not be lost. */
export function rotationsDir(place: Place): string {
  return join(stateDir(place), 'rotations');
}

/** The folder of the store `file`. */
export function secretsDir(place: Place): string {
  return join(configDir(place), 'secrets');
}

/** The file that remembers that the system keychain is unavailable. */
export function keyringMemoryPath(place: Place): string {
  return join(stateDir(place), 'keyring.json');
}

/** Resolves a path that a user typed against the current folder. */
export function absolutePath(path: string): string {
  return resolve(path);
}

/** Returns the file in which a shell looks for completions. Source: the documentation of each shell and of bash-completion. */
export function completionFile({ env, homeDir }: Place, shell: 'bash' | 'zsh' | 'fish'): string {
  const data = absolute(env['XDG_DATA_HOME']) ?? join(homeDir, '.local', 'share');
  if (shell === 'bash') return join(data, 'bash-completion', 'completions', 'fiatrail');
  if (shell === 'zsh') return join(data, 'zsh', 'site-functions', '_fiatrail');
  return join(absolute(env['XDG_CONFIG_HOME']) ?? join(homeDir, '.config'), 'fish', 'completions', 'fiatrail.fish');
}
