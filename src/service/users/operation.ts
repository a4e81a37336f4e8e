import { Fault } from '../../contract/faults.ts';
import { VIRTUAL_ACCOUNT_BANK } from '../banks/banks.ts';
import { type Call, hex, isoTime, type Operations, orderedBytes } from '../context.ts';
import type { VirtualAccountRow } from '../deposits/virtual-accounts.ts';
import { schedule } from '../machine.ts';
import { insert, ownRow } from '../rows.ts';
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

/** Returns 64 hexadecimal digits that sort by time, so that new ids land at the end of the index. */
function newUserId(call: Call): string {
  return hex(orderedBytes(call, 32));
}

const onboard: Operations['users.onboard'] = (call, { bvn }) => {
  const digest = bvnDigest(call, bvn);
  if (call.store.get(`SELECT 1 FROM onboarding WHERE bvn_digest = ?`, digest)) {
    throw new Fault('VALIDATION_ERROR', 'bvn: this BVN already belongs to a user');
  }
  const record = bvnRecord(bvn);
  if (record.outcome === 'unavailable') throw new Fault('INTERNAL_ERROR', 'the identity provider cannot be reached');
  const requestId = call.ids.uuid();
  const userId = newUserId(call);
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

export const usersOperations = {
  'users.onboard': onboard,
  'users.onboard-status': onboardStatus,
  'users.get-details': getDetails,
} satisfies Partial<Operations>;
