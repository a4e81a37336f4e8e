import { eventOf } from '../../contract/events.ts';
import type { SqlValue } from '../../sqlite/database.ts';
import { type ArrivedHeaders, type EventKind, headersFrom } from './received.ts';
import type { EventState, QuarantineReason } from './states.ts';
import { type Queries, type Work, wordsOf } from './store.ts';
import type { EventRow, ForwardRow } from './tables.ts';

/** An event of the inbox. */
export interface InboxEvent {
  /** Its number in the order of arrival. */
  readonly id: bigint;
  readonly kind: EventKind;
  readonly event: string | null;
  readonly eventId: string | null;
  readonly requestId: string | null;
  readonly userId: string | null;
  /** The account that it is about. */
  readonly fintechId: string | null;
  readonly webhookId: string | null;
  readonly isLate: boolean;
  readonly isEarly: boolean;
  /** Why it is quarantined; null if it is not. */
  readonly quarantined: QuarantineReason | null;
  readonly isEncrypted: boolean;
  readonly headers: ArrivedHeaders;
  /** The exact bytes that arrived. */
  readonly body: Uint8Array;
  /** The event's JSON text; null if it could not be read. */
  readonly text: string | null;
  readonly problem: string | null;
  readonly happenedAt: string | null;
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
  /** How often it arrived again. */
  readonly copies: number;
  readonly forwards: readonly EventForward[];
}

/** What became of forwarding an event to a target. */
interface EventForward {
  readonly target: string;
  readonly state: ForwardRow['state'];
  readonly attempts: number;
  readonly status: number | null;
  readonly problem: string | null;
  readonly dueAtMs: number;
}

/** Which events are meant; the conditions are combined with AND. */
export interface InboxSelection {
  readonly event?: string | undefined;
  readonly requestId?: string | undefined;
  readonly userId?: string | undefined;
  readonly kind?: EventKind | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly forwarding?: EventState | undefined;
  /** Only events that arrived late or early. */
  readonly isOffTime?: true | undefined;
}

/** Which events to list, newest first. */
export interface InboxFilter extends InboxSelection {
  readonly limit: number;
  /** Only events that arrived before this one. */
  readonly before?: bigint | undefined;
  /** Only events that arrived after this one, oldest first. */
  readonly after?: bigint | undefined;
}

/** How many events have a name; null if they have none. */
export interface EventCount {
  readonly event: string | null;
  readonly kind: EventKind;
  readonly count: number;
}

/** An event that was read, with its JSON text. */
export interface HappenedEvent {
  readonly id: bigint;
  readonly event: string;
  readonly text: string;
  readonly happenedMs: number;
}

const IN_STATE: Readonly<Record<EventState, string>> = {
  quarantined: 'quarantined IS NOT NULL',
  forwarded: `EXISTS (SELECT 1 FROM forward f WHERE f.event = event.id)
    AND NOT EXISTS (SELECT 1 FROM forward f WHERE f.event = event.id AND f.state <> 'acknowledged')`,
  pending: `id IN (SELECT event FROM forward WHERE state = 'waiting')`,
  dead: `id IN (SELECT event FROM forward WHERE state = 'dead')`,
};

/** An SQL condition with its values; undefined if it does not apply. */
type Condition = readonly [sql: string, ...values: SqlValue[]] | undefined;

const when = <T>(value: T | undefined, condition: (value: T) => Condition): Condition =>
  value === undefined ? undefined : condition(value);

/** A partial index needs its own condition word for word. */
function selectionOf({ event, requestId, userId, kind, isOffTime, forwarding }: InboxSelection): Condition[] {
  return [
    when(event, named),
    when(requestId, (id) => ['request_id = ?', id]),
    when(userId, (id) => ['user_id = ?', id]),
    when(kind, (wanted) => [wanted === 'event' ? 'kind = ?' : `kind <> 'event' AND kind = ?`, wanted]),
    when(isOffTime, () => ['(is_late = 1 OR is_early = 1)']),
    when(forwarding, (state) => [IN_STATE[state]]),
  ];
}

