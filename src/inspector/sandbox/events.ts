import { eventText } from '../../contract/exchange-text.ts';
import { redactUnknownText } from '../../contract/redact.ts';
import type { Service } from '../../service/service.ts';
import type { Database, SqlValue } from '../../sqlite/database.ts';
import { cutBody } from '../bodies.ts';
import { lookOfEvent } from '../look.ts';
import { pageOfMatches, rememberMatches } from '../matches.ts';
import type { List, RowFilter } from '../source.ts';
import { areThere, type Ends, endsOf } from './added.ts';

interface OutboxEvent {
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

/** The state of an event for which no webhook was set. */
const NOT_SENT = 'not sent';

const FROM = 'FROM outbox o JOIN fintech f ON f.id = o.fintech LEFT JOIN delivery d ON d.event = o.id';
const COLUMNS =
  'o.id, o.event_id, o.event, o.request_id, o.data, o.created_at, f.name AS who, d.state, d.url, d.attempts, d.id AS delivery';
const TABLES = [{ table: 'outbox', name: 'event_id' }];

const rowOf = (row: OutboxEvent) => ({
  id: row.event_id,
  at: new Date(Number(row.created_at)).toISOString(),
  event: row.event,
  subject: row.request_id,
  who: row.who,
  state: row.state ?? NOT_SENT,
  look: lookOfEvent(row.state ?? NOT_SENT),
  attempts: Number(row.attempts ?? 0n),
});

/** The events of every account of the sandbox, with their deliveries. */
export function eventList(service: Service): List {
  const { store } = service;
  const find = ({ text, state, isDeep = false }: RowFilter, since: Ends | undefined) => ({
    last: endsOf(store, TABLES),
    items: idsAfter(store, { text, state, isDeep }, since?.[0]?.id ?? 0n),
  });
  const matches = rememberMatches({ find, isStill: (last) => areThere(store, TABLES, last) });
  return {
    page: (query) =>
      service.submit('read', () => {
        // States change, so what has one is looked for anew.
        const found = query.state === '' ? matches(query) : { ...find(query, undefined), generation: 0 };
        return pageOfMatches(found, query, (id) => {
          const row = store.get<OutboxEvent>(`SELECT ${COLUMNS} ${FROM} WHERE o.id = ?`, id);
          return row && rowOf(row);
        });
      }),
    detail: (id) => service.submit('read', () => eventOf(store, id)),
  };
}

function idsAfter(store: Database, { text, state, isDeep = false }: RowFilter, after: bigint): bigint[] {
  const conditions = ['o.id > ?'];
  const values: SqlValue[] = [after];
  if (state !== '') {
    conditions.push(`coalesce(d.state, '${NOT_SENT}') = ?`);
    values.push(state);
  }
  if (text !== '') {
    conditions.push(
      `instr(lower(concat_ws(' ', o.event, o.request_id, o.event_id, f.name${isDeep ? ', o.data' : ''})), ?) > 0`,
    );
    values.push(text.toLowerCase());
  }
  const sql = `SELECT o.id ${FROM} WHERE ${conditions.join(' AND ')} ORDER BY o.id`;
  return store.all<{ id: bigint }>(sql, ...values).map(({ id }) => id);
}

interface DeliveryAttempt {
  readonly sent_at: bigint;
  readonly status: bigint | null;
  readonly problem: string | null;
  readonly duration_ms: bigint;
  readonly body: string;
  readonly answer: string | null;
}

function eventOf(store: Database, id: string) {
  const row = store.get<OutboxEvent>(`SELECT ${COLUMNS} ${FROM} WHERE o.event_id = ?`, id);
  if (!row) return undefined;
  const attempts = store.all<DeliveryAttempt>(
    'SELECT sent_at, status, problem, duration_ms, body, answer FROM delivery_attempt WHERE delivery = ? ORDER BY id DESC LIMIT 50',
    row.delivery ?? -1n,
  );
  return {
    ...rowOf(row),
    url: shownUrl(row.url),
    data: cutBody(eventText(row.event, row.data)),
    log: attempts.map((each) => ({
      at: new Date(Number(each.sent_at)).toISOString(),
      ms: Number(each.duration_ms),
      problem: each.problem,
      status: each.status === null ? null : Number(each.status),
      // What a receiver answers is its own word, and may be anything.
      body: cutBody(eventText(row.event, each.body)),
      answer: each.answer === null ? null : cutBody(redactUnknownText(each.answer)),
    })),
  };
}

/** User names, passwords and queries of a URL may be secrets. */
function shownUrl(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
