import type { PayoutState } from '../../contract/endpoints/payouts.ts';
import { amount, toWireNumber } from '../../money/amount.ts';
import { cngnBaseFromKobo } from '../../money/rates.ts';
import { bankByCode, PAYOUT_FAILED, type PayoutError, VIRTUAL_ACCOUNT_BANK } from '../banks/banks.ts';
import { type Context, isoTime } from '../context.ts';
import { emit } from '../events/deliveries.ts';
import { isPayoutToFail } from '../fault-rules.ts';
import { collectFees } from '../fees/fees.ts';
import { BANK, post, RESERVE, SUPPLY, VAULT, walletAccount } from '../ledger.ts';
import { type Machine, schedule } from '../machine.ts';
import { update } from '../rows.ts';
import { IS_OPEN_PAYOUT } from '../schema/schema.ts';
import { SHOWN_STATE_MS } from '../settings.ts';
import { payoutPlan } from '../values.ts';
import { blockNumber, GAS } from '../wallets/addresses.ts';
import { smartWallet } from '../wallets/wallets.ts';

export interface PayoutRow {
  readonly id: bigint;
  readonly request_id: string;
  readonly fintech: bigint;
  readonly state: PayoutState;
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

/** Formats the paying account wallet for responses and events. */
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

function announceTransfer(context: Context, row: PayoutRow): void {
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

function announceHandOver(context: Context, row: PayoutRow): void {
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

function announceCompletion(context: Context, row: PayoutRow): void {
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
function announceFailure(context: Context, row: PayoutRow, { code, message, retryable }: PayoutError): void {
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

/** How long after its completion a payout to the test account is reversed. */
const REVERSAL_MS = 60 * 60_000;

/** How long a manual review may take before the payout fails. */
const REVIEW_MS = 3 * 86_400_000;

/** The cNGN could not be transferred. Source: inferred. */
const TRANSFER_FAILED: PayoutError = {
  code: 'TRANSFER_FAILED',
  message: 'the cNGN could not be transferred; it was returned',
  retryable: true,
};

/** Nobody approved the payout in time. Source: inferred. */
const REVIEW_FAILED: PayoutError = {
  code: 'MANUAL_REVIEW_FAILED',
  message: 'the manual review was not approved in time; the cNGN was returned',
  retryable: false,
};

const PAYOUT_TABLE = `
-- Payouts from the fintech's account wallet to one of its bank accounts. A finished payout is kept when its account is removed.
CREATE TABLE payout (
  id INTEGER PRIMARY KEY, request_id TEXT NOT NULL UNIQUE, fintech INTEGER NOT NULL, bank_account INTEGER REFERENCES bank_account ON DELETE SET NULL, state TEXT NOT NULL,
  amount_kobo INTEGER NOT NULL, platform_fee_kobo INTEGER NOT NULL, account_number TEXT NOT NULL, bank_code TEXT NOT NULL, account_name TEXT NOT NULL,
  tx_hash TEXT NOT NULL, payout_reference TEXT NOT NULL, transferred_at INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, completed_at INTEGER) STRICT;
CREATE INDEX payout_by_account ON payout (bank_account) WHERE bank_account IS NOT NULL;
CREATE INDEX payout_in_flight ON payout (fintech, state) WHERE ${IS_OPEN_PAYOUT};
CREATE TABLE payout_source (
  payout INTEGER NOT NULL REFERENCES payout, network TEXT NOT NULL, amount_base INTEGER NOT NULL CHECK (amount_base > 0),
  PRIMARY KEY (payout, network)) STRICT, WITHOUT ROWID;`;

/**
 * A payout of the fintech's own cNGN, which is in the vault before the first response. Source: public (the states and
 * what may fail), inferred (what returns, where a manual review belongs, and that only test accounts cause anything but
 * a failure at the bank).
 */
export const payout: Machine<PayoutRow, PayoutState> = {
  name: 'payout',
  table: 'payout',
  schema: PAYOUT_TABLE,
  stamp: 'updated_at',
  transitions: [
    { on: 'accepted', from: ['pending'], to: 'processing', effect: (at, row) => follow(at, row, 'transfer-begun') },
    { on: 'cancelled', from: ['pending'], to: 'cancelled', effect: returnTokens },
    { on: 'transfer-begun', from: ['processing'], to: 'transferring_cngn', effect: transfer },
    { on: 'transferred', from: ['transferring_cngn'], to: 'initiating_payout', effect: confirmTransfer },
    { on: 'transfer-failed', from: ['transferring_cngn'], to: 'failed', effect: failedBecause(TRANSFER_FAILED) },
    { on: 'handed-over', from: ['initiating_payout'], to: 'payout_processing', effect: handOver },
    { on: 'held', from: ['initiating_payout'], to: 'pending_manual_review', effect: review },
    { on: 'approved', from: ['pending_manual_review'], to: 'payout_processing', effect: handOver },
    { on: 'review-elapsed', from: ['pending_manual_review'], to: 'failed', effect: failedBecause(REVIEW_FAILED) },
    { on: 'settled', from: ['payout_processing'], to: 'completed', stamp: 'completed_at', effect: settle },
    { on: 'payout-failed', from: ['payout_processing'], to: 'failed', effect: failedBecause(PAYOUT_FAILED) },
    { on: 'reversed', from: ['completed'], to: 'reversed', effect: reverse },
  ],
};

/** Starts the work of a new payout, whose cNGN is already in the vault. */
export function begin(context: Context, row: PayoutRow): void {
  follow(context, row, payoutPlan(row.account_number) === 'cancelled' ? 'cancelled' : 'accepted');
}

/** Returns what leaves the account wallet, in kobo: the amount paid out plus the platform fee. */
function payoutTotalKobo(row: PayoutRow): bigint {
  return row.amount_kobo + row.platform_fee_kobo;
}

/** Returns how long a state lasts: longer for the test account that shows every state. */
function lengthOf(row: PayoutRow, ordinaryMs: number): number {
  return payoutPlan(row.account_number) === 'in-steps' ? SHOWN_STATE_MS : ordinaryMs;
}

/** Schedules the next event after one step. */
function follow(context: Context, row: PayoutRow, event: string): void {
  schedule(context, payout.name, row.id, event, lengthOf(row, context.pace.step));
}

function transfer(context: Context, row: PayoutRow): void {
  const fails = payoutPlan(row.account_number) === 'transfer-fails';
  follow(context, row, fails ? 'transfer-failed' : 'transferred');
}

function confirmTransfer(context: Context, row: PayoutRow): void {
  update(context.store, 'payout', row.id, { transferred_at: context.nowMs });
  follow(context, row, payoutPlan(row.account_number) === 'reviewed' ? 'held' : 'handed-over');
  announceTransfer(context, row);
}

function review(context: Context, row: PayoutRow): void {
  schedule(context, payout.name, row.id, 'review-elapsed', REVIEW_MS);
}

function handOver(context: Context, row: PayoutRow): void {
  const fails = isPayoutToFail(context, 'transactions.fintech-offramp', row.account_number);
  schedule(context, payout.name, row.id, fails ? 'payout-failed' : 'settled', lengthOf(row, context.pace.payout));
  announceHandOver(context, row);
}

function settle(context: Context, row: PayoutRow): void {
  const base = cngnBaseFromKobo(payoutTotalKobo(row));
  post(context, 'payout.settled', row.request_id, [
    { account: VAULT, minor: -base },
    { account: SUPPLY, minor: base },
    { account: RESERVE, minor: -payoutTotalKobo(row) },
    { account: BANK, minor: row.amount_kobo },
    ...collectFees(context, row.fintech, 'offramp', row.platform_fee_kobo, 0n),
  ]);
  if (payoutPlan(row.account_number) === 'reversed') schedule(context, payout.name, row.id, 'reversed', REVERSAL_MS);
  announceCompletion(context, row);
}

/** Mints the Naira that the bank sent back, on Base. The fee stays with the platform. No event is documented. */
function reverse(context: Context, row: PayoutRow): void {
  const base = cngnBaseFromKobo(row.amount_kobo);
  post(context, 'payout.reversed', row.request_id, [
    { account: BANK, minor: -row.amount_kobo },
    { account: RESERVE, minor: row.amount_kobo },
    { account: SUPPLY, minor: -base },
    { account: walletAccount(smartWallet(context.store, row.fintech).id, 'base', 'CNGN'), minor: base },
  ]);
}

/** Returns the cNGN, including the fee, to the networks it came from. */
function returnTokens(context: Context, row: PayoutRow): void {
  const wallet = smartWallet(context.store, row.fintech);
  post(context, 'payout.returned', row.request_id, [
    { account: VAULT, minor: -cngnBaseFromKobo(payoutTotalKobo(row)) },
    ...sourcesOf(context, row).map(({ network, amount_base }) => ({
      account: walletAccount(wallet.id, network, 'CNGN'),
      minor: amount_base,
    })),
  ]);
}

function failedBecause(error: PayoutError) {
  return (context: Context, row: PayoutRow): void => {
    returnTokens(context, row);
    announceFailure(context, row, error);
  };
}
