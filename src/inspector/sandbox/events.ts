import { redactUnknown } from '../../contract/redact.ts';
import type { Service } from '../../service/service.ts';
import type { Database, SqlValue } from '../../sqlite/database.ts';
import { cutBody } from '../bodies.ts';
import type { List, RowQuery } from '../source.ts';

interface EventRow {
  readonly id: bigint;
  readonly event_id: string;
  readonly event: string;
  readonly request_id: string | null;
  readonly data: string;
  readonly created_at: bigint;
  readonly who: string;
  readonly state: string | null;
  readonly url: string | null;
  readonly attempts: bigint | null;
  readonly delivery: bigint | null;
}

const FROM = 'FROM outbox o JOIN fintech f ON f.id = o.fintech LEFT JOIN delivery d ON d.event = o.id';
const COLUMNS =
  'o.id, o.event_id, o.event, o.request_id, o.data, o.created_at, f.name AS who, d.state, d.url, d.attempts, d.id AS delivery';

const rowOf = (row: EventRow) => ({
  ...{ id: row.event_id, at: new Date(Number(row.created_at)).toISOString(), event: row.event },
  ...{ subject: row.request_id, who: row.who, state: row.state ?? 'none', attempts: Number(row.attempts ?? 0n) },
});

/** The events of every account of the sandbox, with their deliveries. */
export function eventList(service: Service): List {
  return {
    page: (query) => service.submit('read', ({ store }) => pageOf(store, query)),
    detail: (id) => service.submit('read', ({ store }) => eventOf(store, id)),
  };
}

function pageOf(store: Database, { text, state, from, limit }: RowQuery) {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  if (state !== '') {
    conditions.push(`coalesce(d.state, 'none') = ?`);
    values.push(state);
  }
  if (text !== '') {
    conditions.push(`instr(lower(concat_ws(' ', o.event, o.request_id, o.event_id, f.name)), ?) > 0`);
    values.push(text.toLowerCase());
  }
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  const total = store.get<{ n: bigint }>(`SELECT count(*) AS n ${FROM} ${where}`, ...values)?.n ?? 0n;
  const sql = `SELECT ${COLUMNS} ${FROM} ${where} ORDER BY o.id LIMIT ? OFFSET ?`;
  return { total: Number(total), rows: store.all<EventRow>(sql, ...values, limit, from).map(rowOf), generation: 0 };
}

interface AttemptRow {
  readonly sent_at: bigint;
  readonly status: bigint | null;
  readonly problem: string | null;
  readonly duration_ms: bigint;
  readonly body: string;
  readonly answer: string | null;
}

function eventOf(store: Database, id: string) {
  const row = store.get<EventRow>(`SELECT ${COLUMNS} ${FROM} WHERE o.event_id = ?`, id);
  if (!row) return undefined;
  const attempts = store.all<AttemptRow>(
    'SELECT sent_at, status, problem, duration_ms, body, answer FROM delivery_attempt WHERE delivery = ? ORDER BY id DESC LIMIT 50',
    row.delivery ?? -1n,
  );
  return {
    ...rowOf(row),
    url: shownUrl(row.url),
    data: redacted(row.data),
    log: attempts.map((each) => ({
      ...{ at: new Date(Number(each.sent_at)).toISOString(), ms: Number(each.duration_ms), problem: each.problem },
      status: each.status === null ? null : Number(each.status),
      // What a receiver answers is its own word, and may be anything.
      ...{ body: redacted(each.body), answer: each.answer === null ? null : cutBody(each.answer) },
    })),
  };
}

const redacted = (text: string) => cutBody(redactUnknown(text));

/** User names, passwords and queries of a URL may be secrets. */
function shownUrl(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
