import { agrees, agreesBankCode } from '../../contract/compare.ts';
import type { RequestOf } from '../../contract/endpoint.ts';
import { feeWithdrawals, verifyWithdrawal, withdrawFees } from '../../contract/endpoints/fee-withdrawals.ts';
import { PAGE_SIZE } from '../lists/pages.ts';
import { listOf } from '../lists/resume.ts';
import { shownIn } from './listing.ts';
import { agreesText, amountAt, amountMatch, compared } from './rows.ts';
import { type FollowedWork, status } from './work.ts';

/** The fee withdrawals of the account. */
export const feeWithdrawalsBy = ({ status: wanted }: RequestOf<typeof feeWithdrawals>) =>
  listOf(feeWithdrawals, {
    columns: [
      { field: 'withdrawalId', title: 'Withdrawal' },
      { field: 'amount', title: 'Amount' },
      { field: 'status', title: 'Status' },
      { field: 'createdAt', title: 'When', isBrief: true },
      { field: 'bankAccountNumber', title: 'Account', isWide: true },
    ],
    // The service has no pages: it returns the newest rows, as many as it is asked for.
    request: ({ size = 0, offset = 0 }) => ({ status: wanted, limit: size + offset || undefined }),
    skipped: (offset) => offset,
    pageSize: PAGE_SIZE * 10,
    rowsOf: ({ withdrawals }) => withdrawals,
    idOf: ({ withdrawalId }) => withdrawalId,
    timeOf: ({ createdAt }) => createdAt,
  });

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
  list: ({ amount, bankAccountNumber, bankCode, accountName, narration }) => {
    const wanted = amountAt(amount, 'kobo', 'NGN');
    return shownIn(feeWithdrawalsBy({}), {
      isUnpaged: true,
      textOf: (row) => row.narration ?? null,
      compare: (row) =>
        compared(
          [amountMatch(row.amount, 'kobo', wanted)],
          [
            agrees(row.bankAccountNumber, bankAccountNumber),
            agreesBankCode(row.bankCode, bankCode),
            agreesText(row.accountName, accountName),
            agreesText(row.narration, narration),
          ],
        ),
    });
  },
};
