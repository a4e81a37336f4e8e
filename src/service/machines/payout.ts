import { amount } from '../../money/amount.ts';
import { cngnBaseFromKobo } from '../../money/rates.ts';
import { toWireNumber } from '../../money/units.ts';
import { bankByCode, PAYOUT_FAILED, VIRTUAL_ACCOUNT_BANK } from '../banks.ts';
import { type Context, isoTime } from '../context.ts';
import { isPayoutToFail } from '../fault-rules.ts';
import { collectFees } from '../fees.ts';
import { BANK, post, RESERVE, SUPPLY, VAULT, walletAccount } from '../ledger.ts';
import { type Machine, schedule } from '../machine.ts';
import { emit } from '../outbox.ts';
import { blockNumber, GAS } from '../tokens.ts';
import { smartWallet } from '../wallets.ts';

export interface PayoutRow {
  readonly id: bigint;
  readonly request_id: string;
  readonly fintech: bigint;
  /** Null once the bank account is removed. */
  readonly bank_account: bigint | null;
  readonly state: string;
  readonly amount_kobo: bigint;
  readonly platform_fee_kobo: bigint;
  readonly account_number: string;
  readonly bank_code: string;
  readonly account_name: string;
  readonly tx_hash: string;
  readonly payout_reference: string;
  readonly created_at: bigint;
  readonly updated_at: bigint;
  readonly completed_at: bigint | null;
}

/**
 * A payout of the fintech's own cNGN, which is in the vault before the first response. Source: public (the states),
 * inferred (that only the bank can fail, and that all cNGN is then returned).
 */
export const payout: Machine<PayoutRow> = {
  name: 'payout',
  table: 'payout',
  transitions: [
    { on: 'accepted', from: ['pending'], to: 'processing', effect: (at, row) => follow(at, row, 'transfer-begun') },
    {
      on: 'transfer-begun',
      from: ['processing'],
      to: 'transferring_cngn',
      effect: (at, row) => follow(at, row, 'transferred'),
    },
    { on: 'transferred', from: ['transferring_cngn'], to: 'initiating_payout', effect: confirmTransfer },
    { on: 'handed-over', from: ['initiating_payout'], to: 'payout_processing', effect: handOver },
    { on: 'settled', from: ['payout_processing'], to: 'completed', effect: settle },
    { on: 'payout-failed', from: ['payout_processing'], to: 'failed', effect: refund },
  ],
};

/** Returns what leaves the smart wallet, in kobo: the amount paid out plus the platform fee. */
function payoutTotalKobo(row: PayoutRow): bigint {
  return row.amount_kobo + row.platform_fee_kobo;
}

interface PayoutSource {
  readonly network: string;
  readonly amount_base: bigint;
}

/** The networks that the cNGN came from, Base first. */
function sourcesOf({ store }: Context, row: PayoutRow): PayoutSource[] {
  return store.all<PayoutSource>(
    `SELECT network, amount_base FROM payout_source WHERE payout = ? ORDER BY network <> 'base', network`,
    row.id,
  );
}

export function bankAccountOf(row: PayoutRow) {
  return {
    accountNumber: row.account_number,
    accountName: row.account_name,
    bankName: bankByCode(row.bank_code)?.name ?? '',
  };
}

/** Formats the paying smart wallet for responses and events. */
export function systemWallet({ store }: Context, row: PayoutRow) {
  return { source: 'system_wallet' as const, address: smartWallet(store, row.fintech).address };
}

/** Formats it for an event, with the network that most of the cNGN came from: Base if it held any. */
function systemWalletOn(context: Context, row: PayoutRow) {
  return { ...systemWallet(context, row), network: sourcesOf(context, row)[0]?.network ?? '' };
}

function burnOf<const S extends string>(row: PayoutRow, status: S) {
  const paidOut = amount('CNGN', cngnBaseFromKobo(row.amount_kobo));
  return { txHash: row.tx_hash, status, cNgnAmount: toWireNumber(paidOut, 'base') };
}

function bankPayout<const S extends string>(row: PayoutRow, status: S) {
  return { reference: row.payout_reference, provider: VIRTUAL_ACCOUNT_BANK.provider, status };
}

function touch({ store, nowMs }: Context, row: PayoutRow): void {
  store.run('UPDATE payout SET updated_at = ? WHERE id = ?', nowMs, row.id);
}

