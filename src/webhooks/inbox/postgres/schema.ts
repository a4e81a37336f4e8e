import type { SchemaLayout } from '../../../journal/postgres/gate.ts';
import { INDEXES } from '../layout.ts';
import { SHARED_TABLES } from '../tables.ts';

/** The schema of a database that has the inbox, beside those of the journal and the local copy. */
export const SCHEMA = 'fiatrail_inbox';

/** `frib`, in ASCII: the advisory lock that a transaction which writes holds until it ends. The journal has another one. */
export const LOCK = 0x66726962;

const UPSERT = 'ON CONFLICT (state) DO UPDATE SET forwards = forward_tally.forwards + excluded.forwards';

/** What counts the rows that a statement added or removed. */
const counted = (rows: string, sign: 1 | -1): Readonly<Record<'event' | 'forward', string>> => ({
  event: `INSERT INTO event_tally SELECT kind, coalesce(event, ''), ${sign} * count(*) FROM ${rows} GROUP BY 1, 2
      ON CONFLICT (kind, event) DO UPDATE SET events = event_tally.events + excluded.events;
    INSERT INTO forward_tally SELECT 'quarantined', ${sign} * count(*) FROM ${rows} WHERE quarantined IS NOT NULL HAVING count(*) > 0 ${UPSERT};
    INSERT INTO forward_tally SELECT 'off-time', ${sign} * count(*) FROM ${rows} WHERE is_late = 1 OR is_early = 1 HAVING count(*) > 0 ${UPSERT};`,
  forward: `INSERT INTO forward_tally SELECT state, ${sign} * count(*) FROM ${rows} GROUP BY 1 ${UPSERT};`,
});

const CHANGES = {
  INSERT: { tables: 'NEW TABLE AS added', runs: ['added'] },
  DELETE: { tables: 'OLD TABLE AS removed', runs: ['removed'] },
  UPDATE: { tables: 'OLD TABLE AS removed NEW TABLE AS added', runs: ['removed', 'added'] },
} as const;

/** The triggers of the tallies run once for a statement, however many rows it changes. */
const triggers = Object.entries(CHANGES).flatMap(([change, { tables, runs }]) =>
  (['event', 'forward'] as const).flatMap((table) => {
    const name = `tally_${table}_${change.toLowerCase()}`;
    const body = runs.map((rows) => counted(rows, rows === 'added' ? 1 : -1)[table]).join(' ');
    return [
      `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN ${body} RETURN NULL; END $body$`,
      `CREATE TRIGGER ${name} AFTER ${change} ON ${table} REFERENCING ${tables} FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`,
    ];
  }),
);

/** What a listener looks for: what is due is found in the order of its number, however much waits. */
const OWN_INDEXES = [`CREATE INDEX forward_queue ON forward (target, id) WHERE state = 'waiting' AND is_in_turn = 1`];

/** The columns that a host changes: never what arrived, and when. */
const UPDATED: Readonly<Record<string, string>> = {
  event:
    'kind, event, event_id, request_id, user_id, fintech_id, content_digest, opened, problem, happened_at, happened_ms, quarantined, copies',
  forward: 'state, attempts, status, problem, due_at, set_at, ended_at, is_in_turn, holder',
  forwarding: 'targets, events, routes, fintech_id, needs_encryption',
  listener: 'seen_at, secrets',
  accepted_gap: 'reason, accepted_at',
  event_tally: 'events',
  forward_tally: 'forwards',
  setting: 'value',
  room: 'filler',
};

/** What a role may do that is no owner, in docs/webhooks.md. A host does everything that a listener does; a reader sees the events. */
export const GRANTS = {
  host: [
    `GRANT USAGE ON SCHEMA ${SCHEMA} TO fiatrail_host`,
    `GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA ${SCHEMA} TO fiatrail_host`,
    ...Object.entries(UPDATED).map(
      ([name, columns]) => `GRANT UPDATE (${columns}) ON ${SCHEMA}.${name} TO fiatrail_host`,
    ),
    ...['event', 'forward', 'listener', 'room'].map((name) => `GRANT DELETE ON ${SCHEMA}.${name} TO fiatrail_host`),
  ],
  reader: [
    `GRANT USAGE ON SCHEMA ${SCHEMA} TO fiatrail_reader`,
    ...['event', 'forward', 'event_tally', 'forward_tally', 'pruned', 'accepted_gap'].map(
      (name) => `GRANT SELECT ON ${SCHEMA}.${name} TO fiatrail_reader`,
    ),
  ],
} as const;

export const LAYOUT: SchemaLayout = {
  schema: SCHEMA,
  version: 1,
  lock: LOCK,
  host: GRANTS.host,
  tables: SHARED_TABLES,
  creation: [...INDEXES, ...OWN_INDEXES, ...triggers],
};
