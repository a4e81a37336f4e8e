import type { Context } from '../context.ts';
import { isPayoutToFail } from '../fault-rules.ts';
import { type AccountRef, BANK, feesWithdrawing, fintechFees, post } from '../ledger.ts';
import { type Machine, schedule } from '../machine.ts';
import { update } from '../rows.ts';
import { FEE_WITHDRAWAL_AT } from '../schema/schema.ts';
import { SHOWN_STATE_MS } from '../settings.ts';
import { payoutPlan } from '../values.ts';

export interface FeeWithdrawalRow {
  readonly id: bigint;
  readonly withdrawal_id: string;
  readonly fintech: bigint;
  readonly state: 'pending' | 'processing' | 'completed' | 'failed';
  readonly amount_kobo: bigint;
  readonly onramp_kobo: bigint;
  readonly account_number: string;
  readonly bank_code: string;
  readonly account_name: string;
  readonly narration: string | null;
  readonly failure_reason: string | null;
  readonly created_at: bigint;
  readonly processed_at: bigint | null;
}

const FEE_WITHDRAWAL_TABLE = `
-- onramp_kobo is the part of the amount taken from onramp fees; the rest comes from offramp fees.
CREATE TABLE fee_withdrawal (
  id INTEGER PRIMARY KEY, withdrawal_id TEXT NOT NULL UNIQUE, fintech INTEGER NOT NULL, state TEXT NOT NULL, amount_kobo INTEGER NOT NULL,
  onramp_kobo INTEGER NOT NULL,
  account_number TEXT NOT NULL, bank_code TEXT NOT NULL, account_name TEXT NOT NULL, narration TEXT, reference TEXT, notes TEXT,
  failure_reason TEXT, created_at INTEGER NOT NULL, processed_at INTEGER) STRICT;
CREATE INDEX fee_withdrawal_by_fintech ON fee_withdrawal (fintech, id);
CREATE INDEX fee_withdrawal_latest ON fee_withdrawal (fintech, ${FEE_WITHDRAWAL_AT});`;

/**
 * The amount is locked when the withdrawal is requested. Source: interface (the states), public (processing, which only a
 * test account shows), inferred (that a failure releases the amount).
 */
export const feeWithdrawal: Machine<FeeWithdrawalRow> = {
  name: 'fee-withdrawal',
  table: 'fee_withdrawal',
  idColumn: 'withdrawal_id',
  schema: FEE_WITHDRAWAL_TABLE,
  transitions: [
    { on: 'accepted', from: ['pending'], to: 'processing', effect: (at, row) => payOut(at, row) },
    { on: 'settled', from: ['pending', 'processing'], to: 'completed', stamp: 'processed_at', effect: settle },
    { on: 'payout-failed', from: ['pending', 'processing'], to: 'failed', stamp: 'processed_at', effect: releaseFees },
  ],
};

/** Returns the onramp and offramp parts of a withdrawal with their current accounts. */
function parts({ fintech, amount_kobo, onramp_kobo }: FeeWithdrawalRow) {
  return [
    { direction: 'onramp', kobo: onramp_kobo, locked: feesWithdrawing(fintech, 'onramp') },
    { direction: 'offramp', kobo: amount_kobo - onramp_kobo, locked: feesWithdrawing(fintech, 'offramp') },
  ] as const;
}

type Part = ReturnType<typeof parts>[number];

function move(context: Context, row: FeeWithdrawalRow, event: string, to: (part: Part) => AccountRef): void {
  const postings = parts(row).flatMap((part) => [
    { account: part.locked, minor: -part.kobo },
    { account: to(part), minor: part.kobo },
  ]);
  post(context, event, row.withdrawal_id, postings);
}

/** Moves the amount out of the earned fees until the bank responds. */
function lockFees(context: Context, row: FeeWithdrawalRow): void {
  const postings = parts(row).flatMap(({ direction, kobo, locked }) => [
    { account: fintechFees(row.fintech, direction), minor: -kobo },
    { account: locked, minor: kobo },
  ]);
  post(context, 'fee-withdrawal.locked', row.withdrawal_id, postings);
}

/** Schedules the bank's response, which depends on a rule or on the account. */
function payOut(context: Context, row: FeeWithdrawalRow, afterMs = SHOWN_STATE_MS): void {
  const fails = isPayoutToFail(context, 'fees.withdraw', row.account_number);
  schedule(context, feeWithdrawal.name, row.id, fails ? 'payout-failed' : 'settled', afterMs);
}

/** Starts the work of a new withdrawal, so that the bank responds after `afterMs`. */
export function begin(context: Context, row: FeeWithdrawalRow, afterMs: number): void {
  lockFees(context, row);
  if (payoutPlan(row.account_number) === 'in-steps')
    schedule(context, feeWithdrawal.name, row.id, 'accepted', afterMs - SHOWN_STATE_MS);
  else payOut(context, row, afterMs);
}

function settle(context: Context, row: FeeWithdrawalRow): void {
  move(context, row, 'fee-withdrawal.settled', () => BANK);
}

function releaseFees(context: Context, row: FeeWithdrawalRow): void {
  move(context, row, 'fee-withdrawal.returned', ({ direction }) => fintechFees(row.fintech, direction));
  const failure_reason = 'the bank rejected the payout; the amount is available again';
  update(context.store, 'fee_withdrawal', row.id, { failure_reason });
}