/** The service may use either name of an event. */
function named(name: string): Condition {
  const other = eventOf(name)?.otherName;
  return other === undefined ? ['event = ?', name] : ['event IN (?, ?)', name, other];
}

function whereOf(conditions: readonly Condition[]) {
  const used = conditions.filter((each) => each !== undefined);
  const where = used.length === 0 ? '' : `WHERE ${used.map(([sql]) => sql).join(' AND ')}`;
  return { where, values: used.flatMap(([, ...values]) => values) };
}

/** The time of arrival of the event with a number, or of the nearest one if it was deleted. */
const TIME_BEFORE = '(SELECT received_at FROM event WHERE id <= ? ORDER BY id DESC LIMIT 1)';
const TIME_AFTER = '(SELECT received_at FROM event WHERE id >= ? ORDER BY id LIMIT 1)';

/** The period and the position of a list in the order of time. One condition alone bounds each end, so that an index starts right there. */
function timeConditions(queries: Queries, { before, after, sinceMs, untilMs }: InboxFilter): Condition[] {
  const { larger, smaller } = wordsOf(queries);
  return [
    after === undefined
      ? when(sinceMs, (time) => ['received_at >= ?', time])
      : [`received_at >= ${larger}(${TIME_AFTER}, ?)`, after, sinceMs ?? 0],
    when(after, (id) => [`(+received_at, id) > (${TIME_AFTER}, ?)`, id, id]),
    before === undefined
      ? when(untilMs, (time) => ['received_at < ?', time])
      : [
          `received_at <= ${smaller}(${TIME_BEFORE}, ?)`,
          before,
          untilMs === undefined ? Number.MAX_SAFE_INTEGER : untilMs - 1,
        ],
    when(before, (id) => [`(+received_at, id) < (${TIME_BEFORE}, ?)`, id, id]),
  ];
}

/**
 * Lists events, newest first, or with `after` oldest first. A selection is read in the order of time, in which its indexes are, so
 * that a page costs the same in an inbox of any size; numbers have another order only if the clock was set back.
 */
export function* listEvents(queries: Queries, filter: InboxFilter): Work<InboxEvent[]> {
  const { limit, before, after, sinceMs, untilMs, forwarding, ...others } = filter;
  const isQuarantined = forwarding === 'quarantined' ? true : undefined;
  const isByTime = [sinceMs, untilMs, isQuarantined, ...Object.values(others)].some((value) => value !== undefined);
  const position = isByTime
    ? timeConditions(queries, filter)
    : [when(before, (id): Condition => ['id < ?', id]), when(after, (id): Condition => ['id > ?', id])];
  const { where, values } = whereOf([...position, ...selectionOf(filter)]);
  const direction = after === undefined ? 'DESC' : 'ASC';
  const order = isByTime ? `received_at ${direction}, id ${direction}` : `id ${direction}`;
  const sql = `SELECT * FROM event ${where} ORDER BY ${order} LIMIT ?`;
  return yield* fromRows(queries, yield* queries.all<EventRow>(sql, ...values, limit));
}

/** Counts events by name, the most frequent first. The tally has the counts of names and kinds, however many events there are. */
export function* countEvents(queries: Queries, selection: InboxSelection): Work<EventCount[]> {
  const { event, kind, sinceMs, untilMs, ...others } = selection;
  const isTallied = [sinceMs, untilMs, ...Object.values(others)].every((value) => value === undefined);
  const { where, values } = whereOf([
    ...(isTallied ? [['events > 0'] as const] : timeConditions(queries, { limit: 0, sinceMs, untilMs })),
    ...selectionOf(selection),
  ]);
  const source = isTallied
    ? `SELECT kind, nullif(event, '') AS event, events AS n FROM event_tally ${where}`
    : `SELECT kind, event, count(*) AS n FROM event ${where} GROUP BY kind, event`;
  const sql = `${source} ORDER BY n DESC, 2, 1`;
  return (yield* queries.all<{ kind: EventKind; event: string | null; n: bigint }>(sql, ...values)).map((row) => ({
    event: row.event,
    kind: row.kind,
    count: Number(row.n),
  }));
}

