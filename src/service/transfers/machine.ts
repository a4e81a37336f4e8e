import { amount, type Token, toWireText } from '../../money/amount.ts';
import { type Call, type Context, isoTime, newTxHash } from '../context.ts';
import { emit } from '../events/deliveries.ts';
import { type AccountRef, BRIDGING, chain, platformTokens, post, walletAccount } from '../ledger.ts';
import type { Machine } from '../machine.ts';
import { insertRow, update, userIdOf, walletAddressOf } from '../rows.ts';
import { IS_OPEN_WITHDRAWAL } from '../schema/schema.ts';
import { blockNumber, GAS, TOKEN_ADDRESS } from '../wallets/addresses.ts';
import { accountAt } from '../wallets/wallets.ts';

export interface WithdrawalRow {
  readonly id: bigint;
  readonly request_id: string;
  readonly fintech: bigint;
  readonly user: bigint | null;
  readonly type: string;
  readonly state: string;
  readonly wallet: bigint;
  readonly destination: string;
  readonly asset: Token;
  /** The amount that left the wallet, including the fee. */
  readonly amount_base: bigint;
  readonly fee_base: bigint;
  /** The network on which the tokens left the wallet. */
  readonly origin: string;
  readonly network: string;
  readonly note: string | null;
  readonly tx_hash: string;
  readonly created_at: bigint;
  readonly completed_at: bigint | null;
}

const WITHDRAWAL_TABLE = `
-- Tokens sent to other wallets, from the fintech's own wallet or from a user's.
CREATE TABLE withdrawal (
  id INTEGER PRIMARY KEY, request_id TEXT NOT NULL UNIQUE, fintech INTEGER NOT NULL, user INTEGER REFERENCES user, type TEXT NOT NULL, state TEXT NOT NULL,
  wallet INTEGER NOT NULL REFERENCES wallet, destination TEXT NOT NULL, asset TEXT NOT NULL, amount_base INTEGER NOT NULL, fee_base INTEGER NOT NULL,
  origin TEXT NOT NULL, network TEXT NOT NULL, note TEXT, tx_hash TEXT NOT NULL, created_at INTEGER NOT NULL, completed_at INTEGER) STRICT;
CREATE INDEX withdrawal_by_fintech ON withdrawal (fintech, id);
CREATE INDEX withdrawal_in_flight ON withdrawal (fintech, state) WHERE ${IS_OPEN_WITHDRAWAL};`;

/**
 * Tokens in a bridge, or in a transfer that is going to fail; otherwise they arrive at once. Source: interface (the
 * states), inferred (which applies when, and that a failure returns everything).
 */
export const withdrawal: Machine<WithdrawalRow> = {
  name: 'withdrawal',
  table: 'withdrawal',
  schema: WITHDRAWAL_TABLE,
  transitions: [
    { on: 'released', from: ['pending'], to: 'completed', effect: release },
    { on: 'failed', from: ['pending'], to: 'failed', effect: returnTokens },
  ],
};

/** Returns the account of tokens in transit. Only cNGN has one; other tokens leave the service at once. */
export function transit(asset: Token): AccountRef {
  return asset === 'CNGN' ? BRIDGING : chain(asset);
}

function netBase(row: WithdrawalRow): bigint {
  return row.amount_base - row.fee_base;
}

function release(context: Context, row: WithdrawalRow): void {
  const from = transit(row.asset);
  const to = accountAt(context.store, row.destination, row.network, row.asset);
  if (to.code !== from.code) {
    post(context, 'withdrawal.released', row.request_id, [
      { account: from, minor: -netBase(row) },
      { account: to, minor: netBase(row) },
    ]);
  }
  complete(context, row);
}

/** Returns the tokens, including the fee, to the wallet that they came from, and notifies the fintech. */
function returnTokens(context: Context, row: WithdrawalRow): void {
  post(context, 'withdrawal.returned', row.request_id, [
    { account: transit(row.asset), minor: -netBase(row) },
    { account: platformTokens(row.asset), minor: -row.fee_base },
    { account: walletAccount(row.wallet, row.origin, row.asset), minor: row.amount_base },
  ]);
  const about = { fintech: row.fintech, requestId: row.request_id };
  const reason = {
    error: 'the transfer was reverted on-chain; the tokens were returned',
    failedAt: isoTime(context.nowMs),
  };
  if (row.user === null) emit(context, { ...about, event: 'fintech.asset.transfer.failed', data: reason });
  else
    emit(context, {
      ...about,
      event: 'fintech.user.asset.transfer.failed',
      userId: userIdOf(context.store, row.user),
      data: { ...transferOf(context, row), ...reason },
    });
}

/** The common part of the events of a user's withdrawal. */
function transferOf({ store }: Context, row: WithdrawalRow) {
  return {
    smartWalletAddress: walletAddressOf(store, row.wallet),
    destinationAddress: row.destination,
    amount: toWireText(amount(row.asset, netBase(row)), 'token'),
    ticker: row.asset,
    tokenAddress: TOKEN_ADDRESS[row.asset],
    network: row.network,
  };
}

/** Marks a user's withdrawal as completed and notifies the fintech. */
export function complete(context: Context, row: WithdrawalRow): void {
  const { store, nowMs } = context;
  update(store, 'withdrawal', row.id, { completed_at: nowMs });
  emit(context, {
    fintech: row.fintech,
    event: 'fintech.user.asset.transfer.completed',
    requestId: row.request_id,
    userId: userIdOf(store, row.user),
    data: {
      ...transferOf(context, row),
      transactionHash: row.tx_hash,
      blockNumber: blockNumber(context).toString(),
      gasUsed: GAS.gasUsed,
      completedAt: isoTime(nowMs),
    },
  });
}

/** A transfer of tokens out of a wallet, as recorded. */
interface NewWithdrawal {
  /** Null if the fintech sends its own tokens. */
  readonly user: bigint | null;
  readonly type: 'fintech_self_transfer' | 'fintech_user_withdrawal';
  readonly state: 'pending' | 'completed';
  readonly wallet: bigint;
  readonly destination: string;
  readonly asset: Token;
  /** The amount that leaves the wallet, including the fee. */
  readonly amountBase: bigint;
  readonly feeBase: bigint;
  /** The network on which the tokens leave the wallet. */
  readonly origin: string;
  readonly network: string;
  readonly note: string | null;
}

/** Records a withdrawal; the caller makes the postings. */
export function insertWithdrawal(call: Call, withdrawal: NewWithdrawal): WithdrawalRow {
  const { store, ids, nowMs, fintech } = call;
  return insertRow<WithdrawalRow>(store, 'withdrawal', {
    request_id: ids.uuid(),
    fintech: fintech.id,
    user: withdrawal.user,
    type: withdrawal.type,
    state: withdrawal.state,
    wallet: withdrawal.wallet,
    destination: withdrawal.destination,
    asset: withdrawal.asset,
    amount_base: withdrawal.amountBase,
    fee_base: withdrawal.feeBase,
    origin: withdrawal.origin,
    network: withdrawal.network,
    note: withdrawal.note,
    tx_hash: newTxHash(call),
    created_at: nowMs,
    completed_at: withdrawal.state === 'completed' ? nowMs : null,
  });
}
