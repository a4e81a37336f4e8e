import type { Endpoint, RequestWithoutConsent, ResponseOf } from '../../contract/endpoint.ts';
import { listDeposits, listPayouts } from '../../contract/endpoints/history.ts';
import { listSwaps } from '../../contract/endpoints/swaps.ts';
import { listUsers } from '../../contract/endpoints/user-list.ts';
import { listWithdrawals } from '../../contract/endpoints/withdrawals.ts';
import type { Account } from '../../engine/account.ts';
import { PAGE_SIZE } from '../../engine/lists/pages.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { type ComparedPeriod, isWorkKind, type ListedWork } from '../../webhooks/gaps.ts';

/** Work may take this long, for example over a weekend, so the events of a period may be about work that began before it. */
export const EARLIER_MS = 7 * 24 * 60 * 60_000;

/** What is compared, before the service's time is known. */
export type Period = Omit<ComparedPeriod, 'settledMs'>;

type Text = string | null | undefined;

/** A row of a list; its kind may be one that causes no events. */
type ShownWork = Omit<ListedWork, 'kind' | 'ids' | 'status' | 'createdAt'> & {
  readonly kind: Text;
  readonly ids: readonly Text[];
  readonly status: Text;
  readonly createdAt: Text;
};

interface WorkList<E extends Endpoint> {
  readonly endpoint: E;
  readonly request: (limit: number, offset: number) => RequestWithoutConsent<E>;
  readonly pageOf: (data: ResponseOf<E>) => {
    readonly rows: readonly ShownWork[] | undefined;
    readonly total?: number | null;
  };
  /** The number of rows at the start that are too new. */
  readonly skipped?: number;
}

/** Reads a newest-first list back to some time before the period. Rows that move to the next page meanwhile are returned once. */
async function read<E extends Endpoint>(
  account: Account,
  { endpoint, request, pageOf, skipped = 0 }: WorkList<E>,
  { sinceMs }: Period,
): Promise<ListedWork[]> {
  const found = new Map<string, ListedWork>();
  for (let offset = skipped; ; ) {
    const { rows = [], total } = pageOf((await account.call(endpoint, request(PAGE_SIZE, offset))).data);
    const before = found.size;
    for (const row of rows) found.set(`${row.kind} ${row.ids[0]}`, workOf(row));
    offset += rows.length;
    const isLast = rows.length < PAGE_SIZE && offset >= (total ?? 0);
    const isPast = rows.every(({ createdAt }) => Date.parse(createdAt ?? '') < sinceMs - EARLIER_MS);
    if (isLast || isPast || found.size === before) return [...found.values()].filter(({ kind }) => isWorkKind(kind));
  }
}

function workOf({ kind, ids, status, createdAt, ...rest }: ShownWork): ListedWork {
  return {
    ...rest,
    kind: (kind ?? '') as ListedWork['kind'],
    ids: ids.filter((each) => typeof each === 'string'),
    status: status ?? '',
    createdAt: createdAt ?? null,
  };
}

/** Asks for the period alone if it has an end. Otherwise the newest rows are wanted, and a service may find those by position. */
function rangeOf({ sinceMs, untilMs }: Period) {
  if (!Number.isFinite(untilMs)) return {};
  return { startDate: new Date(sinceMs - EARLIER_MS).toISOString(), endDate: new Date(untilMs).toISOString() };
}

type Reader = (account: Account, terminal: Terminal, period: Period) => Promise<ListedWork[]>;

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

const users: Reader = async (account, _terminal, period) =>
  read(
    account,
    {
      endpoint: listUsers,
      skipped: await usersSince(account, period.untilMs),
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

const deposits: Reader = (account, _terminal, period) =>
  read(
    account,
    {
      endpoint: listDeposits,
      request: (limit, offset) => ({ ...rangeOf(period), limit, offset }),
      pageOf: ({ deposits: rows, total = null }) => ({
        total,
        rows: rows?.map((row) => ({
          ...{ kind: row.type, ids: [row.id, row.transactionReference, row.mintTxHash], status: row.status },
          ...{
            createdAt: row.createdAt,
            changedAt: [row.completedAt],
            userId: row.userId,
            accountNumber: row.virtualAccountNumber,
          },
          isSentByOwner: isOwner(row.depositor?.name ?? '', row.virtualAccountName ?? ''),
        })),
      }),
    },
    period,
  );

const payouts: Reader = (account, _terminal, period) =>
  read(
    account,
    {
      endpoint: listPayouts,
      request: (limit, offset) => ({ ...rangeOf(period), limit, offset }),
      pageOf: ({ payouts: rows, total = null }) => ({
        total,
        rows: rows?.map(({ id, type, status, createdAt, payoutReference, transferTxHash, ...row }) => ({
          ...{ kind: type, ids: [id, payoutReference], status, createdAt },
          changedAt: [row.initiatedAt, row.completedAt, row.updatedAt],
          isTransferred: transferTxHash != null,
        })),
      }),
    },
    period,
  );

const withdrawals: Reader = (account, _terminal, period) =>
  read(
    account,
    {
      endpoint: listWithdrawals,
      request: (limit, offset) => ({ ...rangeOf(period), limit, offset }),
      pageOf: ({ withdrawals: rows, total = null }) => ({
        total,
        rows: rows?.map(({ requestId, type, status, createdAt, transactionHash, completedAt }) => ({
          ...{ kind: type, ids: [requestId, transactionHash], status, createdAt, changedAt: [completedAt] },
        })),
      }),
    },
    period,
  );

const swaps: Reader = (account, _terminal, period) =>
  read(
    account,
    {
      endpoint: listSwaps,
      request: (limit, offset) => ({ ...rangeOf(period), limit, offset }),
      pageOf: ({ swaps: rows, pagination }) => ({
        total: pagination.total,
        rows: rows.map(({ requestId, status, createdAt, txHash, updatedAt }) => ({
          ...{ kind: 'swap', ids: [requestId, txHash], status, createdAt, changedAt: [updatedAt] },
        })),
      }),
    },
    period,
  );

/** Reads the work of every list that causes events: what began in the period, and for some time before it. */
export async function listedWorks(account: Account, terminal: Terminal, period: Period): Promise<ListedWork[]> {
  const all: ListedWork[][] = [];
  for (const reader of [users, deposits, payouts, withdrawals, swaps])
    all.push(await reader(account, terminal, period));
  return all.flat();
}
