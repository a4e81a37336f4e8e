import { dirname, join } from 'node:path';
import { CliError } from '../base/errors.ts';
import { fileErrors } from '../files/file-errors.ts';
import { entryAt, readSharedFile } from '../files/inspect.ts';
import { replaceFile, requireOwnFile } from '../files/private-file.ts';
import { distrustOf } from '../files/trusted-path.ts';

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
export function untrustedPin(path: string, reason: string, hint: string): CliError {
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
