import { CliError } from '../../base/errors.ts';
import { command } from '../../cli/command.ts';
import { openProfileInbox } from '../../cli/inbox.ts';
import { PAGE_SIZE } from '../../cli/pages.ts';
import { periodOf, periodOptions } from '../../cli/period.ts';
import type { Session } from '../../cli/session.ts';
import type { Endpoint, RequestOf, ResponseOf } from '../../contract/endpoint.ts';
import { listDeposits, listPayouts } from '../../contract/endpoints/history.ts';
import { listSwaps } from '../../contract/endpoints/swaps.ts';
import { listUsers } from '../../contract/endpoints/user-list.ts';
import { listWithdrawals } from '../../contract/endpoints/withdrawals.ts';
import { compare, isWorkKind, type ListedWork, type ToldEvent, textsIn, type WorkKind } from '../../webhooks/gaps.ts';
import type { Inbox } from '../../webhooks/inbox/inbox.ts';

/** Rows beyond this many are not compared. */
const MAX_PAGES = 1_000;

interface Window {
  readonly sinceMs: number;
  readonly untilMs: number;
}

interface List<E extends Endpoint, R> {
  readonly endpoint: E;
  readonly rowsOf: (data: ResponseOf<E>) => readonly R[] | null | undefined;
  readonly request: (limit: number, offset: number) => RequestOf<E>;
  readonly read: (row: R) => Pick<ListedWork, 'status' | 'createdAt'> & {
    readonly kind: string;
    readonly ids: readonly (string | null | undefined)[];
  };
}

/** Work may have begun this long before the event that tells its end. */
const EARLIER_MS = 24 * 60 * 60_000;

/** Reads a newest-first list back to a day before the window. */
async function works<E extends Endpoint, R>(
  session: Session,
  { endpoint, rowsOf, request, read }: List<E, R>,
  window: Window,
): Promise<ListedWork[]> {
  const found: ListedWork[] = [];
  for (let page = 0, offset = 0; page < MAX_PAGES; page += 1) {
    const { data } = await session.call(endpoint, request(PAGE_SIZE, offset));
    const rows = (rowsOf(data) ?? []).map(read);
    for (const { kind, ids, status, createdAt } of rows) {
      const timeMs = Date.parse(createdAt ?? '');
      const isExpected = timeMs >= window.sinceMs && timeMs < window.untilMs;
      const known = ids.filter((each) => typeof each === 'string');
      if (isWorkKind(kind)) found.push({ kind, ids: known, status, createdAt, isExpected });
    }
    offset += rows.length;
    const isPast = rows.every(({ createdAt }) => Date.parse(createdAt ?? '') < window.sinceMs - EARLIER_MS);
    if (rows.length < PAGE_SIZE || isPast) break;
  }
  return found;
}

type Reader = (session: Session, window: Window) => Promise<ListedWork[]>;

const users: Reader = (session, window) =>
  works(
    session,
    {
      endpoint: listUsers,
      request: (limit, offset) => ({ limit, offset, sortBy: 'createdAt' as const, orderDirection: 'desc' as const }),
      rowsOf: (data) => data.users,
      read: ({ userId, createdAt }) => ({
        ...{ kind: 'user' satisfies WorkKind, ids: [userId], status: 'completed', createdAt: createdAt ?? null },
      }),
    },
    window,
  );

const deposits: Reader = (session, window) =>
  works(
    session,
    {
      endpoint: listDeposits,
      request: (limit, offset) => ({ limit, offset }),
      rowsOf: (data) => data.deposits,
      read: ({ id, type, status, createdAt, transactionReference, mintTxHash }) => ({
        ...{ kind: type ?? '', status: status ?? '', createdAt: createdAt ?? null },
        ids: [id, transactionReference, mintTxHash],
      }),
    },
    window,
  );

const payouts: Reader = (session, window) =>
  works(
    session,
    {
      endpoint: listPayouts,
      request: (limit, offset) => ({ limit, offset }),
      rowsOf: (data) => data.payouts,
      read: ({ id, type, status, createdAt, payoutReference }) => ({
        ...{ kind: type ?? '', ids: [id, payoutReference], status: status ?? '', createdAt: createdAt ?? null },
      }),
    },
    window,
  );

