import * as z from 'zod/mini';
import { CliError } from '../../base/errors.ts';
import type { Endpoint, RequestOf, ResponseOf } from '../../contract/endpoint.ts';
import { listDeposits, listPayouts } from '../../contract/endpoints/history.ts';
import { listSwaps } from '../../contract/endpoints/swaps.ts';
import { listUsers } from '../../contract/endpoints/user-list.ts';
import { listWithdrawals } from '../../contract/endpoints/withdrawals.ts';
import { openProfileInbox } from '../../engine/inbox.ts';
import { PAGE_SIZE } from '../../engine/lists/pages.ts';
import { command } from '../../terminal/command.ts';
import { periodOptions, type TypedPeriod, timesOf } from '../../terminal/parse/period.ts';
import type { Session } from '../../terminal/session.ts';
import { type ComparedPeriod, comparison, isWorkKind, type ListedWork } from '../../webhooks/gaps.ts';
import type { Inbox } from '../../webhooks/inbox/inbox.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Work may take this long, for example over a weekend, so the events of a period may be about work that began before it. */
const EARLIER_MS = 7 * DAY_MS;

type Text = string | null | undefined;

/** A row of a list; its kind may be one that causes no events. */
type WorkRow = Omit<ListedWork, 'kind' | 'ids' | 'status' | 'createdAt'> & {
  readonly kind: Text;
  readonly ids: readonly Text[];
  readonly status: Text;
  readonly createdAt: Text;
};

interface List<E extends Endpoint> {
  readonly endpoint: E;
  readonly request: (limit: number, offset: number) => RequestOf<E>;
  readonly pageOf: (data: ResponseOf<E>) => {
    readonly rows: readonly WorkRow[] | undefined;
    readonly total?: number | null;
  };
  /** The number of rows at the start that are too new. */
  readonly skipped?: number;
}

/** Reads a newest-first list back to some time before the period. Rows that move to the next page meanwhile are returned once. */
async function read<E extends Endpoint>(
  session: Session,
  { endpoint, request, pageOf, skipped = 0 }: List<E>,
  { sinceMs }: ComparedPeriod,
): Promise<ListedWork[]> {
  const found = new Map<string, ListedWork>();
  for (let offset = skipped; ; ) {
    const { rows = [], total } = pageOf((await session.call(endpoint, request(PAGE_SIZE, offset))).data);
    const before = found.size;
    for (const row of rows) found.set(`${row.kind} ${row.ids[0]}`, workOf(row));
    offset += rows.length;
    const isLast = rows.length < PAGE_SIZE && offset >= (total ?? 0);
    const isPast = rows.every(({ createdAt }) => Date.parse(createdAt ?? '') < sinceMs - EARLIER_MS);
    if (isLast || isPast || found.size === before) return [...found.values()].filter(({ kind }) => isWorkKind(kind));
  }
}

function workOf({ kind, ids, status, createdAt, ...rest }: WorkRow): ListedWork {
  return {
    ...rest,
    kind: (kind ?? '') as ListedWork['kind'],
    ids: ids.filter((each) => typeof each === 'string'),
    status: status ?? '',
    createdAt: createdAt ?? null,
  };
}

/** Asks for the period alone if it has an end. Otherwise the newest rows are wanted, and a service may find those by position. */
function rangeOf({ sinceMs, untilMs }: ComparedPeriod) {
  if (!Number.isFinite(untilMs)) return {};
  return { startDate: new Date(sinceMs - EARLIER_MS).toISOString(), endDate: new Date(untilMs).toISOString() };
}

type Reader = (session: Session, period: ComparedPeriod) => Promise<ListedWork[]>;

const NEWEST_USERS = { status: 'all', sortBy: 'verifiedAt', orderDirection: 'desc' } as const;

/** The event of an onboarding happens when the user is verified. */
const timeOf = (user: { readonly verifiedAt?: Text; readonly createdAt?: Text }) => user.verifiedAt ?? user.createdAt;

