import * as z from 'zod/mini';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Endpoint, RequestWithoutConsent } from '../../contract/endpoint.ts';
import { listDeposits, listPayouts } from '../../contract/endpoints/history.ts';
import { listSwaps } from '../../contract/endpoints/swaps.ts';
import { listUsers } from '../../contract/endpoints/user-list.ts';
import { listWithdrawals } from '../../contract/endpoints/withdrawals.ts';
import type { Account } from '../../engine/account.ts';
import { openProfileInbox } from '../../engine/connection/inbox.ts';
import { listingOf } from '../../engine/lists/listing-of.ts';
import { PAGE_SIZE } from '../../engine/lists/pages.ts';
import { printable } from '../../money/amount.ts';
import { command } from '../../terminal/command.ts';
import { changing, duration, option, plainText } from '../../terminal/parse/parameters.ts';
import { periodOptions, type TypedPeriod, timesOf } from '../../terminal/parse/period.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { LISTS } from '../../things/index.ts';
import type { ServiceList } from '../../things/thing.ts';
import { users } from '../../things/users.ts';
import { type ComparedPeriod, comparison, isOfWork, isWorkKind, type ListedWork } from '../../webhooks/gaps.ts';
import type { Inbox } from '../../webhooks/inbox/inbox.ts';
import { GRACE_MS, textsIn, verifiedAt, workOf } from '../../webhooks/listed.ts';

const DAY_MS = 24 * 60 * 60_000;

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
  { field: 'closed', title: 'Missing, but closed', columns: [...MISSING, { field: 'reason', title: 'Why' }] },
  {
    field: 'unlisted',
    title: 'Events about work that is in no list',
    columns: [
      { field: 'id', title: 'No.' },
      { field: 'event', title: 'Event' },
    ],
  },
  { field: 'unsettled', title: 'Operations whose events may still arrive' },
] as const;

type Missing = ReturnType<ReturnType<typeof comparison>['end']>['missing'][number];

/** A missing event as a row, and why it is closed; undefined if it is not. */
async function rowOf({ work: { kind, ids, status, createdAt }, events, isClosed }: Missing, inbox: Inbox) {
  const row = { event: events.join(' or '), kind, id: ids[0] ?? null, status, createdAt };
  const taken = await inbox.acceptedGap(kind, row.id ?? '', row.event);
  if (taken) return { row, closed: { reason: taken.reason, acceptedAt: new Date(taken.acceptedAtMs).toISOString() } };
  return { row, closed: isClosed ? { reason: 'the list and an event say how it ended', acceptedAt: null } : undefined };
}

/** The missing events of the work with an id, to be accepted. Throws CliError usage if it is missing none. */
function gapsOf(found: readonly Missing[], id: string, reason: string) {
  const gaps = found.filter(({ work: { ids } }) => ids[0] === id);
  if (gaps.length === 0)
    throw new CliError('usage', `no event of ${printable(id)} is missing`, {
      hint: 'the ids are those that it prints without --accept; give the same --since',
    });
  return gaps.map(({ work: { kind }, events }) => ({ kind, work: id, event: events.join(' or '), reason }));
}

/** Without --since, an old inbox would have every list of the account read to its end. */
const DEFAULT_DAYS = 30;

/**
 * The period to compare: from --since, or the days before the last event, and without the time of which events were deleted. Throws CliError
 * usage for an empty inbox without --since, but not in a dry run, which only shows what would be read.
 */
async function windowOf(account: Account, terminal: Terminal, inbox: Inbox, typed: TypedPeriod): Promise<Period> {
  const { sinceMs, untilMs } = await wantedPeriod(account, terminal, inbox, typed);
  const prunedMs = (await inbox.prunedMs()) ?? Number.NEGATIVE_INFINITY;
  if (sinceMs > prunedMs) return { sinceMs, untilMs };
  await account.notices.note(`events up to ${new Date(prunedMs).toISOString()} were deleted; later ones are compared`);
  return { sinceMs: prunedMs + 1, untilMs };
}

