import { Fault } from '../contract/faults.ts';
import type { Database } from '../sqlite/database.ts';
import { restoreSnapshot, SnapshotError, type SnapshotProblem, writeSnapshot } from '../sqlite/snapshot.ts';
import { SANDBOX_FILE_ID, SCHEMA_VERSION } from './schema/schema.ts';
import { changeSettings, readSettings } from './settings.ts';

const WHEN_WRITING: Readonly<Partial<Record<SnapshotProblem, string>>> = {
  exists: 'the file already exists',
  missing: 'the folder does not exist',
};
const WHEN_READING: Readonly<Partial<Record<SnapshotProblem, string>>> = {
  missing: 'the file does not exist',
  'not plain': 'it is not a regular file',
  foreign: 'it is not a sandbox state file of this version',
  newer: 'it was written by a newer version of fiatrail',
};

/** Runs work on a file. Throws VALIDATION_ERROR if there is a problem with the file. */
function onFile<T>(path: string, messages: typeof WHEN_READING, fallback: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    throw new Fault('VALIDATION_ERROR', `${path}: ${messages[error.problem] ?? fallback}`);
  }
}

/** Writes the whole state to a new file and returns its size in bytes. No transaction may be open. */
export function writeState(store: Database, path: string): number {
  return onFile(path, WHEN_WRITING, 'the file cannot be written', () => writeSnapshot(store, path));
}

/**
 * Replaces the current state with that of a file. API keys in use are kept so that configured clients keep working. No
 * transaction may be open.
 */
export function restoreState(store: Database, path: string): void {
  const { embeddedApiKey } = readSettings(store);
  const inUse = store.all<{ key: string; fintech: bigint }>(
    `SELECT key, fintech FROM api_key WHERE kind = 'sandbox' AND revoked_at IS NULL`,
  );
  const layout = { version: SCHEMA_VERSION, applicationId: SANDBOX_FILE_ID };
  const keepKeys = () => {
    changeSettings(store, { embeddedApiKey });
    for (const { key, fintech } of inUse) {
      store.run(
        `INSERT INTO api_key (key, kind, fintech, created_at) SELECT ?, 'sandbox', id, created_at FROM fintech WHERE id = ?
         ON CONFLICT (key) DO UPDATE SET revoked_at = NULL`,
        key,
        fintech,
      );
    }
  };
  onFile(path, WHEN_READING, 'the file cannot be read', () => restoreSnapshot(store, path, layout, keepKeys));
}
