import type { Database } from '../../sqlite/database.ts';
import { type KeptEvent, listKept } from './kept.ts';

/** An event that is due at a target. */
export interface DueForward {
  readonly id: bigint;
  readonly target: string;
  readonly attempts: number;
  readonly event: KeptEvent;
}

/** How an attempt to forward ended: with an HTTP status, or with a problem; a command that succeeded has neither. */
export interface ForwardEnd {
  readonly status?: number | undefined;
  readonly problem?: string | undefined;
}

/** Whether the target acknowledged the event: a URL with 2xx, a command with exit code 0. */
export const isTaken = ({ status = 200, problem }: ForwardEnd): boolean =>
  problem === undefined && status >= 200 && status <= 299;

type Attempted = Pick<DueForward, 'id' | 'attempts'>;

/** The events that wait to be forwarded. */
export interface Forwards {
  /** Returns what is due at a target, in the order of each request. */
  due(target: string, limit: number): DueForward[];
  /** Records an attempt: if it was taken, the event is acknowledged for good; otherwise it is due again later, or dead after the last attempt. */
  ended(forward: Attempted, end: ForwardEnd): void;
  /** Records several attempts in one transaction. */
  allEnded(attempts: readonly (readonly [forward: Attempted, end: ForwardEnd])[]): void;
  /** Schedules an event for a target, also one that acknowledged it before. */
  schedule(event: KeptEvent, target: string): void;
  /** Makes dead events due again. Returns how many. */
  redrive(target?: string): number;
}

const MINUTE_MS = 60_000;

/** How long after a failed attempt the next one follows; an event that fails after the last is dead. */
export const BACKOFF_MS: readonly number[] = [
  ...[1_000, 2_000, 5_000, 15_000, 30_000, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 10 * MINUTE_MS],
  ...[20, 30, 60, 120, 240, 480].map((minutes) => minutes * MINUTE_MS),
];

interface DueRow {
  readonly id: bigint;
  readonly target: string;
  readonly attempts: bigint;
  readonly event: bigint;
}

/** Due is what its time has come for, and what was put off at a time that this machine's clock has not reached: it was set back. */
const DUE = `SELECT id, target, attempts, event FROM forward f WHERE state = 'waiting' AND target = ?1 AND (due_at <= ?2 OR set_at > ?2)
  AND (request_id IS NULL OR NOT EXISTS (SELECT 1 FROM forward e WHERE e.state = 'waiting' AND e.target = f.target
    AND e.request_id = f.request_id AND e.id < f.id))
  ORDER BY id LIMIT ?3`;

export function forwardsIn(store: Database, now: () => number): Forwards {
  const eventOf = (id: bigint) => listKept(store, { before: id + 1n, limit: 1 })[0];
  return {
    due: (target, limit) =>
      store.all<DueRow>(DUE, target, now(), limit).flatMap((row) => {
        const event = eventOf(row.event);
        return event ? [{ id: row.id, target: row.target, attempts: Number(row.attempts), event }] : [];
      }),
    ended: (forward, end) => store.transaction('write', () => recordEnd(store, now(), forward, end)),
    allEnded: (attempts) =>
      store.transaction('write', () => {
        for (const [forward, end] of attempts) recordEnd(store, now(), forward, end);
      }),
    schedule: (event, target) =>
      store.transaction('write', () => {
        const requestId = event.requestId ?? undefined;
        scheduleForwards(store, { event: event.id, requestId, targets: [target], dueMs: now() });
      }),
    redrive: (target) =>
      store.transaction('write', () => {
        const sql = `UPDATE forward SET state = 'waiting', attempts = 0, due_at = ?1, set_at = ?1, ended_at = NULL WHERE state = 'dead'`;
        return target === undefined ? store.run(sql, now()) : store.run(`${sql} AND target = ?2`, now(), target);
      }),
  };
}

function recordEnd(store: Database, nowMs: number, { id, attempts: before }: Attempted, end: ForwardEnd): void {
  const attempts = before + 1;
  const delayMs = BACKOFF_MS[attempts - 1];
  const state = isTaken(end) ? 'acknowledged' : delayMs === undefined ? 'dead' : 'waiting';
  store.run(
    `UPDATE forward SET state = ?, attempts = ?, status = ?, problem = ?, due_at = ?, set_at = ?, ended_at = ?
     WHERE id = ? AND state = 'waiting'`,
    ...[state, attempts, end.status ?? null, end.problem ?? null, nowMs + (delayMs ?? 0)],
    ...[nowMs, state === 'waiting' ? null : nowMs, id],
  );
}

/** Schedules an event for targets. Call it in a transaction. */
export function scheduleForwards(
  store: Database,
  {
    event,
    requestId,
    targets,
    dueMs,
  }: {
    readonly event: bigint;
    readonly requestId: string | undefined;
    readonly targets: readonly string[];
    readonly dueMs: number;
  },
): void {
  for (const target of targets)
    store.run(
      `INSERT INTO forward (event, target, request_id, state, due_at, set_at) VALUES (?1, ?2, ?3, 'waiting', ?4, ?4)
       ON CONFLICT DO UPDATE SET state = 'waiting', attempts = 0, due_at = ?4, set_at = ?4, ended_at = NULL`,
      ...[event, target, requestId ?? null, dueMs],
    );
}
