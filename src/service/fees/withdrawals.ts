import { Fault } from '../../contract/faults.ts';
import { type Amount, amount, amountForPeople, toWireNumber } from '../../money/amount.ts';
import { resolveAccount } from '../banks/operation.ts';
import { type Call, type Context, isoTime, isoTimeOrNull, type Operations } from '../context.ts';
import { isPayoutToFail } from '../fault-rules.ts';
import { type AccountRef, BANK, balanceOf, feesWithdrawing, fintechFees, post } from '../ledger.ts';
import { type Machine, schedule } from '../machine.ts';
import { insertRow, ownRow, update } from '../rows.ts';
import { SHOWN_STATE_MS } from '../settings.ts';
import { payoutPlan } from '../values.ts';
import { wholeKoboOf } from '../wire-values.ts';
import { WITHDRAWAL_LIMITS_KOBO } from './operation.ts';

const naira = (minor: bigint): Amount => amount('NGN', minor);
const kobo = (minor: bigint) => toWireNumber(naira(minor), 'kobo');

function checkLimits(amountKobo: bigint): void {
  const { minimum, maximum } = WITHDRAWAL_LIMITS_KOBO;
  if (amountKobo < minimum)
    throw new Fault('VALIDATION_ERROR', `amount: expected at least ${amountForPeople(naira(minimum))}`);
  if (amountKobo > maximum)
    throw new Fault('VALIDATION_ERROR', `amount: expected at most ${amountForPeople(naira(maximum))}`);
}

/**
 * Returns how much of an amount comes from onramp fees; the rest comes from offramp fees. Throws VALIDATION_ERROR if
 * both together are not enough.
 */
function drawn({ store, fintech }: Call, amountKobo: bigint): bigint {
  const onramp = balanceOf(store, fintechFees(fintech.id, 'onramp'));
  const available = onramp + balanceOf(store, fintechFees(fintech.id, 'offramp'));
  if (amountKobo > available)
    throw new Fault('VALIDATION_ERROR', `amount: only ${amountForPeople(naira(available))} can be withdrawn`);
  return amountKobo < onramp ? amountKobo : onramp;
}

/** Returns `FTW_`, the fintech's id and the time in milliseconds, or the next free number. Source: public. */
function newWithdrawalId({ store, fintech, nowMs }: Call): string {
  const idAt = (timeMs: number) => `FTW_${fintech.fintechId}_${timeMs}`;
  let timeMs = nowMs;
  while (store.get('SELECT 1 FROM fee_withdrawal WHERE withdrawal_id = ?', idAt(timeMs))) timeMs += 1;
  return idAt(timeMs);
}

interface Parts {
  readonly amountKobo: bigint;
  readonly onrampKobo: bigint;
  readonly bankCode: string;
}

function record(
  call: Call,
  request: Parameters<Operations['fees.withdraw']>[1],
  { amountKobo, onrampKobo, bankCode }: Parts,
): FeeWithdrawalRow {
  return insertRow<FeeWithdrawalRow>(call.store, 'fee_withdrawal', {
    withdrawal_id: newWithdrawalId(call),
    fintech: call.fintech.id,
    state: 'pending',
    amount_kobo: amountKobo,
    onramp_kobo: onrampKobo,
    account_number: request.bankAccountNumber,
    bank_code: bankCode,
    account_name: request.accountName,
    narration: request.narration,
    reference: request.metadata?.reference,
    notes: request.metadata?.notes,
    created_at: call.nowMs,
  });
}

/**
 * One, two or three days in turn, so that tests see all of them. Source: interface (the range), inferred (the choice).
 */
const businessDaysOf = ({ id }: FeeWithdrawalRow) => 1 + Number((id - 1n) % 3n);

const withdraw: Operations['fees.withdraw'] = (call, request) => {
  const amountKobo = wholeKoboOf(request.amount);
  checkLimits(amountKobo);
  const { bank, holder } = resolveAccount(request.bankAccountNumber, request.bankCode);
  const row = record(call, request, { amountKobo, onrampKobo: drawn(call, amountKobo), bankCode: bank.code });
  begin(call, row, afterBusinessDays(call.nowMs, businessDaysOf(row)) - call.nowMs);
  return {
    withdrawalId: row.withdrawal_id,
    amount: kobo(row.amount_kobo),
    status: row.state,
    estimatedProcessingTime: '1 to 3 business days',
    // The bank pays by account number; naming the holder lets the caller spot a wrong account.
    message: `the withdrawal is on its way to the account of ${holder} at ${bank.name}`,
  };
};

