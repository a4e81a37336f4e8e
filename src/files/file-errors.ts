import { CliError } from '../base/errors.ts';

type Action = 'read' | 'written' | 'removed';

/** Runs `work` and turns a system error into CliError usage, which says what failed and what to do. */
export function fileErrors<T>(action: Action, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (error instanceof CliError || typeof code !== 'string' || !/^E[A-Z\d]+$/.test(code)) throw error;
    throw storeError(action, path, code, error);
  }
}

const DISK_FULL = ['ENOSPC', 'EDQUOT'];
const USE_OTHER_FOLDER = 'or set FIATRAIL_CONFIG_DIR to another folder';
const NOT_A_FOLDER = `a file is in the place of a folder: move it away, ${USE_OTHER_FOLDER}`;
const HINTS: Readonly<Record<string, string>> = {
  EROFS: `the disk is read-only: mount it for writing, ${USE_OTHER_FOLDER}`,
  ENOTDIR: NOT_A_FOLDER,
  EEXIST: NOT_A_FOLDER,
};

function storeError(action: Action, path: string, code: string, cause: unknown): CliError {
  if (DISK_FULL.includes(code))
    return new CliError('usage', `${path} cannot be ${action}: the disk is full`, {
      code: 'STORE_FULL',
      hint: 'free some space, then run the command again; the existing file was not changed',
      cause,
    });
  return new CliError('usage', `${path} cannot be ${action} (${code})`, {
    code: action === 'read' ? 'STORE_UNREADABLE' : 'STORE_UNWRITABLE',
    hint: HINTS[code] ?? `make sure that you own it and its folder and may write to them, ${USE_OTHER_FOLDER}`,
    cause,
  });
}
