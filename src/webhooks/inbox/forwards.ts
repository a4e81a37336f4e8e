import { eventOf } from '../../contract/events.ts';
import type { Database } from '../../sqlite/database.ts';
import { DatabaseError } from '../../sqlite/errors.ts';
import { type InboxEvent, listEvents } from './events.ts';
import type { Expected, HoldReason } from './states.ts';

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
  /** How long the target asks to wait before the next attempt. */
  readonly retryAfterMs?: number | undefined;
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
  /** When the oldest event that waits for a target arrived, in milliseconds since the epoch; undefined if none waits. */
  oldestMs(target: string): number | undefined;
  /** Makes dead events due again, and lets held ones go on. Returns how many of each. */
  redrive(chosen?: Redriven): { readonly redriven: number; readonly released: number };
}

/** What is sent again; without anything, every dead event. */
interface Redriven {
  /** Only for this target. */
  readonly target?: string | undefined;
  /** Only this event, which goes on whatever it is held for. */
  readonly event?: bigint | undefined;
  /** Also events that are held because they came late or early. */
  readonly isOffTime?: boolean | undefined;
}

/** Where new events go besides the inbox, and what the account says about them. */
export interface Forwarding extends Expected {
  readonly targets: readonly string[];
  /** The only events that are forwarded; every event if undefined. */
  readonly events?: readonly string[] | undefined;
  /** The only events of some targets; another target gets every one that is forwarded. */
  readonly routes?: Readonly<Record<string, readonly string[]>> | undefined;
}

const MINUTE_MS = 60_000;

/** How long after a failed attempt the next one follows; an event that fails after the last is dead. */
export const BACKOFF_MS: readonly number[] = [
  ...[1_000, 2_000, 5_000, 15_000, 30_000, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 10 * MINUTE_MS],
  ...[20, 30, 60, 120, 240, 480].map((minutes) => minutes * MINUTE_MS),
];

/** A target that asks for a longer wait gets the event then. */
const LONGEST_WAIT_MS = 24 * 60 * MINUTE_MS;

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
    oldestMs: (target) => {
      const sql = `SELECT received_at AS at FROM event WHERE id = (SELECT event FROM forward
        WHERE id = (SELECT min(id) FROM forward WHERE state = 'waiting' AND target = ?))`;
      const at = store.get<{ at: bigint }>(sql, target)?.at;
      return at === undefined ? undefined : Number(at);
    },
    redrive: (chosen = {}) => store.transaction('write', () => redrive(store, now(), chosen)),
  };
}

function redrive(store: Database, nowMs: number, { target, event, isOffTime = false }: Redriven) {
  const redriven = store.run(
    `UPDATE forward SET state = 'waiting', attempts = 0, due_at = ?1, set_at = ?1, ended_at = NULL
     WHERE state = 'dead' AND (?2 IS NULL OR target = ?2) AND (?3 IS NULL OR event = ?3)`,
    ...[nowMs, target ?? null, event ?? null],
  );
  // What was given up stands before what came after it.
  store.run(TAKE_TURNS);
  if (event === undefined && !isOffTime) return { redriven, released: 0 };
  const { targets, ...forwarding } = forwardingIn(store);
  const chosen = { ...forwarding, targets: targets.filter((each) => target === undefined || each === target) };
  return {
    redriven,
    released: release(store, nowMs, chosen, { event, reasons: isOffTime ? ['late', 'early'] : undefined }),
  };
}

/** The name that the interface has for an event. */
const nameOf = (event: string) => eventOf(event)?.name ?? event;

interface Going {
  readonly id: bigint;
  readonly event: string | null | undefined;
  readonly requestId: string | null | undefined;
}

/** Schedules an event for the targets that want it. Returns whether there is one. Call it in a transaction. */
export function goOn(
  store: Database,
  nowMs: number,
  { id, event, requestId }: Going,
  { targets, events, routes = {} }: Forwarding,
): boolean {
  const name = nameOf(event ?? '');
  if (events?.includes(name) === false) return false;
  const wanting = targets.filter((target) => routes[target]?.includes(name) ?? true);
  scheduleForwards(store, { event: id, requestId: requestId ?? undefined, targets: wanting, dueMs: nowMs });
  return wanting.length > 0;
}

/**
 * Lets held events go on, in the order of their arrival: all that are held for these reasons, or one event. What no target wants stays held.
 * Returns how many went on. Call it in a transaction.
 */
export function release(
  store: Database,
  nowMs: number,
  forwarding: Forwarding,
  { event, reasons }: { readonly event?: bigint | undefined; readonly reasons?: readonly HoldReason[] | undefined },
): number {
  const among = event === undefined ? '?1 IS NULL' : 'id = ?1';
  const sql = `SELECT id, event, request_id AS requestId FROM event WHERE held IS NOT NULL AND ${among}
    AND (?2 IS NULL OR held IN (SELECT value FROM json_each(?2))) ORDER BY received_at, id`;
  const held = store.all<Going & { requestId: string | null }>(
    sql,
    event ?? null,
    reasons ? JSON.stringify(reasons) : null,
  );
  const released = held.filter((each) => goOn(store, nowMs, each, forwarding));
  for (const { id } of released) store.run('UPDATE event SET held = NULL WHERE id = ?', id);
  return released.length;
}

/** Says where new events go from now on. What the account says about them stays until it is said again. */
export function setForwarding(
  store: Database,
  { targets, events, routes, fintechId, needsSealing }: Partial<Forwarding>,
): void {
  const before = forwardingIn(store);
  const next = {
    targets: targets ?? before.targets,
    events: targets ? events : before.events,
    routes: targets ? routes : before.routes,
    fintechId: fintechId ?? before.fintechId,
    needsSealing: needsSealing ?? before.needsSealing ?? false,
  };
  store.run(
    'INSERT OR REPLACE INTO forwarding (id, targets, events, routes, fintech_id, needs_sealing) VALUES (1, ?, ?, ?, ?, ?)',
    ...[JSON.stringify(next.targets), textOf(next.events), textOf(next.routes), next.fintechId ?? null],
    next.needsSealing ? 1 : 0,
  );
}

const textOf = (value: object | undefined) => (value ? JSON.stringify(value) : null);

export function forwardingIn(store: Database): Forwarding {
  const row = store.get<{
    readonly targets: string;
    readonly events: string | null;
    readonly routes: string | null;
    readonly fintech_id: string | null;
    readonly needs_sealing: bigint;
  }>('SELECT * FROM forwarding');
  if (!row) return { targets: [] };
  return {
    targets: JSON.parse(row.targets) as string[],
    events: row.events === null ? undefined : (JSON.parse(row.events) as string[]),
    routes: row.routes === null ? undefined : (JSON.parse(row.routes) as Record<string, string[]>),
    fintechId: row.fintech_id ?? undefined,
    needsSealing: row.needs_sealing === 1n,
  };
}

function recordEnd(
  store: Database,
  nowMs: number,
  { id, target, attempts: before, event }: DueForward,
  end: ForwardEnd,
): void {
  const attempts = before + 1;
  const backoffMs = BACKOFF_MS[attempts - 1];
  const delayMs = backoffMs && Math.max(backoffMs, Math.min(end.retryAfterMs ?? 0, LONGEST_WAIT_MS));
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

/** Schedules an event for targets. */
function scheduleForwards(
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
