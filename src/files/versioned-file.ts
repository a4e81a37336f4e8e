import { basename, dirname } from 'node:path';
import { CliError } from '../base/errors.ts';
import { fileErrors } from './file-errors.ts';
import {
  ensurePrivateFolder,
  FILE_MODE,
  makeFolderPrivate,
  readPrivateFile,
  requireOwnFile,
  requireSpace,
  writePrivateFile,
} from './private-file.ts';

type Json = Readonly<Record<string, unknown>>;

/** One kind of file of the configuration: JSON with a `version`, and how each older version becomes the next. */
export interface FileKind<T> {
  /** `profile`, for messages. */
  readonly what: string;
  /** The command that makes such a file anew. */
  readonly madeBy: string;
  /** The first makes version 2 of version 1, and so on. */
  readonly migrations: readonly ((older: Json) => Json)[];
  /** The content, or the first field that is wrong. */
  readonly check: (content: Json) => { readonly value: T } | { readonly wrong: string };
}

/** What this program writes. */
export const versionOf = ({ migrations }: FileKind<unknown>): number => migrations.length + 1;

/**
 * Reads a file of the configuration, without conf: nothing but JSON is needed for that. Undefined when there is none. An
 * older version is brought forward, with a copy of it left beside. Throws CliError usage for one that is broken or newer.
 */
export function readVersioned<T>(path: string, kind: FileKind<T>, unique: () => string): T | undefined {
  const text = fileErrors('read', path, () => (makeFolderPrivate(dirname(path)) ? readPrivateFile(path) : undefined));
  if (text === undefined) return undefined;
  const found = parsed(path, text, kind);
  const version = found['version'] as number;
  if (version === versionOf(kind)) return checked(path, found, kind);
  const migrated = kind.migrations.slice(version - 1).reduce((older, step) => step(older), found);
  const forward = { ...migrated, version: versionOf(kind) };
  const value = checked(path, forward, kind);
  fileErrors('written', path, () => {
    writePrivateFile(`${path}.v${version}`, text, unique());
    writePrivateFile(path, textOf(forward), unique());
  });
  return value;
}

function broken({ what, madeBy }: FileKind<unknown>, path: string, why: string): CliError {
  return new CliError('usage', `the ${what} file ${path} ${why}; it was left as it is`, {
    code: 'CONFIG_BROKEN',
    hint: `mend it by hand, or move it away and make it anew with: ${madeBy}`,
  });
}

function parsed(path: string, text: string, kind: FileKind<unknown>): Json {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw broken(kind, path, 'is no JSON');
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw broken(kind, path, 'holds no JSON object');
  const { version } = content as { version?: unknown };
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    throw broken(kind, path, 'has no version');
  if (version > versionOf(kind)) {
    throw new CliError('usage', `the ${kind.what} file ${path} was made by a newer fiatrail`, {
      code: 'CONFIG_NEWER',
      hint: 'use that version, or set FIATRAIL_CONFIG_DIR to another folder',
    });
  }
  return content as Json;
}

function checked<T>(path: string, content: Json, kind: FileKind<T>): T {
  const verdict = kind.check(content);
  if ('wrong' in verdict) throw broken(kind, path, `is damaged at ${verdict.wrong}`);
  return verdict.value;
}

/** Writes a file of the configuration with conf: whole or not at all. Throws CliError usage; then what was kept before still is. */
export async function writeVersioned(
  path: string,
  kind: FileKind<unknown>,
  content: Json,
  unique: () => string,
): Promise<void> {
  const whole = { version: versionOf(kind), ...content };
  fileErrors('written', path, () => {
    ensurePrivateFolder(dirname(path));
    // conf writes to where a link points, and takes a write that a full disk cut short for a whole one.
    requireOwnFile(path);
    requireSpace(dirname(path), Buffer.byteLength(textOf(whole)), unique());
  });
  const { default: Conf } = await import('conf');
  fileErrors('written', path, () => writeWith(Conf, path, whole));
}

const textOf = (content: Json) => `${JSON.stringify(content, undefined, '\t')}\n`;

function writeWith(Conf: typeof import('conf').default, path: string, content: Json): void {
  const file = new Conf<Record<string, unknown>>({
    cwd: dirname(path),
    configName: basename(path, '.json'),
    configFileMode: FILE_MODE,
    // What stands there was checked by who read it; here it is replaced.
    clearInvalidConfig: true,
    accessPropertiesByDotNotation: false,
    serialize: textOf,
  });
  file.store = content;
}
