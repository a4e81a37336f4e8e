import { isUtf8 } from 'node:buffer';
import type { Clock, Host } from '../../base/world.ts';
import { eventOf } from '../../contract/events.ts';
import { type Database, openDatabase } from '../../sqlite/database.ts';
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
import { type Forwards, forwardsIn, scheduleForwards } from './forwards.ts';
import type { Content, NewEvent } from './received.ts';

/** `frib`, in ASCII. */
export const INBOX_FILE_ID = 0x66726962;
export const INBOX_VERSION = 1;

/**
 * `event` has every delivery with a valid signature, once; `copies` counts the repetitions. The number of a deleted event is not
 * used again: a listener remembers the last one that it saw. `forward` has one row for each event and target, and `forwarding` says
 * where new events go, also while nothing listens. `set_at` is when `due_at` was set. Of the
 * events of a request that wait for a target, only the first has `is_in_turn`. Times are INTEGER milliseconds since the epoch,
 * of this machine, except `happened_ms`, which is the service's. `listener` is the process that receives now. The tallies count
 * without reading the rows; in `event_tally`, an event without a name has the empty name.
 */
export function createInbox(database: Database): void {
  database.exec(`
CREATE TABLE event (
  id INTEGER PRIMARY KEY AUTOINCREMENT, mark TEXT NOT NULL CHECK (mark IN ('event', 'unknown', 'sealed', 'unreadable')), event TEXT, event_id TEXT,
  request_id TEXT, user_id TEXT, webhook_id TEXT, signature TEXT NOT NULL, content_digest TEXT NOT NULL, is_late INTEGER NOT NULL,
  is_sealed INTEGER NOT NULL, headers TEXT NOT NULL, body TEXT NOT NULL, body_form TEXT NOT NULL CHECK (body_form IN ('text', 'base64')),
  opened TEXT, problem TEXT, happened_at TEXT, happened_ms INTEGER NOT NULL, sent_at INTEGER NOT NULL, received_at INTEGER NOT NULL,
  copies INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE UNIQUE INDEX event_by_signature ON event (sent_at, signature);
CREATE INDEX event_by_content ON event (happened_at, content_digest);
CREATE INDEX event_by_name ON event (event, received_at);
CREATE INDEX event_by_request ON event (request_id, received_at) WHERE request_id IS NOT NULL;
CREATE INDEX event_by_user ON event (user_id, received_at) WHERE user_id IS NOT NULL;
CREATE INDEX event_by_mark ON event (mark, received_at) WHERE mark <> 'event';
CREATE INDEX event_late ON event (received_at) WHERE is_late = 1;
CREATE INDEX event_by_time ON event (received_at);
CREATE INDEX event_by_happening ON event (happened_ms);
CREATE TABLE forward (
  id INTEGER PRIMARY KEY, event INTEGER NOT NULL REFERENCES event, target TEXT NOT NULL, request_id TEXT,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'acknowledged', 'dead')), attempts INTEGER NOT NULL DEFAULT 0, due_at INTEGER NOT NULL,
  set_at INTEGER NOT NULL, is_in_turn INTEGER NOT NULL, status INTEGER, problem TEXT, ended_at INTEGER, UNIQUE (event, target)) STRICT;
CREATE INDEX forward_due ON forward (target, due_at) WHERE state = 'waiting' AND is_in_turn = 1;
CREATE INDEX forward_set ON forward (target, set_at) WHERE state = 'waiting' AND is_in_turn = 1;
CREATE INDEX forward_in_turn ON forward (target, request_id, id) WHERE state = 'waiting';
CREATE INDEX forward_dead ON forward (id) WHERE state = 'dead';
CREATE TABLE forwarding (
  id INTEGER PRIMARY KEY CHECK (id = 1), targets TEXT NOT NULL, events TEXT, forwards_late INTEGER NOT NULL) STRICT;
CREATE TABLE listener (
  id INTEGER PRIMARY KEY CHECK (id = 1), process INTEGER NOT NULL, host TEXT NOT NULL, address TEXT NOT NULL, started_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL) STRICT;
CREATE TABLE event_tally (
  mark TEXT NOT NULL, event TEXT NOT NULL, events INTEGER NOT NULL, PRIMARY KEY (mark, event)) STRICT, WITHOUT ROWID;
CREATE TABLE forward_tally (state TEXT PRIMARY KEY, forwards INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TRIGGER event_is_tallied AFTER INSERT ON event BEGIN
  INSERT INTO event_tally VALUES (NEW.mark, coalesce(NEW.event, ''), 1) ON CONFLICT DO UPDATE SET events = events + 1;
END;
CREATE TRIGGER event_changes_tally AFTER UPDATE OF mark, event ON event BEGIN
  UPDATE event_tally SET events = events - 1 WHERE mark = OLD.mark AND event = coalesce(OLD.event, '');
  INSERT INTO event_tally VALUES (NEW.mark, coalesce(NEW.event, ''), 1) ON CONFLICT DO UPDATE SET events = events + 1;
END;
CREATE TRIGGER event_leaves_tally AFTER DELETE ON event BEGIN
  UPDATE event_tally SET events = events - 1 WHERE mark = OLD.mark AND event = coalesce(OLD.event, '');
END;
CREATE TRIGGER forward_is_tallied AFTER INSERT ON forward BEGIN
  INSERT INTO forward_tally VALUES (NEW.state, 1) ON CONFLICT DO UPDATE SET forwards = forwards + 1;
END;
CREATE TRIGGER forward_changes_tally AFTER UPDATE OF state ON forward WHEN OLD.state <> NEW.state BEGIN
  UPDATE forward_tally SET forwards = forwards - 1 WHERE state = OLD.state;
  INSERT INTO forward_tally VALUES (NEW.state, 1) ON CONFLICT DO UPDATE SET forwards = forwards + 1;
END;
CREATE TRIGGER forward_leaves_tally AFTER DELETE ON forward BEGIN
  UPDATE forward_tally SET forwards = forwards - 1 WHERE state = OLD.state;
END;
`);
}

