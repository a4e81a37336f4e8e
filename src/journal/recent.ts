import { openForReading } from '../sqlite/database.ts';

/** The parts of an operation that help a user to recognise its id. */
interface RecentOperation {
  readonly id: string;
  readonly requestId: string | null;
  /** `fiatrail onramp create` */
  readonly command: string;
  readonly summary: string;
}

const LIMIT = 100;

/**
 * Returns the latest operations of a profile in any state, newest first; with `start`, only those whose id of the given kind begins
 * with it. Returns an empty list if there is no journal yet.
 */
export async function recentOperations(
  path: string,
  profile: string,
  id: 'id' | 'request_id',
  start: string,
): Promise<readonly RecentOperation[]> {
  const store = await openForReading(path);
  if (!store) return [];
  try {
    const begins = start === '' ? '' : `AND ${id} >= ? AND ${id} < ?`;
    return store.all<{ id: string; requestId: string | null; command: string; summary: string }>(
      `SELECT id, request_id AS requestId, command, summary FROM operation WHERE profile = ? ${begins} ORDER BY id DESC LIMIT ?`,
      profile,
      ...(start === '' ? [] : [start, `${start}\u{10ffff}`]),
      LIMIT,
    );
  } finally {
    store.close();
  }
}
