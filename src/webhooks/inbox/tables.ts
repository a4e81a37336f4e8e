import {
  bytes,
  columnNames,
  filled,
  integer,
  optional,
  type RowOf,
  type Table,
  table,
  text,
} from '../../store/table.ts';
import type { EventKind } from './received.ts';
import { QUARANTINE_REASONS, type QuarantineReason } from './states.ts';

/**
 * Times are milliseconds since the epoch, of this machine or of the server that has the inbox, except `happened_ms`, which is the service's.
 * A flag is 0 or 1.
 */

/** Every delivery with a valid signature, once; `copies` counts the repetitions. The number of a deleted event is not used again: a listener remembers the last one that it saw. */
export const EVENT = table('event', ['id'], {
  id: filled(integer(), 'numbered once'),
  kind: text<EventKind>({ oneOf: ['event', 'unknown', 'encrypted', 'unreadable'] }),
  event: optional(text()),
  event_id: optional(text()),
  request_id: optional(text()),
  user_id: optional(text()),
  webhook_id: optional(text()),
  signature: text(),
  content_digest: text(),
  is_late: integer(),
  is_encrypted: integer(),
  headers: text(),
  body: text(),
  body_form: text<'text' | 'base64'>({ oneOf: ['text', 'base64'] }),
  opened: optional(text()),
  problem: optional(text()),
  happened_at: optional(text()),
  happened_ms: integer(),
  sent_at: integer(),
  received_at: integer(),
  copies: filled(integer(), 0),
  fintech_id: optional(text()),
  is_early: filled(integer(), 0),
  quarantined: optional(text<QuarantineReason>({ oneOf: Object.keys(QUARANTINE_REASONS) as QuarantineReason[] })),
});

export type EventRow = RowOf<typeof EVENT>;

/** The columns of an event that arrives. */
export const NEW_COLUMNS = columnNames(EVENT).filter((name) => name !== 'id' && name !== 'copies');

/** A row for each event and target. `set_at` is when `due_at` was set. Of the events of a request that wait for a target, only the first has `is_in_turn`. */
export const FORWARD = table(
  'forward',
  ['id'],
  {
    id: filled(integer(), 'numbered'),
    event: integer({ references: 'event' }),
    target: text(),
    request_id: optional(text()),
    state: text<'waiting' | 'acknowledged' | 'dead'>({ oneOf: ['waiting', 'acknowledged', 'dead'] }),
    attempts: filled(integer(), 0),
    due_at: integer(),
    set_at: integer(),
    is_in_turn: integer(),
    status: optional(integer()),
    problem: optional(text()),
    ended_at: optional(integer()),
  },
  { unique: ['event', 'target'] },
);

export type ForwardRow = RowOf<typeof FORWARD>;

/** `holder` is the listener that has claimed the forward. */
export const SHARED_FORWARD = {
  ...FORWARD,
  columns: { ...FORWARD.columns, event: integer(), holder: optional(text()) },
};

/** Counts events without reading the rows. An event without a name has the empty name. */
const EVENT_TALLY = table('event_tally', ['kind', 'event'], {
  kind: text<EventKind>(),
  event: text(),
  events: integer(),
});

/** Counts forwards without reading the rows, and also the events that are quarantined and those that arrived late or early. */
const FORWARD_TALLY = table('forward_tally', ['state'], { state: text(), forwards: integer() });

/** What tells a copy of a deleted event (copies.ts). `is_chosen` is 1 if someone deleted that event alone, so that others of its time are still there. */
const PRUNED = table('pruned', ['event'], {
  event: integer(),
  sent_at: integer(),
  signature: bytes(),
  id: optional(text()),
  content_digest: text(),
  is_chosen: integer(),
});

/** The missing events that someone accepted. */
export const ACCEPTED_GAP = table('accepted_gap', ['kind', 'work', 'event'], {
  kind: text(),
  work: text(),
  event: text(),
  reason: text(),
  accepted_at: integer(),
});

/** Where new events go and what the account says about them, also while nothing listens. */
export const FORWARDING = table('forwarding', ['id'], {
  id: integer({ isOnly: true }),
  targets: text(),
  events: optional(text()),
  routes: optional(text()),
  fintech_id: optional(text()),
  needs_encryption: integer(),
});

/** A row here, which is removed again, shows that there is room for an event. */
export const ROOM = table('room', ['id'], { id: integer({ isOnly: true }), filler: text() });

const LISTENING = {
  process: integer(),
  host: text(),
  address: text(),
  started_at: integer(),
  seen_at: integer(),
  /** The fingerprints of the secrets that it verifies with. */
  secrets: optional(text()),
};

/** The process that receives now, with the fingerprint of the secret that it is to learn. */
export const LISTENER = table('listener', ['id'], {
  id: integer({ isOnly: true }),
  ...LISTENING,
  wanted_secret: optional(text()),
});

/** The processes that receive; one counts as gone when its last sign of life, by the server's clock, is too long ago. */
export const SHARED_LISTENER = table('listener', ['id'], { id: text(), ...LISTENING });

export const SHARED_SETTING = table('setting', ['name'], { name: text(), value: text() });

const COUNTS_AND_MARKS = [EVENT_TALLY, FORWARD_TALLY, PRUNED, ACCEPTED_GAP, FORWARDING, ROOM];

/** The tables of an inbox in a file, and of one that hosts share. */
export const TABLES: readonly Table[] = [EVENT, FORWARD, ...COUNTS_AND_MARKS, LISTENER];
export const SHARED_TABLES: readonly Table[] = [
  EVENT,
  SHARED_FORWARD,
  ...COUNTS_AND_MARKS,
  SHARED_LISTENER,
  SHARED_SETTING,
];
