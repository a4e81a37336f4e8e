import { DatabaseSync } from 'node:sqlite';

/** The tables of an inbox as version 1 created them. */
const TABLES = `
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
`;

/** A row of version 1 without what every row has. */
type OldEvent = Readonly<Record<string, string | number | null>>;

/** Creates an inbox file of version 1 with these events, which are forwarded to one target. */
export function writeOldInbox(path: string, target: string, events: readonly OldEvent[]): void {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; ${TABLES}; PRAGMA application_id = ${0x66726962}; PRAGMA user_version = 1`);
  database.prepare('INSERT INTO forwarding VALUES (1, ?, NULL, 0)').run(JSON.stringify([target]));
  for (const event of events) {
    const row = {
      is_late: 0,
      is_sealed: 0,
      headers: '{}',
      body_form: 'text',
      happened_ms: 0,
      received_at: 0,
      ...event,
    };
    const names = Object.keys(row);
    const sql = `INSERT INTO event (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
    database.prepare(sql).run(...Object.values(row));
  }
  database.close();
}
