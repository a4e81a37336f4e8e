import * as z from 'zod/mini';
import { CliError } from '../../base/errors.ts';
import { listDeposits, listPayouts } from '../../contract/endpoints/history.ts';
import { listSwaps } from '../../contract/endpoints/swaps.ts';
import { listUsers } from '../../contract/endpoints/user-list.ts';
import { listWithdrawals } from '../../contract/endpoints/withdrawals.ts';
import { openProfileInbox } from '../../engine/inbox.ts';
import { command } from '../../terminal/command.ts';
import { periodOptions, type TypedPeriod, timesOf } from '../../terminal/parse/period.ts';
import type { Session } from '../../terminal/session.ts';
import { comparison, type Period, textsIn } from '../../webhooks/gaps.ts';
import type { Inbox } from '../../webhooks/inbox/inbox.ts';
import { DAY_MS, EARLIER_MS, listedWorks } from './listed-works.ts';

const MISSING = [
  { field: 'event', title: 'Missing event' },
  { field: 'kind', title: 'Work' },
  { field: 'id', title: 'ID' },
  { field: 'status', title: 'Status' },
  { field: 'createdAt', title: 'When' },
] as const;

const COLUMNS = [
  { field: 'since', title: 'Since' },
  { field: 'missing', title: 'Missing events', columns: MISSING },
  {
    field: 'unlisted',
    title: 'Events about nothing that a list shows',
    columns: [
      { field: 'id', title: 'No.' },
      { field: 'event', title: 'Event' },
    ],
  },
] as const;

/** Without --since, an old inbox would have every list of the account read to its end. */
const DEFAULT_DAYS = 30;

/**
 * The period to compare: from --since, or the days before the last event. Throws CliError usage for an empty inbox without --since, but
 * not in a dry run, which only shows what would be read.
 */
async function windowOf({ globals, world, note }: Session, inbox: Inbox, typed: TypedPeriod): Promise<Period> {
  const period = timesOf(typed, { globals, world });
  const untilMs = period.untilMs ?? Number.POSITIVE_INFINITY;
  if (period.sinceMs !== undefined) return { sinceMs: period.sinceMs, untilMs };
  const extent = inbox.extent();
  if (!extent && globals.dryRun) return { sinceMs: world.clock.now(), untilMs };
  if (!extent)
    throw new CliError('usage', 'the inbox is empty, so there is nothing to compare with', {
      hint: 'give --since DATE to list everything since then, or receive events with: fiatrail webhooks listen',
    });
  const sinceMs = Math.min(extent.latestMs, untilMs) - DEFAULT_DAYS * DAY_MS;
  if (extent.earliestMs >= sinceMs) return { sinceMs: extent.earliestMs, untilMs };
  await note(`events of the last ${DEFAULT_DAYS} days are compared; for earlier ones, give --since DATE`);
  return { sinceMs, untilMs };
}

export const gapsCommand = command({
  words: ['webhooks', 'inbox', 'gaps'],
  summary: 'List account activity without an event, and events without account activity',
  details: `Compares the inbox with the lists of users, deposits, payouts, withdrawals and swaps, since --since or, without it, of the 30 days before the last event. Exits with 3 if an event is missing. The last event of an unfinished operation may still be on its way. Operations that began more than 7 days earlier are not read.

Some events cannot be compared, because no list shows their work: those of an onramp that has not been paid, including virtual.account.created, and those of bridges. No list says whether a failed payout reached the bank, so fintech.offramp.payout.initiated is expected of completed payouts only.`,
  examples: ['fiatrail webhooks inbox gaps', 'fiatrail webhooks inbox gaps -o json --query "missing[].event"'],
  endpoints: [listUsers.id, listDeposits.id, listPayouts.id, listWithdrawals.id, listSwaps.id],
  prints: () =>
    z.object({
      since: z.iso.datetime(),
      missing: z.array(
        z.object({
          event: z.string(),
          kind: z.string(),
          id: z.nullable(z.string()),
          status: z.nullable(z.string()),
          createdAt: z.nullable(z.iso.datetime()),
        }),
      ),
      unlisted: z.array(z.object({ id: z.int(), event: z.string() })),
    }),
  parameters: periodOptions,
  run: async (session, given) => {
    const inbox = await openProfileInbox(session.world, session.profile);
    try {
      const period = await windowOf(session, inbox, given);
      // Work that ends while the lists are read may be in none of them.
      const latestId = inbox.extent()?.latestId ?? 0n;
      const compared = comparison(await listedWorks(session, period), period);
      // Earlier events show which accounts are new, and work may end some time after the period.
      for (const event of inbox.happenedFrom(period.sinceMs - EARLIER_MS, period.untilMs + EARLIER_MS)) {
        const isExpected =
          event.id <= latestId && event.happenedMs >= period.sinceMs && event.happenedMs < period.untilMs;
        compared.see({
          ...{ id: Number(event.id), event: event.event, isExpected },
          texts: textsIn(JSON.parse(event.text)),
        });
      }
      const { missing: found, unlisted } = compared.end();
      const missing = found.map(({ work: { kind, ids, status, createdAt }, events }) => ({
        ...{ event: events.join(' or '), kind, id: ids[0] ?? null, status, createdAt },
      }));
      const data = { since: new Date(period.sinceMs).toISOString(), missing, unlisted };
      if (missing.length === 0) return { result: { data, columns: COLUMNS } };
      const message = missing.length === 1 ? '1 event is missing' : `${missing.length} events are missing`;
      const error = new CliError('refused', message, {
        code: 'EVENTS_MISSING',
        hint: 'look at the work itself; the service documents no way to send an event again',
      });
      return { result: { data, columns: COLUMNS }, error };
    } finally {
      inbox.close();
    }
  },
});
