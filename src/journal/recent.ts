import { openForReading } from '../sqlite/database.ts';

/** As much of an operation as helps a person to pick its id. */
interface RecentOperation {
  readonly id: string;
  readonly requestId: string | null;
  /** `fiatrail onramp start` */
  readonly command: string;
  readonly summary: string;
}

const MOST = 100;

/** The latest operations of a profile, whatever became of them, newest first; none where there is no journal yet. */
export async function recentOperations(path: string, profile: string): Promise<readonly RecentOperation[]> {
  const store = await openForReading(path);
  if (!store) return [];
  try {
    return store.all<{ id: string; requestId: string | null; command: string; summary: string }>(
      'SELECT id, request_id AS requestId, command, summary FROM operation WHERE profile = ? ORDER BY id DESC LIMIT ?',
      profile,
      MOST,
    );
  } finally {
    store.close();
  }
}
