import { Fault } from '../../contract/faults.ts';
import { type Call, type Context, isoTime, isoTimeOrNull } from '../context.ts';
import { countOf, insert, update } from '../rows.ts';
import { urlFor } from './deliveries.ts';

type DeliveryState = 'none' | 'waiting' | 'delivered' | 'given-up';

interface EventRow {
  readonly id: bigint;
  readonly fintech: bigint;
  readonly event_id: string;
  readonly event: string;
  readonly request_id: string;
  readonly user_id: string | null;
  readonly data: string;
  readonly created_at: bigint;
  readonly delivery: bigint | null;
  readonly state: DeliveryState | null;
  readonly url: string | null;
  readonly webhook_id: string | null;
  readonly attempts: bigint | null;
  readonly due_at: bigint | null;
}

const EVENTS = `FROM outbox o LEFT JOIN delivery d ON d.event = o.id`;
const COLUMNS = `o.id, o.fintech, o.event_id, o.event, o.request_id, o.user_id, o.data, o.created_at, d.id AS delivery, d.state, d.url,
  d.webhook_id, d.attempts, d.due_at`;

/** Which events to list; the conditions are combined with AND. */
interface EventFilter {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly event?: string | undefined;
  readonly requestId?: string | undefined;
  readonly state?: DeliveryState | undefined;
}

/** Lists a fintech's events, newest first. */
export function listEvents({ store, fintech }: Call, { limit = 20, offset = 0, ...filter }: EventFilter) {
  const conditions: readonly (readonly [sql: string, value: string | bigint | undefined])[] = [
    ['o.fintech = ?', fintech.id],
    ['o.event = ?', filter.event],
    ['o.request_id = ?', filter.requestId],
    [`coalesce(d.state, 'none') = ?`, filter.state],
  ];
  const used = conditions.filter(([, value]) => value !== undefined);
  const where = `WHERE ${used.map(([sql]) => sql).join(' AND ')}`;
  const values = used.flatMap(([, value]) => value ?? []);
  const total = countOf(store, `SELECT count(*) AS n ${EVENTS} ${where}`, ...values);
  const page = `SELECT ${COLUMNS} ${EVENTS} ${where} ORDER BY o.id DESC LIMIT ? OFFSET ?`;
  const events = store.all<EventRow>(page, ...values, limit, offset).map(sent);
  return { events, total, limit, offset, hasMore: offset + events.length < total };
}

function sent(row: EventRow) {
  return {
    eventId: row.event_id,
    event: row.event,
    requestId: row.request_id,
    userId: row.user_id,
    createdAt: isoTime(row.created_at),
    state: row.state ?? ('none' as const),
    url: row.url,
    webhookId: row.webhook_id,
    attempts: Number(row.attempts ?? 0n),
    dueAt: row.state === 'waiting' ? isoTimeOrNull(row.due_at) : null,
  };
}

/** Finds an event of the fintech. Throws NOT_FOUND. */
function eventNamed({ store, fintech }: Call, eventId: string): EventRow {
  const sql = `SELECT ${COLUMNS} ${EVENTS} WHERE o.fintech = ? AND o.event_id = ?`;
  const row = store.get<EventRow>(sql, fintech.id, eventId);
  if (!row) throw new Fault('NOT_FOUND', 'no event has this id');
  return row;
}

interface AttemptRow {
  readonly sent_at: bigint;
  readonly headers: string;
  readonly body: string;
  readonly status: bigint | null;
  readonly answer: string | null;
  readonly problem: string | null;
  readonly duration_ms: bigint;
}

/** Returns an event with every attempt to deliver it. Throws NOT_FOUND. */
export function showEvent(call: Call, eventId: string) {
  const row = eventNamed(call, eventId);
  const log = call.store
    .all<AttemptRow>('SELECT * FROM delivery_attempt WHERE delivery = ? ORDER BY id', row.delivery ?? -1n)
    .map((attempt) => ({
      sentAt: isoTime(attempt.sent_at),
      status: attempt.status === null ? null : Number(attempt.status),
      problem: attempt.problem,
      durationMs: Number(attempt.duration_ms),
      headers: Object.entries(JSON.parse(attempt.headers) as Record<string, string>).map(([name, value]) => ({
        name,
        value,
      })),
      body: attempt.body,
      answer: attempt.answer,
    }));
  return { ...sent(row), data: row.data, log };
}

/** Makes an event due again, under the id it had; one that nobody wanted goes to the webhook that is set now. Throws NOT_FOUND. */
export function resendEvent(call: Call, eventId: string) {
  const row = eventNamed(call, eventId);
  const url = urlNow(call, row);
  if (row.delivery === null)
    insert(call.store, 'delivery', {
      webhook_id: call.ids.uuid(),
      event: row.id,
      url,
      request_id: row.request_id,
      state: 'waiting',
      attempts: 0,
      due_at: call.nowMs,
    });
  else
    update(call.store, 'delivery', row.delivery, {
      state: 'waiting',
      attempts: 0,
      due_at: call.nowMs,
      url,
      fault: null,
    });
  return sent(eventNamed(call, eventId));
}

function urlNow(context: Context, { fintech, event, data, url }: EventRow): string {
  const found = urlFor(context, { fintech, event, data: JSON.parse(data) as object }) ?? url;
  if (found === null) throw new Fault('NOT_FOUND', 'no enabled webhook is subscribed to this event');
  return found;
}
