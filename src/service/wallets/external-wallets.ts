import { Fault } from '../../contract/faults.ts';
import { ledgerNetwork, NETWORKS, networkOf, sameAddress } from '../../contract/networks.ts';
import type { Call, Operations, OperationsOf } from '../context.ts';
import { insert, update, upsert } from '../rows.ts';
import { type UserRow, userOf } from '../users/operation.ts';
import { requireForm } from './addresses.ts';
import { EVM_NETWORKS, smartWallet, walletAt } from './wallets.ts';

export interface ExternalWalletRow {
  readonly id: bigint;
  readonly address: string;
  readonly blockchain: string;
  readonly type: string;
  readonly label: string | null;
  readonly purpose: string | null;
  readonly is_default: bigint;
  readonly status: 'active' | 'inactive';
  readonly added_at: bigint;
}

const ALL_NETWORKS = [...new Set(NETWORKS.map(ledgerNetwork))];

/** Returns a registered wallet of the calling fintech by address, in any spelling. */
export function externalWalletAt({ store, fintech }: Call, address: string): ExternalWalletRow | undefined {
  return store.get<ExternalWalletRow>(
    'SELECT * FROM external_wallet WHERE fintech = ? AND address = ?',
    fintech.id,
    sameAddress(address),
  );
}

/** Updates the time of the last wallet change on the fintech's record. */
function touchFintech({ store, fintech, nowMs }: Call): void {
  update(store, 'fintech', fintech.id, { updated_at: nowMs });
}

function requireNew(call: Call, address: string): void {
  if (sameAddress(address) === smartWallet(call.store, call.fintech.id).address)
    throw new Fault('VALIDATION_ERROR', 'address: expected an external wallet; this is the account wallet');
  if (externalWalletAt(call, address)) throw new Fault('VALIDATION_ERROR', 'address: the wallet is already registered');
}

/** An address and its blockchain, as given in a request. */
interface GivenAddress {
  readonly address: string;
  readonly blockchain: string;
}

/** Returns the network key of an address, one of `allowed`. Throws VALIDATION_ERROR. */
function requireAddress({ address, blockchain }: GivenAddress, allowed: readonly string[]): string {
  const network = networkOf(blockchain);
  if (!network || !allowed.includes(ledgerNetwork(network)))
    throw new Fault('VALIDATION_ERROR', `blockchain: expected one of ${allowed.join(', ')}`);
  requireForm(network, address, 'address');
  return ledgerNetwork(network);
}

const add: Operations['wallets.add-external'] = (call, request) => {
  const { address, type, label, purpose, isDefault = false, metadata } = request;
  const blockchain = requireAddress(request, ALL_NETWORKS);
  requireNew(call, address);
  const { store, fintech, nowMs } = call;
  if (isDefault) store.run('UPDATE external_wallet SET is_default = 0 WHERE fintech = ?', fintech.id);
  insert(store, 'external_wallet', {
    fintech: fintech.id,
    address: sameAddress(address),
    blockchain,
    type,
    label,
    purpose,
    is_default: isDefault,
    status: 'active',
    metadata: metadata ? JSON.stringify(metadata) : null,
    added_at: nowMs,
  });
  touchFintech(call);
  return { wallet: { address: sameAddress(address), status: 'active', type, blockchain } };
};

/** Throws NOT_FOUND. */
function requireRegistered(call: Call, address: string): ExternalWalletRow {
  const row = externalWalletAt(call, address);
  if (!row) throw new Fault('NOT_FOUND', 'this fintech has no external wallet with this address');
  return row;
}

const setStatus: Operations['wallets.set-external-status'] = (call, { address, status }) => {
  const row = requireRegistered(call, address);
  update(call.store, 'external_wallet', row.id, { status });
  touchFintech(call);
  return { address: row.address, status };
};

const remove: Operations['wallets.remove-external'] = (call, { address }) => {
  const row = requireRegistered(call, address);
  call.store.run('DELETE FROM external_wallet WHERE id = ?', row.id);
  touchFintech(call);
  return { address: row.address };
};

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

const setDefault: Operations['users.set-default-wallet'] = (call, { userId, address, blockchain, label }) => {
  const network = requireAddress({ address, blockchain }, DELIVERY_NETWORKS);
  const user = userOf(call, userId, 'NOT_FOUND');
  requireOutside(call, user, address);
  const row: DefaultWalletRow = { address: sameAddress(address), blockchain: network, label: label ?? null };
  upsert(call.store, 'default_wallet', { user: user.id }, { ...row, set_at: call.nowMs });
  return { userId: user.user_id, defaultWallet: shown(row), note: NOTE };
};

const getDefault: Operations['users.get-default-wallet'] = (call, { userId }) => {
  const user = userOf(call, userId, 'NOT_FOUND');
  const row = call.store.get<DefaultWalletRow>(
    'SELECT address, blockchain, label FROM default_wallet WHERE user = ?',
    user.id,
  );
  return { userId: user.user_id, defaultWallet: row ? shown(row) : null };
};

const removeDefault: Operations['users.remove-default-wallet'] = (call, { userId }) => {
  const user = userOf(call, userId, 'NOT_FOUND');
  call.store.run('DELETE FROM default_wallet WHERE user = ?', user.id);
  return {
    userId: user.user_id,
    defaultWallet: null,
    note: 'cNGN is now delivered to the managed wallet; earlier deliveries stay where they are',
  };
};

export const externalWalletsOperations = {
  'wallets.add-external': add,
  'wallets.set-external-status': setStatus,
  'wallets.remove-external': remove,
  'users.set-default-wallet': setDefault,
  'users.get-default-wallet': getDefault,
  'users.remove-default-wallet': removeDefault,
} satisfies OperationsOf<'default-wallets' | 'external-wallets'>;
