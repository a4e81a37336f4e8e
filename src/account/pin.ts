import { dirname, join } from 'node:path';
import type { Hint } from '../base/advice.ts';
import { CliError } from '../base/errors.ts';
import { entryAt, fileErrors, readSharedFile, realPathOf } from '../files/inspect.ts';
import { distrustOf, replaceFile, requireOwnFile } from '../files/private-file.ts';
import { type FileKind, readVersioned, writeVersioned } from '../files/versioned-file.ts';
import { configDir, type UserEnv, type WritableUserEnv } from './paths.ts';

const PIN_FILE = '.fiatrail.json';

const MAX_BYTES = 4096;

/** The profile that a folder chooses for itself and the folders below it. */
export interface Pin {
  readonly path: string;
  readonly profile: string;
}

/**
 * Finds the nearest pin, from a folder upward. Throws CliError usage for a symbolic link, for a file that someone else could
 * have written, and for content other than a profile name. A pin further up is never used in its place.
 */
export function findPin(folder: string, userId: number | undefined): Pin | undefined {
  const path = join(folder, PIN_FILE);
  const found = fileErrors('read', path, () => entryAt(path));
  if (found?.kind === 'link') requireOwnFile(path);
  if (found) {
    requireTrusted(path, userId);
    return { path, profile: pinnedName(path, found.kind === 'file' && found.sizeBytes <= MAX_BYTES) };
  }
  const above = dirname(folder);
  return above === folder ? undefined : findPin(above, userId);
}

function requireTrusted(path: string, userId: number | undefined): void {
  const reason = fileErrors('read', path, () => distrustOf(path, userId));
  if (reason === undefined) return;
  const hint = 'choose a profile with --profile, or make sure that only you can write to the file and its folders';
  throw untrustedPin(path, reason, hint);
}

/** The error for a file that may not choose the profile. */
export function untrustedPin(path: string, reason: string, hint: Hint): CliError {
  return new CliError('usage', `${path} chooses a profile but is not trusted: ${reason}`, {
    code: 'PIN_UNTRUSTED',
    hint,
  });
}

function pinnedName(path: string, isReadable: boolean): string {
  const broken = new CliError('usage', `${path} does not contain just a profile name`, {
    code: 'PIN_BROKEN',
    hint: 'write only {"profile":"NAME"} to it, or choose a profile with --profile',
  });
  if (!isReadable) throw broken;
  try {
    const { profile, ...rest } = JSON.parse(readSharedFile(path)) as { readonly profile?: unknown };
    if (typeof profile === 'string' && Object.keys(rest).length === 0) return profile;
  } catch {
    // Reported below, like JSON of another shape.
  }
  throw broken;
}

/** Writes a folder's pin and returns it. Throws CliError usage if a symbolic link is in its place. */
export function writePin(folder: string, profile: string, unique: () => string): Pin {
  const path = join(folder, PIN_FILE);
  fileErrors('written', path, () => replaceFile(path, `${JSON.stringify({ profile })}\n`, unique()));
  return { path, profile };
}

/** The name of the live profile that each file may choose, by the file's real path. */
type Approvals = Readonly<Record<string, string>>;

const PINS_FILE: FileKind<Approvals> = {
  what: 'list of trusted folders',
  madeBy: 'fiatrail profiles use --here',
  migrations: [],
  check: ({ pins }) => {
    const isList = typeof pins === 'object' && pins !== null && !Array.isArray(pins);
    return isList && Object.values(pins).every((name) => typeof name === 'string')
      ? { value: pins as Approvals }
      : { wrong: 'pins' };
  },
};

const pinsPath = (world: UserEnv) => join(configDir(world), 'pins.json');

const readApprovals = (world: UserEnv): Approvals => readVersioned(pinsPath(world), PINS_FILE) ?? {};

const keyOf = ({ path }: Pick<Pin, 'path'>) => fileErrors('read', path, () => realPathOf(path));

/** Whether the user has let this file choose this live profile. Throws CliError usage. */
export function isApproved(world: UserEnv, pin: Pin): boolean {
  const approvals = readApprovals(world);
  const key = keyOf(pin);
  return Object.hasOwn(approvals, key) && approvals[key] === pin.profile;
}

/** Lets a file choose the live profile that it names. Call it under the configuration lock. Throws CliError usage. */
export async function approve(world: WritableUserEnv, pin: Pin): Promise<void> {
  const key = keyOf(pin);
  const others = Object.entries(readApprovals(world)).filter(([path]) => path !== key);
  await write(world, [...others, [key, pin.profile]]);
}

/** Forgets which files may choose a profile. Call it under the configuration lock. Throws CliError usage. */
export async function forgetApprovals(world: WritableUserEnv, profile: string): Promise<void> {
  const all = Object.entries(readApprovals(world));
  const others = all.filter(([, name]) => name !== profile);
  if (others.length < all.length) await write(world, others);
}

async function write(world: WritableUserEnv, entries: readonly (readonly [string, string])[]): Promise<void> {
  await writeVersioned(pinsPath(world), PINS_FILE, { pins: Object.fromEntries(entries) }, world.ids.uuid);
}
