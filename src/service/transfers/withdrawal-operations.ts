import type { RequestOf } from '../../contract/endpoint.ts';
import type { withdrawAsset } from '../../contract/endpoints/withdrawals.ts';
import { Fault } from '../../contract/faults.ts';
import { ledgerNetwork, type Network, networkOf, sameAddress } from '../../contract/networks.ts';
import { type Asset, amount, amountForPeople, fromWire, type Token, toWireText } from '../../money/amount.ts';
import type { SqlValue } from '../../sqlite/database.ts';
import { bridgeFee } from '../bridge/machine.ts';
import { type Call, isoTime, isoTimeOrNull, type Operations, type OperationsOf } from '../context.ts';
import { type AccountRef, platformTokens, post, walletAccount } from '../ledger.ts';
import { schedule } from '../machine.ts';
import { countOf } from '../rows.ts';
import { IS_OPEN_WITHDRAWAL } from '../schema/schema.ts';
import { requireActive, type UserRow, userOf } from '../users/operation.ts';
import { isTestAmount } from '../values.ts';
import { blockNumber, GAS, requireForm, TOKEN_ADDRESS } from '../wallets/addresses.ts';
import { holdings, type WalletRow, walletAt } from '../wallets/wallets.ts';
import { timeRangeOf } from '../wire-values.ts';
import { accountReceiving, bridgeReceivingAt } from './chain-deposits.ts';
import { complete, insertWithdrawal, transit, type WithdrawalRow, withdrawal } from './machine.ts';

/** Returns the network and the destination, validated together. Throws VALIDATION_ERROR. */
function destinationOf({ network: key = 'base', internalWallet, destinationWallet }: RequestOf<typeof withdrawAsset>) {
  const network = networkOf(key);
  if (!network) throw new Fault('VALIDATION_ERROR', 'network: expected a network of the service');
  requireForm(network, destinationWallet, 'destinationWallet');
  const address = sameAddress(destinationWallet);
  if (network.key === 'base' && address === sameAddress(internalWallet))
    throw new Fault('VALIDATION_ERROR', 'destinationWallet: expected a wallet other than the source');
  return { network, address };
}

/**
 * Returns the user's wallet with this address. Throws VALIDATION_ERROR if there is none or the service cannot sign for
 * it.
 */
function sourceOf(call: Call, user: UserRow, address: string): WalletRow {
  const wallet = walletAt(call.store, address);
  if (wallet?.user !== user.id)
    throw new Fault('VALIDATION_ERROR', 'internalWallet: expected the address of a wallet of the user');
  if (wallet.custom_owner !== null)
    throw new Fault('VALIDATION_ERROR', 'internalWallet: the service cannot sign for a wallet with a custom owner');
  return wallet;
}

/** The tokens to send, their source and their destination. */
interface Shipment {
  readonly wallet: WalletRow;
  readonly token: Token;
  readonly base: bigint;
  readonly network: Network;
  readonly address: string;
}

/**
 * Returns the network to take the tokens from: the destination's network if the wallet holds enough there; otherwise
 * Base, or the first other network with enough, over a bridge. Throws SHORT_BALANCE.
 */
function originOf({ store }: Call, { wallet, token, base, network, address }: Shipment): string {
  const target = ledgerNetwork(network);
  const held = holdings(store, wallet.id, token);
  const enough = held.filter(({ balance }) => balance >= base).map((each) => each.network);
  const direct = address === wallet.address ? [] : [target];
  const origin = [...direct, 'base', ...enough.filter((key) => key !== target)].find((key) => enough.includes(key));
  if (origin !== undefined) return origin;
  const people = (minor: bigint) => amountForPeople(amount(token, minor));
  const highest = held.reduce((largest, { balance }) => (balance > largest ? balance : largest), 0n);
  throw new Fault(
    'SHORT_BALANCE',
    `${people(base)} needed on one network; the wallet holds at most ${people(highest)} on any`,
  );
}

/**
 * Returns the account that receives the tokens. Throws VALIDATION_ERROR if the destination is a bridge's receivable
 * address that would refuse them: tokens sent over another bridge arrive from that bridge, not from the expected
 * sender.
 */
function receiverOf(call: Call, shipment: Shipment, origin: string): AccountRef {
  const { wallet, token, base, network, address } = shipment;
  if (origin === ledgerNetwork(network))
    return accountReceiving(call, { address, network, asset: token, amountBase: base, from: wallet.address });
  if (bridgeReceivingAt(call.store, address, network))
    throw new Fault(
      'VALIDATION_ERROR',
      `destinationWallet: the bridge at this address accepts deposits only from ${network.name}, where this wallet does not hold enough`,
    );
  return transit(token);
}

/**
 * A direct transfer completes before the response; a bridge holds the tokens for a while and deducts its fee. A transfer
 * that is going to fail never reaches its destination.
 */
