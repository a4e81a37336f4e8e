import { CliError } from '../base/errors.ts';
import { entryAt, fileErrors } from './inspect.ts';
import { BytesFileError, createPrivateBytes } from './plain-file.ts';
import { replaceFile } from './private-file.ts';

/** A page that `--html` writes: where, and whether a file there may be replaced. */
export interface PageFile {
  readonly path: string;
  readonly isReplaced: boolean;
}

/**
 * Returns where `--html` writes a page; undefined without one. Throws CliError usage, before anything is read, if something is there that it must
 * not replace. `file` is an absolute path.
 */
export function pageFileAt(file: string | undefined, isReplaced: boolean, example: string): PageFile | undefined {
  if (file === undefined) {
    if (isReplaced) throw new CliError('usage', '--replace needs --html <file>', { hint: `add --html ${example}` });
    return undefined;
  }
  const entry = fileErrors('read', file, () => entryAt(file));
  if (entry && (entry.kind !== 'file' || !isReplaced)) throw existsError(file, entry.kind);
  return { path: file, isReplaced };
}

function existsError(path: string, kind: string): CliError {
  const isFile = kind === 'file';
  const what = isFile ? 'already exists' : kind === 'folder' ? 'is a folder' : 'is not a plain file';
  return new CliError('usage', `--html: ${path} ${what}; nothing was written`, {
    code: 'UNUSABLE_FILE',
    hint: isFile ? 'give another file, or add --replace' : 'give the path of a file',
  });
}

/** Writes a page that only its owner can read. A file that appeared meanwhile stays unless it may be replaced. Throws CliError usage. */
export function writePage({ path, isReplaced }: PageFile, page: string, unique: string): void {
  try {
    if (isReplaced) replaceFile(path, page, unique);
    else createPrivateBytes(path, new TextEncoder().encode(page));
  } catch (error) {
    const isOfSystem = typeof (error as { code?: unknown }).code === 'string' && !(error instanceof CliError);
    if (!(error instanceof BytesFileError) && !isOfSystem) throw error;
    if (error instanceof BytesFileError && error.problem === 'exists') throw existsError(path, 'file');
    throw new CliError('usage', `--html: ${path} cannot be created`, {
      code: 'UNUSABLE_FILE',
      hint: 'give a file in a folder that exists and that you may write to',
      cause: error,
    });
  }
}
