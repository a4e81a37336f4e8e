import type { RequestOf } from '../../contract/endpoint.ts';
import { Fault } from '../../contract/faults.ts';
import { ledgerNetwork, type Network, networkOf, sameAddress } from '../../contract/networks.ts';
import type { withdrawAsset } from '../../contract/transfers.ts';
import { amount, amountForPeople, type Token } from '../../money/amount.ts';
import { fromWire, toWireText } from '../../money/units.ts';
import { bridgeFee } from '../bridge-routes.ts';
import { accountReceiving, bridgeReceivingAt } from '../chain-deposits.ts';
import { type Call, isoTime } from '../context.ts';
import { type AccountRef, platformTokens, post, walletAccount } from '../ledger.ts';
import { schedule } from '../machine.ts';
import { complete, transit, type WithdrawalRow, withdrawal } from '../machines/withdrawal.ts';
import type { Operations } from '../operation.ts';
import { blockNumber, GAS, TOKEN_ADDRESS } from '../tokens.ts';
import { holdings, type WalletRow, walletAt } from '../wallets.ts';
import { insertWithdrawal } from '../withdrawals.ts';
import { requireForm } from './addresses.ts';
import { requireActive, type UserRow, userOf } from './users.ts';

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

/** What is sent, from where to where. */
interface Shipment {
  readonly wallet: WalletRow;
  readonly token: Token;
  readonly base: bigint;
  readonly network: Network;
  readonly address: string;
}

/**
 * The network the tokens are taken from: the one they are to go to where the wallet holds enough of them there; else, over a bridge, Base or
 * the first other one that holds enough. Throws SHORT_BALANCE.
 */
function originOf({ store }: Call, { wallet, token, base, network, address }: Shipment): string {
  const target = ledgerNetwork(network);
  const held = holdings(store, wallet.id, token);
  const enough = held.filter(({ balance }) => balance >= base).map((each) => each.network);
  const direct = address === wallet.address ? [] : [target];
  const origin = [...direct, 'base', ...enough.filter((key) => key !== target)].find((key) => enough.includes(key));
  if (origin !== undefined) return origin;
  const people = (minor: bigint) => amountForPeople(amount(token, minor));
  const most = held.reduce((so, { balance }) => (balance > so ? balance : so), 0n);
  throw new Fault('SHORT_BALANCE', `${people(base)} needed on one network, the wallet holds ${people(most)} at most`);
}

/**
 * The account the tokens go into. Throws VALIDATION_ERROR for the receivable address of a bridge that would not take them: over another
 * bridge they would come from there, and not from the sender it waits for.
 */
function receiverOf(call: Call, shipment: Shipment, origin: string): AccountRef {
  const { wallet, token, base, network, address } = shipment;
  if (origin === ledgerNetwork(network))
    return accountReceiving(call, { address, network, asset: token, amountBase: base, from: wallet.address });
  if (bridgeReceivingAt(call.store, address, network))
    throw new Fault(
      'VALIDATION_ERROR',
      `destinationWallet: the bridge there takes a deposit from ${network.name}, where this wallet holds too little`,
    );
  return transit(token);
}

/** Without a bridge the tokens arrive with the answer; a bridge has them for a while, and takes its fee out of them. */
function send(call: Call, user: UserRow, shipment: Shipment, origin: string): WithdrawalRow {
  const { wallet, token, base, network, address } = shipment;
  const isDirect = origin === ledgerNetwork(network);
  const receiver = receiverOf(call, shipment, origin);
  const row = insertWithdrawal(call, {
    user: user.id,
    type: 'fintech_user_withdrawal',
    state: isDirect ? 'completed' : 'pending',
    wallet: wallet.id,
    destination: address,
    asset: token,
    amountBase: base,
    feeBase: isDirect ? 0n : bridgeFee(origin, network.key, base).feeBase,
    network: network.key,
    note: null,
  });
  post(call, 'withdrawal.sent', row.request_id, [
    { account: walletAccount(wallet.id, origin, token), minor: -base },
    { account: platformTokens(token), minor: row.fee_base },
    { account: receiver, minor: base - row.fee_base },
  ]);
  if (isDirect) complete(call, row);
  else schedule(call, withdrawal.name, row.id, 'released', call.pace.bridge);
  return row;
}

const withdraw: Operations['transactions.withdraw-asset'] = (call, request) => {
  const token = request.ticker;
  const base = fromWire(request.amount, 'token', token)?.minor ?? 0n;
  const { network, address } = destinationOf(request);
  const user = userOf(call, request.userId, 'USER_NOT_FOUND');
  requireActive(user);
  const wallet = sourceOf(call, user, request.internalWallet);
  const shipment: Shipment = { wallet, token, base, network, address };
  const origin = originOf(call, shipment);
  const row = send(call, user, shipment, origin);
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
    tokenAddress: TOKEN_ADDRESS[token],
    tokenSymbol: token,
    ...shownOn(network, row, origin === ledgerNetwork(network)),
  };
};

/** The amounts and what the way makes of them. */
function shownOn(network: Network, row: WithdrawalRow, isDirect: boolean) {
  const tokens = (minor: bigint) => toWireText(amount(row.asset, minor), 'decimal-string');
  const fee = amountForPeople(amount(row.asset, row.fee_base));
  return {
    amount: tokens(row.amount_base),
    network: network.key,
    networkDisplayName: network.name,
    estimatedConfirmationTime: isDirect ? '1-2 minutes' : '3-5 minutes',
    warnings: isDirect
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