/** Schedules the next event after one step. */
function follow(context: Context, row: PayoutRow, event: string): void {
  touch(context, row);
  schedule(context, payout.name, row.id, event, context.pace.step);
}

/** The common part of the events of a payout. */
function eventOf(row: PayoutRow) {
  const data = { amount: toWireNumber(amount('NGN', row.amount_kobo), 'naira'), currency: 'NGN' as const };
  return { fintech: row.fintech, requestId: row.request_id, data };
}

/** Emits the event for the request itself. */
export function announceInitiated(context: Context, row: PayoutRow, initiatedBy: string): void {
  const about = eventOf(row);
  emit(context, {
    ...about,
    event: 'fintech.offramp.initiated',
    data: {
      ...about.data,
      status: 'pending',
      bankAccount: bankAccountOf(row),
      wallet: systemWalletOn(context, row),
      metadata: { description: "payout of the fintech's own cNGN", initiatedBy },
    },
  });
}

const CONFIRMATIONS = 12;

function confirmTransfer(context: Context, row: PayoutRow): void {
  follow(context, row, 'handed-over');
  const about = eventOf(row);
  emit(context, {
    ...about,
    event: 'fintech.offramp.transfer.completed',
    data: {
      ...about.data,
      status: 'initiating_payout',
      burnDetails: {
        ...burnOf(row, 'confirmed'),
        blockNumber: blockNumber(context),
        confirmations: CONFIRMATIONS,
      },
      metadata: { gasUsed: GAS.gasUsed, transferredAt: isoTime(context.nowMs) },
    },
  });
}

function handOver(context: Context, row: PayoutRow): void {
  touch(context, row);
  const event = isPayoutToFail(context, 'transactions.fintech-offramp', row.account_number)
    ? 'payout-failed'
    : 'settled';
  schedule(context, payout.name, row.id, event, context.pace.payout);
  const about = eventOf(row);
  emit(context, {
    ...about,
    event: 'fintech.offramp.payout.initiated',
    data: {
      ...about.data,
      status: 'payout_processing',
      bankAccount: { ...bankAccountOf(row), bankCode: row.bank_code },
      payoutDetails: bankPayout(row, 'processing'),
      metadata: { payoutInitiatedAt: isoTime(context.nowMs) },
    },
  });
}

function settle(context: Context, row: PayoutRow): void {
  const { store, nowMs } = context;
  const base = cngnBaseFromKobo(payoutTotalKobo(row));
  post(context, 'payout.settled', row.request_id, [
    { account: VAULT, minor: -base },
    { account: SUPPLY, minor: base },
    { account: RESERVE, minor: -payoutTotalKobo(row) },
    { account: BANK, minor: row.amount_kobo },
    ...collectFees(context, row.fintech, 'offramp', row.platform_fee_kobo, 0n),
  ]);
  store.run('UPDATE payout SET updated_at = ?, completed_at = ? WHERE id = ?', nowMs, nowMs, row.id);
  const about = eventOf(row);
  emit(context, {
    ...about,
    event: 'fintech.offramp.completed',
    data: {
      ...about.data,
      status: 'completed',
      bankAccount: bankAccountOf(row),
      wallet: systemWalletOn(context, row),
      burnDetails: burnOf(row, 'confirmed'),
      payoutDetails: bankPayout(row, 'completed'),
      completedAt: isoTime(nowMs),
      metadata: { processingTime: nowMs - Number(row.created_at) },
    },
  });
}

/** Returns the cNGN, including the fee, to the networks it came from. */
function refund(context: Context, row: PayoutRow): void {
  const wallet = smartWallet(context.store, row.fintech);
  post(context, 'payout.returned', row.request_id, [
    { account: VAULT, minor: -cngnBaseFromKobo(payoutTotalKobo(row)) },
    ...sourcesOf(context, row).map(({ network, amount_base }) => ({
      account: walletAccount(wallet.id, network, 'CNGN'),
      minor: amount_base,
    })),
  ]);
  touch(context, row);
  const failedAt = isoTime(context.nowMs);
  const about = eventOf(row);
  emit(context, {
    ...about,
    event: 'fintech.offramp.failed',
    data: {
      ...about.data,
      status: 'failed',
      bankAccount: bankAccountOf(row),
      wallet: systemWalletOn(context, row),
      burnDetails: burnOf(row, 'returned'),
      error: PAYOUT_FAILED,
      timestamp: failedAt,
      metadata: { failedAt, retryable: true, attemptNumber: 1 },
    },
  });
}
