/**
 * `delivery` has one row for each event and URL, and `delivery_attempt` one for each time it was sent. Times are sandbox time,
 * except in the headers of an attempt. A waiting delivery is claimed by moving `due_at` on, so that two processes do not send it.
 */
export const DELIVERIES = `
CREATE TABLE delivery (
  id INTEGER PRIMARY KEY, webhook_id TEXT NOT NULL UNIQUE, event INTEGER NOT NULL REFERENCES outbox, url TEXT NOT NULL,
  request_id TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'given-up')), attempts INTEGER NOT NULL,
  due_at INTEGER NOT NULL, fault TEXT) STRICT;
CREATE INDEX delivery_due ON delivery (due_at, id) WHERE state = 'waiting';
CREATE INDEX delivery_in_turn ON delivery (request_id, id) WHERE state = 'waiting';
CREATE INDEX delivery_of_event ON delivery (event, id);
CREATE TABLE delivery_attempt (
  id INTEGER PRIMARY KEY, delivery INTEGER NOT NULL REFERENCES delivery, sent_at INTEGER NOT NULL, headers TEXT NOT NULL, body TEXT NOT NULL,
  status INTEGER, answer TEXT, problem TEXT, duration_ms INTEGER NOT NULL) STRICT;
CREATE INDEX delivery_attempt_of ON delivery_attempt (delivery, id);
`;
