import type { Endpoint, RequestWithoutConsent } from '../../contract/endpoint.ts';
import { listUsers } from '../../contract/endpoints/user-list.ts';
import type { Account } from '../../engine/account.ts';
import { listingOf } from '../../engine/lists/listing-of.ts';
import { PAGE_SIZE } from '../../engine/lists/pages.ts';
import { payouts } from '../../things/bank-transfers.ts';
import { deposits } from '../../things/deposits.ts';
import { timesOf, valueAt } from '../../things/fields.ts';
import { swap, swaps } from '../../things/swap.ts';
import type { RowOf, ServiceList } from '../../things/thing.ts';
import { withdrawals } from '../../things/token-transfers.ts';
import { user, users } from '../../things/users.ts';
import { type ComparedPeriod, isWorkKind, type ListedWork } from '../../webhooks/gaps.ts';

/** Work may take this long, for example over a weekend, so the events of a period may be about work that began before it. */
export const EARLIER_MS = 7 * 24 * 60 * 60_000;

/** What is compared, before the service's time is known. */
export type Period = Omit<ComparedPeriod, 'settledMs'>;

type Text = string | null | undefined;

/** How a list is read, if not from its start by the period. */
interface Reading {
  /** The fields of the request besides the page. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The number of rows at the start that are too new. */
  readonly skipped?: number;
  /** What a row says besides what the record knows. */
  readonly seen?: (row: unknown) => Partial<ListedWork>;
}

/** Reads the work of every list that causes events: what began in the period, and for some time before it. */
export async function listedWorks(account: Account, period: Period): Promise<ListedWork[]> {
  const request = rangeOf(period);
  const newestUsers = { request: NEWEST_USERS, skipped: await usersSince(account, period.untilMs) };
  const all: readonly (readonly [list: unknown, reading: Reading])[] = [
    [users, { ...newestUsers, seen: (row) => userSeen(row as RowOf<typeof users>) }],
    [deposits, { request, seen: (row) => depositSeen(row as RowOf<typeof deposits>) }],
    [payouts, { request, seen: (row) => ({ isTransferred: (row as RowOf<typeof payouts>).transferTxHash != null }) }],
    [withdrawals, { request }],
    [swaps, { request, seen: () => ({ kind: swap.name }) }],
  ];
  const found: ListedWork[][] = [];
  for (const [list, reading] of all) found.push(await read(account, list as ServiceList, period, reading));
  return found.flat();
}

const textAt = (row: unknown, field: string): Text => {
  const value = valueAt(row, field);
  return typeof value === 'string' ? value : undefined;
};

/** What the record of its list says of a row. */
function workOf(list: ServiceList, row: unknown, seen: Partial<ListedWork> = {}): ListedWork {
  const { id, status, createdAt, otherIds = [], facts } = list;
  const later = timesOf({ facts }).map(({ fields: [field = ''] }) => field);
  return {
    kind: textAt(row, 'type') ?? '',
    ids: [id, ...otherIds].flatMap((field) => textAt(row, field) ?? []),
    status: textAt(row, status) ?? '',
    createdAt: textAt(row, createdAt) ?? null,
    changedAt: later.filter((field) => field !== createdAt).map((field) => textAt(row, field)),
    userId: textAt(row, 'userId'),
    ...seen,
  };
}

/** Reads a newest-first list back to some time before the period. Rows that move to the next page meanwhile are returned once. */
async function read(
  account: Account,
  list: ServiceList,
  { sinceMs }: Period,
  { request, skipped = 0, seen }: Reading,
): Promise<ListedWork[]> {
  const listing = listingOf(list);
  const found = new Map<string, ListedWork>();
  for (let offset = skipped; ; ) {
    const page = { ...list.request, ...request, limit: PAGE_SIZE, offset };
    const { data } = await account.call(list.endpoint, page as RequestWithoutConsent<Endpoint>);
    const rows = (listing.rowsOf(data) ?? []).map((row) => workOf(list, row, seen?.(row)));
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

/** The event of an onboarding happens when the user is verified. */
const timeOf = (user: { readonly verifiedAt?: Text; readonly createdAt?: Text }) => user.verifiedAt ?? user.createdAt;

/** Finds the first user of a newest-first list that was verified before a time, because this list takes no period. */
async function usersSince(account: Account, untilMs: number): Promise<number> {
  if (!Number.isFinite(untilMs)) return 0;
  const at = async (offset: number) => (await account.call(listUsers, { ...NEWEST_USERS, limit: 1, offset })).data;
  let [low, high] = [0, (await at(0)).pagination?.total ?? 0];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [user] = (await at(middle)).users;
    if (user && Date.parse(timeOf(user) ?? '') >= untilMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether every word of a sender's name is in the name of the account. */
function isOwner(sender: string, account: string): boolean {
  const wordsOf = (name: string): readonly string[] => name.toUpperCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  const known = wordsOf(account);
  const words = wordsOf(sender);
  return words.length > 0 && words.every((word) => known.includes(word));
}

const depositSeen = (row: RowOf<typeof deposits>): Partial<ListedWork> => ({
  accountNumber: row.virtualAccountNumber,
  isSentByOwner: isOwner(row.depositor?.name ?? '', row.virtualAccountName ?? ''),
});

const userSeen = (row: RowOf<typeof users>): Partial<ListedWork> => ({
  kind: user.name,
  status: 'completed',
  createdAt: timeOf(row) ?? null,
  changedAt: [],
  accountNumber: row.virtualAccount?.accountNumber,
});
