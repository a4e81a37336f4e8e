import { eventOf } from '../../contract/events.ts';
import { ServerError, type ServerProblem } from '../../journal/postgres/errors.ts';
import { DatabaseError } from '../../sqlite/errors.ts';
import { insertion, type RowOf, replacing } from '../../store/table.ts';
import { eventsNumbered, type InboxEvent } from './events.ts';
import type { Expected, QuarantineReason } from './states.ts';
import type { InboxStore, Queries, Work } from './store.ts';
import { FORWARD, FORWARDING, type ForwardRow } from './tables.ts';

/** An event that is due at a target. */
export interface DueForward {
  readonly id: bigint;
  readonly target: string;
  readonly attempts: number;
  readonly event: InboxEvent;
  /** Whether this process surely has it still. Asked right before its first byte leaves: a process that was suspended sends nothing. */
  isOurs(): boolean;
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
  due(target: string, limit: number): Promise<DueForward[]>;
  /**
   * Records attempts in one transaction: what was taken is acknowledged for good; anything else is due again later, or dead after
   * the last attempt. The next event of the request follows what was acknowledged or is dead.
   */
  ended(attempts: readonly (readonly [forward: DueForward, end: ForwardEnd])[]): Promise<void>;
  /** When the oldest event that waits for a target arrived, in milliseconds since the epoch; undefined if none waits. */
  oldestMs(target: string): Promise<number | undefined>;
  /** Makes dead events due again, and lets quarantined ones go on. Returns how many of each. */
  redrive(chosen?: Redriven): Promise<{ readonly redriven: number; readonly released: number }>;
}

/** What is sent again; without anything, every dead event. */
interface Redriven {
  /** Only for this target. */
  readonly target?: string | undefined;
  /** Only this event, which goes on whatever it is quarantined for. */
  readonly event?: bigint | undefined;
  /** Also events that are quarantined because they came late or early. */
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
  1_000,
  2_000,
  5_000,
  15_000,
  30_000,
  MINUTE_MS,
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  10 * MINUTE_MS,
  ...[20, 30, 60, 120, 240, 480].map((minutes) => minutes * MINUTE_MS),
];

/** A target that asks for a longer wait gets the event then. */
const LONGEST_WAIT_MS = 24 * 60 * MINUTE_MS;

export type DueForwardRow = Pick<ForwardRow, 'id' | 'target' | 'attempts' | 'event'>;

/**
 * Due is what is in turn and whose time has come, or was set when this machine's clock was ahead: it was set back since. Nothing
 * but what is in turn is read, however much waits behind it.
 */
export const dueSql = (columns = '', where = '') => `SELECT id, target, attempts, event${columns} FROM forward
  WHERE state = 'waiting' AND is_in_turn = 1 AND target = ?1 AND (due_at <= ?2 OR set_at > ?2)${where} ORDER BY id LIMIT ?3`;

/** Gives the turn of each request to the first of its events that wait; an event without a request is always in turn. */
const TAKE_TURNS = `UPDATE forward AS f SET is_in_turn = CASE WHEN request_id IS NULL OR id = (SELECT min(id) FROM forward
    WHERE state = 'waiting' AND target = f.target AND request_id = f.request_id) THEN 1 ELSE 0 END
  WHERE state = 'waiting'`;

/** What is due for a process, and whether it has that still; how is a matter of the store. */
export interface Claims {
  due(target: string, limit: number): Promise<readonly DueForwardRow[]>;
  /** Returns a function that says whether this process surely has what it claims now. */
  claimed(): () => boolean;
}