const PAGE = 1_000;
/** The latest time that a Date has. */
const LAST_MS = 8.64e15;

/** Yields the readable events of a period of the service's time, oldest first, a page at a time. Memory is bounded. */
export async function* happenedFrom(
  all: (sql: string, ...values: SqlValue[]) => Promise<HappenedRow[]>,
  fromMs: number,
  beforeMs: number,
): AsyncGenerator<HappenedEvent> {
  const sql = `SELECT id, event, coalesce(opened, body) AS text, happened_ms FROM event
    WHERE (happened_ms, id) > (?, ?) AND happened_ms < ? AND kind IN ('event', 'unknown') ORDER BY happened_ms, id LIMIT ?`;
  for (let [time, last]: [number, bigint] = [fromMs, 0n]; ; ) {
    const rows = await all(sql, time, last, Math.min(beforeMs, LAST_MS), PAGE);
    for (const { id, event, text, happened_ms: happened } of rows) {
      [time, last] = [Number(happened), id];
      yield { id, event, text, happenedMs: time };
    }
    if (rows.length < PAGE) return;
  }
}

export type HappenedRow = Pick<EventRow, 'id' | 'happened_ms'> & Pick<HappenedEvent, 'event' | 'text'>;

/** Finds up to three events by number, or by the start of an event id, webhook id or request id. */
export function* eventsNamed(queries: Queries, id: string): Work<InboxEvent[]> {
  if (/^\d{1,15}$/.test(id)) {
    const found = yield* eventsNumbered(queries, [BigInt(id)]);
    if (found.length > 0) return found;
  }
  const sql = `SELECT * FROM event WHERE substr(event_id, 1, ?1) = ?2 OR substr(webhook_id, 1, ?1) = ?2 ORDER BY id LIMIT 3`;
  return yield* fromRows(queries, yield* queries.all<EventRow>(sql, id.length, id));
}

/** Reads the events with these numbers. */
export function* eventsNumbered(queries: Queries, ids: readonly bigint[]): Work<InboxEvent[]> {
  const sql = `SELECT * FROM event WHERE id IN ${wordsOf(queries).numbersIn('?')} ORDER BY id`;
  return yield* fromRows(queries, yield* queries.all<EventRow>(sql, JSON.stringify(ids.map(Number))));
}

function* fromRows(queries: Queries, rows: readonly EventRow[]): Work<InboxEvent[]> {
  if (rows.length === 0) return [];
  const ids = JSON.stringify(rows.map(({ id }) => Number(id)));
  const sql = `SELECT * FROM forward WHERE event IN ${wordsOf(queries).numbersIn('?')} ORDER BY id`;
  const byEvent = Map.groupBy(yield* queries.all<ForwardRow>(sql, ids), ({ event }) => event);
  return rows.map((row) => fromRow(row, byEvent.get(row.id) ?? []));
}

function fromRow(row: EventRow, forwards: readonly ForwardRow[]): InboxEvent {
  const isRead = row.kind === 'event' || row.kind === 'unknown';
  return {
    id: row.id,
    kind: row.kind,
    event: row.event,
    eventId: row.event_id,
    requestId: row.request_id,
    userId: row.user_id,
    webhookId: row.webhook_id,
    isEncrypted: row.is_encrypted === 1n,
    fintechId: row.fintech_id,
    isLate: row.is_late === 1n,
    isEarly: row.is_early === 1n,
    quarantined: row.quarantined,
    headers: headersFrom(row.headers, { signature: row.signature, webhookId: row.webhook_id ?? undefined }),
    body: Buffer.from(row.body, row.body_form === 'text' ? 'utf8' : 'base64'),
    text: isRead ? (row.opened ?? row.body) : null,
    problem: row.problem,
    happenedAt: row.happened_at,
    copies: Number(row.copies),
    sentAtMs: Number(row.sent_at),
    receivedAtMs: Number(row.received_at),
    forwards: forwards.map(({ target, state, attempts, status, problem, due_at: dueAt }) => ({
      target,
      state,
      attempts: Number(attempts),
      problem,
      dueAtMs: Number(dueAt),
      status: status === null ? null : Number(status),
    })),
  };
}
