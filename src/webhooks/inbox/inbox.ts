import { isUtf8 } from 'node:buffer';
import type { Clock, Host } from '../../base/world.ts';
import { insertion, type NewRow, replacing } from '../../store/table.ts';
import { copyOf, isNewId, prune, pruneOne, sameEvent } from './copies.ts';
import {
  countEvents,
  type EventCount,
  eventsNamed,
  type HappenedEvent,
  type HappenedRow,
  happenedFrom,
  type InboxEvent,
  type InboxFilter,
  type InboxSelection,
  listEvents,
} from './events.ts';
import { type Forwarding, type Forwards, forwardingIn, forwardsIn, goOn, release, setForwarding } from './forwards.ts';
import { INBOX_LAYOUT } from './layout.ts';
import { type ListenerLease, leaseIn } from './listener.ts';
import { type Content, headersText, type NewEvent } from './received.ts';
import { type QuarantineReason, quarantineReasonOf } from './states.ts';
import { type InboxStore, openInboxFile, type Queries, type Work, wordsOf } from './store.ts';
import { ACCEPTED_GAP, EVENT, type EventRow, ROOM } from './tables.ts';

/** What became of a delivery: a new event, or a copy of one that the inbox has. */
export interface StoredDelivery {
  readonly id: bigint;
  readonly isCopy: boolean;
}

/** How many events there are, how many are quarantined, how many came late or early, and how many forwards wait or are dead. */
export interface InboxCounts {
  readonly events: number;
  readonly waiting: number;
  readonly dead: number;
  readonly quarantined: number;
  readonly late: number;
}

/** A missing event that someone accepts, the id of its work, and why. */
type AcceptedGap = Readonly<Record<'kind' | 'work' | 'event' | 'reason', string>>;

/** The events of one profile on disk. Each write resolves once it is flushed. Its methods reject with DatabaseError. */
export interface Inbox extends ListenerLease {
  /** The name of the server that has it; undefined for a file. */
  readonly server: string | undefined;
  /** Stores deliveries in one transaction, and schedules the forwarding of new ones. */
  add(events: readonly NewEvent[]): Promise<StoredDelivery[]>;
  /** Says where new events go from now on, and what the account says about them. What is left out stays. */
  forwardTo(forwarding: Partial<Forwarding>): Promise<void>;
  list(filter: InboxFilter): Promise<InboxEvent[]>;
  /** Counts events by name, the most frequent first. */
  countByName(selection: InboxSelection): Promise<EventCount[]>;
  /** Yields the readable events that happened in a period of the service's time, oldest first. */
  happenedFrom(fromMs: number, beforeMs: number): AsyncIterable<HappenedEvent>;
  /** The service's time of the earliest event and of the latest, and the highest number; undefined for an empty inbox. */
  extent(): Promise<{ readonly earliestMs: number; readonly latestMs: number; readonly latestId: bigint } | undefined>;
  /** Finds an event by its number, event id, webhook id or a prefix of them; up to three. */
  find(id: string): Promise<InboxEvent[]>;
  /** Fills in what an encrypted event says, once a key for it is there, and schedules its forwarding. It may turn out to be a copy. */
  open(sealed: InboxEvent, content: Content): Promise<void>;
  counts(): Promise<InboxCounts>;
  /** Removes events received before a time, except those that are quarantined, dead or wait; no more than `most`. Resolves to how many. */
  prune(beforeMs: number, most?: number): Promise<number>;
  /** Removes one event, whatever its state, unless it waits to be forwarded. Resolves to whether it did. */
  pruneOne(id: bigint): Promise<boolean>;
  /** When the latest event was sent that was pruned because it was old, in milliseconds since the epoch; undefined if none was. */
  prunedMs(): Promise<number | undefined>;
  acceptGaps(gaps: readonly AcceptedGap[]): Promise<void>;
  acceptedGap(
    kind: string,
    work: string,
    event: string,
  ): Promise<{ readonly reason: string; readonly acceptedAtMs: number } | undefined>;
  readonly forwards: Forwards;
  /** Stores a row with a text and removes it again, each flushed: an event that is no longer can be stored now. */
  tryRoom(filler: string): Promise<void>;
  /** Whether this role could take away what is in the inbox: it owns the tables on a server, or is a superuser. */
  isOwner(): Promise<boolean>;
  close(): Promise<void>;
}

type InboxWorld = { readonly clock: Pick<Clock, 'now'>; readonly host: Host };

/** Opens an inbox in a file, creating it on first use; one that cannot be written can be read. Throws DatabaseError. */
export async function openInbox(path: string, { clock, host }: InboxWorld): Promise<Inbox> {
  const now = () => clock.now();
  const store = await openInboxFile(path, INBOX_LAYOUT, now);
  return inboxIn(store, leaseIn(store, host, now), addEach);
}

/** Stores deliveries, in their order. Call it in a transaction. */
type AddAll = (queries: Queries, events: readonly NewEvent[], forwarding: Forwarding) => Work<StoredDelivery[]>;

