import type { OpenOptions } from '../../sqlite/database.ts';
import { partsMadeBy } from '../../sqlite/parts.ts';
import { tableInFile } from '../../store/ddl.ts';
import { TABLES } from './tables.ts';

export const INDEXES: readonly string[] = [
  'CREATE UNIQUE INDEX event_by_signature ON event (sent_at, signature)',
  'CREATE INDEX event_by_name ON event (event, received_at)',
  'CREATE INDEX event_by_request ON event (request_id, received_at) WHERE request_id IS NOT NULL',
  'CREATE INDEX event_by_user ON event (user_id, received_at) WHERE user_id IS NOT NULL',
  `CREATE INDEX event_by_kind ON event (kind, received_at) WHERE kind <> 'event'`,
  'CREATE INDEX event_by_time ON event (received_at)',
  'CREATE INDEX event_by_happening ON event (happened_ms)',
  `CREATE INDEX forward_in_turn ON forward (target, request_id, id) WHERE state = 'waiting'`,
  `CREATE INDEX forward_dead ON forward (id) WHERE state = 'dead'`,
  // An index of whole random ids would change a page for each event; their beginning is enough to find them.
  'CREATE INDEX event_by_id ON event (substr(coalesce(event_id, webhook_id), 1, 18))',
  'CREATE INDEX event_off_time ON event (received_at) WHERE is_late = 1 OR is_early = 1',
  'CREATE INDEX event_quarantined ON event (received_at) WHERE quarantined IS NOT NULL',
  'CREATE UNIQUE INDEX pruned_by_signature ON pruned (sent_at, signature)',
  'CREATE INDEX pruned_by_id ON pruned (substr(id, 1, 18)) WHERE id IS NOT NULL',
];

/** What is due is read by time: the clock of a machine may be set back. */
const DUE_INDEXES = [
  `CREATE INDEX forward_due ON forward (target, due_at) WHERE state = 'waiting' AND is_in_turn = 1`,
  `CREATE INDEX forward_set ON forward (target, set_at) WHERE state = 'waiting' AND is_in_turn = 1`,
];

/** Keep the tallies. */
const TRIGGERS: readonly string[] = [
  `CREATE TRIGGER event_quarantined_is_tallied AFTER INSERT ON event WHEN NEW.quarantined IS NOT NULL BEGIN
  INSERT INTO forward_tally VALUES ('quarantined', 1) ON CONFLICT DO UPDATE SET forwards = forwards + 1;
END`,
  `CREATE TRIGGER event_quarantined_changes_tally AFTER UPDATE OF quarantined ON event WHEN (OLD.quarantined IS NULL) <> (NEW.quarantined IS NULL) BEGIN
  INSERT INTO forward_tally VALUES ('quarantined', CASE WHEN NEW.quarantined IS NULL THEN -1 ELSE 1 END)
    ON CONFLICT DO UPDATE SET forwards = forwards + excluded.forwards;
END`,
  `CREATE TRIGGER event_quarantined_leaves_tally AFTER DELETE ON event WHEN OLD.quarantined IS NOT NULL BEGIN
  UPDATE forward_tally SET forwards = forwards - 1 WHERE state = 'quarantined';
END`,
  `CREATE TRIGGER event_off_time_is_tallied AFTER INSERT ON event WHEN NEW.is_late = 1 OR NEW.is_early = 1 BEGIN
  INSERT INTO forward_tally VALUES ('off-time', 1) ON CONFLICT DO UPDATE SET forwards = forwards + 1;
END`,
  `CREATE TRIGGER event_off_time_leaves_tally AFTER DELETE ON event WHEN OLD.is_late = 1 OR OLD.is_early = 1 BEGIN
  UPDATE forward_tally SET forwards = forwards - 1 WHERE state = 'off-time';
END`,
  `CREATE TRIGGER event_is_tallied AFTER INSERT ON event BEGIN
  INSERT INTO event_tally VALUES (NEW.kind, coalesce(NEW.event, ''), 1) ON CONFLICT DO UPDATE SET events = events + 1;
END`,
  `CREATE TRIGGER event_changes_tally AFTER UPDATE OF kind, event ON event BEGIN
  UPDATE event_tally SET events = events - 1 WHERE kind = OLD.kind AND event = coalesce(OLD.event, '');
  INSERT INTO event_tally VALUES (NEW.kind, coalesce(NEW.event, ''), 1) ON CONFLICT DO UPDATE SET events = events + 1;
END`,
  `CREATE TRIGGER event_leaves_tally AFTER DELETE ON event BEGIN
  UPDATE event_tally SET events = events - 1 WHERE kind = OLD.kind AND event = coalesce(OLD.event, '');
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

const creation = (): readonly string[] => [
  ...TABLES.map((table) => tableInFile(table)),
  ...INDEXES,
  ...DUE_INDEXES,
  ...TRIGGERS,
];

/** The layout of an inbox in a file. The application id is `frib`, in ASCII. */
export const INBOX_LAYOUT: OpenOptions['layout'] = {
  version: 1,
  applicationId: 0x66726962,
  create: (database) => database.exec(creation().join(';\n')),
  parts: () => ({ needed: partsMadeBy(creation()) }),
};
