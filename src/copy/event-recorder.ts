import { CliError } from '../base/errors.ts';
import type { Account } from '../engine/account.ts';
import { existingJournal } from '../engine/connection/journal-location.ts';
import { type EventEvidence, evidenceOfEvent } from '../engine/evidence/event-evidence.ts';
import { worksWithEvents } from '../engine/evidence/find-work.ts';
import { reconcile } from '../engine/evidence/reconcile.ts';
import { followWork } from '../engine/evidence/started.ts';
import { isFollowed, type Work } from '../engine/evidence/work.ts';
import type { Journal } from '../journal/interface.ts';
import type { InboxEvent } from '../webhooks/inbox/events.ts';
import type { NotedEvent } from './events.ts';
import { hasCopy } from './open.ts';

/** Records in the journal what events prove. */
export interface EventRecorder {
  /** Takes events that arrived, and records how work that the journal knows ended. */
  record(events: readonly InboxEvent[]): Promise<void>;
  /** Looks once for the unknown outcomes of the kinds of work that events mentioned. Returns how many were found. */
  reconcileMentioned(): Promise<number>;
}

/** The most operations with an unknown outcome that are looked for at once. */
const MAX_UNKNOWN = 100;

/** Events are evidence: they end accepted work, and are the moment to look for outcomes that are unknown. */
export function createEventRecorder(account: Account): EventRecorder {
  /** How many events mentioned each kind of work that may have an unknown outcome. */
  const mentions = new Map<string, { readonly work: Work; readonly count: number }>();
  return {
    record: async (events) => {
      const journal = await existingJournal(account);
      const isNoted = hasCopy(account.world, account.profile);
      const all = (journal || isNoted) && events.length > 0 ? await worksWithEvents() : [];
      const noted: NotedEvent[] = [];
      for (const event of events)
        for (const work of all) {
          const evidence = evidenceOfEvent(event, work);
          if (!evidence) continue;
          noted.push({ work, evidence });
          if (!journal) continue;
          const id = work.starts[0]?.id ?? '';
          mentions.set(id, { work, count: (mentions.get(id)?.count ?? 0) + 1 });
          if (evidence.meaning.outcome !== 'accepted' && (await isOpen(journal, evidence.requestId)))
            await recordEnd(account, journal, work, evidence);
        }
      // The copy is only told: what goes wrong with it must not stop what the journal learns.
      if (isNoted) await (await import('./events.ts')).noteEvents(account, noted).catch(() => {});
    },
    reconcileMentioned: async () => {
      const journal = mentions.size > 0 ? await existingJournal(account) : undefined;
      let found = 0;
      for (const [id, { work, count }] of journal ? [...mentions] : []) {
        const operations = await unknownOf(account, work);
        // An event that came while the journal was read may be about an operation that it did not show yet.
        if (operations.length === 0 && mentions.get(id)?.count === count) mentions.delete(id);
        for (const operation of operations) if ((await reconcile(account, operation)).kind === 'ended') found += 1;
      }
      return found;
    },
  };
}

/** Whether the journal knows this work, and not how it ended. */
async function isOpen(journal: Journal, requestId: string): Promise<boolean> {
  const found = await journal.list({ requestId, limit: 2 });
  return found.some(({ state }) => state === 'accepted');
}

async function unknownOf(account: Account, { starts }: Work) {
  const journal = await account.journal();
  const ids = await journal.accountIds(await account.accountNames());
  const unknownOutcomes =
    ids.length === 0 ? [] : await journal.list({ account: ids, state: 'unknown-outcome', limit: MAX_UNKNOWN });
  return unknownOutcomes.filter(({ endpoint }) => starts.some(({ id }) => id === endpoint));
}

/** Reads how the work ended, so that the journal has the service's own words; otherwise records the event's data. */
async function recordEnd(account: Account, journal: Journal, work: Work, { requestId, meaning, event }: EventEvidence) {
  if (isFollowed(work))
    await followWork(account, work, requestId, 0).catch((error: unknown) => {
      if (!(error instanceof CliError)) throw error;
    });
  const outcome = meaning.outcome === 'failed' ? 'failed' : 'settled';
  const names = await account.accountNames();
  const endpoints = work.starts.map(({ id }) => id);
  await journal.ended({ account: names, endpoints, requestId }, outcome, {
    detail: `reported by the event ${event.event}`,
  });
}
