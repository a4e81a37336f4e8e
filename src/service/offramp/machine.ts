import type { OfframpState } from '../../contract/endpoints/offramp.ts';
import { amount, toWireText } from '../../money/amount.ts';
import { cngnBaseFromKobo } from '../../money/rates.ts';
import { PAYOUT_FAILED, type PayoutError } from '../banks/banks.ts';
import { type Context, isoTime } from '../context.ts';
import { emit } from '../events/deliveries.ts';
import { isPayoutToFail } from '../fault-rules.ts';
import { collectFees } from '../fees/fees.ts';
import { BANK, post, RESERVE, SUPPLY, VAULT, walletAccount } from '../ledger.ts';
import { type Machine, schedule } from '../machine.ts';
import { update, userIdOf } from '../rows.ts';
import { IS_OPEN_OFFRAMP } from '../schema/schema.ts';
import { SHOWN_STATE_MS } from '../settings.ts';
import { type PayoutPlan, payoutPlan } from '../values.ts';
import { TOKEN_ADDRESS } from '../wallets/addresses.ts';

export interface OfframpRow {
  readonly id: bigint;
  readonly request_id: string;
  readonly fintech: bigint;
  readonly user: bigint;
  readonly state: OfframpState;
  readonly amount_kobo: bigint;
  readonly platform_fee_kobo: bigint;
  readonly fintech_fee_kobo: bigint;
  readonly account_number: string;
  readonly bank_code: string;
  readonly account_name: string;
  readonly tx_hash: string;
  readonly block_number: bigint;
  readonly payout_reference: string;
  /** When the cNGN arrived in the vault; null if it never did. */
  readonly transferred_at: bigint | null;
  readonly created_at: bigint;
  readonly updated_at: bigint;
}

/** The bank's check of the account failed before the transfer. Source: inferred. */
const VERIFICATION_FAILED: PayoutError = {
  code: 'BANK_VERIFICATION_FAILED',
  message: 'the bank could not verify the account; the cNGN was returned',
  retryable: false,
};

const OFFRAMP_TABLE = `
-- transferred_at: when the cNGN arrived in the vault, and null if it never did.
CREATE TABLE offramp (
  id INTEGER PRIMARY KEY, request_id TEXT NOT NULL UNIQUE, fintech INTEGER NOT NULL, user INTEGER NOT NULL REFERENCES user, state TEXT NOT NULL,
  amount_kobo INTEGER NOT NULL, platform_fee_kobo INTEGER NOT NULL, fintech_fee_kobo INTEGER NOT NULL,
  account_number TEXT NOT NULL, bank_code TEXT NOT NULL, account_name TEXT NOT NULL,
  tx_hash TEXT NOT NULL, block_number INTEGER NOT NULL, payout_reference TEXT NOT NULL, transferred_at INTEGER,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
CREATE INDEX offramp_in_flight ON offramp (fintech, state) WHERE ${IS_OPEN_OFFRAMP};
CREATE TABLE offramp_source (
  offramp INTEGER NOT NULL REFERENCES offramp, wallet INTEGER NOT NULL REFERENCES wallet, network TEXT NOT NULL,
  amount_base INTEGER NOT NULL CHECK (amount_base > 0), PRIMARY KEY (offramp, wallet, network)) STRICT, WITHOUT ROWID;`;

/**
 * The cNGN is set aside with the request. An offramp is `payout_pending` in its first response; only those to some test
 * accounts show the states before. Source: public (the states and what may fail), inferred (that a failed or cancelled
 * offramp returns the cNGN to its wallets).
 */
export const offramp: Machine<OfframpRow, OfframpState> = {
  name: 'offramp',
  table: 'offramp',
  schema: OFFRAMP_TABLE,
  stamp: 'updated_at',
  transitions: [
    { on: 'accepted', from: ['pending'], to: 'processing', effect: (at, row) => follow(at, row, 'verification-begun') },
    { on: 'cancelled', from: ['pending'], to: 'cancelled', effect: returnTokens },
    { on: 'verification-begun', from: ['processing'], to: 'bank_verification', effect: verify },
    {
      on: 'verified',
      from: ['bank_verification'],
      to: 'transfer_pending',
      effect: (at, row) => follow(at, row, 'transferred'),
    },
    {
      on: 'verification-failed',
      from: ['bank_verification'],
      to: 'failed',
      effect: failedBecause(VERIFICATION_FAILED),
    },
    { on: 'transferred', from: ['transfer_pending'], to: 'transfer_confirmed', effect: transfer },
    { on: 'handed-over', from: ['transfer_confirmed'], to: 'payout_pending', effect: handOver },
    { on: 'settled', from: ['payout_pending'], to: 'completed', effect: settle },
    { on: 'payout-failed', from: ['payout_pending'], to: 'failed', effect: failedBecause(PAYOUT_FAILED) },
  ],
};

