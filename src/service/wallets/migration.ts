import { type Call, hex, type Operations, orderedBytes } from '../context.ts';
import { insert, update } from '../rows.ts';
import type { WalletRow } from './wallets.ts';

type MigrationStatus = 'created' | 'migrated' | 'skipped' | 'failed';

type MigrationResult = {
  readonly userId: string;
  readonly status: MigrationStatus;
  readonly walletAddress: string | null;
  readonly deployed?: boolean;
  readonly reason: string | null;
};

/** Creates a managed wallet. The user keeps the wallet it replaces, with its balance. */
function provision(call: Call, user: bigint, replaced: WalletRow | undefined): string {
  const address = `0x${hex(orderedBytes(call, 20))}`;
  if (replaced) update(call.store, 'wallet', replaced.id, { kind: 'replaced' });
  insert(call.store, 'wallet', {
    address,
    fintech: call.fintech.id,
    user,
    kind: 'managed',
    blockchain: 'base',
    token_buy: 'CNGN',
    created_at: call.nowMs,
  });
  return address;
}

/** Returns an unknown id as a failed result instead of throwing, so that it does not affect the others. */
function resultFor(call: Call, userId: string, force: boolean): MigrationResult {
  const { store, fintech } = call;
  const user = store.get<{ id: bigint }>('SELECT id FROM user WHERE user_id = ? AND fintech = ?', userId, fintech.id);
  if (!user) return { userId, status: 'failed', walletAddress: null, reason: 'no verified user has this id' };
  const wallet = store.get<WalletRow>(`SELECT * FROM wallet WHERE user = ? AND kind = 'managed'`, user.id);
  if (wallet && !force)
    return { userId, status: 'skipped', walletAddress: wallet.address, reason: 'the user already has a wallet' };
  const walletAddress = provision(call, user.id, wallet);
  return { userId, status: wallet ? 'migrated' : 'created', walletAddress, deployed: true, reason: null };
}

/** Returns the result of each user; duplicate ids count once. */
const migrate: Operations['wallets.migrate-users'] = (call, { userId: userIds, force = false }) => {
  const results = [...new Set(userIds)].map((userId) => resultFor(call, userId, force));
  const count = (wanted: MigrationStatus) => results.filter(({ status }) => status === wanted).length;
  return {
    requestId: `migrate_${call.fintech.fintechId}_${call.nowMs}`,
    totalProcessed: results.length,
    created: count('created'),
    migrated: count('migrated'),
    skipped: count('skipped'),
    failed: count('failed'),
    results,
  };
};

export const walletMigrationOperations = { 'wallets.migrate-users': migrate } satisfies Partial<Operations>;
