import { copyPath, passwordFilePath, stateDir } from '../account/paths.ts';
import type { Profile } from '../account/profile.ts';
import { readProfile } from '../account/stored-profile.ts';
import { advice } from '../base/advice.ts';
import { CliError } from '../base/errors.ts';
import type { World } from '../base/world.ts';
import { entryAt } from '../files/inspect.ts';
import { removeDatabase } from '../sqlite/database.ts';
import type { LocalCopy } from './database.ts';

/** Names the PostgreSQL database of every profile's local copy. */
const COPY_VARIABLE = 'FIATRAIL_COPY_URL';

/** How long names and numbers of persons are kept, unless the profile says otherwise. */
const PERSONAL_DAYS = 90;

type CopyOwner = Pick<Profile, 'name' | 'mode'>;

/** Where a local copy is, and how long it keeps what is personal. */
interface CopyLocation {
  readonly path: string;
  /** The database that has it instead of the file, and what says so. */
  readonly server: { readonly url: string; readonly from: string } | undefined;
  readonly personalDays: number;
}

/** Returns where the local copy of a profile is; `to` is the URL that a command was given. */
export function copyLocationOf(world: World, owner: CopyOwner, to?: string): CopyLocation {
  const settings = readProfile(world, owner.name)?.copy;
  const given = [
    [to, '--to'],
    [world.env[COPY_VARIABLE] || undefined, COPY_VARIABLE],
    [settings?.url, `the local copy of profile ${owner.name}`],
  ] as const;
  const [url, from] = given.find(([each]) => each !== undefined) ?? [];
  return {
    path: copyPath(world, owner),
    server: url === undefined || from === undefined ? undefined : { url, from },
    personalDays: settings?.personalDays ?? PERSONAL_DAYS,
  };
}

/** Opens a local copy, creating it on first use. Rejects with DatabaseError, and CliError usage. */
async function openAt(world: World, { path, server }: CopyLocation): Promise<LocalCopy> {
  world.ensurePrivateDir(stateDir(world));
  if (!server) return (await import('./database.ts')).openCopyFile(path, world);
  const { passwordIn, serverAddressOf } = await import('../journal/postgres/server-address.ts');
  const { openCopyServer } = await import('./postgres.ts');
  const address = serverAddressOf(server.url, server.from);
  const password = async (user: string) => passwordIn(passwordFilePath(world), address, user);
  return openCopyServer(address, { dir: stateDir(world), localPath: path, password }, world);
}

/** Opens the local copy of a profile's account, creating it on first use. Rejects with DatabaseError, and CliError usage. */
export const openCopy = (world: World, owner: CopyOwner, to?: string): Promise<LocalCopy> =>
  openAt(world, copyLocationOf(world, owner, to));

/** Whether the account of a profile has a local copy. */
export function hasCopy(world: World, owner: CopyOwner): boolean {
  const { server, path } = copyLocationOf(world, owner);
  return server !== undefined || entryAt(path) !== undefined;
}

/** Opens the local copy of a profile's account, if there is one. Rejects with DatabaseError, and CliError usage. */
export const existingCopy = async (world: World, owner: CopyOwner): Promise<LocalCopy | undefined> =>
  hasCopy(world, owner) ? openCopy(world, owner) : undefined;

/** Removes the file of a local copy, whatever is in it. Throws CliError usage, or the system's error. */
export function removeCopyFile(world: World, owner: CopyOwner): void {
  removeDatabase(copyPath(world, owner));
}

/** The error of a question about an account that was not copied. */
export const noCopy = () =>
  new CliError('usage', 'this account has not been copied to this machine yet', {
    code: 'NO_COPY',
    hint: advice`run: [fiatrail sync]`,
  });

/** Runs work on the local copy of the account. Rejects with CliError usage if there is none, and with DatabaseError. */
export async function withCopy<T>(
  { world, profile }: { readonly world: World; readonly profile: CopyOwner },
  work: (copy: LocalCopy) => Promise<T>,
): Promise<T> {
  const copy = await existingCopy(world, profile);
  if (!copy) throw noCopy();
  try {
    return await work(copy);
  } finally {
    await copy.close();
  }
}