/** The first event of the offramps that start as `pending`, by the plan of their account. */
const FIRST_EVENTS: Readonly<Partial<Record<PayoutPlan, string>>> = {
  'in-steps': 'accepted',
  'transfer-fails': 'accepted',
  cancelled: 'cancelled',
};

function firstEvent(accountNumber: string): string | undefined {
  const plan = payoutPlan(accountNumber);
  return plan && FIRST_EVENTS[plan];
}

/** Returns the state of an offramp to an account in its first response. */
export function firstState(accountNumber: string): 'pending' | 'payout_pending' {
  return firstEvent(accountNumber) === undefined ? 'payout_pending' : 'pending';
}

/** Starts the work of a new offramp, whose cNGN is already set aside. */
export function begin(context: Context, row: OfframpRow): void {
  const event = firstEvent(row.account_number);
  if (event === undefined) {
    confirmTransfer(context, row);
    handOver(context, row);
  } else {
    follow(context, row, event);
  }
}

/** Schedules the next event after one step. */
function follow(context: Context, row: OfframpRow, event: string): void {
  const isShown = payoutPlan(row.account_number) === 'in-steps';
  schedule(context, offramp.name, row.id, event, isShown ? SHOWN_STATE_MS : context.pace.step);
}

function verify(context: Context, row: OfframpRow): void {
  const fails = payoutPlan(row.account_number) === 'transfer-fails';
  follow(context, row, fails ? 'verification-failed' : 'verified');
}

function transfer(context: Context, row: OfframpRow): void {
  confirmTransfer(context, row);
  follow(context, row, 'handed-over');
}

function confirmTransfer(context: Context, row: OfframpRow): void {
  update(context.store, 'offramp', row.id, { transferred_at: context.nowMs });
  emit(context, {
    fintech: row.fintech,
    event: 'vault.return.transfer.confirmed',
    requestId: row.request_id,
    userId: userIdOf(context.store, row.user),
    data: {
      transferId: row.tx_hash,
      vaultReturnId: row.request_id,
      amount: toWireText(amount('CNGN', cngnBaseFromKobo(deductedKobo(row))), 'token'),
      tokenAddress: TOKEN_ADDRESS.CNGN,
      transactionHash: row.tx_hash,
      confirmedAt: isoTime(context.nowMs),
      blockNumber: Number(row.block_number),
      metadata: {},
    },
  });
}

function handOver(context: Context, row: OfframpRow): void {
  const event = isPayoutToFail(context, 'transactions.offramp', row.account_number) ? 'payout-failed' : 'settled';
  const isShown = payoutPlan(row.account_number) === 'in-steps';
  schedule(context, offramp.name, row.id, event, isShown ? SHOWN_STATE_MS : context.pace.payout);
}

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

function settle(context: Context, row: OfframpRow): void {
  const base = cngnBaseFromKobo(deductedKobo(row));
  post(context, 'offramp.settled', row.request_id, [
    { account: VAULT, minor: -base },
    { account: SUPPLY, minor: base },
    { account: RESERVE, minor: -deductedKobo(row) },
    { account: BANK, minor: row.amount_kobo },
    ...collectFees(context, row.fintech, 'offramp', row.platform_fee_kobo, row.fintech_fee_kobo),
  ]);
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

/** Returns the cNGN, including the fees, to the wallets that it came from. */
function returnTokens(context: Context, row: OfframpRow): void {
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
}

function failedBecause({ code, message, retryable }: PayoutError) {
  return (context: Context, row: OfframpRow): void => {
    returnTokens(context, row);
    const about = eventOf(context, row);
    emit(context, {
      ...about,
      event: 'vault.return.payout.failed',
      data: { ...about.data, failedAt: isoTime(context.nowMs), error: { code, message }, retryable, metadata: {} },
    });
  };
}
