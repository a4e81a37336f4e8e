import type { Database } from '../../sqlite/database.ts';

/** `frib`, in ASCII. */
export const INBOX_FILE_ID = 0x66726962;
export const INBOX_VERSION = 2;

const VERSION_1 = `
CREATE TABLE event (
  id INTEGER PRIMARY KEY, mark TEXT NOT NULL CHECK (mark IN ('event', 'unknown', 'sealed', 'unreadable')), event TEXT, event_id TEXT,
  request_id TEXT, user_id TEXT, webhook_id TEXT, signature TEXT NOT NULL, content_digest TEXT NOT NULL, is_late INTEGER NOT NULL,
  is_sealed INTEGER NOT NULL, headers TEXT NOT NULL, body TEXT NOT NULL, body_form TEXT NOT NULL CHECK (body_form IN ('text', 'base64')),
  opened TEXT, problem TEXT, happened_at TEXT, sent_at INTEGER NOT NULL, received_at INTEGER NOT NULL,
  copies INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE UNIQUE INDEX event_by_signature ON event (signature);
CREATE INDEX event_by_content ON event (content_digest);
CREATE INDEX event_by_name ON event (event, id);
CREATE INDEX event_by_request ON event (request_id, id) WHERE request_id IS NOT NULL;
CREATE INDEX event_by_user ON event (user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX event_by_time ON event (received_at);
CREATE TABLE forward (
  id INTEGER PRIMARY KEY, event INTEGER NOT NULL REFERENCES event, target TEXT NOT NULL, request_id TEXT,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'acknowledged', 'dead')), attempts INTEGER NOT NULL DEFAULT 0, due_at INTEGER NOT NULL,
  status INTEGER, problem TEXT, ended_at INTEGER, UNIQUE (event, target)) STRICT;
CREATE INDEX forward_due ON forward (target, due_at, id) WHERE state = 'waiting';
CREATE INDEX forward_in_turn ON forward (target, request_id, id) WHERE state = 'waiting' AND request_id IS NOT NULL;
CREATE INDEX forward_dead ON forward (id) WHERE state = 'dead';
CREATE TABLE forwarding (
  id INTEGER PRIMARY KEY CHECK (id = 1), targets TEXT NOT NULL, events TEXT, forwards_late INTEGER NOT NULL) STRICT;
CREATE TABLE listener (
  id INTEGER PRIMARY KEY CHECK (id = 1), process INTEGER NOT NULL, host TEXT NOT NULL, address TEXT NOT NULL, started_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL) STRICT;
`;

/**
 * Adds the service's time of each event, indexes in the order of time for every filter of a list, and tallies, which count without
 * reading the rows. In `event_tally`, an event without a name has the empty name.
 */
const VERSION_2 = `
ALTER TABLE event ADD COLUMN happened_ms INTEGER NOT NULL DEFAULT 0;
DROP INDEX event_by_name;
DROP INDEX event_by_request;
DROP INDEX event_by_user;
CREATE INDEX event_by_name ON event (event, received_at);
CREATE INDEX event_by_request ON event (request_id, received_at) WHERE request_id IS NOT NULL;
CREATE INDEX event_by_user ON event (user_id, received_at) WHERE user_id IS NOT NULL;
CREATE INDEX event_by_mark ON event (mark, received_at) WHERE mark <> 'event';
CREATE INDEX event_late ON event (received_at) WHERE is_late = 1;
CREATE TABLE event_tally (
  mark TEXT NOT NULL, event TEXT NOT NULL, events INTEGER NOT NULL, PRIMARY KEY (mark, event)) STRICT, WITHOUT ROWID;
CREATE TABLE forward_tally (state TEXT PRIMARY KEY, forwards INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;

/** Fills what version 2 adds. A time that SQLite cannot read is that of sending. */
const FILL_VERSION_2 = `
UPDATE event SET happened_ms = coalesce(CAST(round(unixepoch(happened_at, 'subsec') * 1000) AS INTEGER), sent_at);
INSERT INTO event_tally SELECT mark, coalesce(event, ''), count(*) FROM event GROUP BY 1, 2;
INSERT INTO forward_tally SELECT state, count(*) FROM forward GROUP BY 1;
`;

/** Indexes and triggers that would slow down the filling. */
const AFTER_FILLING = `
CREATE INDEX event_by_happening ON event (happened_ms);
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
`;

/**
 * `event` has every delivery that was rightly signed, once; `copies` counts the repetitions. `forward` has one row for each event and
 * target, and `forwarding` says where new events go, also while nothing listens. Times are INTEGER milliseconds since the epoch, of
 * this machine, except `happened_ms`, which is the service's. `listener` is the process that receives now.
 */
export function createInbox(database: Database): void {
  database.exec(VERSION_1);
  addTallies(database);
}

/** Upgrades version 1; a new inbox has nothing to fill. */
export function addTallies(database: Database): void {
  database.exec(VERSION_2);
  database.exec(FILL_VERSION_2);
  database.exec(AFTER_FILLING);
}
