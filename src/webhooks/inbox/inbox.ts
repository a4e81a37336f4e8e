import { isUtf8 } from 'node:buffer';
import type { Clock, Host } from '../../base/world.ts';
import { eventOf } from '../../contract/events.ts';
import { type Database, openDatabase } from '../../sqlite/database.ts';
import { type Forwards, forwardsIn, scheduleForwards } from './forwards.ts';
import {
  countKept,
  type EventCount,
  type HappenedEvent,
  happenedFrom,
  type KeptEvent,
  type KeptFilter,
  keptNamed,
  listKept,
  type Selection,
} from './kept.ts';
import { claimListener, type Listener, listenerIn, releaseListener, touchListener } from './listener.ts';
import type { Content, NewEvent } from './received.ts';
import { createInbox, INBOX_FILE_ID, INBOX_VERSION } from './schema.ts';

/** What became of a delivery: a new event, or a copy of one that the inbox has. */
export interface Kept {
  readonly id: bigint;
  readonly isCopy: boolean;
}

/** Where new events go besides the inbox. */
interface Forwarding {
  readonly targets: readonly string[];
  /** The only events that are forwarded; every event if undefined. */
  readonly events?: readonly string[] | undefined;
  /** Whether events that arrived late are forwarded too. */
  readonly forwardsLate: boolean;
}

const NOWHERE: Forwarding = { targets: [], forwardsLate: false };

/** The events of one profile on disk. Each write returns once it is flushed. */
export interface Inbox {
  /** Keeps deliveries in one transaction, and schedules the forwarding of new ones. */
  keep(events: readonly NewEvent[]): Kept[];
  /** Says where new events go from now on. */
  forwardTo(forwarding: Forwarding): void;
  list(filter: KeptFilter): KeptEvent[];
  /** Counts events by name, the most frequent first. */
  countByName(selection: Selection): EventCount[];
  /** Yields the readable events that happened in a period of the service's time, oldest first. */
  happenedFrom(fromMs: number, beforeMs: number): Iterable<HappenedEvent>;
  /** The service's time of the earliest event, and the number of the latest; undefined for an empty inbox. */
  extent(): { readonly earliestMs: number; readonly latestId: bigint } | undefined;
  /** Finds an event by its number, event id, webhook id or a prefix of them; up to three. */
  find(id: string): KeptEvent[];
  /** Fills in what a sealed event says, once a key for it is there, and schedules its forwarding. It may turn out to be a copy. */
  open(sealed: KeptEvent, content: Content): void;
  counts(): { readonly events: number; readonly waiting: number; readonly dead: number };
  /** Removes events received before a time, except those that wait to be forwarded. Returns how many. */
  prune(beforeMs: number): number;
  readonly forwards: Forwards;
  /** Takes the inbox for this process. Returns the process that has it, if another one does. */
  claim(address: string): Listener | undefined;
  /** Notes that this process is alive. Returns false if another one has taken the inbox. */
  touch(): boolean;
  release(): void;
  listener(): Listener | undefined;
  close(): void;
}

type InboxWorld = { readonly clock: Pick<Clock, 'now'>; readonly host: Host };