export function forwardsIn(store: InboxStore, claims: Claims): Forwards {
  return {
    due: async (target, limit) => {
      const isOurs = claims.claimed();
      const rows = await claims.due(target, limit);
      if (rows.length === 0) return [];
      const numbers = rows.map(({ event }) => event);
      const events = await store.read((queries) => eventsNumbered(queries, numbers));
      const byNumber = new Map(events.map((event) => [event.id, event]));
      return rows.flatMap((row) => {
        const event = byNumber.get(row.event);
        return event ? [{ id: row.id, target: row.target, attempts: Number(row.attempts), event, isOurs }] : [];
      });
    },
    ended: (attempts) =>
      store.write(function* (queries) {
        for (const [forward, end] of attempts) yield* recordEnd(queries, forward, end);
      }),
    oldestMs: (target) =>
      store.read(function* (queries) {
        const sql = `SELECT received_at AS at FROM event WHERE id = (SELECT event FROM forward
          WHERE id = (SELECT min(id) FROM forward WHERE state = 'waiting' AND target = ?))`;
        const at = (yield* queries.get<{ at: bigint }>(sql, target))?.at;
        return at === undefined ? undefined : Number(at);
      }),
    redrive: (chosen = {}) => store.write((queries) => redrive(queries, chosen)),
  };
}

function* redrive(queries: Queries, { target, event, isOffTime = false }: Redriven) {
  const redriven = yield* queries.run(
    `UPDATE forward SET state = 'waiting', attempts = 0, due_at = ?1, set_at = ?1, ended_at = NULL
     WHERE state = 'dead' AND (target = ?2 OR ?2 = '') AND (event = ?3 OR ?3 = 0)`,
    queries.now(),
    target ?? '',
    event ?? 0,
  );
  // What was given up stands before what came after it.
  yield* queries.run(TAKE_TURNS);
  if (event === undefined && !isOffTime) return { redriven, released: 0 };
  const { targets, ...forwarding } = yield* forwardingIn(queries);
  const chosen = { ...forwarding, targets: targets.filter((each) => target === undefined || each === target) };
  const reasons = isOffTime ? (['late', 'early'] as const) : undefined;
  return { redriven, released: yield* release(queries, chosen, { event, reasons }) };
}

/** The name that the interface has for an event. */
const nameOf = (event: string) => eventOf(event)?.name ?? event;

interface Going {
  readonly id: bigint;
  readonly event: string | null | undefined;
  readonly requestId: string | null | undefined;
}

/** The targets that want an event. */
export function targetsFor(
  event: string | null | undefined,
  { targets, events, routes = {} }: Forwarding,
): readonly string[] {
  const name = nameOf(event ?? '');
  if (events?.includes(name) === false) return [];
  return targets.filter((target) => routes[target]?.includes(name) ?? true);
}

/** Schedules an event for the targets that want it. Returns whether there is one. Call it in a transaction. */
export function* goOn(queries: Queries, { id, event, requestId }: Going, forwarding: Forwarding): Work<boolean> {
  const wanting = targetsFor(event, forwarding);
  for (const target of wanting) {
    const now = queries.now();
    const turn = requestId == null ? 1 : 0;
    const row = {
      event: id,
      target,
      request_id: requestId,
      state: 'waiting',
      due_at: now,
      set_at: now,
      is_in_turn: turn,
    } as const;
    yield* queries.run(...insertion(FORWARD, [row]));
    if (requestId != null) yield* takeTurn(queries, target, requestId);
  }
  return wanting.length > 0;
}

/**
 * Lets quarantined events go on, in the order of their arrival: all that are quarantined for these reasons, or one event. What no target wants stays quarantined.
 * Returns how many went on. Call it in a transaction.
 */
export function* release(
  queries: Queries,
  forwarding: Forwarding,
  {
    event,
    reasons,
  }: { readonly event?: bigint | undefined; readonly reasons?: readonly QuarantineReason[] | undefined },
): Work<number> {
  const sql = `SELECT id, event, request_id AS "requestId" FROM event WHERE quarantined IS NOT NULL
    ${event === undefined ? '' : `AND id = ${event}`}
    ${reasons ? `AND quarantined IN (${reasons.map((reason) => `'${reason}'`).join(', ')})` : ''} ORDER BY received_at, id`;
  const quarantined = yield* queries.all<Going & { requestId: string | null }>(sql);
  let released = 0;
  for (const each of quarantined) {
    if (!(yield* goOn(queries, each, forwarding))) continue;
    yield* queries.run('UPDATE event SET quarantined = NULL WHERE id = ?', each.id);
    released += 1;
  }
  return released;
}

