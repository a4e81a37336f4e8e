import { type Amount, type Asset, amount, type Token } from '../../money/amount.ts';
import { tokenText } from '../amounts.ts';
import { type Call, isoTime } from '../context.ts';
import type { Operations } from '../operation.ts';
import { userOf } from '../users/operation.ts';
import { VERSION } from '../version.ts';
import { externalWalletsOf } from './external-wallets.ts';
import { holdings, smartWallet, userWallets, type WalletRow } from './wallets.ts';

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
 * Formats balances by kind of wallet: objects for smart wallets, two strings for other kinds, null for none. Source:
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

export const walletsOperations = {
  'wallets.get-fintech': getFintech,
  'wallets.list-user': listUser,
} satisfies Partial<Operations>;
