import { feeWithdrawals, verifyWithdrawal, withdrawFees } from '../../contract/endpoints/fee-withdrawals.ts';
import { listing } from './listing.ts';
import { agrees, agreesBankCode, agreesText, amountAt, amountMatch, compared } from './rows.ts';
import { type FollowedWork, status } from './work.ts';

const ENDS = { done: ['completed'], failed: ['failed'] } as const;

/** Earned fees on their way to a bank account. */
export const feeWithdrawal: FollowedWork = {
  starts: [withdrawFees],
  status: status({
    endpoint: verifyWithdrawal,
    command: 'fees withdrawals status',
    idField: 'withdrawalId',
    what: 'the fee withdrawal',
    columns: [
      { field: 'withdrawalId', title: 'Withdrawal' },
      { field: 'status', title: 'Status' },
      { field: 'processedAt', title: 'Settled' },
      { field: 'failureReason', title: 'Failure reason' },
    ],
    words: ({ failureReason }) => failureReason ?? undefined,
  }),
  evidence: 'fiatrail fees withdrawals list',
  list: (request) => {
    const { amount, bankAccountNumber, bankCode, accountName, narration } = request;
    const wanted = amountAt(amount, 'kobo', 'NGN');
    return listing({
      ...ENDS,
      endpoint: feeWithdrawals,
      isUnpaged: true,
      page: (limit) => ({ limit }),
      rowsOf: ({ withdrawals }) => withdrawals,
      read: (row) => ({
        requestId: row.withdrawalId,
        createdAt: row.createdAt,
        state: row.status,
        text: row.narration ?? null,
        ...compared(
          [amountMatch(row.amount, 'kobo', wanted)],
          [
            agrees(row.bankAccountNumber, bankAccountNumber),
            agreesBankCode(row.bankCode, bankCode),
            agreesText(row.accountName, accountName),
            agreesText(row.narration, narration),
          ],
        ),
      }),
    });
  },
};
