import { CliError } from '../base/errors.ts';

type Done = 'read' | 'written' | 'removed';

/** Runs `work`; an error of the system becomes one that says what could not be done and what to do. Throws CliError usage. */
export function fileErrors<T>(done: Done, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (error instanceof CliError || typeof code !== 'string' || !/^E[A-Z\d]+$/.test(code)) throw error;
    throw storeError(done, path, code, error);
  }
}

const NO_ROOM = ['ENOSPC', 'EDQUOT'];
const ELSEWHERE = 'or set FIATRAIL_CONFIG_DIR to another folder';
const REMEDIES: Readonly<Record<string, string>> = {
  EROFS: `that disk is read-only: mount it for writing, ${ELSEWHERE}`,
  ENOTDIR: `a file stands where a folder is needed: move it away, ${ELSEWHERE}`,
  EEXIST: `a file stands where a folder is needed: move it away, ${ELSEWHERE}`,
};

function storeError(done: Done, path: string, code: string, cause: unknown): CliError {
  if (NO_ROOM.includes(code))
    return new CliError('usage', `there is no room on the disk for ${path}`, {
      code: 'STORE_FULL',
      hint: 'make room, then run the command again; what was kept before still is',
      cause,
    });
  return new CliError('usage', `${path} cannot be ${done} (${code})`, {
    code: done === 'read' ? 'STORE_UNREADABLE' : 'STORE_UNWRITABLE',
    hint: REMEDIES[code] ?? `make it and its folder yours (owner and permissions), ${ELSEWHERE}`,
    cause,
  });
}