function send(call: Call, user: UserRow, shipment: Shipment, origin: string): WithdrawalRow {
  const { wallet, token, base, network, address } = shipment;
  const isDirect = origin === ledgerNetwork(network);
  const fails = isTestAmount('withdrawalFails', amount(token, base));
  const receiver = fails ? transit(token) : receiverOf(call, shipment, origin);
  const row = insertWithdrawal(call, {
    user: user.id,
    type: 'fintech_user_withdrawal',
    state: isDirect && !fails ? 'completed' : 'pending',
    wallet: wallet.id,
    destination: address,
    asset: token,
    amountBase: base,
    feeBase: isDirect ? 0n : bridgeFee(origin, network.key, base).feeBase,
    origin,
    network: network.key,
    note: null,
  });
  post(call, 'withdrawal.sent', row.request_id, [
    { account: walletAccount(wallet.id, origin, token), minor: -base },
    { account: platformTokens(token), minor: row.fee_base },
    { account: receiver, minor: base - row.fee_base },
  ]);
  if (row.state === 'completed') complete(call, row);
  else schedule(call, withdrawal.name, row.id, fails ? 'failed' : 'released', call.pace.bridge);
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

/** The amounts of a withdrawal, and the fee and time of its route. */
function shownOn(network: Network, row: WithdrawalRow, isDirect: boolean) {
  const tokens = (minor: bigint) => toWireText(amount(row.asset, minor), 'decimal-string');
  const fee = amountForPeople(amount(row.asset, row.fee_base));
  return {
    amount: tokens(row.amount_base),
    network: network.key,
    networkDisplayName: network.name,
    estimatedConfirmationTime: isDirect ? '1-2 minutes' : '3-5 minutes',
    warnings: isDirect ? [] : [`the tokens are sent over a bridge to ${network.name}, which deducts a fee of ${fee}`],
    feeBreakdown: {
      requestedAmount: tokens(row.amount_base),
      totalFee: tokens(row.fee_base),
      netAmount: tokens(row.amount_base - row.fee_base),
      usedFintechOverride: false,
    },
  };
}

interface ListedRow {
  readonly request_id: string;
  readonly type: string;
  readonly status: string;
  readonly user_id: string | null;
  readonly from_address: string;
  readonly destination: string;
  readonly asset: Asset;
  readonly amount_base: bigint;
  readonly network: string;
  readonly tx_hash: string;
  readonly created_at: bigint;
  readonly completed_at: bigint | null;
}

/** The list's three statuses: an unfinished withdrawal is pending. Source: interface. */
const STATUS = `CASE WHEN withdrawal.${IS_OPEN_WITHDRAWAL} THEN 'pending' ELSE withdrawal.state END`;

const JOINED = 'FROM withdrawal LEFT JOIN user ON user.id = withdrawal.user';

function conditionOf(
  call: Call,
  { token, status, type, userId, ...dates }: Parameters<Operations['transactions.list-withdrawals']>[1],
) {
  const { fromMs, untilMs } = timeRangeOf(dates);
  const parts: readonly (readonly [sql: string, value: SqlValue | undefined])[] = [
    ['withdrawal.fintech = ?', call.fintech.id],
    ['asset = ?', token],
    // The index of open withdrawals has few of them.
    [`${status === 'pending' ? `withdrawal.${IS_OPEN_WITHDRAWAL} AND ` : ''}${STATUS} = ?`, status],
    ['withdrawal.type = ?', type],
    ['user_id = ?', userId],
    ['withdrawal.created_at >= ?', fromMs],
    ['withdrawal.created_at <= ?', untilMs],
  ];
  const given = parts.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  return { sql: given.map(({ sql }) => sql).join(' AND '), values: given.map(({ value }) => value) };
}

/**
 * Lists tokens sent to other wallets, newest first. Source: interface (the list and its filters), inferred (the rows).
 */
const listWithdrawals: Operations['transactions.list-withdrawals'] = (call, input) => {
  const { limit = 20, offset = 0 } = input;
  const { sql, values } = conditionOf(call, input);
  const total = countOf(call.store, `SELECT COUNT(*) AS n ${JOINED} WHERE ${sql}`, ...values);
  const rows = call.store.all<ListedRow>(
    `SELECT request_id, withdrawal.type, ${STATUS} AS status, user_id, address AS from_address, destination, asset, amount_base,
       network, tx_hash, withdrawal.created_at, completed_at
     ${JOINED} JOIN wallet ON wallet.id = withdrawal.wallet WHERE ${sql} ORDER BY withdrawal.id DESC LIMIT ? OFFSET ?`,
    ...values,
    limit,
    offset,
  );
  return {
    withdrawals: rows.map((row) => ({
      requestId: row.request_id,
      type: row.type,
      status: row.status,
      userId: row.user_id,
      smartWalletAddress: row.from_address,
      destinationAddress: row.destination,
      amount: toWireText(amount(row.asset, row.amount_base), 'decimal-string'),
      ticker: row.asset,
      network: row.network,
      transactionHash: row.tx_hash,
      createdAt: isoTime(row.created_at),
      completedAt: isoTimeOrNull(row.completed_at),
    })),
    total,
    limit,
    offset,
    hasMore: offset + rows.length < total,
  };
};

export const withdrawalsOperations = {
  'transactions.withdraw-asset': withdraw,
  'transactions.list-withdrawals': listWithdrawals,
} satisfies OperationsOf<'withdrawals'>;
