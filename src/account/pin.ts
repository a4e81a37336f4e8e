import { dirname, join } from 'node:path';
import { CliError } from '../base/errors.ts';
import { fileErrors } from '../files/file-errors.ts';
import { entryAt, readSharedFile } from '../files/inspect.ts';
import { replaceFile, requireOwnFile } from '../files/private-file.ts';

const PIN_FILE = '.fiatrail.json';
const MAX_BYTES = 4096;

/** A folder's choice of a profile, for all that is done in it and below. */
interface Pin {
  readonly path: string;
  readonly profile: string;
}

/** The nearest pin, from a folder upward. Throws CliError usage for a link, and for one that holds anything but a profile's name. */
export function findPin(folder: string): Pin | undefined {
  const path = join(folder, PIN_FILE);
  const found = fileErrors('read', path, () => entryAt(path));
  if (found?.kind === 'link') requireOwnFile(path);
  if (found) return { path, profile: pinnedName(path, found.kind === 'file' && found.sizeBytes <= MAX_BYTES) };
  const above = dirname(folder);
  return above === folder ? undefined : findPin(above);
}

function pinnedName(path: string, isReadable: boolean): string {
  const broken = new CliError('usage', `${path} holds something else than the name of a profile`, {
    code: 'PIN_BROKEN',
    hint: 'write {"profile":"NAME"} there and nothing else, or name the profile with --profile',
  });
  if (!isReadable) throw broken;
  try {
    const { profile, ...rest } = JSON.parse(readSharedFile(path)) as { readonly profile?: unknown };
    if (typeof profile === 'string' && Object.keys(rest).length === 0) return profile;
  } catch {
    // Said below, in the same words as for JSON of another shape.
  }
  throw broken;
}

/** Pins a profile to a folder. Throws CliError usage for a link in the pin's place. */
export function writePin(folder: string, profile: string, unique: () => string): void {
  const path = join(folder, PIN_FILE);
  fileErrors('written', path, () => replaceFile(path, `${JSON.stringify({ profile })}\n`, unique()));
}