export function* addEach(
  queries: Queries,
  events: readonly NewEvent[],
  forwarding: Forwarding,
): Work<StoredDelivery[]> {
  const stored: StoredDelivery[] = [];
  for (const event of events) stored.push(yield* add(queries, event, forwarding));
  return stored;
}

export const adderIn = ({ write, changed }: InboxStore, addAll: AddAll): Pick<Inbox, 'add' | 'tryRoom'> => ({
  add: (events) =>
    write(function* (queries) {
      const stored = yield* addAll(queries, events, yield* forwardingIn(queries));
      if (!(yield* areThere(queries, stored))) throw changed('an event was gone as soon as it was written');
      return stored;
    }),
  tryRoom: async (filler) => {
    await write((queries) => queries.run(...insertion(ROOM, [{ id: 1, filler }], replacing(ROOM, ['filler']))));
    await write((queries) => queries.run('DELETE FROM room'));
  },
});

/** Whether new events are still there: a trigger that someone planted since the inbox was opened may have removed them, also one that waits for the end. */
function* areThere(queries: Queries, stored: readonly StoredDelivery[]): Work<boolean> {
  const ids = stored.flatMap(({ id, isCopy }) => (isCopy ? [] : [Number(id)]));
  if (ids.length === 0) return true;
  if (queries.engine === 'postgres') yield* queries.run('SET CONSTRAINTS ALL IMMEDIATE');
  const sql = `SELECT count(*) AS count FROM event WHERE id IN ${wordsOf(queries).numbersIn('?')}`;
  const row = yield* queries.get<{ readonly count: bigint }>(sql, JSON.stringify(ids));
  return Number(row?.count) === ids.length;
}

export function inboxIn(store: InboxStore, lease: ListenerLease, addAll: AddAll, server?: string): Inbox {
  const { read, write } = store;
  return {
    server,
    isOwner: store.isOwner,
    ...adderIn(store, addAll),
    forwardTo: (forwarding) => write((queries) => setForwarding(queries, forwarding)),
    list: (filter) => read((queries) => listEvents(queries, filter)),
    countByName: (selection) => read((queries) => countEvents(queries, selection)),
    happenedFrom: (...period) =>
      happenedFrom((sql, ...values) => read((queries) => queries.all<HappenedRow>(sql, ...values)), ...period),
    extent: () => read(extentOf),
    find: (id) => read((queries) => eventsNamed(queries, id)),
    open: (sealed, content) => write((queries) => open(queries, sealed, content)),
    counts: () => read(countsOf),
    prune: (beforeMs, most) => write((queries) => prune(queries, beforeMs, most)),
    pruneOne: (id) => write((queries) => pruneOne(queries, id)),
    prunedMs: () =>
      read(function* (queries) {
        const at = (yield* queries.get<{ at: bigint | null }>(
          'SELECT max(sent_at) AS at FROM pruned WHERE is_chosen = 0',
        ))?.at;
        return at == null ? undefined : Number(at);
      }),
    acceptGaps: (gaps) =>
      write(function* (queries) {
        const again = replacing(ACCEPTED_GAP, ['reason', 'accepted_at']);
        for (const gap of gaps)
          yield* queries.run(...insertion(ACCEPTED_GAP, [{ ...gap, accepted_at: queries.now() }], again));
      }),
    acceptedGap: (...gap) =>
      read(function* (queries) {
        const sql = 'SELECT reason, accepted_at AS at FROM accepted_gap WHERE kind = ? AND work = ? AND event = ?';
        const row = yield* queries.get<{ reason: string; at: bigint }>(sql, ...gap);
        return row && { reason: row.reason, acceptedAtMs: Number(row.at) };
      }),
    forwards: forwardsIn(store, lease),
    ...lease,
    close: store.close,
  };
}

/** Fills in what an encrypted event says. It may be a copy, and be quarantined for another reason. */
function* open(queries: Queries, sealed: InboxEvent, content: Content): Work<void> {
  const { id, webhookId, copies, isLate, isEarly, isEncrypted, sentAtMs } = sealed;
  const original = yield* sameEvent(queries, { ...content, webhookId: webhookId ?? undefined });
  if (original !== undefined) {
    yield* queries.run('UPDATE event SET copies = copies + 1 + ? WHERE id = ?', copies, original);
    yield* queries.run(`DELETE FROM event WHERE id = ? AND kind = 'encrypted'`, id);
    return;
  }
  const { kind, event, eventId, requestId, userId, fintechId, contentDigest, opened, happenedAt } = content;
  const forwarding = yield* forwardingIn(queries);
  const isNew = isLate || isEarly ? yield* isNewId(queries, eventId) : true;
  const quarantined = quarantineReasonOf({ kind, fintechId, isEncrypted, isLate, isEarly }, forwarding, isNew);
  const changed = yield* queries.run(
    `UPDATE event SET kind = ?, event = ?, event_id = ?, request_id = ?, user_id = ?, fintech_id = ?, content_digest = ?, opened = ?,
       problem = NULL, happened_at = ?, happened_ms = ?, quarantined = ? WHERE id = ? AND kind = 'encrypted'`,
    kind,
    event ?? null,
    eventId ?? null,
    requestId ?? null,
    userId ?? null,
    fintechId ?? null,
    contentDigest,
    opened ?? null,
    happenedAt ?? null,
    happenedMs({ happenedAt, sentAtMs }),
    quarantined ?? null,
    id,
  );
  if (changed > 0 && quarantined === undefined) yield* goOn(queries, { id, event, requestId }, forwarding);
}

