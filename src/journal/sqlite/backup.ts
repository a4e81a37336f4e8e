import { CliError } from '../../base/errors.ts';
import type { Database } from '../../sqlite/database.ts';
import { SnapshotError, writeSnapshot } from '../../sqlite/snapshot.ts';

const WHY = { exists: 'the file already exists', missing: 'the folder does not exist' } as const;

/** Copies the journal to a new private file, also while other processes use it. Returns its bytes. Throws CliError usage. */
export function backUp(store: Database, path: string): number {
  try {
    return writeSnapshot(store, path);
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    const why = WHY[error.problem as keyof typeof WHY] ?? 'the file cannot be written';
    throw new CliError('usage', `${path}: ${why}`, {
      code: 'UNUSABLE_FILE',
      hint: 'backup needs a path that does not exist yet',
      cause: error,
    });
  }
}
