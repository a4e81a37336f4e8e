import { Fault } from '../../contract/faults.ts';
import { type Amount, amount, amountForPeople, toWireNumber } from '../../money/amount.ts';
import { resolveAccount } from '../banks/operation.ts';
import { type Call, isoTime, isoTimeOrNull, type Operations, type OperationsOf } from '../context.ts';
import { balanceOf, fintechFees } from '../ledger.ts';
import { insertRow, ownRow } from '../rows.ts';
import { wholeKoboOf } from '../wire-values.ts';
import { WITHDRAWAL_LIMITS_KOBO } from './operation.ts';
import { begin, type FeeWithdrawalRow } from './withdrawal-machine.ts';

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
} satisfies OperationsOf<'fee-withdrawals'>;

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