/** Says where new events go from now on. What the account says about them stays until it is said again. */
export function* setForwarding(
  queries: Queries,
  { targets, events, routes, fintechId, needsEncryption }: Partial<Forwarding>,
): Work<void> {
  const before = yield* forwardingIn(queries);
  const row = {
    id: 1,
    targets: JSON.stringify(targets ?? before.targets),
    events: textOf(targets ? events : before.events),
    routes: textOf(targets ? routes : before.routes),
    fintech_id: fintechId ?? before.fintechId ?? null,
    needs_encryption: (needsEncryption ?? before.needsEncryption) ? 1 : 0,
  };
  const changed = ['targets', 'events', 'routes', 'fintech_id', 'needs_encryption'] as const;
  yield* queries.run(...insertion(FORWARDING, [row], replacing(FORWARDING, changed)));
}

const textOf = (value: object | undefined) => (value ? JSON.stringify(value) : null);

export function* forwardingIn(queries: Queries): Work<Forwarding> {
  const row = yield* queries.get<RowOf<typeof FORWARDING>>('SELECT * FROM forwarding');
  if (!row) return { targets: [] };
  return {
    targets: JSON.parse(row.targets) as string[],
    events: row.events === null ? undefined : (JSON.parse(row.events) as string[]),
    routes: row.routes === null ? undefined : (JSON.parse(row.routes) as Record<string, string[]>),
    fintechId: row.fintech_id ?? undefined,
    needsEncryption: row.needs_encryption === 1n,
  };
}

function* recordEnd(
  queries: Queries,
  { id, target, attempts: before, event }: DueForward,
  end: ForwardEnd,
): Work<void> {
  const nowMs = queries.now();
  const attempts = before + 1;
  const backoffMs = BACKOFF_MS[attempts - 1];
  const delayMs = backoffMs && Math.max(backoffMs, Math.min(end.retryAfterMs ?? 0, LONGEST_WAIT_MS));
  const state = isTaken(end) ? 'acknowledged' : delayMs === undefined ? 'dead' : 'waiting';
  const changed = yield* queries.run(
    `UPDATE forward SET state = ?, attempts = ?, status = ?, problem = ?, due_at = ?, set_at = ?, ended_at = ?
     WHERE id = ? AND state = 'waiting'`,
    state,
    attempts,
    end.status ?? null,
    end.problem ?? null,
    nowMs + (delayMs ?? 0),
    nowMs,
    state === 'waiting' ? null : nowMs,
    id,
  );
  if (changed > 0 && state !== 'waiting' && event.requestId !== null) yield* takeTurn(queries, target, event.requestId);
}

function* takeTurn(queries: Queries, target: string, requestId: string): Work<void> {
  yield* queries.run(
    `UPDATE forward SET is_in_turn = 1
     WHERE id = (SELECT min(id) FROM forward WHERE state = 'waiting' AND target = ? AND request_id = ?)`,
    target,
    requestId,
  );
}

const TRANSIENT: readonly string[] = ['full', 'busy', 'unwritable'];
const TRANSIENT_ON_SERVER: readonly ServerProblem[] = ['unreachable', 'lost', 'full', 'busy', 'replica'];

/** Returns why an inbox cannot be written for a while, such as a full disk. Throws any other error again. */
export function transientProblemOf(error: unknown): string {
  if (error instanceof ServerError && TRANSIENT_ON_SERVER.includes(error.server)) return `its server: ${error.server}`;
  if (error instanceof DatabaseError && TRANSIENT.includes(error.problem)) return error.problem;
  throw error;
}
