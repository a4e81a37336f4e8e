import { openForReading } from '../sqlite/database.ts';
import { subjects } from './entries.ts';

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

/** The parts of a plan that help a user to recognise its id. */
interface RecentPlan {
  readonly id: string;
  readonly summary: string;
}

/** Returns the latest plans of a service whose id begins so, newest first. Empty if there is no journal yet. */
export async function recentPlans(path: string, baseUrl: string, start: string): Promise<readonly RecentPlan[]> {
  const store = await openForReading(path);
  if (!store) return [];
  try {
    const rows = store.all<{ subject: string; value: string }>(
      `SELECT subject, value FROM entry WHERE subject >= ? AND subject < ? AND json_extract(value, '$.fiatrail') = 'plan'
       ORDER BY sequence DESC LIMIT ?`,
      subjects.plan(start),
      `${subjects.plan(start)}\u{10ffff}`,
      LIMIT,
    );
    return rows.flatMap(({ subject, value }) => {
      const { plan } = JSON.parse(value) as { plan: { summary: string; account: { baseUrl: string } } };
      const id = subject.slice(subjects.plan('').length);
      return plan.account.baseUrl === baseUrl ? [{ id, summary: plan.summary }] : [];
    });
  } finally {
    store.close();
  }
}