/** The row of an event that arrives. */
export function newRow(
  event: NewEvent,
  quarantined: QuarantineReason | undefined,
  nowMs: number,
): NewRow<typeof EVENT> {
  const text = textOf(event);
  return {
    quarantined,
    kind: event.kind,
    event: event.event,
    event_id: event.eventId,
    request_id: event.requestId,
    user_id: event.userId,
    fintech_id: event.fintechId,
    webhook_id: event.webhookId,
    signature: event.signature,
    content_digest: event.contentDigest,
    is_late: event.isLate ? 1 : 0,
    is_early: event.isEarly ? 1 : 0,
    is_encrypted: event.isEncrypted ? 1 : 0,
    headers: headersText(event.headers, event),
    body: text ?? Buffer.from(event.body).toString('base64'),
    // The text of a plain body is the body itself.
    body_form: text === undefined ? 'base64' : 'text',
    opened: event.isEncrypted ? event.opened : undefined,
    problem: event.problem,
    happened_at: event.happenedAt,
    happened_ms: happenedMs(event),
    sent_at: event.sentAtMs,
    received_at: nowMs,
  };
}

/** Stores one delivery, unless it is a copy. Call it in a transaction. */
export function* add(queries: Queries, event: NewEvent, forwarding: Forwarding): Work<StoredDelivery> {
  const copy = yield* copyOf(queries, event);
  const isNew = event.isLate || event.isEarly ? !copy && (yield* isNewId(queries, event.eventId)) : true;
  const quarantined = quarantineReasonOf(event, forwarding, isNew);
  if (copy) {
    yield* queries.run('UPDATE event SET copies = copies + 1 WHERE id = ?', copy.id);
    // The service sent it again, in time and as it should: what was quarantined for that reason is right.
    if (!copy.isSameDelivery && quarantined === undefined)
      yield* release(queries, forwarding, { event: copy.id, reasons: ['unencrypted', 'late', 'early'] });
    return { id: copy.id, isCopy: true };
  }
  const inserted = insertion(EVENT, [newRow(event, quarantined, queries.now())], 'RETURNING id');
  const row = yield* queries.get<Pick<EventRow, 'id'>>(...inserted);
  const id = row?.id ?? 0n;
  if (quarantined === undefined)
    yield* goOn(queries, { id, event: event.event, requestId: event.requestId }, forwarding);
  return { id, isCopy: false };
}

/** The body as text; undefined if it is not UTF-8. */
function textOf({ isEncrypted, opened, body }: NewEvent): string | undefined {
  // The text of a plain event was decoded from its body.
  if (!isEncrypted && opened !== undefined) return opened;
  // No database text has a NUL.
  return isUtf8(body) && !body.includes(0) ? Buffer.from(body).toString('utf8') : undefined;
}

/** No service has events of other centuries, and such a time would make every list be read to its end. */
const [EARLIEST_MS, LATEST_MS] = [Date.UTC(2000, 0), Date.UTC(2100, 0)];

/** The service's time of an event; if the body does not say it, that of sending. */
function happenedMs({ happenedAt, sentAtMs }: Pick<NewEvent, 'happenedAt' | 'sentAtMs'>): number {
  const statedMs = Date.parse(happenedAt ?? '');
  return statedMs >= EARLIEST_MS && statedMs < LATEST_MS ? statedMs : sentAtMs;
}

function* extentOf(queries: Queries) {
  const sql = `SELECT (SELECT min(happened_ms) FROM event) AS earliest, (SELECT max(happened_ms) FROM event) AS latest,
    (SELECT max(id) FROM event) AS id`;
  const row = yield* queries.get<{ earliest: bigint | null; latest: bigint | null; id: bigint | null }>(sql);
  if (row?.earliest == null || row.latest === null || row.id === null) return undefined;
  return { earliestMs: Number(row.earliest), latestMs: Number(row.latest), latestId: row.id };
}

function* countsOf(queries: Queries): Work<InboxCounts> {
  const forwards = yield* queries.all<{ state: string; forwards: bigint }>('SELECT * FROM forward_tally');
  const inState = (wanted: string) => Number(forwards.find(({ state }) => state === wanted)?.forwards ?? 0n);
  const row = yield* queries.get<{ n: bigint | null }>('SELECT sum(events) AS n FROM event_tally');
  return {
    events: Number(row?.n ?? 0n),
    waiting: inState('waiting'),
    dead: inState('dead'),
    quarantined: inState('quarantined'),
    late: inState('off-time'),
  };
}
