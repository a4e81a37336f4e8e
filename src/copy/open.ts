import { mirrorPath, passwordFilePath, stateDir } from '../account/paths.ts';
import type { Profile } from '../account/profile.ts';
import { readProfile } from '../account/stored-profile.ts';
import { CliError } from '../base/errors.ts';
import type { World } from '../base/world.ts';
import { entryAt } from '../files/inspect.ts';
import { removeDatabase } from '../sqlite/database.ts';
import type { Mirror } from './database.ts';

/** Names the PostgreSQL database of every profile's mirror. */
const MIRROR_VARIABLE = 'FIATRAIL_MIRROR_URL';

/** How long names and numbers of persons are kept, unless the profile says otherwise. */
const PERSONAL_DAYS = 90;

type MirrorOwner = Pick<Profile, 'name' | 'mode'>;

/** Where a mirror is, and how long it keeps what is personal. */
interface MirrorLocation {
  readonly path: string;
  /** The database that has it instead of the file, and what says so. */
  readonly server: { readonly url: string; readonly from: string } | undefined;
  readonly personalDays: number;
}

/** Returns where the mirror of a profile is; `to` is the URL that a command was given. */
export function mirrorLocationOf(world: World, owner: MirrorOwner, to?: string): MirrorLocation {
  const settings = readProfile(world, owner.name)?.mirror;
  const given = [
    [to, '--to'],
    [world.env[MIRROR_VARIABLE] || undefined, MIRROR_VARIABLE],
    [settings?.url, `the mirror of profile ${owner.name}`],
  ] as const;
  const [url, from] = given.find(([each]) => each !== undefined) ?? [];
  return {
    path: mirrorPath(world, owner),
    server: url === undefined || from === undefined ? undefined : { url, from },
    personalDays: settings?.personalDays ?? PERSONAL_DAYS,
  };
}

/** Opens a mirror, creating it on first use. Rejects with DatabaseError, and CliError usage. */
async function openAt(world: World, { path, server }: MirrorLocation): Promise<Mirror> {
  world.ensurePrivateDir(stateDir(world));
  if (!server) return (await import('./database.ts')).openMirrorFile(path, world.clock);
  const { passwordIn, serverAddressOf } = await import('../journal/postgres/server-address.ts');
  const { openMirrorServer } = await import('./postgres.ts');
  const address = serverAddressOf(server.url, server.from);
  const password = async (user: string) => passwordIn(passwordFilePath(world), address, user);
  return openMirrorServer(address, { dir: stateDir(world), localPath: path, password }, world);
}

/** Opens the mirror of a profile's account, creating it on first use. Rejects with DatabaseError, and CliError usage. */
export const openMirror = (world: World, owner: MirrorOwner, to?: string): Promise<Mirror> =>
  openAt(world, mirrorLocationOf(world, owner, to));

/** Whether the account of a profile has a mirror. */
export function hasMirror(world: World, owner: MirrorOwner): boolean {
  const { server, path } = mirrorLocationOf(world, owner);
  return server !== undefined || entryAt(path) !== undefined;
}

/** Opens the mirror of a profile's account, if there is one. Rejects with DatabaseError, and CliError usage. */
export const existingMirror = async (world: World, owner: MirrorOwner): Promise<Mirror | undefined> =>
  hasMirror(world, owner) ? openMirror(world, owner) : undefined;

/** Removes the file of a mirror, whatever is in it. Throws CliError usage, or the system's error. */
export function removeMirrorFile(world: World, owner: MirrorOwner): void {
  removeDatabase(mirrorPath(world, owner));
}

/** The error of a question about an account that was not copied. */
export const noMirror = () =>
  new CliError('usage', 'this account has not been copied to this machine yet', {
    code: 'NO_MIRROR',
    hint: 'run: fiatrail sync',
  });

/** Runs work on the mirror of the account. Rejects with CliError usage if there is none, and with DatabaseError. */
export async function withMirror<T>(
  { world, profile }: { readonly world: World; readonly profile: MirrorOwner },
  work: (mirror: Mirror) => Promise<T>,
): Promise<T> {
  const mirror = await existingMirror(world, profile);
  if (!mirror) throw noMirror();
  try {
    return await work(mirror);
  } finally {
    await mirror.close();
  }
}
