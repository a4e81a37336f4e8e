import type { Recording } from './entries.ts';
import { resultIn, type SearchState } from './in-doubt.ts';
import type { Operation } from './operations.ts';
import { tryMove } from './transitions.ts';

/** Appends that a request is sent again. Returns false if it was before, or its outcome is known. */
export async function claimRepeat(recording: Recording, id: string): Promise<boolean> {
  const found = await inDoubtWith(recording, id);
  if (found?.searchState.repeatedAtMs !== undefined) return false;
  // What it does may only be in the list later, so what was not there before proves nothing any more.
  const searchState: SearchState = { repeatedAtMs: recording.queries.now() };
  const detail = 'sent again under its idempotency key';
  return found !== undefined && tryMove(recording, id, 'unknown', { detail, result: JSON.stringify(searchState) });
}

/** Appends what a search found. What was noted before stays: another process may have searched at the same time. */
export async function noteSearch(recording: Recording, id: string, noted: SearchState): Promise<void> {
  const found = await inDoubtWith(recording, id);
  if (!found || Object.keys(noted).every((name) => name in found.searchState)) return;
  const result = JSON.stringify({ ...noted, ...found.searchState } satisfies SearchState);
  await tryMove(recording, id, 'unknown', { detail: found.detail ?? undefined, result });
}

/** Returns what was done to find an unknown outcome so far; undefined if the outcome is known. */
async function inDoubtWith({ queries }: Recording, id: string) {
  const row = await queries.get<Pick<Operation, 'state' | 'detail' | 'result'>>(
    'SELECT state, detail, result FROM operation WHERE id = ?',
    id,
  );
  return row?.state === 'unknown' ? { detail: row.detail, searchState: resultIn(row.result).searchState } : undefined;
}
