import { Fault } from '../../contract/faults.ts';
import { networkOf } from '../../contract/networks.ts';
import { type Amount, type Asset, amount, type Token, toWireText } from '../../money/amount.ts';
import { type Call, hex, isoTime, type Operations, type OperationsOf, orderedBytes, VERSION } from '../context.ts';
import { insert, update } from '../rows.ts';
import { userOf } from '../users/operation.ts';
import { isTestText } from '../values.ts';
import type { ExternalWalletRow } from './external-wallets.ts';
import { EVM_NETWORKS, holdings, smartWallet, userWallets, type WalletRow, walletAt } from './wallets.ts';

/** Formats an amount as decimal text of whole tokens. */
const tokenText = (value: Amount) => toWireText(value, 'token');

/** Returns the requested EVM networks, or all of them. Throws VALIDATION_ERROR for an unknown network. */
function networksOf(requested: readonly string[]): string[] {
  const names = requested.map((name) => name.trim().toLowerCase()).filter(Boolean);
  const unknown = names.find((name) => !EVM_NETWORKS.some((network) => network === name));
  if (unknown !== undefined)
    throw new Fault('VALIDATION_ERROR', `networks: expected one or more of ${EVM_NETWORKS.join(', ')}`);
  return names.length > 0 ? [...new Set(names)] : [...EVM_NETWORKS];
}

interface NetworkBalance {
  readonly network: string;
  readonly minor: bigint;
}

/** Returns a wallet's balance of an asset on each network; zeros for an address that is not a wallet of the sandbox. */
function balancesOn(call: Call, wallet: WalletRow | undefined, asset: Asset, networks: string[]): NetworkBalance[] {
  const held = wallet ? holdings(call.store, wallet.id, asset) : [];
  return networks.map((network) => ({
    network,
    minor: held.find((each) => each.network === network)?.balance ?? 0n,
  }));
}

const sumOf = (balances: readonly NetworkBalance[]) => balances.reduce((total, { minor }) => total + minor, 0n);

const balanceMulti: Operations['wallets.balance-multi'] = (call, { token = 'CNGN', networks }) => {
  const wallet = smartWallet(call.store, call.fintech.id);
  const balances = balancesOn(call, wallet, token, networksOf((networks ?? '').split(',')));
  const onBase = sumOf(balances.filter(({ network }) => network === 'base'));
  const elsewhere = sumOf(balances) - onBase;
  const row = ({ network, minor }: NetworkBalance) => ({ network, balance: tokenText(amount(token, minor)) });
  return {
    token,
    walletAddress: wallet.address,
    totalBalance: tokenText(amount(token, onBase + elsewhere)),
    hasBaseNetworkFunds: onBase > 0n,
    hasCrossNetworkFunds: elsewhere > 0n,
    baseNetworkBalance: tokenText(amount(token, onBase)),
    crossNetworkBalance: tokenText(amount(token, elsewhere)),
    bridgingRequired: onBase === 0n && elsewhere > 0n,
    networkBalances: balances.map((each) => ({ ...row(each), error: null })),
    walletsWithFunds: balances.filter(({ minor }) => minor > 0n).map(row),
    checkedAt: isoTime(call.nowMs),
  };
};

/**
 * Covers every wallet of the sandbox, whoever owns it. Tokens sent to outside addresses are not tracked.
 */
const balanceAddress: Operations['wallets.balance-address'] = (call, { address, token = 'CNGN', networks = [] }) => {
  const balances = balancesOn(call, walletAt(call.store, address), token, networksOf(networks));
  const isUnreadable = isTestText('unreadableAddress', address.toLowerCase());
  return {
    token,
    address,
    totalBalance: tokenText(amount(token, sumOf(balances))),
    networkBalances: balances.map(({ network, minor }) => ({
      network,
      balance: tokenText(amount(token, minor)),
      error: isUnreadable && network === 'bsc' ? 'the network cannot be reached' : null,
    })),
    checkedAt: isoTime(call.nowMs),
  };
};