async function wantedPeriod(
  { world, notices: { note } }: Account,
  terminal: Terminal,
  inbox: Inbox,
  typed: TypedPeriod,
): Promise<Period> {
  const { globals } = terminal;
  const period = timesOf(typed, terminal);
  const untilMs = period.untilMs ?? Number.POSITIVE_INFINITY;
  if (period.sinceMs !== undefined) return { sinceMs: period.sinceMs, untilMs };
  const extent = await inbox.extent();
  if (!extent && globals.dryRun) return { sinceMs: world.clock.now(), untilMs };
  if (!extent)
    throw new CliError('usage', 'the inbox is empty, so there is nothing to compare with', {
      hint: advice`give --since DATE to list everything since then, or receive events with: [fiatrail webhooks listen]`,
    });
  const sinceMs = Math.min(extent.latestMs, untilMs) - DEFAULT_DAYS * DAY_MS;
  if (extent.earliestMs >= sinceMs) return { sinceMs: extent.earliestMs, untilMs };
  await note(`events of the last ${DEFAULT_DAYS} days are compared; for earlier ones, give --since DATE`);
  return { sinceMs, untilMs };
}

const missingSchema = () =>
  z.object({
    event: z.string(),
    kind: z.string(),
    id: z.nullable(z.string()),
    status: z.nullable(z.string()),
    createdAt: z.nullable(z.iso.datetime()),
  });

export const gapsCommand = command({
  words: ['webhooks', 'inbox', 'gaps'],
  summary: 'List account activity without an event, and events without account activity',
  details: `Compares the inbox with the lists of users, deposits, payouts, withdrawals and swaps, from --since or from 30 days before the last event. An empty inbox needs --since. Exits with 3 if an event is missing, so that a timer can run it.

Operations that changed within --grace are skipped. A missing event does not count if the operation has ended and its final event arrived, or if someone accepted it with --accept and --reason. Operations that began more than 7 days before the period are not read.

Some events cannot be checked, because no list shows them: those of unpaid onramps, including virtual.account.created, and those of bridges. fintech.offramp.payout.initiated is expected for completed payouts only.`,
  examples: ['fiatrail webhooks inbox gaps', 'fiatrail webhooks inbox gaps -o json --query "missing[].event"'],
  endpoints: [listUsers.id, listDeposits.id, listPayouts.id, listWithdrawals.id, listSwaps.id],
  prints: () =>
    z.object({
      since: z.iso.datetime(),
      missing: z.array(missingSchema()),
      closed: z.array(z.extend(missingSchema(), { reason: z.string(), acceptedAt: z.nullable(z.iso.datetime()) })),
      unlisted: z.array(z.object({ id: z.int(), event: z.string() })),
      unsettled: z.int(),
    }),
  parameters: {
    grace: option('--grace <duration>', 'how long events may take to arrive (default 5m)', duration),
    accept: changing(option('--accept <id>', 'ignore the missing events of this request; needs --reason', plainText)),
    reason: option('--reason <text>', 'why they can be ignored', plainText),
    ...periodOptions,
  },
  run: async (account, terminal, { grace = GRACE_MS, accept, reason, ...given }) => {
    if ((accept === undefined) !== (reason === undefined))
      throw new CliError('usage', '--accept and --reason need each other', {
        hint: 'for example --accept REQUEST_ID --reason "seen on the dashboard"',
      });
    const inbox = await openProfileInbox(account.world, account.profile);
    try {
      const period = await windowOf(account, terminal, inbox, given);
      // Work that ends while the lists are read may be in none of them.
      const latestId = (await inbox.extent())?.latestId ?? 0n;
      const works = await listedWorks(account, period);
      const nowMs = account.time.service.nowMs() ?? account.world.clock.now();
      const compared = comparison(works, { ...period, settledMs: nowMs - grace });
      // Earlier events show which accounts are new, and work may end some time after the period.
      for await (const event of inbox.happenedFrom(period.sinceMs - EARLIER_MS, period.untilMs + EARLIER_MS)) {
        const isExpected =
          event.id <= latestId && event.happenedMs >= period.sinceMs && event.happenedMs < period.untilMs;
        compared.see({
          id: Number(event.id),
          event: event.event,
          isExpected,
          texts: textsIn(JSON.parse(event.text)),
        });
      }
      const { missing: found, unlisted, unsettled } = compared.end();
      if (accept !== undefined && reason !== undefined) await inbox.acceptGaps(gapsOf(found, accept, reason));
      const all = await Promise.all(found.map((gap) => rowOf(gap, inbox)));
      const missing = all.flatMap(({ row, closed }) => (closed ? [] : [row]));
      const closed = all.flatMap((gap) => (gap.closed ? [{ ...gap.row, ...gap.closed }] : []));
      const data = { since: new Date(period.sinceMs).toISOString(), missing, closed, unlisted, unsettled };
      if (missing.length === 0) return { result: { data, columns: COLUMNS } };
      const message = missing.length === 1 ? '1 event is missing' : `${missing.length} events are missing`;
      const error = new CliError('rejected', message, {
        code: 'EVENTS_MISSING',
        hint: 'look at the work itself; the service documents no way to send an event again',
      });
      return { result: { data, columns: COLUMNS }, error };
    } finally {
      await inbox.close();
    }
  },
});

