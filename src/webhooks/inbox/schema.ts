import type { Database } from '../../sqlite/database.ts';

/** `frib`, in ASCII. */
export const INBOX_FILE_ID = 0x66726962;
export const INBOX_VERSION = 1;

/**
 * `event` has every delivery that was rightly signed, once; `copies` counts the repetitions. `forward` has one row for each event and
 * target, and `forwarding` says where new events go, also while nothing listens. Times are INTEGER milliseconds since the epoch, of this machine. `listener` is the process that receives now.
 */
export function createInbox(database: Database): void {
  database.exec(`
CREATE TABLE event (
  id INTEGER PRIMARY KEY, mark TEXT NOT NULL CHECK (mark IN ('event', 'unknown', 'sealed', 'unreadable')), event TEXT, event_id TEXT,
  request_id TEXT, user_id TEXT, webhook_id TEXT, signature TEXT NOT NULL, content_digest TEXT NOT NULL, is_late INTEGER NOT NULL,
  is_sealed INTEGER NOT NULL, headers TEXT NOT NULL, body TEXT NOT NULL, body_form TEXT NOT NULL CHECK (body_form IN ('text', 'base64')),
  opened TEXT, problem TEXT, happened_at TEXT, sent_at INTEGER NOT NULL, received_at INTEGER NOT NULL,
  copies INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE UNIQUE INDEX event_by_signature ON event (sent_at, signature);
CREATE INDEX event_by_content ON event (happened_at, content_digest);
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
`);
}