/** Opens the inbox, creating its file on first use. Throws DatabaseError. */
export async function openInbox(path: string, { clock, host }: InboxWorld): Promise<Inbox> {
  const store = await openDatabase(path, {
    synchronous: 'FULL',
    layout: { version: INBOX_VERSION, applicationId: INBOX_FILE_ID, create: createInbox },
  });
  // Many events at once rewrite the same pages of the indexes: fewer of them reach the disk if they stay in memory and in the log.
  store.exec('PRAGMA cache_size = -16000; PRAGMA wal_autocheckpoint = 4000');
  const now = () => clock.now();
  const write = <T>(work: () => T) => store.transaction('write', work);
  return {
    keep: (events) =>
      write(() => {
        const forwarding = forwardingIn(store);
        return events.map((event) => keep(store, now(), event, forwarding));
      }),
    forwardTo: ({ targets, events, forwardsLate }) =>
      write(() => {
        store.run(
          'INSERT OR REPLACE INTO forwarding (id, targets, events, forwards_late) VALUES (1, ?, ?, ?)',
          ...[JSON.stringify(targets), events ? JSON.stringify(events) : null, forwardsLate ? 1 : 0],
        );
      }),
    list: (filter) => listKept(store, filter),
    countByName: (selection) => countKept(store, selection),
    happenedFrom: (fromMs, beforeMs) => happenedFrom(store, fromMs, beforeMs),
    extent: () => extentOf(store),
    find: (id) => keptNamed(store, id),
    open: (sealed, content) => write(() => open(store, now(), sealed, content)),
    counts: () => countsOf(store),
    prune: (beforeMs) => write(() => prune(store, beforeMs)),
    forwards: forwardsIn(store, now),
    claim: (address) => write(() => claimListener(store, host, now(), address)),
    touch: () => write(() => touchListener(store, host, now())),
    release: () => write(() => releaseListener(store, host)),
    listener: () => listenerIn(store, host, now()),
    close: () => store.close(),
  };
}

/** Equal signatures are of one time, which their index begins with, so that new ones go to its end. */
function sameSignature(store: Database, { sentAtMs, signature }: NewEvent): bigint | undefined {
  return store.get<{ id: bigint }>('SELECT id FROM event WHERE sent_at = ? AND signature = ?', sentAtMs, signature)?.id;
}

/** Finds an event with the same content. The webhook id alone decides nothing: it is not signed, so a stranger could use it up. */
function sameContent(
  store: Database,
  { contentDigest, happenedAt }: Content,
  webhookId: string | null,
): bigint | undefined {
  const sql = `SELECT id FROM event WHERE happened_at IS ? AND content_digest = ? AND (webhook_id IS ? OR event_id IS NOT NULL) LIMIT 1`;
  return store.get<{ id: bigint }>(sql, happenedAt ?? null, contentDigest, webhookId)?.id;
}

function open(
  store: Database,
  nowMs: number,
  { id, webhookId, copies, isLate, sentAtMs }: KeptEvent,
  content: Content,
) {
  const { mark, event, eventId, requestId, userId, contentDigest, opened, happenedAt } = content;
  const original = sameContent(store, content, webhookId);
  if (original !== undefined) {
    store.run('UPDATE event SET copies = copies + 1 + ? WHERE id = ?', copies, original);
    store.run(`DELETE FROM event WHERE id = ? AND mark = 'sealed'`, id);
    return;
  }
  const changed = store.run(
    `UPDATE event SET mark = ?, event = ?, event_id = ?, request_id = ?, user_id = ?, content_digest = ?, opened = ?, problem = NULL,
       happened_at = ?, happened_ms = ? WHERE id = ? AND mark = 'sealed'`,
    ...[mark, event ?? null, eventId ?? null, requestId ?? null, userId ?? null, contentDigest, opened ?? null],
    ...[happenedAt ?? null, happenedMs({ happenedAt, sentAtMs }), id],
  );
  const forwarding = forwardingIn(store);
  if (changed > 0 && isForwarded({ event, mark, isLate }, forwarding))
    scheduleForwards(store, { event: id, requestId, targets: forwarding.targets, dueMs: nowMs });
}

/**
 * Keeps one delivery. It is a copy if its signature was seen before, or its content under the same webhook id or with the same
 * event id. The webhook id alone decides nothing: it is not signed, so a stranger could use it up.
 */
