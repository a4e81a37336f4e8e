import type { Account } from '../engine/account.ts';
import { existingProfileInbox } from '../engine/connection/inbox.ts';
import { type EventEvidence, evidenceOfEvent } from '../engine/evidence/event-evidence.ts';
import type { Queries } from '../journal/store.ts';
import { DatabaseError } from '../sqlite/errors.ts';
import { valueAt } from '../things/fields.ts';
import { THINGS } from '../things/index.ts';
import type { Inbox } from '../webhooks/inbox/inbox.ts';
import type { LocalCopy } from './database.ts';
import { noteChanged, readSetting, writeSetting } from './list-state.ts';
import { zonedTime } from './rows.ts';
import { stored } from './schema.ts';
import { type CopyTable, isOneOf, TABLES, tableOf } from './tables.ts';

/** Where an event says when the work ended that it is about: the first one with a time counts. Source: public. */
const END_FIELDS = ['completedAt', 'failedAt', 'refundedAt', 'metadata.failedAt'];

/** Returns when an event says that its work ended; null if it does not say it. */
const endIn = ({ event: { data } }: Pick<EventEvidence, 'event'>): string | null =>
  END_FIELDS.map((field) => zonedTime(valueAt(data, field))).find((at) => at !== null) ?? null;

/** Notes when a row ended of which only a span of time is known in which it did: what says it must say a moment of it. */
export async function noteEnd(queries: Queries, table: CopyTable, id: string, at: string): Promise<void> {
  const row = await queries.get<{ created_at: string | null; ended_at: string; end_bound: string }>(
    `SELECT created_at, ended_at, end_bound FROM ${stored(table)} WHERE id = ? AND end_bound IS NOT NULL`,
    id,
  );
  const [first = '', last = ''] = row ? [row.ended_at, row.end_bound].toSorted() : [];
  if (!row || at < first || at > last) return;
  await queries.run(`UPDATE ${stored(table)} SET ended_at = ?, end_bound = NULL WHERE id = ?`, at, id);
  await noteChanged(queries, row.created_at ?? '');
}

/** Notes when a row ended, if an event says it, and that it ended as the row has it. */
export async function noteEventEnd(queries: Queries, table: CopyTable, evidence: EventEvidence): Promise<void> {
  const { outcome, namesAnother } = evidence.meaning;
  const at = endIn(evidence);
  if (at === null || outcome === 'accepted' || namesAnother) return;
  const ends = isOneOf('status', outcome === 'failed' ? table.failed : table.done);
  const has = `SELECT 1 AS found FROM ${stored(table)} WHERE id = ? AND ${ends}`;
  if (await queries.get(has, evidence.requestId)) await noteEnd(queries, table, evidence.requestId, at);
}

/** The rows whose ends were looked for in the inbox: when they were read, and their ids. */
const untilOf = ({ name }: CopyTable) => `${name}-ends-until`;

/** How many events of one row are read. */
const MOST_EVENTS = 50;

/** Reads from the inbox when rows ended that are new or have changed, and whose list does not say it. Rejects with DatabaseError of the copy. */
export async function readEnds({ world, profile, notices }: Account, copy: LocalCopy): Promise<void> {
  let inbox: Inbox | undefined;
  try {
    inbox = await existingProfileInbox(world, profile);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    await notices.say('warning: the inbox of webhooks cannot be read; what its events say of rows is not in the copy');
  }
  if (!inbox) return;
  try {
    for (const table of TABLES) await readEndsOf(inbox, copy, table);
  } finally {
    await inbox.close();
  }
}

async function readEndsOf(inbox: Inbox, copy: LocalCopy, table: CopyTable): Promise<void> {
  const things = THINGS.filter(({ list, events }) => list && Object.keys(events).length > 0);
  const own = things.filter((thing) => tableOf(thing) === table);
  if (own.length === 0) return;
  const rows = await copy.read(async (queries) =>
    queries.all<{ id: string; point: string }>(
      `SELECT id, changed_at || ' ' || id AS point FROM ${stored(table)} WHERE end_bound IS NOT NULL AND changed_at || ' ' || id > ? ORDER BY 2`,
      (await readSetting(queries, untilOf(table))) ?? '',
    ),
  );
  for (const { id, point } of rows) {
    const events = await inbox.list({ requestId: id, limit: MOST_EVENTS });
    await copy.write(async (queries) => {
      for (const event of events)
        for (const thing of own) {
          const evidence = evidenceOfEvent(event, thing);
          if (evidence) await noteEventEnd(queries, table, evidence);
        }
      await writeSetting(queries, untilOf(table), point);
    });
  }
}
