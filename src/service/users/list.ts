import { VIRTUAL_ACCOUNT_BANK } from '../banks/banks.ts';
import { type Call, isoTime, type Operations } from '../context.ts';
import { countOf } from '../rows.ts';
import type { UserRow } from './operation.ts';

interface SummaryRow
  extends Pick<UserRow, 'user_id' | 'first_name' | 'last_name' | 'active' | 'verified_at' | 'created_at'> {
  readonly evm: string | null;
  readonly solana: string | null;
  readonly bantu: string | null;
  readonly account_number: string | null;
  readonly account_name: string | null;
}

/** The columns of a user summary, read in one statement per page. */
const SUMMARY_COLUMNS = `user.user_id, user.first_name, user.last_name, user.active, user.verified_at, user.created_at,
  account.number AS account_number, account.name AS account_name,
  (SELECT address FROM wallet WHERE wallet.user = user.id AND kind = 'managed' AND blockchain = 'base') AS evm,
  (SELECT address FROM wallet WHERE wallet.user = user.id AND kind = 'multi_chain' AND blockchain = 'solana') AS solana,
  (SELECT address FROM wallet WHERE wallet.user = user.id AND kind = 'multi_chain' AND blockchain = 'bantu') AS bantu`;

function userSummary(row: SummaryRow) {
  return {
    userId: row.user_id,
    firstName: row.first_name,
    lastName: row.last_name,
    isActive: row.active === 1n,
    hasWallet: row.evm !== null,
    wallets: { evm: row.evm, solana: row.solana, bantu: row.bantu },
    virtualAccount: {
      accountNumber: row.account_number,
      accountName: row.account_name,
      bankName: VIRTUAL_ACCOUNT_BANK.name,
      bankCode: VIRTUAL_ACCOUNT_BANK.code,
      provider: VIRTUAL_ACCOUNT_BANK.provider,
    },
    verifiedAt: isoTime(row.verified_at),
    createdAt: isoTime(row.created_at),
  };
}

const SORT_COLUMN = { createdAt: 'created_at', verifiedAt: 'verified_at' } as const;
const ACTIVE_FILTER = { all: '', active: 'AND active = 1', inactive: 'AND active = 0' } as const;

/** Returns one page, reading from the nearer end of the index so that the last page costs no more than the first. */
function userPage(
  call: Call,
  order: { column: string; direction: 'asc' | 'desc'; filter: string },
  limit: number,
  offset: number,
  total: number,
): SummaryRow[] {
  const fromEnd = offset > total / 2;
  const size = Math.max(0, Math.min(limit, total - offset));
  const skip = fromEnd ? total - offset - size : offset;
  const direction = (order.direction === 'asc') === fromEnd ? 'DESC' : 'ASC';
  const rows = call.store.all<SummaryRow>(
    `SELECT ${SUMMARY_COLUMNS} FROM user JOIN (
       SELECT id FROM user WHERE fintech = ? ${order.filter} ORDER BY ${order.column} ${direction}, id ${direction} LIMIT ? OFFSET ?
     ) AS page ON page.id = user.id LEFT JOIN virtual_account AS account ON account.user = user.id AND account.kind = 'user_permanent'
     ORDER BY user.${order.column} ${direction}, user.id ${direction}`,
    call.fintech.id,
    size,
    Math.max(0, skip),
  );
  return fromEnd ? rows.reverse() : rows;
}

/** Uses a maintained count, because counting 100,000 rows would cost more than the page. */
function countUsers({ store, fintech }: Call, status: keyof typeof ACTIVE_FILTER): number {
  const all = store.get<{ users: bigint }>('SELECT users FROM fintech WHERE id = ?', fintech.id)?.users ?? 0n;
  if (status === 'all') return Number(all);
  const inactive = countOf(store, 'SELECT COUNT(*) AS n FROM user WHERE fintech = ? AND active = 0', fintech.id);
  return status === 'inactive' ? inactive : Number(all) - inactive;
}

const listUsers: Operations['users.list'] = (call, input) => {
  const { limit = 20, offset = 0, status = 'all', orderDirection = 'desc' } = input;
  const filter = ACTIVE_FILTER[status];
  const column = SORT_COLUMN[input.sortBy ?? input.orderBy ?? 'verifiedAt'];
  const total = countUsers(call, status);
  const users = userPage(call, { column, direction: orderDirection, filter }, limit, offset, total);
  const hasMore = offset + users.length < total;
  return {
    users: users.map(userSummary),
    pagination: {
      total,
      limit,
      offset,
      currentPage: Math.floor(offset / limit) + 1,
      totalPages: Math.ceil(total / limit),
      hasMore,
      hasNextPage: hasMore,
      hasPreviousPage: offset > 0,
    },
  };
};

export const userListOperations = { 'users.list': listUsers } satisfies Partial<Operations>;