const withdrawals: Reader = (session, window) =>
  works(
    session,
    {
      endpoint: listWithdrawals,
      request: (limit, offset) => ({ limit, offset }),
      rowsOf: (data) => data.withdrawals,
      read: ({ requestId, type, status, createdAt, transactionHash }) => ({
        ...{ kind: type ?? '', ids: [requestId, transactionHash], status: status ?? '', createdAt: createdAt ?? null },
      }),
    },
    window,
  );

const swaps: Reader = (session, window) =>
  works(
    session,
    {
      endpoint: listSwaps,
      request: (limit, offset) => ({ limit, offset }),
      rowsOf: (data) => data.swaps,
      read: ({ requestId, status, createdAt, txHash }) => ({
        ...{ kind: 'swap' satisfies WorkKind, status: status ?? '', createdAt: createdAt ?? null },
        ids: [requestId, txHash],
      }),
    },
    window,
  );

/** Reads every list of work that causes events. */
async function allWorks(session: Session, window: Window): Promise<ListedWork[]> {
  const all: ListedWork[] = [];
  for (const read of [users, deposits, payouts, withdrawals, swaps]) all.push(...(await read(session, window)));
  return all;
}

const PAGE = 1_000;

/** Reads the events of the inbox that were sent in the window, or up to now for work at its end. */
function toldIn(inbox: Inbox, { sinceMs }: Window): ToldEvent[] {
  const told: ToldEvent[] = [];
  for (let before: bigint | undefined; ; ) {
    const page = inbox.list({ limit: PAGE, before, sinceMs });
    for (const { id, event, text, requestId, userId } of page)
      if (event !== null && text !== null) {
        const around = [requestId, userId].filter((each) => each !== null);
        told.push({ id: Number(id), event, texts: new Set([...around, ...textsIn(JSON.parse(text))]) });
      }
    if (page.length < PAGE) return told;
    before = page.at(-1)?.id;
  }
}

const MISSING = [
  { field: 'event', title: 'Missing event' },
  { field: 'kind', title: 'Work' },
  { field: 'id', title: 'ID' },
  { field: 'status', title: 'Status' },
  { field: 'createdAt', title: 'When' },
] as const;

export const gapsCommand = command({
  words: ['webhooks', 'inbox', 'gaps'],
  summary: 'Name what the account did and no event told, and the other way round',
  details:
    'Compares the inbox with the lists of users, deposits, payouts, withdrawals and swaps since its first event, or since --since. Work that is still running may miss its last event. Exits with 3 if something is missing. Events about virtual accounts are not compared, because no list shows when those were made.',
  examples: ['fiatrail webhooks inbox gaps', 'fiatrail webhooks inbox gaps -o json --query "missing[].event"'],
  endpoints: [listUsers.id, listDeposits.id, listPayouts.id, listWithdrawals.id, listSwaps.id],
  parameters: periodOptions,
  run: async (session, period) => {
    const { startDate, endDate } = periodOf(period);
    const inbox = await openProfileInbox(session.world, session.profile);
    try {
      const [first] = inbox.list({ limit: 1, after: 0n });
      if (!first && startDate === undefined)
        throw new CliError('usage', 'the inbox is empty, so there is nothing to compare with', {
          hint: 'give --since DATE to list everything since then, or receive events with: fiatrail webhooks listen',
        });
      const window = {
        sinceMs:
          startDate === undefined
            ? Date.parse(first?.happenedAt ?? '') || (first?.sentAtMs ?? 0)
            : Date.parse(startDate),
        untilMs: endDate === undefined ? Number.POSITIVE_INFINITY : Date.parse(endDate),
      };
      const found = compare(await allWorks(session, window), toldIn(inbox, window));
      const missing = found.missing.map(({ work: { kind, ids, status, createdAt }, events }) => ({
        ...{ event: events.join(' or '), kind, id: ids[0] ?? null, status, createdAt },
      }));
      const unlisted = found.unlisted.map(({ id, event }) => ({ id, event }));
      const data = { since: new Date(window.sinceMs).toISOString(), missing, unlisted };
      const columns = [
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
      ];
      if (missing.length === 0) return { result: { data, columns } };
      const message = missing.length === 1 ? '1 event is missing' : `${missing.length} events are missing`;
      const error = new CliError('refused', message, {
        code: 'EVENTS_MISSING',
        hint: 'look at the work itself; the service documents no way to send an event again',
      });
      return { result: { data, columns }, error };
    } finally {
      inbox.close();
    }
  },
});
