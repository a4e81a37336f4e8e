import type { Database } from '../../sqlite/database.ts';
import { DatabaseError } from '../../sqlite/errors.ts';
import { type InboxEvent, listEvents } from './events.ts';

/** An event that is due at a target. */
export interface DueForward {
  readonly id: bigint;
  readonly target: string;
  readonly attempts: number;
  readonly event: InboxEvent;
}

/** How an attempt to forward ended: with an HTTP status, or with a problem; a command that succeeded has neither. */
export interface ForwardEnd {
  readonly status?: number | undefined;
  readonly problem?: string | undefined;
}

/** Whether the target acknowledged the event: a URL with 2xx, a command with exit code 0. */
export const isTaken = ({ status = 200, problem }: ForwardEnd): boolean =>
  problem === undefined && status >= 200 && status <= 299;

/** The events that wait to be forwarded. */
export interface Forwards {
  /** Returns what is due at a target, in the order of each request. */
  due(target: string, limit: number): DueForward[];
  /**
   * Records attempts in one transaction: what was taken is acknowledged for good; anything else is due again later, or dead after
   * the last attempt. The next event of the request follows what was acknowledged or is dead.
   */
  ended(attempts: readonly (readonly [forward: DueForward, end: ForwardEnd])[]): void;
  /** Makes dead events due again. Returns how many. */
  redrive(target?: string): number;
}

const MINUTE_MS = 60_000;

/** How long after a failed attempt the next one follows; an event that fails after the last is dead. */
export const BACKOFF_MS: readonly number[] = [
  ...[1_000, 2_000, 5_000, 15_000, 30_000, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 10 * MINUTE_MS],
  ...[20, 30, 60, 120, 240, 480].map((minutes) => minutes * MINUTE_MS),
];

interface DueForwardRow {
  readonly id: bigint;
  readonly target: string;
  readonly attempts: bigint;
  readonly event: bigint;
}

/**
 * Due is what is in turn and whose time has come, or was set when this machine's clock was ahead: it was set back since. Nothing
 * but what is in turn is read, however much waits behind it.
 */
const DUE = `SELECT id, target, attempts, event FROM forward
  WHERE state = 'waiting' AND is_in_turn = 1 AND target = ?1 AND (due_at <= ?2 OR set_at > ?2) ORDER BY id LIMIT ?3`;

/** Gives the turn of each request to the first of its events that wait; an event without a request is always in turn. */
const TAKE_TURNS = `UPDATE forward AS f SET is_in_turn = request_id IS NULL OR id = (SELECT min(id) FROM forward
    WHERE state = 'waiting' AND target = f.target AND request_id = f.request_id)
  WHERE state = 'waiting'`;

export function forwardsIn(store: Database, now: () => number): Forwards {
  const eventOf = (id: bigint) => listEvents(store, { before: id + 1n, limit: 1 })[0];
  return {
    due: (target, limit) =>
      store.all<DueForwardRow>(DUE, target, now(), limit).flatMap((row) => {
        const event = eventOf(row.event);
        return event ? [{ id: row.id, target: row.target, attempts: Number(row.attempts), event }] : [];
      }),
    ended: (attempts) =>
      store.transaction('write', () => {
        for (const [forward, end] of attempts) recordEnd(store, now(), forward, end);
      }),
    redrive: (target) =>
      store.transaction('write', () => {
        const sql = `UPDATE forward SET state = 'waiting', attempts = 0, due_at = ?1, set_at = ?1, ended_at = NULL WHERE state = 'dead'`;
        const count = target === undefined ? store.run(sql, now()) : store.run(`${sql} AND target = ?2`, now(), target);
        // What was given up stands before what came after it.
        store.run(TAKE_TURNS);
        return count;
      }),
  };
}

function recordEnd(
  store: Database,
  nowMs: number,
  { id, target, attempts: before, event }: DueForward,
  end: ForwardEnd,
): void {
  const attempts = before + 1;
  const delayMs = BACKOFF_MS[attempts - 1];
  const state = isTaken(end) ? 'acknowledged' : delayMs === undefined ? 'dead' : 'waiting';
  const changed = store.run(
    `UPDATE forward SET state = ?, attempts = ?, status = ?, problem = ?, due_at = ?, set_at = ?, ended_at = ?
     WHERE id = ? AND state = 'waiting'`,
    ...[state, attempts, end.status ?? null, end.problem ?? null, nowMs + (delayMs ?? 0)],
    ...[nowMs, state === 'waiting' ? null : nowMs, id],
  );
  if (changed > 0 && state !== 'waiting' && event.requestId !== null) takeTurn(store, target, event.requestId);
}

function takeTurn(store: Database, target: string, requestId: string): void {
  store.run(
    `UPDATE forward SET is_in_turn = 1
     WHERE id = (SELECT min(id) FROM forward WHERE state = 'waiting' AND target = ? AND request_id = ?)`,
    ...[target, requestId],
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
  for (const target of targets) {
    store.run(
      `INSERT INTO forward (event, target, request_id, state, due_at, set_at, is_in_turn) VALUES (?1, ?2, ?3, 'waiting', ?4, ?4, ?3 IS NULL)`,
      ...[event, target, requestId ?? null, dueMs],
    );
    if (requestId !== undefined) takeTurn(store, target, requestId);
  }
}

const TRANSIENT: readonly string[] = ['full', 'busy', 'unwritable'];

/** Returns why an inbox cannot be written for a while, such as a full disk. Throws any other error again. */
export function transientProblemOf(error: unknown): string {
  if (error instanceof DatabaseError && TRANSIENT.includes(error.problem)) return error.problem;
  throw error;
}
