import { basename, dirname } from 'node:path';
import { CliError } from '../base/errors.ts';
import { fileErrors } from './inspect.ts';
import { FILE_MODE, readPrivateFile, replaceFile, writePrivateFile } from './private-file.ts';
import { ensurePrivateFolder, makeFolderPrivate } from './private-folder.ts';

type JsonContent = Readonly<Record<string, unknown>>;

/** One kind of configuration file: JSON with a `version`, and the migrations from older versions. */
export interface FileKind<T> {
  /** Name in messages, such as `profile`. */
  readonly what: string;
  /** The command that creates such a file. */
  readonly madeBy: string;
  /** The first migrates version 1 to version 2, and so on. */
  readonly migrations: readonly ((older: JsonContent) => JsonContent)[];
  /** Returns the content, or the first wrong field. */
  readonly check: (content: JsonContent) => { readonly value: T } | { readonly wrong: string };
}

/** Returns the version that this program writes. */
export const versionOf = ({ migrations }: FileKind<unknown>): number => migrations.length + 1;

/**
 * Reads a configuration file; returns undefined when there is none. An older version is migrated in memory: only a write
 * changes the file. Does not load conf. Throws CliError usage for a broken file or a newer version.
 */
export function readVersioned<T>(path: string, kind: FileKind<T>): T | undefined {
  const text = fileErrors('read', path, () => (makeFolderPrivate(dirname(path)) ? readPrivateFile(path) : undefined));
  if (text === undefined) return undefined;
  const found = parseVersioned(path, text, kind);
  const verdict = kind.check(migrated(found, found.version, kind));
  if ('wrong' in verdict) throw broken(kind, path, `has an invalid field: ${verdict.wrong}`);
  return verdict.value;
}

/** Returns content of an older version as the current version has it. */
export function migrated(content: JsonContent, version: number, kind: FileKind<unknown>): JsonContent {
  const newest = kind.migrations.slice(version - 1).reduce((older, step) => step(older), content);
  return { ...newest, version: versionOf(kind) };
}

function broken({ what, madeBy }: FileKind<unknown>, path: string, problem: string): CliError {
  return new CliError('usage', `the ${what} file ${path} ${problem}; it was not changed`, {
    code: 'CONFIG_BROKEN',
    hint: `fix it in an editor, or move it away and create it again with: ${madeBy}`,
  });
}

function parseVersioned(
  path: string,
  text: string,
  kind: FileKind<unknown>,
): JsonContent & { readonly version: number } {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw broken(kind, path, 'is not valid JSON');
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw broken(kind, path, 'is not a JSON object');
  const { version } = content as { version?: unknown };
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    throw broken(kind, path, 'has no valid version');
  if (version > versionOf(kind)) {
    throw new CliError('usage', `the ${kind.what} file ${path} was written by a newer version of fiatrail`, {
      code: 'CONFIG_NEWER',
      hint: 'update fiatrail, or set FIATRAIL_CONFIG_DIR to another folder',
    });
  }
  return { ...(content as JsonContent), version };
}

/**
 * Writes a configuration file atomically: conf writes the new file, `replaceFile` checks it and puts it in place. A copy of
 * a file of an older version is left beside it. Throws CliError usage; then the old file is unchanged.
 */
export async function writeVersioned(
  path: string,
  kind: FileKind<unknown>,
  content: JsonContent,
  unique: () => string,
): Promise<void> {
  const newest = { version: versionOf(kind), ...content };
  const { default: Conf } = await import('conf');
  fileErrors('written', path, () => {
    ensurePrivateFolder(dirname(path));
    backUpOlderVersion(path, kind, unique);
    replaceFile(path, textOf(newest), unique(), (temporary) => writeWith(Conf, temporary, newest));
  });
}

function backUpOlderVersion(path: string, kind: FileKind<unknown>, unique: () => string): void {
  const text = readPrivateFile(path);
  const version = text === undefined ? undefined : versionIn(path, text, kind);
  if (text !== undefined && version !== undefined && version < versionOf(kind))
    writePrivateFile(`${path}.v${version}`, text, unique());
}

/** Returns undefined for a broken file, which may be replaced. */
function versionIn(path: string, text: string, kind: FileKind<unknown>): number | undefined {
  try {
    return parseVersioned(path, text, kind).version;
  } catch {
    return undefined;
  }
}

const textOf = (content: JsonContent) => `${JSON.stringify(content, undefined, '\t')}\n`;

function writeWith(Conf: typeof import('conf').default, path: string, content: JsonContent): void {
  const file = new Conf<Record<string, unknown>>({
    cwd: dirname(path),
    configName: basename(path, '.tmp'),
    fileExtension: 'tmp',
    configFileMode: FILE_MODE,
    accessPropertiesByDotNotation: false,
    serialize: textOf,
  });
  file.store = content;
}
