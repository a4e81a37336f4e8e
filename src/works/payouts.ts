import { CliError } from '../base/errors.ts';
import type { Session } from '../cli/session.ts';
import { getBankAccount } from '../contract/endpoints/banks.ts';
import { listPayouts } from '../contract/endpoints/history.ts';
import { offrampStatus, startOfframp } from '../contract/endpoints/offramp.ts';
import { payoutStatus, startPayout } from '../contract/endpoints/payouts.ts';
import { listing } from './listing.ts';
import {
  agrees,
  agreesBankCode,
  amountAt,
  amountMatch,
  cngnOfNaira,
  compared,
  isSameAmount,
  nairaOfCngn,
  said,
} from './rows.ts';
import { type Sought, status, type ToldOf, type Work } from './work.ts';

const OFFRAMP_ENDS = { done: ['completed'], failed: ['failed', 'cancelled'] } as const;
const PAYOUT_ENDS = { done: ['completed'], failed: ['failed', 'cancelled', 'reversed'] } as const;

/** Whether an event of an offramp says what its request said. */
function isLikeOfframp({ userId, data }: ToldOf, { request }: Sought): boolean {
  return (
    isSameAmount(amountAt(data['amount'], 'naira', 'NGN'), amountAt(request['amount'], 'naira', 'NGN')) &&
    agrees(userId, request['userId']) &&
    agrees(data['recipientAccountNumber'], request['accountNumber']) &&
    agrees(data['recipientBankCode'], request['bankCode'])
  );
}

/** Lists and events have account numbers, and a request the id of an account. */
async function accountNumberOf(session: Session, accountId: unknown): Promise<string | null | undefined> {
  try {
    return (await session.call(getBankAccount, { accountId: String(accountId) })).data.accounts?.[0]?.accountNumber;
  } catch (error) {
    // An account that was removed has no number to compare.
    if (error instanceof CliError && error.category === 'refused') return undefined;
    throw error;
  }
}

/** Whether an event of a payout says what its request said. */
async function isLikePayout({ data }: ToldOf, { request }: Sought, session: Session): Promise<boolean> {
  const { accountNumber } = (data['bankAccount'] ?? {}) as { readonly accountNumber?: unknown };
  const paid = cngnOfNaira(amountAt(data['amount'], 'naira', 'NGN'));
  return (
    typeof accountNumber === 'string' &&
    isSameAmount(paid, amountAt(request['amount'], 'base', 'CNGN')) &&
    agrees(accountNumber, await accountNumberOf(session, request['bankAccountId']))
  );
}

/** A user's cNGN on its way to a bank. */
export const offramp: Work = {
  starts: [startOfframp],
  status: status({
    ...OFFRAMP_ENDS,
    endpoint: offrampStatus,
    input: (requestId) => ({ requestId }),
    stateOf: ({ status: state }) => state,
    what: 'the offramp',
    again: (requestId) => `fiatrail offramp status ${requestId} --wait`,
    createdOf: ({ createdAt }) => createdAt,
  }),
  told: {
    'vault.return.transfer.confirmed': { standing: 'accepted' },
    'vault.return.payout.completed': { standing: 'settled', isLike: isLikeOfframp },
    'vault.return.payout.failed': { standing: 'failed', isLike: isLikeOfframp },
  },
  evidence: 'fiatrail history payouts --type user_offramp',
  list: (request) => {
    const { userId, amount, accountNumber, bankCode } = request;
    const wanted = amountAt(amount, 'naira', 'NGN');
    return listing({
      ...OFFRAMP_ENDS,
      endpoint: listPayouts,
      page: (limit, offset) => ({ type: 'user_offramp' as const, userId: String(userId), limit, offset }),
      rowsOf: ({ payouts }) => payouts,
      read: (row) => ({
        requestId: row.id,
        createdAt: row.createdAt,
        state: row.status,
        ...compared(
          [amountMatch(row.amount, 'naira', wanted)],
          [
            agrees(row.type, 'user_offramp'),
            agrees(row.bankAccount?.accountNumber, accountNumber),
            agreesBankCode(row.bankAccount?.bankCode, bankCode),
          ],
        ),
      }),
    });
  },
};

/** The account's own cNGN on its way to one of its bank accounts. */
export const payout: Work = {
  starts: [startPayout],
  status: status({
    ...PAYOUT_ENDS,
    endpoint: payoutStatus,
    input: (requestId) => ({ requestId }),
    stateOf: ({ status: state }) => state,
    what: 'the payout',
    again: (requestId) => `fiatrail payout status ${requestId} --wait`,
    columns: [
      { field: 'requestId', title: 'Request' },
      { field: 'status', title: 'Status' },
      { field: 'amount', title: 'Amount' },
      { field: 'bankAccount.accountName', title: 'To' },
      { field: 'bankAccount.accountNumber', title: 'Account' },
      { field: 'bankAccount.bankName', title: 'Bank' },
      { field: 'transferDetails.txHash', title: 'Transaction' },
      { field: 'payoutDetails.reference', title: 'Reference' },
      { field: 'initiatedAt', title: 'Started' },
      { field: 'completedAt', title: 'Completed' },
    ],
    createdOf: ({ initiatedAt }) => initiatedAt,
  }),
  told: {
    'fintech.offramp.initiated': { standing: 'accepted', isLike: isLikePayout },
    'fintech.offramp.transfer.completed': { standing: 'accepted' },
    'fintech.offramp.payout.initiated': { standing: 'accepted', isLike: isLikePayout },
    'fintech.offramp.completed': { standing: 'settled', isLike: isLikePayout },
    'fintech.offramp.failed': { standing: 'failed', isLike: isLikePayout },
  },
  evidence: 'fiatrail history payouts --type fintech_offramp',
  list: async (request, session) => {
    const { amount, bankAccountId } = request;
    const wanted = nairaOfCngn(amountAt(amount, 'base', 'CNGN'));
    const payee = request['accountNumber'] ?? (session && (await accountNumberOf(session, bankAccountId)));
    return listing({
      ...PAYOUT_ENDS,
      endpoint: listPayouts,
      page: (limit, offset) => ({ type: 'fintech_offramp' as const, limit, offset }),
      rowsOf: ({ payouts }) => payouts,
      read: (row) => ({
        requestId: row.id,
        createdAt: row.createdAt,
        state: row.status,
        ...compared(
          [amountMatch(row.amount, 'naira', wanted), said(payee)],
          [agrees(row.type, 'fintech_offramp'), agrees(row.bankAccount?.accountNumber, payee)],
        ),
      }),
    });
  },
};
