import { basename, join } from 'node:path';
import { orUndefined } from '../base/errors.ts';
import type { World } from '../base/world.ts';
import { type Entry, entriesBelow, entryAt, fileErrors, namesIn } from '../files/inspect.ts';
import { removePrivateFile } from '../files/private-file.ts';
import { isOwnName, isUnfinishedName } from '../files/private-folder.ts';
import { withConfigLock } from './changes.ts';
import { configDir, stateDir } from './paths.ts';
import { storeFor } from './profile.ts';
import { BUILT_IN, profileFile, readProfile } from './stored-profile.ts';
import { SECRET_NAMES, type SecretName } from './stores/secret-store.ts';

/** A file that a command left behind because it was killed. */
export interface Leftover {
  readonly path: string;
  /** What it is: `unfinished file`, or a secret that no profile uses. */
  readonly what: string;
}

/** A command that runs finishes such a file sooner. If it does not, its own change fails, and nothing is lost. */
const UNFINISHED_MS = 60_000;

/** Returns the files of commands that were killed, for at least a minute. Throws the system's error. */
export function leftoversOf(world: World): Leftover[] {
  const folders = [...new Set([configDir(world), stateDir(world)])].filter((path) => entryAt(path)?.kind === 'folder');
  const files = folders.flatMap((folder) => entriesBelow(folder, isOwnName)).filter(({ kind }) => kind === 'file');
  return files
    .filter(({ changedMs }) => world.clock.now() - changedMs >= UNFINISHED_MS)
    .flatMap((file) => leftoverAt(file, world) ?? []);
}

function leftoverAt({ path }: Entry, world: World): Leftover | undefined {
  if (isUnfinishedName(basename(path))) return { path, what: 'unfinished file' };
  const secret = secretIn(path, world);
  return secret && !isUsed(secret, world) ? { path, what: `${secret.name} of no profile` } : undefined;
}

interface SecretFile {
  readonly profile: string;
  readonly name: SecretName;
}

function secretIn(path: string, world: World): SecretFile | undefined {
  const file = basename(path);
  const name = SECRET_NAMES.find((each) => file.endsWith(`.${each}`));
  if (name === undefined || path !== join(configDir(world), 'secrets', file)) return undefined;
  return { profile: file.slice(0, -name.length - 1), name };
}

/** Whether a profile has its secret in this file, or may have it there again: its own file is damaged, or was moved away beside its place. */
function isUsed({ profile, name }: SecretFile, world: World): boolean {
  const stored = orUndefined(() => readProfile(world, profile));
  if (stored) return storeFor(stored, name).kind === 'file';
  const file = profileFile(world, profile);
  const folder = join(configDir(world), 'profiles');
  const names = entryAt(folder) ? namesIn(folder) : [];
  return profile === BUILT_IN || names.some((each) => each.startsWith(basename(file)));
}

/** Removes leftovers that still are some, while no other command changes the configuration. Throws CliError usage. */
export async function removeLeftovers(world: World, found: readonly Leftover[]): Promise<void> {
  await withConfigLock(world, async () => {
    const paths = new Set(leftoversOf(world).map(({ path }) => path));
    for (const { path } of found) if (paths.has(path)) fileErrors('removed', path, () => removePrivateFile(path));
  });
}
