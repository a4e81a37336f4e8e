import { dirname, join } from 'node:path';
import { CliError } from '../base/errors.ts';
import { fileErrors } from '../files/file-errors.ts';
import { entryAt, readSharedFile } from '../files/inspect.ts';
import { replaceFile, requireOwnFile } from '../files/private-file.ts';

const PIN_FILE = '.fiatrail.json';
const MAX_BYTES = 4096;

/** The profile that a folder chooses for itself and the folders below it. */
interface Pin {
  readonly path: string;
  readonly profile: string;
}

/** Finds the nearest pin, from a folder upward. Throws CliError usage for a symbolic link, and for content other than a profile name. */
export function findPin(folder: string): Pin | undefined {
  const path = join(folder, PIN_FILE);
  const found = fileErrors('read', path, () => entryAt(path));
  if (found?.kind === 'link') requireOwnFile(path);
  if (found) return { path, profile: pinnedName(path, found.kind === 'file' && found.sizeBytes <= MAX_BYTES) };
  const above = dirname(folder);
  return above === folder ? undefined : findPin(above);
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

/** Writes a folder's pin. Throws CliError usage if a symbolic link is in its place. */
export function writePin(folder: string, profile: string, unique: () => string): void {
  const path = join(folder, PIN_FILE);
  fileErrors('written', path, () => replaceFile(path, `${JSON.stringify({ profile })}\n`, unique()));
}
