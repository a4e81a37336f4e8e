import { getBankAccount } from '../contract/endpoints/banks.ts';
import { listPayouts } from '../contract/endpoints/history.ts';
import { offrampStatus, startOfframp } from '../contract/endpoints/offramp.ts';
import { payoutStatus, startPayout } from '../contract/endpoints/payouts.ts';
import { agrees, amountAt, cngnOfNaira, isSameAmount, search } from './rows.ts';
import { status, type Work } from './work.ts';

const OFFRAMP_ENDS = { done: ['completed'], failed: ['failed', 'cancelled'] } as const;
const PAYOUT_ENDS = { done: ['completed'], failed: ['failed', 'cancelled', 'reversed'] } as const;

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
  }),
  evidence: 'fiatrail history payouts --type user_offramp',
  find: (session, sought) => {
    const { userId, amount, accountNumber } = sought.request;
    const wanted = amountAt(amount, 'naira', 'NGN');
    return search(session, sought, {
      ...OFFRAMP_ENDS,
      endpoint: listPayouts,
      page: (limit, offset) => ({ type: 'user_offramp' as const, userId: String(userId), limit, offset }),
      rowsOf: ({ payouts }) => payouts,
      read: (row) => ({
        requestId: row.id,
        createdAt: row.createdAt,
        state: row.status,
        isLike:
          isSameAmount(amountAt(row.amount, 'naira', 'NGN'), wanted) &&
          agrees(row.bankAccount?.accountNumber, accountNumber),
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
  }),
  evidence: 'fiatrail history payouts --type fintech_offramp',
  find: async (session, sought) => {
    const { amount, bankAccountId } = sought.request;
    const wanted = amountAt(amount, 'base', 'CNGN');
    // The list shows account numbers, and the request an id.
    const [account] = (await session.call(getBankAccount, { accountId: String(bankAccountId) })).data.accounts ?? [];
    return search(session, sought, {
      ...PAYOUT_ENDS,
      endpoint: listPayouts,
      page: (limit, offset) => ({ type: 'fintech_offramp' as const, limit, offset }),
      rowsOf: ({ payouts }) => payouts,
      read: (row) => ({
        requestId: row.id,
        createdAt: row.createdAt,
        state: row.status,
        isLike:
          isSameAmount(cngnOfNaira(amountAt(row.amount, 'naira', 'NGN')), wanted) &&
          agrees(row.bankAccount?.accountNumber, account?.accountNumber),
      }),
    });
  },
};
