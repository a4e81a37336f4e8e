import type { OpenOptions } from '../../sqlite/database.ts';
import { partsMadeBy } from '../../sqlite/parts.ts';
import { HOLD_REASONS } from './states.ts';

const REASONS = Object.keys(HOLD_REASONS)
  .map((reason) => `'${reason}'`)
  .join(', ');

/**
 * `event` has every delivery with a valid signature, once; `copies` counts the repetitions, and `pruned` has what tells a copy of a deleted
 * event (see copies.ts). The number of a deleted event is not used again: a listener remembers the last one that it saw. `forward` has one
 * row for each event and target, and `forwarding` says where new events go and what the account says about them, also while nothing
 * listens. `set_at` is when `due_at` was set. Of the events of a request that wait for a target, only the first has `is_in_turn`. Times are
 * INTEGER milliseconds since the epoch, of this machine or of the server that has the inbox, except `happened_ms`, which is the service's.
 * `accepted_gap` has the missing events that somebody accepted. A row in `room`, which is removed again, shows that there is room for an event.
 * The tallies count without reading the rows; in `event_tally`, an event without a name has the empty name, and `forward_tally` also counts
 * the events that are held and those that arrived late or early.
 */
export const TABLES: Readonly<Record<string, readonly string[]>> = {
  event: [
    `id INTEGER PRIMARY KEY AUTOINCREMENT, mark TEXT NOT NULL CHECK (mark IN ('event', 'unknown', 'sealed', 'unreadable'))`,
    'event TEXT, event_id TEXT, request_id TEXT, user_id TEXT, webhook_id TEXT, signature TEXT NOT NULL',
    'content_digest TEXT NOT NULL, is_late INTEGER NOT NULL, is_sealed INTEGER NOT NULL, headers TEXT NOT NULL',
    `body TEXT NOT NULL, body_form TEXT NOT NULL CHECK (body_form IN ('text', 'base64')), opened TEXT, problem TEXT`,
    'happened_at TEXT, happened_ms INTEGER NOT NULL, sent_at INTEGER NOT NULL, received_at INTEGER NOT NULL',
    `copies INTEGER NOT NULL DEFAULT 0, fintech_id TEXT, is_early INTEGER NOT NULL DEFAULT 0, held TEXT CHECK (held IN (${REASONS}))`,
  ],
  forward: [
    'id INTEGER PRIMARY KEY, event INTEGER NOT NULL REFERENCES event, target TEXT NOT NULL, request_id TEXT',
    `state TEXT NOT NULL CHECK (state IN ('waiting', 'acknowledged', 'dead')), attempts INTEGER NOT NULL DEFAULT 0`,
    'due_at INTEGER NOT NULL, set_at INTEGER NOT NULL, is_in_turn INTEGER NOT NULL, status INTEGER, problem TEXT',
    'ended_at INTEGER, UNIQUE (event, target)',
  ],
  event_tally: ['mark TEXT NOT NULL, event TEXT NOT NULL, events INTEGER NOT NULL, PRIMARY KEY (mark, event)'],
  forward_tally: ['state TEXT PRIMARY KEY, forwards INTEGER NOT NULL'],
  pruned: [
    'event INTEGER PRIMARY KEY, sent_at INTEGER NOT NULL, signature BLOB NOT NULL, id TEXT, content_digest TEXT NOT NULL',
  ],
  accepted_gap: [
    'kind TEXT NOT NULL, work TEXT NOT NULL, event TEXT NOT NULL, reason TEXT NOT NULL, accepted_at INTEGER NOT NULL',
    'PRIMARY KEY (kind, work, event)',
  ],
  forwarding: [
    'id INTEGER PRIMARY KEY CHECK (id = 1), targets TEXT NOT NULL, events TEXT, routes TEXT, fintech_id TEXT',
    'needs_sealing INTEGER NOT NULL',
  ],
  room: ['id INTEGER PRIMARY KEY CHECK (id = 1), filler TEXT NOT NULL'],
};

export const INDEXES: readonly string[] = [
  'CREATE UNIQUE INDEX event_by_signature ON event (sent_at, signature)',
  'CREATE INDEX event_by_name ON event (event, received_at)',
  'CREATE INDEX event_by_request ON event (request_id, received_at) WHERE request_id IS NOT NULL',
  'CREATE INDEX event_by_user ON event (user_id, received_at) WHERE user_id IS NOT NULL',
  `CREATE INDEX event_by_mark ON event (mark, received_at) WHERE mark <> 'event'`,
  'CREATE INDEX event_by_time ON event (received_at)',
  'CREATE INDEX event_by_happening ON event (happened_ms)',
  `CREATE INDEX forward_in_turn ON forward (target, request_id, id) WHERE state = 'waiting'`,
  `CREATE INDEX forward_dead ON forward (id) WHERE state = 'dead'`,
  // An index of whole random ids would change a page for each event; their beginning is enough to find them.
  'CREATE INDEX event_by_id ON event (substr(coalesce(event_id, webhook_id), 1, 18))',
  'CREATE INDEX event_off_time ON event (received_at) WHERE is_late = 1 OR is_early = 1',
  'CREATE INDEX event_held ON event (received_at) WHERE held IS NOT NULL',
  'CREATE UNIQUE INDEX pruned_by_signature ON pruned (sent_at, signature)',
  'CREATE INDEX pruned_by_id ON pruned (substr(id, 1, 18)) WHERE id IS NOT NULL',
];