const verify: Operations['fees.verify-withdrawal'] = (call, { withdrawalId }) => {
  const row = ownRow<FeeWithdrawalRow>(
    call,
    ['fee_withdrawal', 'withdrawal_id', withdrawalId],
    'no fee withdrawal has this id',
  );
  return {
    withdrawalId: row.withdrawal_id,
    status: row.state,
    processedAt: isoTimeOrNull(row.processed_at),
    failureReason: row.failure_reason,
  };
};

/** Masks all but the first six digits with four asterisks. Source: public. */
const masked = (accountNumber: string) => `${accountNumber.slice(0, 6)}****`;

/** The three states of the history: a withdrawal that is processing counts as pending. Source: interface. */
const LISTED_STATE = `CASE state WHEN 'processing' THEN 'pending' ELSE state END`;

const history: Operations['fees.withdrawal-history'] = (call, { limit = 20, status }) => {
  const found = call.store.all<FeeWithdrawalRow>(
    `SELECT * FROM fee_withdrawal WHERE fintech = ?1 AND (?2 IS NULL OR ${LISTED_STATE} = ?2) ORDER BY id DESC LIMIT ?3`,
    call.fintech.id,
    status ?? null,
    limit + 1,
  );
  const rows = found.slice(0, limit);
  return {
    withdrawals: rows.map((row) => ({
      withdrawalId: row.withdrawal_id,
      amount: kobo(row.amount_kobo),
      bankAccountNumber: masked(row.account_number),
      bankCode: row.bank_code,
      accountName: row.account_name,
      narration: row.narration,
      status: row.state === 'processing' ? 'pending' : row.state,
      createdAt: isoTime(row.created_at),
      processedAt: isoTimeOrNull(row.processed_at),
      failureReason: row.failure_reason,
    })),
    pagination: { count: rows.length, limit, hasMore: found.length > limit },
  };
};

export const feeWithdrawalsOperations = {
  'fees.withdraw': withdraw,
  'fees.verify-withdrawal': verify,
  'fees.withdrawal-history': history,
} satisfies Partial<Operations>;

/** Business days of banks in Lagos: Monday to Friday, ignoring holidays. Lagos is UTC+1 all year. Source: inferred. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LAGOS_MS = HOUR_MS;

/** Payouts arrive during banking hours. */
const OPENS_MS = 8 * HOUR_MS;
const CLOSES_MS = 16 * HOUR_MS;

/** The epoch was a Thursday; 0 is Sunday. */
const weekdayOf = (day: number) => (day + 4) % 7;
const isBusinessDay = (day: number) => weekdayOf(day) !== 0 && weekdayOf(day) !== 6;

/**
 * Returns when a payout ordered at `fromMs` arrives after at least one business day: at the same time of day, or at
 * closing time if it was ordered while the bank was closed. An order before opening time counts as placed the evening
 * before, so three business days never exceed five times 24 hours.
 */
export function afterBusinessDays(fromMs: number, businessDays: number): number {
  const local = fromMs + LAGOS_MS;
  const ordered = Math.floor(local / DAY_MS);
  const timeOfDay = local - ordered * DAY_MS;
  const isEarly = timeOfDay < OPENS_MS;
  let day = isEarly ? ordered - 1 : ordered;
  for (let left = businessDays; left > 0; ) {
    day += 1;
    if (isBusinessDay(day)) left -= 1;
  }
  const lands = isEarly || timeOfDay > CLOSES_MS ? CLOSES_MS : timeOfDay;
  return day * DAY_MS + lands - LAGOS_MS;
}

interface FeeWithdrawalRow {
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

/**
 * The amount is locked when the withdrawal is requested. Source: interface (the states), public (processing, which only a
 * test account shows), inferred (that a failure releases the amount).
 */
export const feeWithdrawal: Machine<FeeWithdrawalRow> = {
  name: 'fee-withdrawal',
  table: 'fee_withdrawal',
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
function begin(context: Context, row: FeeWithdrawalRow, afterMs: number): void {
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
