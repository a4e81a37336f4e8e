import type { RequestOf } from '../../contract/endpoint.ts';
import { Fault } from '../../contract/faults.ts';
import type { withdrawAsset } from '../../contract/transfers.ts';
import { amount, amountForPeople } from '../../money/amount.ts';
import { type PercentMillionths, percentOfRoundHalfUp } from '../../money/rates.ts';
import { fromWire, toWireText } from '../../money/units.ts';
import { type Call, isoTime } from '../context.ts';
import { type AccountRef, balanceOf, platformTokens, post, walletAccount } from '../ledger.ts';
import { schedule } from '../machine.ts';
import { complete, transit, type WithdrawalRow, withdrawal } from '../machines/withdrawal.ts';
import { type Network, networkOf, sameAddress } from '../networks.ts';
import type { Operations } from '../operation.ts';
import { blockNumber, GAS, TOKEN_ADDRESS } from '../tokens.ts';
import { accountAt, type WalletRow, walletAt } from '../wallets.ts';
import { insertWithdrawal } from '../withdrawals.ts';
import { requireForm } from './addresses.ts';
import { requireActive, type UserRow, userOf } from './users.ts';

/** What going to another network than Base costs, out of the amount: the bridge's public example of 0.5 percent. Source: inferred. */
const BRIDGE_PERCENT: PercentMillionths = 500_000n;

type WithdrawRequest = RequestOf<typeof withdrawAsset>;

/** The network and the destination, checked against each other. Throws VALIDATION_ERROR. */
function destinationOf({ network: key = 'base', internalWallet, destinationWallet }: WithdrawRequest) {
  const network = networkOf(key);
  if (!network) throw new Fault('VALIDATION_ERROR', 'network: no network has this name');
  requireForm(network, destinationWallet, 'destinationWallet');
  const address = sameAddress(destinationWallet);
  if (network.key === 'base' && address === sameAddress(internalWallet))
    throw new Fault('VALIDATION_ERROR', 'destinationWallet: the tokens are in this wallet already');
  return { network, address };
}

/** The user's wallet with this address. Throws VALIDATION_ERROR, for one that the service cannot sign for too. */
function sourceOf(call: Call, user: UserRow, address: string): WalletRow {
  const wallet = walletAt(call.store, address);
  if (wallet?.user !== user.id)
    throw new Fault('VALIDATION_ERROR', 'internalWallet: no wallet of the user has this address');
  if (wallet.custom_owner !== null)
    throw new Fault(
      'VALIDATION_ERROR',
      'internalWallet: somebody else owns the wallet, the service cannot sign for it',
    );
  return wallet;
}

/** Throws SHORT_BALANCE. */
function requireHeld(call: Call, from: AccountRef, neededBase: bigint): void {
  const held = balanceOf(call.store, from);
  if (held >= neededBase) return;
  const people = (base: bigint) => amountForPeople(amount(from.asset, base));
  throw new Fault('SHORT_BALANCE', `${people(neededBase)} needed, the wallet holds ${people(held)} on Base`);
}

/** On Base the tokens arrive with the answer; elsewhere a bridge has them for a while. */
function send(call: Call, row: WithdrawalRow, from: AccountRef): void {
  const isOnBase = row.network === 'base';
  const to = isOnBase ? accountAt(call.store, row.destination, 'base', row.asset) : transit(row.asset);
  post(call, 'withdrawal.sent', row.request_id, [
    { account: from, minor: -row.amount_base },
    { account: platformTokens(row.asset), minor: row.fee_base },
    { account: to, minor: row.amount_base - row.fee_base },
  ]);
  if (isOnBase) complete(call, row);
  else schedule(call, withdrawal.name, row.id, 'released', call.pace.bridge);
}

const withdraw: Operations['transactions.withdraw-asset'] = (call, request) => {
  const base = fromWire(request.amount, 'token', request.ticker)?.minor ?? 0n;
  const { network, address } = destinationOf(request);
  const user = userOf(call, request.userId, 'USER_NOT_FOUND');
  requireActive(user);
  const wallet = sourceOf(call, user, request.internalWallet);
  const from = walletAccount(wallet.id, 'base', request.ticker);
  requireHeld(call, from, base);
  const row = insertWithdrawal(call, {
    user: user.id,
    type: 'fintech_user_withdrawal',
    state: network.key === 'base' ? 'completed' : 'pending',
    wallet: wallet.id,
    destination: address,
    asset: request.ticker,
    amountBase: base,
    feeBase: network.key === 'base' ? 0n : percentOfRoundHalfUp(base, BRIDGE_PERCENT),
    network: network.key,
    note: null,
  });
  send(call, row, from);
  return {
    transactionHash: row.tx_hash,
    smartWalletAddress: wallet.address,
    requestId: row.request_id,
    executedAt: isoTime(call.nowMs),
    ...GAS,
    blockNumber: blockNumber(call).toString(),
    duration: 0,
    userId: user.user_id,
    destinationWallet: row.destination,
    tokenAddress: TOKEN_ADDRESS[row.asset],
    tokenSymbol: row.asset,
    ...shownOn(network, row),
  };
};

/** The amounts and what the network makes of them. */
function shownOn(network: Network, row: WithdrawalRow) {
  const isOnBase = network.key === 'base';
  const tokens = (minor: bigint) => toWireText(amount(row.asset, minor), 'decimal-string');
  const fee = amountForPeople(amount(row.asset, row.fee_base));
  return {
    amount: tokens(row.amount_base),
    network: network.key,
    networkDisplayName: network.name,
    estimatedConfirmationTime: isOnBase ? '1-2 minutes' : '3-5 minutes',
    warnings: isOnBase
      ? []
      : [`the tokens go over a bridge to ${network.name}; its fee of ${fee} is taken out of them`],
    feeBreakdown: {
      requestedAmount: tokens(row.amount_base),
      totalFee: tokens(row.fee_base),
      netAmount: tokens(row.amount_base - row.fee_base),
      usedFintechOverride: false,
    },
  };
}

export const withdrawAssetOperations = { 'transactions.withdraw-asset': withdraw } satisfies Partial<Operations>;
