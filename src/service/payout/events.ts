import { amount } from '../../money/amount.ts';
import { cngnBaseFromKobo } from '../../money/rates.ts';
import { toWireNumber } from '../../money/units.ts';
import { bankByCode, type PayoutError, VIRTUAL_ACCOUNT_BANK } from '../banks/banks.ts';
import { type Context, isoTime } from '../context.ts';
import { emit } from '../events/outbox.ts';
import { blockNumber, GAS } from '../wallets/tokens.ts';
import { smartWallet } from '../wallets/wallets.ts';

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
  /** When the cNGN arrived in the vault; null if it never did. */
  readonly transferred_at: bigint | null;
  readonly created_at: bigint;
  readonly updated_at: bigint;
  readonly completed_at: bigint | null;
}

interface PayoutSource {
  readonly network: string;
  readonly amount_base: bigint;
}

/** The networks that the cNGN came from, Base first. */
export function sourcesOf({ store }: Context, row: PayoutRow): PayoutSource[] {
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

export function announceTransfer(context: Context, row: PayoutRow): void {
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

export function announceHandOver(context: Context, row: PayoutRow): void {
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

export function announceCompletion(context: Context, row: PayoutRow): void {
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
      completedAt: isoTime(context.nowMs),
      metadata: { processingTime: context.nowMs - Number(row.created_at) },
    },
  });
}

/** `burnDetails` is absent if the cNGN was never transferred. Source: inferred. */
export function announceFailure(context: Context, row: PayoutRow, { code, message, retryable }: PayoutError): void {
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
      ...(row.transferred_at === null ? {} : { burnDetails: burnOf(row, 'returned') }),
      error: { code, message },
      timestamp: failedAt,
      metadata: { failedAt, retryable, attemptNumber: 1 },
    },
  });
}
