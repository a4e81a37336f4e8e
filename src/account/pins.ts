import { join } from 'node:path';
import { fileErrors } from '../files/file-errors.ts';
import { realPathOf } from '../files/inspect.ts';
import { type FileKind, readVersioned, writeVersioned } from '../files/versioned-file.ts';
import { configDir, type UserEnv, type WritableUserEnv } from './paths.ts';
import type { Pin } from './pin.ts';

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