/** Work may take this long, for example over a weekend, so the events of a period may be about work that began before it. */
const EARLIER_MS = 7 * 24 * 60 * 60_000;

/** What is compared, before the service's time is known. */
type Period = Omit<ComparedPeriod, 'settledMs'>;

/** How a list is read, if not from its start by the period. */
interface Reading {
  /** The fields of the request besides the page. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The number of rows at the start that are too new. */
  readonly skipped?: number;
}

/** Reads the work of every list that causes events: what began in the period, and for some time before it. */
async function listedWorks(account: Account, period: Period): Promise<ListedWork[]> {
  const request = rangeOf(period);
  const newestUsers = { request: NEWEST_USERS, skipped: await usersSince(account, period.untilMs) };
  const found: ListedWork[][] = [];
  for (const list of LISTS.filter(({ name }) => isOfWork(name)))
    found.push(await read(account, list, period, list.name === users.name ? newestUsers : { request }));
  return found.flat();
}

/** Reads a newest-first list back to some time before the period. Rows that move to the next page meanwhile are returned once. */
async function read(
  account: Account,
  list: ServiceList,
  { sinceMs }: Period,
  { request, skipped = 0 }: Reading,
): Promise<ListedWork[]> {
  const listing = listingOf(list);
  const found = new Map<string, ListedWork>();
  for (let offset = skipped; ; ) {
    const page = { ...list.request, ...request, limit: PAGE_SIZE, offset };
    const { data } = await account.call(list.endpoint, page as RequestWithoutConsent<Endpoint>);
    const rows = (listing.rowsOf(data) ?? []).map((row) => workOf(list, row));
    const total = listing.totalOf?.(data) ?? 0;
    const before = found.size;
    for (const row of rows) found.set(`${row.kind} ${row.ids[0]}`, row);
    offset += rows.length;
    const isLast = rows.length < PAGE_SIZE && offset >= total;
    const isPast = rows.every(({ createdAt }) => Date.parse(createdAt ?? '') < sinceMs - EARLIER_MS);
    if (isLast || isPast || found.size === before) return [...found.values()].filter(({ kind }) => isWorkKind(kind));
  }
}

/** Asks for the period alone if it has an end. Otherwise the newest rows are wanted, and a service may find those by position. */
function rangeOf({ sinceMs, untilMs }: Period) {
  if (!Number.isFinite(untilMs)) return {};
  return { startDate: new Date(sinceMs - EARLIER_MS).toISOString(), endDate: new Date(untilMs).toISOString() };
}

const NEWEST_USERS = { status: 'all', sortBy: 'verifiedAt', orderDirection: 'desc' } as const;

/** Finds the first user of a newest-first list that was verified before a time, because this list takes no period. */
async function usersSince(account: Account, untilMs: number): Promise<number> {
  if (!Number.isFinite(untilMs)) return 0;
  const at = async (offset: number) => (await account.call(listUsers, { ...NEWEST_USERS, limit: 1, offset })).data;
  let [low, high] = [0, (await at(0)).pagination?.total ?? 0];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [user] = (await at(middle)).users;
    if (user && Date.parse(verifiedAt(user) ?? '') >= untilMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
