import type { Database, SqlValue } from '../../sqlite/database.ts';
import type { Mark } from './received.ts';

/** An event of the inbox. */
export interface KeptEvent {
  /** Its number in the order of arrival. */
  readonly id: bigint;
  readonly mark: Mark;
  readonly event: string | null;
  readonly eventId: string | null;
  readonly requestId: string | null;
  readonly userId: string | null;
  readonly webhookId: string | null;
  readonly isLate: boolean;
  readonly isSealed: boolean;
  readonly headers: Readonly<Record<string, string>>;
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
  readonly forwards: readonly KeptForward[];
}

/** What became of forwarding an event to a target. */
interface KeptForward {
  readonly target: string;
  readonly state: 'waiting' | 'acknowledged' | 'dead';
  readonly attempts: number;
  readonly status: number | null;
  readonly problem: string | null;
  readonly dueAtMs: number;
}

/** Which events to list, newest first; the conditions are combined with AND. */
export interface KeptFilter {
  readonly limit: number;
  /** Only events that arrived before this one. */
  readonly before?: bigint | undefined;
  /** Only events that arrived after this one, oldest first. */
  readonly after?: bigint | undefined;
  readonly event?: string | undefined;
  readonly requestId?: string | undefined;
  readonly userId?: string | undefined;
  readonly mark?: Mark | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  /** `forwarded`: every target acknowledged it. `pending`: one waits. `dead`: one was given up. */
  readonly forwarding?: 'forwarded' | 'pending' | 'dead' | undefined;
  readonly isLate?: boolean | undefined;
}

interface EventRow {
  readonly id: bigint;
  readonly mark: Mark;
  readonly event: string | null;
  readonly event_id: string | null;
  readonly request_id: string | null;
  readonly user_id: string | null;
  readonly webhook_id: string | null;
  readonly is_late: bigint;
  readonly is_sealed: bigint;
  readonly headers: string;
  readonly body: string;
  readonly body_form: 'text' | 'base64';
  readonly opened: string | null;
  readonly problem: string | null;
  readonly happened_at: string | null;
  readonly sent_at: bigint;
  readonly received_at: bigint;
  readonly copies: bigint;
}

const FORWARDING: Readonly<Record<NonNullable<KeptFilter['forwarding']>, string>> = {
  forwarded: `EXISTS (SELECT 1 FROM forward f WHERE f.event = event.id)
    AND NOT EXISTS (SELECT 1 FROM forward f WHERE f.event = event.id AND f.state <> 'acknowledged')`,
  pending: `EXISTS (SELECT 1 FROM forward f WHERE f.event = event.id AND f.state = 'waiting')`,
  dead: `EXISTS (SELECT 1 FROM forward f WHERE f.event = event.id AND f.state = 'dead')`,
};

/** Lists events, newest first, or with `after` oldest first. */
export function listKept(store: Database, filter: KeptFilter): KeptEvent[] {
  const conditions: readonly (readonly [sql: string, value: SqlValue | undefined])[] = [
    ['id < ?', filter.before],
    ['id > ?', filter.after],
    ['event = ?', filter.event],
    ['request_id = ?', filter.requestId],
    ['user_id = ?', filter.userId],
    ['mark = ?', filter.mark],
    ['received_at >= ?', filter.sinceMs],
    ['received_at < ?', filter.untilMs],
    ['is_late = ?', filter.isLate === undefined ? undefined : Number(filter.isLate)],
  ];
  const used = conditions.filter(([, value]) => value !== undefined);
  const all = [...used.map(([sql]) => sql), ...(filter.forwarding ? [FORWARDING[filter.forwarding]] : [])];
  const where = all.length === 0 ? '' : `WHERE ${all.join(' AND ')}`;
  const values = used.flatMap(([, value]) => value ?? []);
  const order = filter.after === undefined ? 'DESC' : 'ASC';
  const sql = `SELECT * FROM event ${where} ORDER BY id ${order} LIMIT ?`;
  return store.all<EventRow>(sql, ...values, filter.limit).map((row) => fromRow(store, row));
}

/** Finds up to three events by number, or by the start of an event id, webhook id or request id. */
export function keptNamed(store: Database, id: string): KeptEvent[] {
  if (/^\d{1,15}$/.test(id)) {
    const row = store.get<EventRow>('SELECT * FROM event WHERE id = ?', BigInt(id));
    if (row) return [fromRow(store, row)];
  }
  const sql = `SELECT * FROM event WHERE substr(event_id, 1, ?) = ? OR substr(webhook_id, 1, ?) = ? ORDER BY id LIMIT 3`;
  return store.all<EventRow>(sql, id.length, id, id.length, id).map((row) => fromRow(store, row));
}

interface ForwardRow {
  readonly target: string;
  readonly state: KeptForward['state'];
  readonly attempts: bigint;
  readonly status: bigint | null;
  readonly problem: string | null;
  readonly due_at: bigint;
}

function fromRow(store: Database, row: EventRow): KeptEvent {
  const forwards = store.all<ForwardRow>('SELECT * FROM forward WHERE event = ? ORDER BY id', row.id);
  const isRead = row.mark === 'event' || row.mark === 'unknown';
  return {
    ...{ id: row.id, mark: row.mark, event: row.event, eventId: row.event_id, requestId: row.request_id },
    ...{ userId: row.user_id, webhookId: row.webhook_id, isLate: row.is_late === 1n, isSealed: row.is_sealed === 1n },
    headers: JSON.parse(row.headers) as Record<string, string>,
    body: Buffer.from(row.body, row.body_form === 'text' ? 'utf8' : 'base64'),
    text: isRead ? (row.opened ?? row.body) : null,
    ...{ problem: row.problem, happenedAt: row.happened_at, copies: Number(row.copies) },
    ...{ sentAtMs: Number(row.sent_at), receivedAtMs: Number(row.received_at) },
    forwards: forwards.map(({ target, state, attempts, status, problem, due_at: dueAt }) => ({
      ...{ target, state, attempts: Number(attempts), problem, dueAtMs: Number(dueAt) },
      status: status === null ? null : Number(status),
    })),
  };
}
