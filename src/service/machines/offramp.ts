import { amount } from '../../money/amount.ts';
import { cngnBaseFromKobo } from '../../money/rates.ts';
import { toWireText } from '../../money/units.ts';
import { PAYOUT_FAILED } from '../banks.ts';
import { type Context, isoTime } from '../context.ts';
import { collectFees } from '../fees.ts';
import { BANK, post, RESERVE, SUPPLY, VAULT, walletAccount } from '../ledger.ts';
import type { Machine } from '../machine.ts';
import { emit } from '../outbox.ts';
import { userIdOf } from '../public-ids.ts';

export interface OfframpRow {
  readonly id: bigint;
  readonly request_id: string;
  readonly fintech: bigint;
  readonly user: bigint;
  readonly state: string;
  readonly amount_kobo: bigint;
  readonly platform_fee_kobo: bigint;
  readonly fintech_fee_kobo: bigint;
  readonly account_number: string;
  readonly bank_code: string;
  readonly account_name: string;
  readonly tx_hash: string;
  readonly block_number: bigint;
  readonly payout_reference: string;
  readonly created_at: bigint;
  readonly updated_at: bigint;
}

/**
 * The cNGN is in the vault before the first response; only the bank payout is asynchronous. Source: public (the
 * states), inferred (that a failed payout returns the cNGN to its wallets).
 */
export const offramp: Machine<OfframpRow> = {
  name: 'offramp',
  table: 'offramp',
  transitions: [
    { on: 'settled', from: ['payout_pending'], to: 'completed', effect: settle },
    { on: 'payout-failed', from: ['payout_pending'], to: 'failed', effect: refund },
  ],
};

/** Returns what leaves the wallets, in kobo: the amount paid out plus all fees. */
export function deductedKobo(row: OfframpRow): bigint {
  return row.amount_kobo + row.platform_fee_kobo + row.fintech_fee_kobo;
}

/** The common part of the events of a bank payout. */
function eventOf(context: Context, row: OfframpRow) {
  return {
    fintech: row.fintech,
    requestId: row.request_id,
    userId: userIdOf(context.store, row.user),
    data: {
      payoutId: row.payout_reference,
      vaultReturnId: row.request_id,
      amount: toWireText(amount('NGN', row.amount_kobo), 'naira'),
      recipientAccountNumber: row.account_number,
      recipientBankCode: row.bank_code,
    },
  };
}

function touch({ store, nowMs }: Context, row: OfframpRow): void {
  store.run('UPDATE offramp SET updated_at = ? WHERE id = ?', nowMs, row.id);
}

function settle(context: Context, row: OfframpRow): void {
  const base = cngnBaseFromKobo(deductedKobo(row));
  post(context, 'offramp.settled', row.request_id, [
    { account: VAULT, minor: -base },
    { account: SUPPLY, minor: base },
    { account: RESERVE, minor: -deductedKobo(row) },
    { account: BANK, minor: row.amount_kobo },
    ...collectFees(context, row.fintech, 'offramp', row.platform_fee_kobo, row.fintech_fee_kobo),
  ]);
  touch(context, row);
  const about = eventOf(context, row);
  emit(context, {
    ...about,
    event: 'vault.return.payout.completed',
    data: {
      ...about.data,
      transactionReference: row.payout_reference,
      completedAt: isoTime(context.nowMs),
      metadata: {},
    },
  });
}

function refund(context: Context, row: OfframpRow): void {
  const sources = context.store.all<{ wallet: bigint; network: string; amount_base: bigint }>(
    'SELECT wallet, network, amount_base FROM offramp_source WHERE offramp = ?',
    row.id,
  );
  post(context, 'offramp.returned', row.request_id, [
    { account: VAULT, minor: -cngnBaseFromKobo(deductedKobo(row)) },
    ...sources.map(({ wallet, network, amount_base }) => ({
      account: walletAccount(wallet, network, 'CNGN'),
      minor: amount_base,
    })),
  ]);
  touch(context, row);
  const about = eventOf(context, row);
  emit(context, {
    ...about,
    event: 'vault.return.payout.failed',
    data: {
      ...about.data,
      failedAt: isoTime(context.nowMs),
      error: PAYOUT_FAILED,
      retryable: true,
      metadata: {},
    },
  });
}