function keep(store: Database, nowMs: number, event: NewEvent, forwarding: Forwarding): Kept {
  const copy = sameSignature(store, event) ?? sameContent(store, event, event.webhookId ?? null);
  if (copy !== undefined) {
    store.run('UPDATE event SET copies = copies + 1 WHERE id = ?', copy);
    return { id: copy, isCopy: true };
  }
  const text = textOf(event);
  const id = store.insert(
    `INSERT INTO event (mark, event, event_id, request_id, user_id, webhook_id, signature, content_digest, is_late, is_sealed, headers,
       body, body_form, opened, problem, happened_at, happened_ms, sent_at, received_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[event.mark, event.event ?? null, event.eventId ?? null, event.requestId ?? null, event.userId ?? null],
    ...[event.webhookId ?? null, event.signature, event.contentDigest, event.isLate ? 1 : 0, event.isSealed ? 1 : 0],
    ...[JSON.stringify(event.headers), text ?? Buffer.from(event.body).toString('base64')],
    // The text of a plain body is the body itself.
    ...[text === undefined ? 'base64' : 'text', event.isSealed ? (event.opened ?? null) : null, event.problem ?? null],
    ...[event.happenedAt ?? null, happenedMs(event), event.sentAtMs, nowMs],
  );
  if (isForwarded(event, forwarding))
    scheduleForwards(store, { event: id, requestId: event.requestId, targets: forwarding.targets, dueMs: nowMs });
  return { id, isCopy: false };
}

/** The body as text; undefined if it is not UTF-8. */
function textOf({ isSealed, opened, body }: NewEvent): string | undefined {
  // The text of a plain event was decoded from its body.
  if (!isSealed && opened !== undefined) return opened;
  return isUtf8(body) ? Buffer.from(body).toString('utf8') : undefined;
}

function forwardingIn(store: Database): Forwarding {
  const row = store.get<{ targets: string; events: string | null; forwards_late: bigint }>('SELECT * FROM forwarding');
  if (!row) return NOWHERE;
  const events = row.events === null ? undefined : (JSON.parse(row.events) as string[]);
  return { targets: JSON.parse(row.targets) as string[], events, forwardsLate: row.forwards_late === 1n };
}

/** What could not be read is never forwarded. */
function isForwarded(
  { event, mark, isLate }: Pick<NewEvent, 'event' | 'mark' | 'isLate'>,
  { events, forwardsLate }: Forwarding,
): boolean {
  const isRead = mark === 'event' || mark === 'unknown';
  return isRead && (forwardsLate || !isLate) && (events === undefined || events.includes(nameOf(event ?? '')));
}

/** The name that the interface has for an event. */
const nameOf = (event: string) => eventOf(event)?.name ?? event;

/** No service has events of other centuries, and such a time would make every list be read to its end. */
const [EARLIEST_MS, LATEST_MS] = [Date.UTC(2000, 0), Date.UTC(2100, 0)];

/** The service's time of an event; if the body does not say it, that of sending. */
function happenedMs({ happenedAt, sentAtMs }: Pick<NewEvent, 'happenedAt' | 'sentAtMs'>): number {
  const saidMs = Date.parse(happenedAt ?? '');
  return saidMs >= EARLIEST_MS && saidMs < LATEST_MS ? saidMs : sentAtMs;
}

function extentOf(store: Database) {
  const sql = `SELECT (SELECT min(happened_ms) FROM event) AS earliest, (SELECT max(id) FROM event) AS latest`;
  const row = store.get<{ earliest: bigint | null; latest: bigint | null }>(sql);
  if (row?.earliest == null || row.latest === null) return undefined;
  return { earliestMs: Number(row.earliest), latestId: row.latest };
}

function countsOf(store: Database) {
  const forwards = store.all<{ state: string; forwards: bigint }>('SELECT * FROM forward_tally');
  const inState = (wanted: string) => Number(forwards.find(({ state }) => state === wanted)?.forwards ?? 0n);
  const events = Number(store.get<{ n: bigint | null }>('SELECT sum(events) AS n FROM event_tally')?.n ?? 0n);
  return { events, waiting: inState('waiting'), dead: inState('dead') };
}

function prune(store: Database, beforeMs: number): number {
  const old = `SELECT id FROM event WHERE received_at < ? AND NOT EXISTS (
    SELECT 1 FROM forward WHERE forward.event = event.id AND state <> 'acknowledged')`;
  store.run(`DELETE FROM forward WHERE event IN (${old})`, beforeMs);
  return store.run(`DELETE FROM event WHERE id IN (${old})`, beforeMs);
}
