import { join } from 'node:path';
import type { World } from '../base/world.ts';
import { fileErrors } from '../files/file-errors.ts';
import { realPathOf } from '../files/inspect.ts';
import { type FileKind, readVersioned, writeVersioned } from '../files/versioned-file.ts';
import { configDir } from './paths.ts';
import type { Pin } from './pin.ts';

type Place = Pick<World, 'env' | 'homeDir' | 'platform'>;
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

const pinsPath = (place: Place) => join(configDir(place), 'pins.json');

const readApprovals = (place: Place): Approvals => readVersioned(pinsPath(place), PINS_FILE) ?? {};

const keyOf = ({ path }: Pick<Pin, 'path'>) => fileErrors('read', path, () => realPathOf(path));

/** Whether the user has let this file choose this live profile. Throws CliError usage. */
export function isApproved(place: Place, pin: Pin): boolean {
  const approvals = readApprovals(place);
  const key = keyOf(pin);
  return Object.hasOwn(approvals, key) && approvals[key] === pin.profile;
}

type WritablePlace = Place & Pick<World, 'ids'>;

/** Lets a file choose the live profile that it names. Call it under the configuration lock. Throws CliError usage. */
export async function approve(place: WritablePlace, pin: Pin): Promise<void> {
  const key = keyOf(pin);
  const others = Object.entries(readApprovals(place)).filter(([path]) => path !== key);
  await write(place, [...others, [key, pin.profile]]);
}

/** Forgets which files may choose a profile. Call it under the configuration lock. Throws CliError usage. */
export async function forgetApprovals(place: WritablePlace, profile: string): Promise<void> {
  const all = Object.entries(readApprovals(place));
  const others = all.filter(([, name]) => name !== profile);
  if (others.length < all.length) await write(place, others);
}

async function write(place: WritablePlace, entries: readonly (readonly [string, string])[]): Promise<void> {
  await writeVersioned(pinsPath(place), PINS_FILE, { pins: Object.fromEntries(entries) }, place.ids.uuid);
}
