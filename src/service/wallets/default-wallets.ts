import { Fault } from '../../contract/faults.ts';
import { sameAddress } from '../../contract/networks.ts';
import type { Call, Operations } from '../context.ts';
import { upsert } from '../rows.ts';
import { type UserRow, userOf } from '../users/operation.ts';
import { requireAddress } from './addresses.ts';
import { EVM_NETWORKS, walletAt } from './wallets.ts';

/** Networks for cNGN delivery. Source: public (base, eth and bsc), inferred from the bridge's list (the others). */
const DELIVERY_NETWORKS: readonly string[] = [...EVM_NETWORKS, 'sol', 'xbn'];

const NOTE =
  'this wallet only receives deliveries: swaps, offramps and escrow still use the managed wallet, and the service cannot sign for this one';

interface DefaultWalletRow {
  readonly address: string;
  readonly blockchain: string;
  readonly label: string | null;
}

const shown = (row: DefaultWalletRow) => ({ ...row, type: 'external', status: 'active' });

/** Throws VALIDATION_ERROR for a wallet of the user that the service manages. */
function requireOutside({ store }: Call, user: UserRow, address: string): void {
  const wallet = walletAt(store, address);
  if (wallet?.user === user.id && wallet.custom_owner === null)
    throw new Fault('VALIDATION_ERROR', 'address: expected an external wallet; the service manages this one');
}

const set: Operations['users.set-default-wallet'] = (call, { userId, address, blockchain, label }) => {
  const network = requireAddress({ address, blockchain }, DELIVERY_NETWORKS);
  const user = userOf(call, userId, 'NOT_FOUND');
  requireOutside(call, user, address);
  const row: DefaultWalletRow = { address: sameAddress(address), blockchain: network, label: label ?? null };
  upsert(call.store, 'default_wallet', { user: user.id }, { ...row, set_at: call.nowMs });
  return { userId: user.user_id, defaultWallet: shown(row), note: NOTE };
};

const get: Operations['users.get-default-wallet'] = (call, { userId }) => {
  const user = userOf(call, userId, 'NOT_FOUND');
  const row = call.store.get<DefaultWalletRow>(
    'SELECT address, blockchain, label FROM default_wallet WHERE user = ?',
    user.id,
  );
  return { userId: user.user_id, defaultWallet: row ? shown(row) : null };
};

const remove: Operations['users.remove-default-wallet'] = (call, { userId }) => {
  const user = userOf(call, userId, 'NOT_FOUND');
  call.store.run('DELETE FROM default_wallet WHERE user = ?', user.id);
  return {
    userId: user.user_id,
    defaultWallet: null,
    note: 'cNGN is now delivered to the managed wallet; earlier deliveries stay where they are',
  };
};

export const defaultWalletsOperations = {
  'users.set-default-wallet': set,
  'users.get-default-wallet': get,
  'users.remove-default-wallet': remove,
} satisfies Partial<Operations>;
