import { Fault } from '../../contract/faults.ts';
import { ledgerNetwork, NETWORKS, sameAddress } from '../../contract/networks.ts';
import { type Call, isoTime, type Operations } from '../context.ts';
import { insert, update } from '../rows.ts';
import { requireAddress } from './addresses.ts';
import { smartWallet } from './wallets.ts';

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

/**
 * Returns all registered wallets, oldest first, for /getfintechwallet. Custody metadata is stored but never returned.
 */
export function externalWalletsOf({ store, fintech }: Call) {
  const rows = store.all<ExternalWalletRow>('SELECT * FROM external_wallet WHERE fintech = ? ORDER BY id', fintech.id);
  return rows.map((row) => ({
    address: row.address,
    label: row.label,
    blockchain: row.blockchain,
    type: row.type,
    addedAt: isoTime(row.added_at),
    addedBy: fintech.fintechId,
    status: row.status,
    isDefault: row.is_default === 1n,
    purpose: row.purpose,
  }));
}

/** Updates the time of the last wallet change on the fintech's record. */
function touchFintech({ store, fintech, nowMs }: Call): void {
  update(store, 'fintech', fintech.id, { updated_at: nowMs });
}

function requireNew(call: Call, address: string): void {
  if (sameAddress(address) === smartWallet(call.store, call.fintech.id).address)
    throw new Fault('VALIDATION_ERROR', "address: expected an external wallet; this is the account's smart wallet");
  if (externalWalletAt(call, address)) throw new Fault('VALIDATION_ERROR', 'address: the wallet is already registered');
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

export const externalWalletsOperations = {
  'wallets.add-external': add,
  'wallets.set-external-status': setStatus,
  'wallets.remove-external': remove,
} satisfies Partial<Operations>;
