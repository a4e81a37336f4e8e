import type { Account } from '../engine/account.ts';
import { existingProfileInbox } from '../engine/connection/inbox.ts';
import { type EventEvidence, evidenceOfEvent } from '../engine/evidence/event-evidence.ts';
import type { Queries } from '../journal/store.ts';
import { DatabaseError } from '../sqlite/errors.ts';
import { valueAt } from '../things/fields.ts';
import { THINGS } from '../things/index.ts';
import type { Thing } from '../things/thing.ts';
import type { Inbox } from '../webhooks/inbox/inbox.ts';
import type { LocalCopy } from './database.ts';
import { noteChanged } from './list-state.ts';
import { type NewRow, newRows } from './new-rows.ts';
import { zonedTime } from './rows.ts';
import { stored } from './schema.ts';
import { type CopyTable, isOneOf, tableOf } from './tables.ts';

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

/** Up to which row of a list the inbox was asked when it ended. */
const untilOf = ({ name }: CopyTable) => `${name}-ends-until`;

/** Reads from the inbox, if there is one, when rows ended whose list does not say it. Rejects with DatabaseError of the copy. */
export async function readEnds({ world, profile, notices }: Account, copy: LocalCopy): Promise<void> {
  const withEvents = THINGS.filter(({ list, events }) => list && Object.keys(events).length > 0);
  const inbox = await ofInbox(() => existingProfileInbox(world, profile));
  try {
    if (!inbox) return;
    for (const table of new Set(withEvents.map(tableOf).filter(({ hasStates }) => hasStates))) {
      const things = withEvents.filter((thing) => tableOf(thing) === table);
      for await (const { rows, noteRead } of newRows(copy, table, untilOf(table), 'end_bound IS NOT NULL')) {
        const found = await ofInbox(() => evidenceOf(inbox, rows, things));
        const last = rows.at(-1);
        if (!found || !last) return;
        await copy.write(async (queries) => {
          for (const evidence of found) await noteEventEnd(queries, table, evidence);
          await noteRead(queries, last);
        });
      }
    }
  } finally {
    await inbox?.close();
  }

  /** What the inbox says; undefined if it cannot be read, which stops no sync. */
  async function ofInbox<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      await notices.say('warning: the inbox of webhooks cannot be read; the copy lacks what its events say of rows');
      return undefined;
    }
  }
}

/** How many events of one row are read. */
const MOST_EVENTS = 50;

/** What the inbox says of rows. */
async function evidenceOf(
  inbox: Inbox,
  rows: readonly NewRow[],
  things: readonly Thing[],
): Promise<readonly EventEvidence[]> {
  const found: EventEvidence[] = [];
  for (const { id } of rows)
    for (const event of await inbox.list({ requestId: id, limit: MOST_EVENTS }))
      found.push(...things.flatMap((thing) => evidenceOfEvent(event, thing) ?? []));
  return found;
}