const balanceUser: Operations['wallets.balance-user'] = (call, { userId, token = 'CNGN' }) => {
  const user = userOf(call, userId, 'NOT_FOUND');
  const rows = userWallets(call.store, user.id).flatMap((wallet) => {
    const held = holdings(call.store, wallet.id, token);
    const isAlwaysListed = wallet.kind === 'managed' || wallet.kind === 'multi_chain';
    const shown =
      held.length > 0 || !isAlwaysListed
        ? held
        : [{ network: networkOf(wallet.blockchain)?.key ?? wallet.blockchain, balance: 0n }];
    return shown.map(({ network, balance }) => ({ network, walletAddress: wallet.address, minor: balance }));
  });
  return {
    userId: user.user_id,
    token,
    totalBalance: tokenText(
      amount(
        token,
        rows.reduce((sum, { minor }) => sum + minor, 0n),
      ),
    ),
    networkBalances: rows.map(({ minor, ...where }) => ({
      ...where,
      balance: tokenText(amount(token, minor)),
      error: null,
    })),
    checkedAt: isoTime(call.nowMs),
  };
};

/**
 * Returns all registered wallets, oldest first, for /getfintechwallet. Custody metadata is stored but never returned.
 */
function externalWalletsOf({ store, fintech }: Call) {
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

const getFintech: Operations['wallets.get-fintech'] = (call) => {
  const wallet = smartWallet(call.store, call.fintech.id);
  const fintech = call.store.get<{ users: bigint; created_at: bigint; updated_at: bigint }>(
    'SELECT users, created_at, updated_at FROM fintech WHERE id = ?',
    call.fintech.id,
  );
  const created = isoTime(fintech?.created_at ?? 0n);
  return {
    fintechId: call.fintech.fintechId,
    fintechName: call.fintech.name,
    smartWallet: {
      address: wallet.address,
      owner: wallet.custom_owner,
      deployed: true,
      createdAt: isoTime(wallet.created_at),
      saltVersion: 'v2',
      previousAddress: null,
      deploymentTxHash: null,
    },
    externalWallets: externalWalletsOf(call),
    totalUsers: Number(fintech?.users ?? 0n),
    createdAt: created,
    updatedAt: isoTime(fintech?.updated_at ?? 0n),
  };
};

function total(call: Call, wallet: WalletRow, asset: Asset): Amount {
  return amount(
    asset,
    holdings(call.store, wallet.id, asset).reduce((sum, { balance }) => sum + balance, 0n),
  );
}

/**
 * Formats balances by kind of wallet: objects for account and user wallets, two strings for other kinds, null for none. Source:
 * public.
 */
function balancesOf(call: Call, wallet: WalletRow) {
  const balance = (asset: Asset) => ({ balance: tokenText(total(call, wallet, asset)) });
  if (wallet.kind !== 'multi_chain') return { CNGN: balance('CNGN'), USDC: balance('USDC'), USDT: balance('USDT') };
  const held = (asset: Asset) => {
    const sum = total(call, wallet, asset);
    return sum.minor === 0n ? null : tokenText(sum);
  };
  return { cngn: held('CNGN'), tokenBuy: held(wallet.token_buy as Token) };
}

const listUser: Operations['wallets.list-user'] = (call, { userId }) => {
  const user = userOf(call, userId, 'NOT_FOUND');
  const wallets = userWallets(call.store, user.id).map((wallet) => {
    return {
      walletAddress: wallet.address,
      status: wallet.kind === 'multi_chain' ? 'multi_chain' : 'smart_wallet',
      createdAt: isoTime(wallet.created_at),
      owner: wallet.custom_owner ?? 'service-managed',
      tokenBuy: wallet.token_buy,
      blockchain: wallet.blockchain,
      balances: balancesOf(call, wallet),
    };
  });
  return { wallets, count: wallets.length, userId: user.user_id, version: VERSION };
};

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

export const walletsOperations = {
  'wallets.get-fintech': getFintech,
  'wallets.list-user': listUser,
  'wallets.migrate-users': migrate,
  'wallets.balance-multi': balanceMulti,
  'wallets.balance-address': balanceAddress,
  'wallets.balance-user': balanceUser,
} satisfies OperationsOf<'wallets' | 'wallet-migration' | 'balances'>;
