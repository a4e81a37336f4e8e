import type { EventPayload } from '../../contract/event-payloads.ts';
import { Fault } from '../../contract/faults.ts';
import { BASE } from '../../contract/networks.ts';
import { ASSET_LABEL, amount, amountForPeople, fromWire, type Token, toWireText } from '../../money/amount.ts';
import { type Call, isoTime, type Operations, type OperationsOf, VERSION } from '../context.ts';
import { emit } from '../events/deliveries.ts';
import { commitments } from '../fx/order-book.ts';
import { balanceOf, post, walletAccount } from '../ledger.ts';
import { schedule } from '../machine.ts';
import { countOf } from '../rows.ts';
import { IS_OPEN_TRADE } from '../schema/schema.ts';
import { isTestAmount } from '../values.ts';
import { blockNumber, GAS, TOKEN_ADDRESS } from '../wallets/addresses.ts';
import { type ExternalWalletRow, externalWalletAt } from '../wallets/external-wallets.ts';
import { smartWallet, type WalletRow } from '../wallets/wallets.ts';
import { accountReceiving } from './chain-deposits.ts';
import { insertWithdrawal, transit, type WithdrawalRow, withdrawal } from './machine.ts';

/** Throws VALIDATION_ERROR for an address that is not registered or is inactive. */
function requireRecipient(call: Call, address: string): ExternalWalletRow {
  const recipient = externalWalletAt(call, address);
  if (!recipient)
    throw new Fault(
      'VALIDATION_ERROR',
      'destinationAddress: expected a registered wallet; register it with /addexternalwallet',
    );
  if (recipient.status !== 'active')
    throw new Fault('VALIDATION_ERROR', 'destinationAddress: the wallet is inactive and cannot receive transfers');
  return recipient;
}

/**
 * Returns what the account wallet must keep of a token: cNGN for active orders. Orders that give stablecoin draw on the
 * vault.
 */
function claimsOn({ store, fintech }: Call, token: Token) {
  if (token !== 'CNGN') return { activeOrders: 0, activeEscrows: 0, totalBase: 0n };
  const openTrades = `SELECT COUNT(*) AS n FROM fx_trade WHERE fintech = ? AND ${IS_OPEN_TRADE}`;
  return { ...commitments(store, fintech.id, token), activeEscrows: countOf(store, openTrades, fintech.id) };
}

/** Throws SHORT_BALANCE if less than `base` is uncommitted. */
function requireFree(token: Token, base: bigint, held: bigint, claimedBase: bigint): void {
  const free = held > claimedBase ? held - claimedBase : 0n;
  if (free >= base) return;
  const people = (minor: bigint) => amountForPeople(amount(token, minor));
  throw new Fault(
    'SHORT_BALANCE',
    `${people(base)} needed on Base; ${people(free)} available, excluding what active orders may take`,
  );
}

/**
 * Sends tokens from the account wallet, on Base regardless of the network that the recipient is registered for, without a
 * fee.
 */
function send(call: Call, wallet: WalletRow, recipient: ExternalWalletRow, token: Token, base: bigint, note?: string) {
  const fails = isTestAmount('withdrawalFails', amount(token, base));
  const deposit = { network: BASE, asset: token, amountBase: base, from: wallet.address };
  const receiver = fails ? transit(token) : accountReceiving(call, { address: recipient.address, ...deposit });
  const row = insertWithdrawal(call, {
    user: null,
    type: 'fintech_self_transfer',
    state: fails ? 'pending' : 'completed',
    wallet: wallet.id,
    destination: recipient.address,
    asset: token,
    amountBase: base,
    feeBase: 0n,
    origin: 'base',
    network: 'base',
    note: note || null,
  });
  post(call, 'transfer.sent', row.request_id, [
    { account: walletAccount(wallet.id, 'base', token), minor: -base },
    { account: receiver, minor: base },
  ]);
  if (fails) schedule(call, withdrawal.name, row.id, 'failed', call.pace.bridge);
  return row;
}

const transfer: Operations['transactions.fintech-transfer'] = (call, request) => {
  const token = request.ticker ?? 'CNGN';
  const base = fromWire(request.amount, 'base', token)?.minor ?? 0n;
  const recipient = requireRecipient(call, request.destinationAddress);
  const wallet = smartWallet(call.store, call.fintech.id);
  const claims = claimsOn(call, token);
  const held = balanceOf(call.store, walletAccount(wallet.id, 'base', token));
  requireFree(token, base, held, claims.totalBase);
  const row = send(call, wallet, recipient, token, base, request.note);
  const baseText = (minor: bigint) => toWireText(amount(token, minor), 'base');
  const sent = {
    smartWalletAddress: wallet.address,
    destinationAddress: recipient.address,
    destinationLabel: recipient.label,
    transactionHash: row.tx_hash,
    gasUsed: GAS.gasUsed,
    commitmentsSafeguarded: {
      activeOrders: claims.activeOrders,
      activeEscrows: claims.activeEscrows,
      totalCommitted: baseText(claims.totalBase),
      remainingBalance: baseText(held - base),
    },
  };
  if (row.state === 'completed') announce(call, row, sent);
  return {
    ...sent,
    requestId: row.request_id,
    amount: baseText(base),
    ticker: token,
    blockNumber: blockNumber(call).toString(),
    executedAt: isoTime(call.nowMs),
    version: VERSION,
    feeBreakdown: {
      requestedAmount: baseText(base),
      totalFee: baseText(0n),
      netAmount: baseText(base),
      usedFintechOverride: false,
    },
  };
};

type SentTransfer = Pick<
  EventPayload<'fintech.asset.transfer.completed'>,
  | 'smartWalletAddress'
  | 'destinationAddress'
  | 'destinationLabel'
  | 'transactionHash'
  | 'gasUsed'
  | 'commitmentsSafeguarded'
>;

function announce(call: Call, row: WithdrawalRow, sent: SentTransfer): void {
  emit(call, {
    fintech: row.fintech,
    event: 'fintech.asset.transfer.completed',
    requestId: row.request_id,
    data: {
      ...sent,
      amount: toWireText(amount(row.asset, row.amount_base), 'token'),
      ticker: ASSET_LABEL[row.asset],
      tokenAddress: TOKEN_ADDRESS[row.asset],
      blockNumber: blockNumber(call),
      note: row.note,
      completedAt: isoTime(call.nowMs),
    },
  });
}

export const transfersOperations = { 'transactions.fintech-transfer': transfer } satisfies OperationsOf<'transfers'>;
