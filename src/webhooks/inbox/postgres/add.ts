import { serverType } from '../../../store/ddl.ts';
import { integer, type Table, text } from '../../../store/table.ts';
import { type Forwarding, targetsFor } from '../forwards.ts';
import { add, newRow, type StoredDelivery } from '../inbox.ts';
import type { NewEvent } from '../received.ts';
import { quarantineReasonOf } from '../states.ts';
import type { Queries, Work } from '../store.ts';
import { EVENT, FORWARD, NEW_COLUMNS } from '../tables.ts';

/** Rows of JSON as a table; its texts are compared as those of the inbox. */
const rowsOf = (columns: Table['columns']) =>
  `json_to_recordset(?1::json) AS new (${Object.entries(columns)
    .map(([name, column]) => `${name} ${serverType(column)}`)
    .join(', ')})`;

/**
 * Which of several deliveries may be copies: something was stored with their signature or their id. A subquery for each reads an index; a join might read
 * the whole table.
 */
const related = () => `SELECT n FROM ${rowsOf({ n: integer(), ...EVENT.columns, id: text() })} WHERE
  (SELECT 1 FROM event e WHERE e.sent_at = new.sent_at AND e.signature = new.signature LIMIT 1) IS NOT NULL OR
  (SELECT 1 FROM event e WHERE substr(coalesce(e.event_id, e.webhook_id), 1, 18) = substr(new.id, 1, 18)
     AND coalesce(e.event_id, e.webhook_id) = new.id LIMIT 1) IS NOT NULL OR
  (SELECT 1 FROM pruned p WHERE p.sent_at = new.sent_at AND p.signature = decode(new.signature, 'hex') LIMIT 1) IS NOT NULL OR
  (SELECT 1 FROM pruned p WHERE substr(p.id, 1, 18) = substr(new.id, 1, 18) AND p.id = new.id LIMIT 1) IS NOT NULL`;

const insertEvents = () => `INSERT INTO event (${NEW_COLUMNS.join(', ')}) SELECT ${NEW_COLUMNS.join(', ')}
  FROM ${rowsOf({ n: integer(), ...EVENT.columns })} ORDER BY n RETURNING id`;

const insertForwards = () => `INSERT INTO forward (event, target, request_id, state, due_at, set_at, is_in_turn)
  SELECT event, target, request_id, 'waiting', ?2, ?2, CASE WHEN request_id IS NULL
    OR (row_number() OVER (PARTITION BY target, request_id ORDER BY n) = 1 AND (SELECT 1 FROM forward f
      WHERE f.state = 'waiting' AND f.target = new.target AND f.request_id = new.request_id LIMIT 1) IS NULL)
    THEN 1 ELSE 0 END
  FROM ${rowsOf({ n: integer(), ...FORWARD.columns })} ORDER BY n`;

const idOf = ({ eventId, webhookId }: NewEvent) => eventId ?? webhookId;

/**
 * Stores deliveries. Those that surely are no copies, which are nearly all, are inserted together, because a question for each would take most of
 * the time; the others one by one, in their place.
 */
export function* addTogether(
  queries: Queries,
  events: readonly NewEvent[],
  forwarding: Forwarding,
): Work<StoredDelivery[]> {
  const related = yield* relatedIn(queries, events);
  const stored: StoredDelivery[] = [];
  for (let from = 0; from < events.length; ) {
    const run = runFrom(events, from, related);
    const [first] = run;
    if (first === undefined) {
      const event = events[from];
      if (event) stored.push(yield* add(queries, event, forwarding));
      from += 1;
      continue;
    }
    stored.push(...(yield* insertNew(queries, run, forwarding)));
    from += run.length;
  }
  return stored;
}

/** The places of the events that may be copies of stored ones or of earlier ones in the list. */
function* relatedIn(queries: Queries, events: readonly NewEvent[]): Work<ReadonlySet<number>> {
  const rows = events.map((event, n) => ({
    n,
    sent_at: event.sentAtMs,
    signature: event.signature,
    id: idOf(event),
  }));
  const known = yield* queries.all<{ n: bigint }>(related(), JSON.stringify(rows));
  const found = new Set(known.map(({ n }) => Number(n)));
  const marked = new Set<string>();
  for (const [n, event] of events.entries()) {
    const id = idOf(event);
    const marks = [`${event.sentAtMs} ${event.signature}`, ...(id === undefined ? [] : [`id ${id}`])];
    if (marks.some((mark) => marked.has(mark))) found.add(n);
    for (const mark of marks) marked.add(mark);
  }
  return found;
}

function runFrom(events: readonly NewEvent[], from: number, related: ReadonlySet<number>): readonly NewEvent[] {
  let to = from;
  while (to < events.length && !related.has(to)) to += 1;
  return events.slice(from, to);
}

/** Inserts events that are no copies. An event with an id is surely new, however late it is. */
function* insertNew(queries: Queries, events: readonly NewEvent[], forwarding: Forwarding): Work<StoredDelivery[]> {
  const quarantined = events.map((event) => quarantineReasonOf(event, forwarding, event.eventId !== undefined));
  const rows = events.map((event, n) => ({ n, ...newRow(event, quarantined[n], queries.now()) }));
  const inserted = yield* queries.all<{ id: bigint }>(insertEvents(), JSON.stringify(rows));
  const forwards = events.flatMap(({ event, requestId }, at) =>
    quarantined[at] === undefined
      ? targetsFor(event, forwarding).map((target) => ({
          event: Number(inserted[at]?.id),
          target,
          request_id: requestId,
        }))
      : [],
  );
  if (forwards.length > 0)
    yield* queries.run(insertForwards(), JSON.stringify(forwards.map((row, n) => ({ n, ...row }))), queries.now());
  return inserted.map(({ id }) => ({ id, isCopy: false }));
}
