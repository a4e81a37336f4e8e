import { isAbsolute, join, resolve } from 'node:path';
import type { Ids, World } from '../base/world.ts';
import { namesIn } from '../files/inspect.ts';

/** What decides where this user's folders are. */
export type UserEnv = Pick<World, 'env' | 'homeDir' | 'platform'>;

/** The same, and names for temporary files. */
export type WritableUserEnv = UserEnv & { readonly ids: Pick<Ids, 'uuid'> };

/** The XDG specification says to ignore relative paths. */
const absolute = (path: string | undefined) => (path && isAbsolute(path) ? path : undefined);

/** Returns the folder of the sandbox and the journal. */
export function stateDir({ env, homeDir, platform }: UserEnv): string {
  // Absolute, so that SQLite cannot take the name for a URI or a special name.
  if (env['FIATRAIL_STATE_DIR']) return resolve(env['FIATRAIL_STATE_DIR']);
  if (platform === 'win32') return join(env['LOCALAPPDATA'] || join(homeDir, 'AppData', 'Local'), 'fiatrail');
  return join(absolute(env['XDG_STATE_HOME']) ?? join(homeDir, '.local', 'state'), 'fiatrail');
}

/** Returns the folder of profiles and of secrets in the store `file`. */
export function configDir({ env, homeDir, platform }: UserEnv): string {
  if (env['FIATRAIL_CONFIG_DIR']) return resolve(env['FIATRAIL_CONFIG_DIR']);
  if (platform === 'win32') return join(env['APPDATA'] || join(homeDir, 'AppData', 'Roaming'), 'fiatrail');
  return join(absolute(env['XDG_CONFIG_HOME']) ?? join(homeDir, '.config'), 'fiatrail');
}

export function sandboxPath(world: UserEnv): string {
  return join(stateDir(world), 'sandbox.db');
}

/** The folder of the tour, which has a sandbox and a journal of its own. */
export function tourDir(world: UserEnv): string {
  return join(stateDir(world), 'tour');
}

export function journalPath(world: UserEnv): string {
  return join(stateDir(world), 'journal.db');
}

/** The folders that remember which journal each account has: beside the profiles, and beside the journal. */
export function journalMemoryDirs(world: UserEnv): { readonly configFolder: string; readonly stateFolder: string } {
  return { configFolder: join(configDir(world), 'journals'), stateFolder: join(stateDir(world), 'journals') };
}

/** The file in which psql looks for passwords. */
export function passwordFilePath({ env, homeDir, platform }: UserEnv): string {
  if (env['PGPASSFILE']) return resolve(env['PGPASSFILE']);
  if (platform === 'win32')
    return join(env['APPDATA'] || join(homeDir, 'AppData', 'Roaming'), 'postgresql', 'pgpass.conf');
  return join(homeDir, '.pgpass');
}

/** The inbox of a profile: the webhook events that it received. Every embedded profile has the same sandbox, and so the same inbox. */
export function inboxPath(world: UserEnv, { name, mode }: { readonly name: string; readonly mode: string }): string {
  return join(stateDir(world), `inbox-${mode === 'embedded' ? 'embedded' : name}.db`);
}

/** The copy of the lists of a profile's account. Every embedded profile has the same sandbox, and so the same copy. */
export function copyPath(world: UserEnv, { name, mode }: { readonly name: string; readonly mode: string }): string {
  return join(stateDir(world), `copy-${mode === 'embedded' ? 'embedded' : name}.db`);
}

/** The folder where unfinished key rotations keep what must not be lost. */
export function rotationsDir(world: UserEnv): string {
  return join(stateDir(world), 'rotations');
}

/** Resolves a path that a user typed against the current folder. */
export function absolutePath(path: string): string {
  return resolve(path);
}

/** Returns the file in which a shell looks for completions. Source: the documentation of each shell and of bash-completion. */
export function completionFile({ env, homeDir }: UserEnv, shell: 'bash' | 'zsh' | 'fish'): string {
  const data = absolute(env['XDG_DATA_HOME']) ?? join(homeDir, '.local', 'share');
  if (shell === 'bash') return join(data, 'bash-completion', 'completions', 'fiatrail');
  if (shell === 'zsh') return join(data, 'zsh', 'site-functions', '_fiatrail');
  return join(absolute(env['XDG_CONFIG_HOME']) ?? join(homeDir, '.config'), 'fish', 'completions', 'fiatrail.fish');
}

// What every command asks about rotations. What one of them needs besides is loaded when there is one.

/** The first argument that starts the rotation process, the process that sends the request and saves the response. */
export const ROTATION_PROCESS = '__rotation';

/** The first argument that starts the process which tries a lock that another one has; its file follows. */
export const LOCK_PROCESS = '__lock';

/** Returns the operation ids that have files here: rotations that are unfinished or not yet cleaned up. */
export function unfinishedRotations(world: UserEnv): string[] {
  try {
    const names = namesIn(rotationsDir(world)).flatMap((name) => ROTATION_FILE.exec(name)?.[1] ?? []);
    return [...new Set(names)].sort();
  } catch {
    return [];
  }
}

const ROTATION_FILE = /^([^.]+)\.(?:answer|key|send\.db|work\.db)$/;
