import { Fault } from '../../contract/faults.ts';
import { VIRTUAL_ACCOUNT_BANK } from '../banks/banks.ts';
import { type Call, hex, isoTime, type Operations, type OperationsOf, orderedBytes } from '../context.ts';
import type { VirtualAccountRow } from '../deposits/virtual-accounts.ts';
import { schedule } from '../machine.ts';
import { countOf, insert, ownRow } from '../rows.ts';
import { bvnRecord } from '../values.ts';
import { userWallets } from '../wallets/wallets.ts';
import type { OnboardingRow } from './machine.ts';

export interface UserRow {
  readonly id: bigint;
  readonly user_id: string;
  readonly first_name: string;
  readonly middle_name: string;
  readonly last_name: string;
  readonly active: bigint;
  readonly created_at: bigint;
  readonly verified_at: bigint;
}

/** BVNs are stored as keyed digests, which detect duplicates without a list of numbers that could leak. */
function bvnDigest(call: Call, bvn: string): string {
  return call.ids.digest(call.settings.bvnDigestKey, bvn);
}

/** Returns a verified user of the calling fintech by id, or throws `fault`. */
export function userOf(call: Call, userId: string, fault: 'NOT_FOUND' | 'USER_NOT_FOUND'): UserRow {
  return ownRow(call, ['user', 'user_id', userId], 'this fintech has no verified user with this id', fault);
}

/** Throws VALIDATION_ERROR for a deactivated user. Source: interface (the rule), inferred (the error). */
export function requireActive(user: UserRow): void {
  if (!user.active) throw new Fault('VALIDATION_ERROR', 'the user is inactive and cannot transact');
}

const onboard: Operations['users.onboard'] = (call, { bvn }) => {
  const digest = bvnDigest(call, bvn);
  if (call.store.get(`SELECT 1 FROM onboarding WHERE bvn_digest = ?`, digest)) {
    throw new Fault('VALIDATION_ERROR', 'bvn: this BVN already belongs to a user');
  }
  const record = bvnRecord(bvn);
  if (record.outcome === 'unavailable') throw new Fault('INTERNAL_ERROR', 'the identity provider cannot be reached');
  const requestId = call.ids.uuid();
  const userId = hex(orderedBytes(call, 32));
  const verifies = record.outcome === 'verifies';
  const id = insert(call.store, 'onboarding', {
    request_id: requestId,
    fintech: call.fintech.id,
    user_id: userId,
    bvn_digest: digest,
    first_name: record.name.first,
    middle_name: record.name.middle,
    last_name: record.name.last,
    verifies,
    state: 'processing',
    created_at: call.nowMs,
  });
  schedule(call, 'onboarding', id, verifies ? 'verified' : 'rejected', call.pace.verifyBvn);
  return {
    requestId,
    status: 'processing',
    userHash: userId,
    message: 'the BVN is being verified',
    estimatedCompletionTime: `within ${Math.max(1, Math.ceil(call.pace.verifyBvn / 1000))} s`,
  };
};

const onboardStatus: Operations['users.onboard-status'] = (call, { requestId }) => {
  const row = ownRow<OnboardingRow>(call, ['onboarding', 'request_id', requestId], 'no onboarding has this request id');
  const failed = row.state === 'failed';
  const userMessage = 'the BVN could not be verified';
  return {
    type: 'user_registration',
    ...(row.state === 'completed' ? { userId: row.user_id } : {}),
    status: row.state,
    createdAt: isoTime(row.created_at),
    message: { processing: 'the BVN is being verified', completed: 'the user is onboarded' }[row.state] ?? userMessage,
    verified: row.state === 'completed',
    ...(failed
      ? {
          details: {
            status: 'failed',
            error: { code: 'BVN_VALIDATION_FAILED', step: 'bvn_validation', message: userMessage, userMessage },
            userMessage,
          },
          retryable: false,
        }
      : {}),
  };
};

function permanentAccount(call: Call, user: bigint): VirtualAccountRow | undefined {
  return call.store.get<VirtualAccountRow>(
    `SELECT * FROM virtual_account WHERE user = ? AND kind = 'user_permanent'`,
    user,
  );
}

function addresses(call: Call, user: bigint) {
  const wallets = userWallets(call.store, user);
  const address = (kind: string, chain: string) =>
    wallets.find((wallet) => wallet.kind === kind && wallet.blockchain === chain)?.address ?? null;
  return {
    evm: address('managed', 'base'),
    solana: address('multi_chain', 'solana'),
    bantu: address('multi_chain', 'bantu'),
  };
}

/** Finds a user by id or, for compatibility with one client, by BVN. */
function findUser(call: Call, userId: string, bvn: string | undefined): UserRow {
  if (bvn === undefined) return userOf(call, userId, 'NOT_FOUND');
  const found = call.store.get<{ user_id: string }>(
    `SELECT user_id FROM onboarding WHERE bvn_digest = ? AND fintech = ? AND state = 'completed'`,
    bvnDigest(call, bvn),
    call.fintech.id,
  );
  return userOf(call, found?.user_id ?? '', 'NOT_FOUND');
}

/** The reason of the latest change of the user's status. Source: inferred. */
function lastReason({ store }: Call, user: UserRow): string | null {
  const last = store.get<{ reason: string | null }>(
    'SELECT reason FROM user_status_change WHERE user = ? ORDER BY id DESC LIMIT 1',
    user.id,
  );
  return last?.reason ?? null;
}

const getDetails: Operations['users.get-details'] = (call, { userId, bvn }) => {
  const user = findUser(call, userId, bvn);
  const account = permanentAccount(call, user.id);
  const wallets = addresses(call, user.id);
  return {
    userId: user.user_id,
    isActive: user.active === 1n,
    ...(user.active === 1n ? {} : { deactivationReason: lastReason(call, user) }),
    personalDetails: { firstName: user.first_name, middleName: user.middle_name, lastName: user.last_name },
    walletDetails: {
      evmWallet: wallets.evm,
      bantuWallet: wallets.bantu,
      solanaWallet: wallets.solana,
      walletCreatedAt: isoTime(user.verified_at),
    },
    virtualAccounts: account
      ? [
          {
            accountNumber: account.number,
            accountName: account.name,
            bankName: VIRTUAL_ACCOUNT_BANK.name,
            bankCode: VIRTUAL_ACCOUNT_BANK.code,
            provider: VIRTUAL_ACCOUNT_BANK.provider,
            accountType: 'user_permanent',
            reference: user.user_id,
            status: account.status,
            createdAt: isoTime(account.created_at),
          },
        ]
      : [],
  };
};

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

export const usersOperations = {
  'users.onboard': onboard,
  'users.onboard-status': onboardStatus,
  'users.get-details': getDetails,
  'users.list': listUsers,
} satisfies OperationsOf<'users' | 'user-list'>;
