import { agrees, agreesBankCode } from '../contract/compare.ts';
import {
  feeWithdrawals as listFeeWithdrawals,
  verifyWithdrawal,
  withdrawFees,
} from '../contract/endpoints/fee-withdrawals.ts';
import { agreesText, amountAt, amountMatch, compared } from './likeness.ts';
import {
  ended,
  failing,
  good,
  listedBy,
  personalKey,
  personName,
  remembered,
  sum,
  text,
  thing,
  time,
  waits,
} from './thing.ts';

export const feeWithdrawals = listedBy(listFeeWithdrawals, {
  name: 'fee_withdrawals',
  about: 'earned fees that were sent to a bank account',
  rows: 'withdrawals',
  pages: 'limit',
  readBy: 'newest',
  id: 'withdrawalId',
  status: 'status',
  createdAt: 'createdAt',
  label: ['accountName', 'amount', 'status'],
  facts: [
    sum('Amount', 'amount', 'amount'),
    personName('To', 'accountName', 'account_name'),
    personalKey('Account number', 'bankAccountNumber', 'account_number'),
    text('Bank code', 'bankCode', 'bank_code'),
    remembered('Narration', 'narration', 'narration'),
    text('Failure reason', 'failureReason', 'failure_reason'),
    time('Requested', 'createdAt'),
    ended('Settled', 'processedAt', 'completed_at'),
  ],
  columns: ['withdrawalId', 'createdAt', 'amount', 'status', 'bankAccountNumber'],
});

/** Earned fees on their way to a bank account. */
export const feeWithdrawal = thing({
  name: 'fee withdrawal',
  of: 'account',
  list: feeWithdrawals,
  starts: [withdrawFees],
  read: { endpoint: verifyWithdrawal, id: 'withdrawalId' },
  states: { pending: waits('waits for the bank to pay'), completed: good, ...failing(verifyWithdrawal) },
  amount: ['amount'],
  who: ['accountName'],
  reason: ['failureReason'],
  lists: 'fees withdrawals list',
  shows: 'fees withdrawals status',
  likeness: {
    textOf: ({ narration }) => narration ?? null,
    compare: (row, { amount, bankAccountNumber, bankCode, accountName, narration }) =>
      compared(
        [amountMatch(row.amount, 'kobo', amountAt(amount, 'kobo', 'NGN'))],
        [
          agrees(row.bankAccountNumber, bankAccountNumber),
          agreesBankCode(row.bankCode, bankCode),
          agreesText(row.accountName, accountName),
          agreesText(row.narration, narration),
        ],
      ),
  },
});
