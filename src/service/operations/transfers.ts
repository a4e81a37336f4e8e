import { Fault } from '../../contract/faults.ts';
import { ASSET_LABEL, amount, amountForPeople } from '../../money/amount.ts';
import { fromWire, toWireText } from '../../money/units.ts';
import { type Commitments, commitments } from '../commitments.ts';
import { type Call, isoTime } from '../context.ts';
import type { Token } from '../exchange.ts';
import { balanceOf, post, walletAccount } from '../ledger.ts';
import type { Operations } from '../operation.ts';
import { emit } from '../outbox.ts';
import { blockNumber, GAS, TOKEN_ADDRESS } from '../tokens.ts';
import { accountAt, smartWallet } from '../wallets.ts';
import { insertWithdrawal } from '../withdrawals.ts';
import { type ExternalWalletRow, externalWalletAt } from './external-wallets.ts';

/** Throws VALIDATION_ERROR for an address that is not registered, or may not receive. */
function requireRecipient(call: Call, address: string): ExternalWalletRow {
  const recipient = externalWalletAt(call, address);
  if (!recipient)
    throw new Fault('VALIDATION_ERROR', 'destinationAddress: register the wallet first, with /addexternalwallet');
  if (recipient.status !== 'active')
    throw new Fault('VALIDATION_ERROR', 'destinationAddress: the wallet is inactive and cannot receive transfers');
  return recipient;
}

const NOTHING: Commitments = { activeOrders: 0, activeEscrows: 0, totalBase: 0n };

/** What the smart wallet has to keep of a token: cNGN for active orders. Orders that give stablecoin draw on the vault. */
function claimsOn(call: Call, token: Token): Commitments {
  return token === 'CNGN' ? commitments(call.store, call.fintech.id, token) : NOTHING;
}

/** Throws SHORT_BALANCE when less than `base` is free. */
function requireFree(token: Token, base: bigint, held: bigint, claims: Commitments): void {
  const free = held > claims.totalBase ? held - claims.totalBase : 0n;
  if (free >= base) return;
  const people = (minor: bigint) => amountForPeople(amount(token, minor));
  throw new Fault(
    'SHORT_BALANCE',
    `${people(base)} needed on Base, ${people(free)} available beside what active orders may take`,
  );
}

/** Synchronous and on Base, whatever network the wallet was registered for; nothing is charged. */
const transfer: Operations['transactions.fintech-transfer'] = (call, request) => {
  const { store, fintech, nowMs } = call;
  const token = request.ticker ?? 'CNGN';
  const base = fromWire(request.amount, 'base', token)?.minor ?? 0n;
  const recipient = requireRecipient(call, request.destinationAddress);
  const wallet = smartWallet(store, fintech.id);
  const from = walletAccount(wallet.id, 'base', token);
  const claims = claimsOn(call, token);
  const held = balanceOf(store, from);
  requireFree(token, base, held, claims);
  const row = insertWithdrawal(call, {
    user: null,
    type: 'fintech_self_transfer',
    state: 'completed',
    wallet: wallet.id,
    destination: recipient.address,
    asset: token,
    amountBase: base,
    feeBase: 0n,
    network: 'base',
    note: request.note || null,
  });
  post(call, 'transfer.sent', row.request_id, [
    { account: from, minor: -base },
    { account: accountAt(store, recipient.address, 'base', token), minor: base },
  ]);
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
  emit(call, {
    fintech: fintech.id,
    event: 'fintech.asset.transfer.completed',
    requestId: row.request_id,
    data: {
      ...sent,
      amount: toWireText(amount(token, base), 'token'),
      ticker: ASSET_LABEL[token],
      tokenAddress: TOKEN_ADDRESS[token],
      blockNumber: blockNumber(call),
      note: row.note,
      completedAt: isoTime(nowMs),
    },
  });
  return {
    ...sent,
    requestId: row.request_id,
    amount: baseText(base),
    ticker: token,
    blockNumber: blockNumber(call).toString(),
    executedAt: isoTime(nowMs),
    version: '1.0.0',
    feeBreakdown: {
      requestedAmount: baseText(base),
      totalFee: baseText(0n),
      netAmount: baseText(base),
      usedFintechOverride: false,
    },
  };
};

export const transfersOperations = { 'transactions.fintech-transfer': transfer } satisfies Partial<Operations>;