/** Finds the first user of a newest-first list that was verified before a time, because this list takes no period. */
async function usersSince(session: Session, untilMs: number): Promise<number> {
  if (!Number.isFinite(untilMs)) return 0;
  const at = async (offset: number) => (await session.call(listUsers, { ...NEWEST_USERS, limit: 1, offset })).data;
  let [low, high] = [0, (await at(0)).pagination?.total ?? 0];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [user] = (await at(middle)).users;
    if (user && Date.parse(timeOf(user) ?? '') >= untilMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

const users: Reader = async (session, period) =>
  read(
    session,
    {
      endpoint: listUsers,
      skipped: await usersSince(session, period.untilMs),
      request: (limit, offset) => ({ ...NEWEST_USERS, limit, offset }),
      pageOf: ({ users: rows, pagination }) => ({
        total: pagination?.total ?? null,
        rows: rows.map((user) => ({
          ...{ kind: 'user', ids: [user.userId], status: 'completed', createdAt: timeOf(user), userId: user.userId },
          accountNumber: user.virtualAccount?.accountNumber,
        })),
      }),
    },
    period,
  );

/** Whether every word of a sender's name is in the name of the account. */
function isOwner(sender: string, account: string): boolean {
  const wordsOf = (name: string): readonly string[] => name.toUpperCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  const known = wordsOf(account);
  const words = wordsOf(sender);
  return words.length > 0 && words.every((word) => known.includes(word));
}

const deposits: Reader = (session, period) =>
  read(
    session,
    {
      endpoint: listDeposits,
      request: (limit, offset) => ({ ...rangeOf(period), limit, offset }),
      pageOf: ({ deposits: rows, total = null }) => ({
        total,
        rows: rows?.map((row) => ({
          ...{ kind: row.type, ids: [row.id, row.transactionReference, row.mintTxHash], status: row.status },
          ...{ createdAt: row.createdAt, userId: row.userId, accountNumber: row.virtualAccountNumber },
          isSentByOwner: isOwner(row.depositor?.name ?? '', row.virtualAccountName ?? ''),
        })),
      }),
    },
    period,
  );

const payouts: Reader = (session, period) =>
  read(
    session,
    {
      endpoint: listPayouts,
      request: (limit, offset) => ({ ...rangeOf(period), limit, offset }),
      pageOf: ({ payouts: rows, total = null }) => ({
        total,
        rows: rows?.map(({ id, type, status, createdAt, payoutReference, transferTxHash }) => ({
          ...{ kind: type, ids: [id, payoutReference], status, createdAt },
          isTransferred: transferTxHash != null,
        })),
      }),
    },
    period,
  );

const withdrawals: Reader = (session, period) =>
  read(
    session,
    {
      endpoint: listWithdrawals,
      request: (limit, offset) => ({ ...rangeOf(period), limit, offset }),
      pageOf: ({ withdrawals: rows, total = null }) => ({
        total,
        rows: rows?.map(({ requestId, type, status, createdAt, transactionHash }) => ({
          ...{ kind: type, ids: [requestId, transactionHash], status, createdAt },
        })),
      }),
    },
    period,
  );

const swaps: Reader = (session, period) =>
  read(
    session,
    {
      endpoint: listSwaps,
      request: (limit, offset) => ({ ...rangeOf(period), limit, offset }),
      pageOf: ({ swaps: rows, pagination }) => ({
        total: pagination.total,
        rows: rows.map(({ requestId, status, createdAt, txHash }) => ({
          ...{ kind: 'swap', ids: [requestId, txHash], status, createdAt },
        })),
      }),
    },
    period,
  );

/** Reads the work of every list that causes events: what began in the period, and for some time before it. */
async function listedWorks(session: Session, period: ComparedPeriod): Promise<ListedWork[]> {
  const all: ListedWork[][] = [];
  for (const reader of [users, deposits, payouts, withdrawals, swaps]) all.push(await reader(session, period));
  return all.flat();
}

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
async function windowOf({ globals, world, note }: Session, inbox: Inbox, typed: TypedPeriod): Promise<ComparedPeriod> {
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

/** Yields every text in JSON. */
function* textsIn(json: unknown): Generator<string> {
  if (typeof json === 'string') yield json;
  else if (typeof json === 'object' && json !== null) for (const each of Object.values(json)) yield* textsIn(each);
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
