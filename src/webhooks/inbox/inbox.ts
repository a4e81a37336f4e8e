import { isUtf8 } from 'node:buffer';
import type { Clock, Host } from '../../base/world.ts';
import { type Database, openDatabase } from '../../sqlite/database.ts';
import { copyOf, isNewId, prune, sameEvent } from './copies.ts';
import {
  countEvents,
  type EventCount,
  eventsNamed,
  type HappenedEvent,
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
import { holdReasonOf } from './states.ts';

/** What became of a delivery: a new event, or a copy of one that the inbox has. */
export interface StoredDelivery {
  readonly id: bigint;
  readonly isCopy: boolean;
}

/** How many events there are, how many are held, how many came late or early, and how many forwards wait or are dead. */
export interface InboxCounts {
  readonly events: number;
  readonly waiting: number;
  readonly dead: number;
  readonly held: number;
  readonly late: number;
}

/** A missing event that somebody accepts, the id of its work, and why. */
type AcceptedGap = Readonly<Record<'kind' | 'work' | 'event' | 'reason', string>>;

/** The events of one profile on disk. Each write returns once it is flushed. */
export interface Inbox extends ListenerLease {
  /** Stores deliveries in one transaction, and schedules the forwarding of new ones. */
  add(events: readonly NewEvent[]): StoredDelivery[];
  /** Says where new events go from now on, and what the account says about them. What is left out stays. */
  forwardTo(forwarding: Partial<Forwarding>): void;
  list(filter: InboxFilter): InboxEvent[];
  /** Counts events by name, the most frequent first. */
  countByName(selection: InboxSelection): EventCount[];
  /** Yields the readable events that happened in a period of the service's time, oldest first. */
  happenedFrom(fromMs: number, beforeMs: number): Iterable<HappenedEvent>;
  /** The service's time of the earliest event and of the latest, and the highest number; undefined for an empty inbox. */
  extent(): { readonly earliestMs: number; readonly latestMs: number; readonly latestId: bigint } | undefined;
  /** Finds an event by its number, event id, webhook id or a prefix of them; up to three. */
  find(id: string): InboxEvent[];
  /** Fills in what a sealed event says, once a key for it is there, and schedules its forwarding. It may turn out to be a copy. */
  open(sealed: InboxEvent, content: Content): void;
  counts(): InboxCounts;
  /** Removes events received before a time, except those that are held, dead or wait; no more than `most`. Returns how many. */
  prune(beforeMs: number, most?: number): number;
  /** When the latest event that was pruned was sent, in milliseconds since the epoch; undefined if none was. */
  prunedMs(): number | undefined;
  acceptGaps(gaps: readonly AcceptedGap[]): void;
  acceptedGap(kind: string, work: string, event: string): { reason: string; acceptedAtMs: number } | undefined;
  readonly forwards: Forwards;
  close(): void;
}

type InboxWorld = { readonly clock: Pick<Clock, 'now'>; readonly host: Host };

/** Opens the inbox, creating its file on first use; one that cannot be written can be read. Throws DatabaseError. */
export async function openInbox(path: string, { clock, host }: InboxWorld): Promise<Inbox> {
  const store = await openDatabase(path, {
    synchronous: 'FULL',
    isReadable: true,
    layout: INBOX_LAYOUT,
  });
  // Many events at once rewrite the same pages of the indexes: fewer of them reach the disk if they stay in memory and in the log.
  store.exec('PRAGMA cache_size = -16000; PRAGMA wal_autocheckpoint = 4000');
  const now = () => clock.now();
  const write = <T>(work: () => T) => store.transaction('write', work);
  return {
    add: (events) =>
      write(() => {
        const forwarding = forwardingIn(store);
        return events.map((event) => add(store, now(), event, forwarding));
      }),
    forwardTo: (forwarding) => write(() => setForwarding(store, forwarding)),
    list: (filter) => listEvents(store, filter),
    countByName: (selection) => countEvents(store, selection),
    happenedFrom: (fromMs, beforeMs) => happenedFrom(store, fromMs, beforeMs),
    extent: () => extentOf(store),
    find: (id) => eventsNamed(store, id),
    open: (sealed, content) => write(() => open(store, now(), sealed, content)),
    counts: () => countsOf(store),
    prune: (beforeMs, most) => write(() => prune(store, beforeMs, most)),
    prunedMs: () => {
      const at = store.get<{ at: bigint | null }>('SELECT max(sent_at) AS at FROM pruned')?.at;
      return at == null ? undefined : Number(at);
    },
    acceptGaps: (gaps) =>
      write(() => {
        for (const { kind, work, event, reason } of gaps)
          store.run('INSERT OR REPLACE INTO accepted_gap VALUES (?, ?, ?, ?, ?)', kind, work, event, reason, now());
      }),
    acceptedGap: (...gap) => {
      const sql = 'SELECT reason, accepted_at AS at FROM accepted_gap WHERE kind = ? AND work = ? AND event = ?';
      const row = store.get<{ reason: string; at: bigint }>(sql, ...gap);
      return row && { reason: row.reason, acceptedAtMs: Number(row.at) };
    },
    forwards: forwardsIn(store, now),
    ...leaseIn(store, host, now),
    close: () => store.close(),
  };
}

/** Fills in what a sealed event says. It may be a copy, and be held for another reason. */
function open(store: Database, nowMs: number, sealed: InboxEvent, content: Content): void {
  const { id, webhookId, copies, isLate, isEarly, isSealed, sentAtMs } = sealed;
  const original = sameEvent(store, { ...content, webhookId: webhookId ?? undefined });
  if (original !== undefined) {
    store.run('UPDATE event SET copies = copies + 1 + ? WHERE id = ?', copies, original);
    store.run(`DELETE FROM event WHERE id = ? AND mark = 'sealed'`, id);
    return;
  }
  const { mark, event, eventId, requestId, userId, fintechId, contentDigest, opened, happenedAt } = content;
  const forwarding = forwardingIn(store);
  const held = holdReasonOf({ mark, fintechId, isSealed, isLate, isEarly }, forwarding, () => isNewId(store, eventId));
  const changed = store.run(
    `UPDATE event SET mark = ?, event = ?, event_id = ?, request_id = ?, user_id = ?, fintech_id = ?, content_digest = ?, opened = ?,
       problem = NULL, happened_at = ?, happened_ms = ?, held = ? WHERE id = ? AND mark = 'sealed'`,
    ...[mark, event ?? null, eventId ?? null, requestId ?? null, userId ?? null, fintechId ?? null, contentDigest],
    ...[opened ?? null, happenedAt ?? null, happenedMs({ happenedAt, sentAtMs }), held ?? null, id],
  );
  if (changed > 0 && held === undefined) goOn(store, nowMs, { id, event, requestId }, forwarding);
}

/** Stores one delivery, unless it is a copy. */
function add(store: Database, nowMs: number, event: NewEvent, forwarding: Forwarding): StoredDelivery {
  const copy = copyOf(store, event);
  const held = holdReasonOf(event, forwarding, () => !copy && isNewId(store, event.eventId));
  if (copy) {
    store.run('UPDATE event SET copies = copies + 1 WHERE id = ?', copy.id);
    // The service sent it again, in time and as it should: what was held for that reason is right.
    if (!copy.isSameDelivery && held === undefined)
      release(store, nowMs, forwarding, { event: copy.id, reasons: ['unsealed', 'late', 'early'] });
    return { id: copy.id, isCopy: true };
  }
  const text = textOf(event);
  const id = store.insert(
    `INSERT INTO event (mark, event, event_id, request_id, user_id, fintech_id, webhook_id, signature, content_digest, is_late, is_early,
       held, is_sealed, headers, body, body_form, opened, problem, happened_at, happened_ms, sent_at, received_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[event.mark, event.event ?? null, event.eventId ?? null, event.requestId ?? null, event.userId ?? null],
    ...[event.fintechId ?? null, event.webhookId ?? null, event.signature, event.contentDigest, event.isLate ? 1 : 0],
    ...[event.isEarly ? 1 : 0, held ?? null, event.isSealed ? 1 : 0],
    ...[headersText(event.headers, event), text ?? Buffer.from(event.body).toString('base64')],
    // The text of a plain body is the body itself.
    ...[text === undefined ? 'base64' : 'text', event.isSealed ? (event.opened ?? null) : null, event.problem ?? null],
    ...[event.happenedAt ?? null, happenedMs(event), event.sentAtMs, nowMs],
  );
  if (held === undefined) goOn(store, nowMs, { id, event: event.event, requestId: event.requestId }, forwarding);
  return { id, isCopy: false };
}

/** The body as text; undefined if it is not UTF-8. */
function textOf({ isSealed, opened, body }: NewEvent): string | undefined {
  // The text of a plain event was decoded from its body.
  if (!isSealed && opened !== undefined) return opened;
  return isUtf8(body) ? Buffer.from(body).toString('utf8') : undefined;
}

/** No service has events of other centuries, and such a time would make every list be read to its end. */
const [EARLIEST_MS, LATEST_MS] = [Date.UTC(2000, 0), Date.UTC(2100, 0)];

/** The service's time of an event; if the body does not say it, that of sending. */
function happenedMs({ happenedAt, sentAtMs }: Pick<NewEvent, 'happenedAt' | 'sentAtMs'>): number {
  const statedMs = Date.parse(happenedAt ?? '');
  return statedMs >= EARLIEST_MS && statedMs < LATEST_MS ? statedMs : sentAtMs;
}

function extentOf(store: Database) {
  const sql = `SELECT (SELECT min(happened_ms) FROM event) AS earliest, (SELECT max(happened_ms) FROM event) AS latest,
    (SELECT max(id) FROM event) AS id`;
  const row = store.get<{ earliest: bigint | null; latest: bigint | null; id: bigint | null }>(sql);
  if (row?.earliest == null || row.latest === null || row.id === null) return undefined;
  return { earliestMs: Number(row.earliest), latestMs: Number(row.latest), latestId: row.id };
}

function countsOf(store: Database): InboxCounts {
  const forwards = store.all<{ state: string; forwards: bigint }>('SELECT * FROM forward_tally');
  const inState = (wanted: string) => Number(forwards.find(({ state }) => state === wanted)?.forwards ?? 0n);
  const events = Number(store.get<{ n: bigint | null }>('SELECT sum(events) AS n FROM event_tally')?.n ?? 0n);
  return {
    ...{ events, waiting: inState('waiting'), dead: inState('dead') },
    ...{ held: inState('held'), late: inState('off-time') },
  };
}