/** What became of a delivery: a new event, or a copy of one that the inbox has. */
export interface StoredDelivery {
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

/** The process that receives for an inbox. */
export interface Listener {
  readonly processId: number;
  readonly host: string;
  /** Where it listens: `http://127.0.0.1:4000`, or `the embedded sandbox`. */
  readonly address: string;
  readonly startedAtMs: number;
}

/** A listener counts as gone after this long without a sign of life: its process may be stopped, or another program may have its id. */
export const SILENT_MS = 60_000;

/** Returns the process that listens, if it is alive. */
function listenerIn(store: Database, here: Host, nowMs: number): Listener | undefined {
  const row = store.get<Record<'process' | 'started_at' | 'seen_at', bigint> & Record<'host' | 'address', string>>(
    'SELECT * FROM listener',
  );
  if (!row) return undefined;
  const processId = Number(row.process);
  const isRecent = nowMs - Number(row.seen_at) < SILENT_MS;
  const isAlive = isRecent && (row.host !== here.name || here.isRunning(processId));
  return isAlive ? { processId, host: row.host, address: row.address, startedAtMs: Number(row.started_at) } : undefined;
}

/** Takes the inbox for this process, or returns the one that has it. Call it in a transaction. */
function claimListener(store: Database, here: Host, nowMs: number, address: string): Listener | undefined {
  const other = listenerIn(store, here, nowMs);
  if (other && !(other.host === here.name && other.processId === here.processId)) return other;
  store.run(
    `INSERT INTO listener VALUES (1, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET process = excluded.process, host = excluded.host,
       address = excluded.address, started_at = excluded.started_at, seen_at = excluded.seen_at`,
    ...[here.processId, here.name, address, nowMs, nowMs],
  );
  return undefined;
}

/** The events of one profile on disk. Each write returns once it is flushed. */
export interface Inbox {
  /** Stores deliveries in one transaction, and schedules the forwarding of new ones. */
  add(events: readonly NewEvent[]): StoredDelivery[];
  /** Says where new events go from now on. */
  forwardTo(forwarding: Forwarding): void;
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

/** Opens the inbox, creating its file on first use; one that cannot be written can be read. Throws DatabaseError. */
export async function openInbox(path: string, { clock, host }: InboxWorld): Promise<Inbox> {
  const store = await openDatabase(path, {
    synchronous: 'FULL',
    isReadable: true,
    layout: { version: INBOX_VERSION, applicationId: INBOX_FILE_ID, create: createInbox },
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
    forwardTo: ({ targets, events, forwardsLate }) =>
      write(() => {
        store.run(
          'INSERT OR REPLACE INTO forwarding (id, targets, events, forwards_late) VALUES (1, ?, ?, ?)',
          ...[JSON.stringify(targets), events ? JSON.stringify(events) : null, forwardsLate ? 1 : 0],
        );
      }),
    list: (filter) => listEvents(store, filter),
    countByName: (selection) => countEvents(store, selection),
    happenedFrom: (fromMs, beforeMs) => happenedFrom(store, fromMs, beforeMs),
    extent: () => extentOf(store),
    find: (id) => eventsNamed(store, id),
    open: (sealed, content) => write(() => open(store, now(), sealed, content)),
    counts: () => countsOf(store),
    prune: (beforeMs) => write(() => prune(store, beforeMs)),
    forwards: forwardsIn(store, now),
    claim: (address) => write(() => claimListener(store, host, now(), address)),
    touch: () =>
      write(
        () =>
          store.run(
            'UPDATE listener SET seen_at = ? WHERE process = ? AND host = ?',
            now(),
            host.processId,
            host.name,
          ) > 0,
      ),
    release: () =>
      write(() => store.run('DELETE FROM listener WHERE process = ? AND host = ?', host.processId, host.name)),
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
  { id, webhookId, copies, isLate, sentAtMs }: InboxEvent,
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
 * Stores one delivery. It is a copy if its signature was seen before, or its content under the same webhook id or with the same
 * event id. The webhook id alone decides nothing: it is not signed, so a stranger could use it up.
 */
function add(store: Database, nowMs: number, event: NewEvent, forwarding: Forwarding): StoredDelivery {
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
