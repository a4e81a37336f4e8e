import { Fault } from '../contract/faults.ts';
import { STATE_FILE_ID } from '../contract/sandbox.ts';
import { MAX_STATE_BYTES, packState, UnpackError, unpackState } from '../contract/state-content.ts';
import type { Database } from '../sqlite/database.ts';
import { restorePieces, SnapshotError, type SnapshotProblem, snapshotBytes } from '../sqlite/snapshot.ts';
import { MACHINES } from './machines.ts';
import { schemaVersion } from './schema/schema.ts';
import { changeSettings, readSettings } from './settings.ts';

const FOREIGN = 'it is not a sandbox state file of this version';

const PROBLEMS: Readonly<Partial<Record<SnapshotProblem, string>>> = {
  foreign: FOREIGN,
  newer: 'it was written by a newer version of fiatrail',
};

/**
 * Returns the whole state as a file for the wire, and the file's size in bytes. No transaction may be open. `unique` names the temporary copy. Throws
 * VALIDATION_ERROR if the state is too large.
 */
export function stateContent(
  store: Database,
  unique: string,
  maxBytes = MAX_STATE_BYTES,
): { bytes: number; content: string } {
  const bytes = snapshotBytes(store, unique, maxBytes);
  if (!bytes) throw new Fault('VALIDATION_ERROR', `the state is larger than ${maxBytes} bytes; copy its file instead`);
  return { bytes: bytes.length, content: packState(bytes) };
}

/**
 * Replaces the current state with that of a file. API keys in use are kept so that configured clients keep working. No
 * transaction may be open. Throws VALIDATION_ERROR if it is not a state file, and then changes nothing.
 */
export async function restoreState(store: Database, content: string, unique: string): Promise<void> {
  const layout = { version: schemaVersion(MACHINES), applicationId: STATE_FILE_ID };
  try {
    await restorePieces(store, unpackState(content), unique, layout, () => keysOf(store));
  } catch (error) {
    const isPacked = !(error instanceof UnpackError);
    const problem = isPacked ? error instanceof SnapshotError && PROBLEMS[error.problem] : FOREIGN;
    throw problem ? new Fault('VALIDATION_ERROR', `content: ${problem}`) : error;
  }
}

/** Returns what writes the API keys that are in use now into the state that replaces this one. */
function keysOf(store: Database): () => void {
  const { embeddedApiKey } = readSettings(store);
  const inUse = store.all<{ key: string; fintech: bigint }>(
    `SELECT key, fintech FROM api_key WHERE kind = 'sandbox' AND revoked_at IS NULL`,
  );
  return () => {
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
}
