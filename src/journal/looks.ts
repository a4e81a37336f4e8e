import { type Looks, resultIn } from './doubt.ts';
import type { Recording } from './entries.ts';
import type { Operation } from './operations.ts';
import { tryMove } from './transitions.ts';

/** Appends that a request is sent again. Returns false if it was before, or its outcome is known. */
export async function claimRepeat(recording: Recording, id: string): Promise<boolean> {
  const doubt = await doubtIn(recording, id);
  if (doubt?.looks.repeatedAtMs !== undefined) return false;
  // What it does may only be in the list later, so what was not there before proves nothing any more.
  const looks: Looks = { repeatedAtMs: recording.queries.now() };
  const detail = 'sent again under its idempotency key';
  return doubt !== undefined && tryMove(recording, id, 'unknown', { detail, result: JSON.stringify(looks) });
}

/** Appends what a look found. What was noted before stays: another process may have looked at the same time. */
export async function noteLook(recording: Recording, id: string, look: Looks): Promise<void> {
  const doubt = await doubtIn(recording, id);
  if (!doubt || Object.keys(look).every((name) => name in doubt.looks)) return;
  const result = JSON.stringify({ ...look, ...doubt.looks } satisfies Looks);
  await tryMove(recording, id, 'unknown', { detail: doubt.detail ?? undefined, result });
}

/** Returns what was done to end a doubt so far; undefined if there is none. */
async function doubtIn({ queries }: Recording, id: string) {
  const row = await queries.get<Pick<Operation, 'state' | 'detail' | 'result'>>(
    'SELECT state, detail, result FROM operation WHERE id = ?',
    id,
  );
  return row?.state === 'unknown' ? { detail: row.detail, looks: resultIn(row.result).looks } : undefined;
}
