import type { Recording } from './entries.ts';
import { type Looks, resultIn } from './in-doubt.ts';
import type { Operation } from './operations.ts';
import { tryMove } from './transitions.ts';

/** Appends that a request is sent again. Returns false if it was before, or its outcome is known. */
export async function claimRepeat(recording: Recording, id: string): Promise<boolean> {
  const found = await inDoubtWith(recording, id);
  if (found?.looks.repeatedAtMs !== undefined) return false;
  // What it does may only be in the list later, so what was not there before proves nothing any more.
  const looks: Looks = { repeatedAtMs: recording.queries.now() };
  const detail = 'sent again under its idempotency key';
  return found !== undefined && tryMove(recording, id, 'unknown', { detail, result: JSON.stringify(looks) });
}

/** Appends what a look found. What was noted before stays: another process may have looked at the same time. */
export async function noteLook(recording: Recording, id: string, look: Looks): Promise<void> {
  const found = await inDoubtWith(recording, id);
  if (!found || Object.keys(look).every((name) => name in found.looks)) return;
  const result = JSON.stringify({ ...look, ...found.looks } satisfies Looks);
  await tryMove(recording, id, 'unknown', { detail: found.detail ?? undefined, result });
}

/** Returns what was done to find an unknown outcome so far; undefined if the outcome is known. */
async function inDoubtWith({ queries }: Recording, id: string) {
  const row = await queries.get<Pick<Operation, 'state' | 'detail' | 'result'>>(
    'SELECT state, detail, result FROM operation WHERE id = ?',
    id,
  );
  return row?.state === 'unknown' ? { detail: row.detail, looks: resultIn(row.result).looks } : undefined;
}