/** What is due is read by time: the clock of a machine may be set back. */
const DUE_INDEXES = [
  `CREATE INDEX forward_due ON forward (target, due_at) WHERE state = 'waiting' AND is_in_turn = 1`,
  `CREATE INDEX forward_set ON forward (target, set_at) WHERE state = 'waiting' AND is_in_turn = 1`,
];

const KEYED = new Set(['accepted_gap', 'event_tally', 'forward_tally']);

const tables = () =>
  Object.entries(TABLES).map(
    ([name, columns]) =>
      `CREATE TABLE ${name} (${columns.join(', ')}) STRICT${KEYED.has(name) ? ', WITHOUT ROWID' : ''}`,
  );

const TRIGGERS: readonly string[] = [
  `CREATE TRIGGER event_held_is_tallied AFTER INSERT ON event WHEN NEW.held IS NOT NULL BEGIN
  INSERT INTO forward_tally VALUES ('held', 1) ON CONFLICT DO UPDATE SET forwards = forwards + 1;
END`,
  `CREATE TRIGGER event_held_changes_tally AFTER UPDATE OF held ON event WHEN (OLD.held IS NULL) <> (NEW.held IS NULL) BEGIN
  INSERT INTO forward_tally VALUES ('held', CASE WHEN NEW.held IS NULL THEN -1 ELSE 1 END)
    ON CONFLICT DO UPDATE SET forwards = forwards + excluded.forwards;
END`,
  `CREATE TRIGGER event_held_leaves_tally AFTER DELETE ON event WHEN OLD.held IS NOT NULL BEGIN
  UPDATE forward_tally SET forwards = forwards - 1 WHERE state = 'held';
END`,
  `CREATE TRIGGER event_off_time_is_tallied AFTER INSERT ON event WHEN NEW.is_late = 1 OR NEW.is_early = 1 BEGIN
  INSERT INTO forward_tally VALUES ('off-time', 1) ON CONFLICT DO UPDATE SET forwards = forwards + 1;
END`,
  `CREATE TRIGGER event_off_time_leaves_tally AFTER DELETE ON event WHEN OLD.is_late = 1 OR OLD.is_early = 1 BEGIN
  UPDATE forward_tally SET forwards = forwards - 1 WHERE state = 'off-time';
END`,
  `CREATE TRIGGER event_is_tallied AFTER INSERT ON event BEGIN
  INSERT INTO event_tally VALUES (NEW.mark, coalesce(NEW.event, ''), 1) ON CONFLICT DO UPDATE SET events = events + 1;
END`,
  `CREATE TRIGGER event_changes_tally AFTER UPDATE OF mark, event ON event BEGIN
  UPDATE event_tally SET events = events - 1 WHERE mark = OLD.mark AND event = coalesce(OLD.event, '');
  INSERT INTO event_tally VALUES (NEW.mark, coalesce(NEW.event, ''), 1) ON CONFLICT DO UPDATE SET events = events + 1;
END`,
  `CREATE TRIGGER event_leaves_tally AFTER DELETE ON event BEGIN
  UPDATE event_tally SET events = events - 1 WHERE mark = OLD.mark AND event = coalesce(OLD.event, '');
END`,
  `CREATE TRIGGER forward_is_tallied AFTER INSERT ON forward BEGIN
  INSERT INTO forward_tally VALUES (NEW.state, 1) ON CONFLICT DO UPDATE SET forwards = forwards + 1;
END`,
  `CREATE TRIGGER forward_changes_tally AFTER UPDATE OF state ON forward WHEN OLD.state <> NEW.state BEGIN
  UPDATE forward_tally SET forwards = forwards - 1 WHERE state = OLD.state;
  INSERT INTO forward_tally VALUES (NEW.state, 1) ON CONFLICT DO UPDATE SET forwards = forwards + 1;
END`,
  `CREATE TRIGGER forward_leaves_tally AFTER DELETE ON forward BEGIN
  UPDATE forward_tally SET forwards = forwards - 1 WHERE state = OLD.state;
END`,
];

/** `listener` is the process that receives now, with the fingerprints of the secrets that it verifies with, and of the one that it is to learn. */
const creation = (): readonly string[] => [
  ...tables(),
  ...INDEXES,
  ...DUE_INDEXES,
  `CREATE TABLE listener (
  id INTEGER PRIMARY KEY CHECK (id = 1), process INTEGER NOT NULL, host TEXT NOT NULL, address TEXT NOT NULL, started_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL, secrets TEXT, wanted_secret TEXT) STRICT`,
  ...TRIGGERS,
];

/** The tables of an inbox. The application id is `frib`, in ASCII. */
export const INBOX_LAYOUT: OpenOptions['layout'] = {
  version: 1,
  applicationId: 0x66726962,
  create: (database) => database.exec(creation().join(';\n')),
  parts: () => ({ needed: partsMadeBy(creation()) }),
};
