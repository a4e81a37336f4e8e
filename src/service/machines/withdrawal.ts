import { amount, type Token } from '../../money/amount.ts';
import { toWireText } from '../../money/units.ts';
import { type Context, isoTime } from '../context.ts';
import { type AccountRef, BRIDGING, chain, post } from '../ledger.ts';
import type { Machine } from '../machine.ts';
import { emit } from '../outbox.ts';
import { userIdOf, walletAddressOf } from '../public-ids.ts';
import { blockNumber, GAS, TOKEN_ADDRESS } from '../tokens.ts';
import { accountAt } from '../wallets.ts';

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
  readonly network: string;
  readonly note: string | null;
  readonly tx_hash: string;
  readonly created_at: bigint;
  readonly completed_at: bigint | null;
}

/** Tokens in a bridge; on Base they arrive at once. Source: interface (the states), inferred (which applies when). */
export const withdrawal: Machine<WithdrawalRow> = {
  name: 'withdrawal',
  table: 'withdrawal',
  transitions: [{ on: 'released', from: ['pending'], to: 'completed', effect: release }],
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

/** Marks a user's withdrawal as completed and notifies the fintech. */
export function complete(context: Context, row: WithdrawalRow): void {
  const { store, nowMs } = context;
  store.run('UPDATE withdrawal SET completed_at = ? WHERE id = ?', nowMs, row.id);
  emit(context, {
    fintech: row.fintech,
    event: 'fintech.user.asset.transfer.completed',
    requestId: row.request_id,
    userId: userIdOf(store, row.user),
    data: {
      smartWalletAddress: walletAddressOf(store, row.wallet),
      destinationAddress: row.destination,
      amount: toWireText(amount(row.asset, netBase(row)), 'token'),
      ticker: row.asset,
      tokenAddress: TOKEN_ADDRESS[row.asset],
      network: row.network,
      transactionHash: row.tx_hash,
      blockNumber: blockNumber(context).toString(),
      gasUsed: GAS.gasUsed,
      completedAt: isoTime(nowMs),
    },
  });
}
