/** What is wrong with a database file, from the point of view of the person who has to fix it. */
type DatabaseProblem =
  | 'full'
  | 'corrupt'
  | 'unwritable'
  | 'unread'
  | 'busy'
  | 'newer'
  | 'older'
  | 'gone'
  | 'changed'
  | 'other';

export class DatabaseError extends Error {
  override name = 'DatabaseError';
  readonly problem: DatabaseProblem;
  readonly path: string;

  constructor(problem: DatabaseProblem, path: string, cause: unknown) {
    super(`${problem}: ${path}`, { cause });
    this.problem = problem;
    this.path = path;
  }
}

// SQLite's primary result codes (https://sqlite.org/rescode.html).
const PROBLEMS: Readonly<Record<number, DatabaseProblem>> = {
  3: 'unwritable',
  5: 'busy',
  6: 'busy',
  8: 'unwritable',
  10: 'unwritable',
  11: 'corrupt',
  13: 'full',
  14: 'unwritable',
  26: 'corrupt',
};

/** SQLITE_IOERR_SHMSIZE: the index of the write-ahead log cannot grow. Opening a file on a full disk fails this way. */
const SHM_SIZE_ERROR = 4874;

const UNWRITABLE = new Set(['EACCES', 'EROFS', 'EPERM', 'EISDIR', 'ENOTDIR', 'ENOENT', 'EEXIST']);

function problemOf(error: unknown): DatabaseProblem | undefined {
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  if (errcode === SHM_SIZE_ERROR) return 'full';
  if (typeof errcode === 'number') return PROBLEMS[errcode & 0xff];
  if (code === 'ENOSPC') return 'full';
  return typeof code === 'string' && UNWRITABLE.has(code) ? 'unwritable' : undefined;
}

/** Returns a function that runs work on a file and converts errors of SQLite and the system to DatabaseError. */
export function guardOf(path: string): <T>(work: () => T) => T {
  return (work) => {
    try {
      return work();
    } catch (error) {
      const problem = error instanceof DatabaseError ? undefined : problemOf(error);
      throw problem ? new DatabaseError(problem, path, error) : error;
    }
  };
}
