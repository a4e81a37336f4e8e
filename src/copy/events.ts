import type { Account } from '../engine/account.ts';
import type { EventEvidence } from '../engine/evidence/event-evidence.ts';
import type { Work } from '../engine/evidence/work.ts';
import { insertion, replacing } from '../store/table.ts';
import { noteEventEnd } from './event-ends.ts';
import { nextChange } from './list-state.ts';
import { existingCopy } from './open.ts';
import { FIRST_TIME, noteStatus } from './save-rows.ts';
import { listTable } from './schema.ts';
import { type CopyTable, TABLES } from './tables.ts';

/** What an event proves about some work. */
export interface NotedEvent {
  readonly work: Work;
  readonly evidence: EventEvidence;
}

/**
 * Writes what events prove into the local copy at once, if there is one. A row that only an event told of has no digest, so the next sync reads it,
 * and no reading takes it for one that was read.
 */
export async function noteEvents(account: Account, events: readonly NotedEvent[]): Promise<void> {
  const copy = events.length > 0 ? await existingCopy(account.world, account.profile) : undefined;
  if (!copy) return;
  try {
    for (const { work, evidence } of events) {
      const table = tableOf(work);
      if (!table) continue;
      const { requestId, meaning, event } = evidence;
      const { status: own } = event.data as { readonly status?: unknown };
      const usual = { accepted: table.usual, settled: table.done[0], failed: table.failed[0] }[meaning.outcome];
      const status = typeof own === 'string' ? own : (usual ?? '');
      const isOpen = meaning.outcome === 'accepted' ? 1 : 0;
      const at = new Date(account.world.clock.now()).toISOString();
      await copy.write(async (queries) => {
        // An event that arrives late must not open again what has ended.
        const list = listTable(table);
        const row = {
          id: requestId,
          status,
          is_open: isOpen,
          is_personal: 0,
          digest: null,
          pass: 0,
          first_seen_at: at,
          changed_at: await nextChange(queries, at),
          // It had ended when the event came, and nothing has been said of when it began.
          ended_at: isOpen ? null : at,
          end_bound: isOpen ? null : FIRST_TIME,
        };
        const again = `${replacing(list, ['status', 'is_open', 'changed_at', 'digest', 'ended_at'])},
          end_bound = CASE WHEN excluded.is_open = 0 THEN coalesce(${list.name}.created_at, excluded.end_bound) END
          WHERE ${list.name}.is_open = 1 AND ${list.name}.status <> excluded.status`;
        const changed = await queries.run(...insertion(list, [row], again));
        if (changed > 0) await noteStatus(queries, table, requestId, status, at);
        await noteEventEnd(queries, table, evidence);
      });
    }
  } finally {
    await copy.close();
  }
}

/** Returns the table whose list shows some work. */
function tableOf({ list }: Work): CopyTable | undefined {
  const id = list?.({}).endpoint.id;
  return TABLES.find(({ listing }) => listing.endpoint.id === id);
}
