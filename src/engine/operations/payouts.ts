import { CliError } from '../../base/errors.ts';
import { agrees, agreesBankCode } from '../../contract/compare.ts';
import { getBankAccount } from '../../contract/endpoints/banks.ts';
import { offrampStatus, startOfframp } from '../../contract/endpoints/offramp.ts';
import { payoutStatus, startPayout } from '../../contract/endpoints/payouts.ts';
import { OFFRAMP_FAILED, PAYOUT_FAILED } from '../../contract/values.ts';
import type { Baseline } from '../../journal/intent.ts';
import { type Amount, amount } from '../../money/amount.ts';
import type { SavedAccount } from '../banks.ts';
import { payoutsBy } from '../lists/history.ts';
import { shownIn } from './listing.ts';
import { agreesText, amountAt, amountMatch, compared, knownMatch } from './rows.ts';
import {
  type EventContent,
  type EventMeaning,
  type EvidenceQuery,
  type FollowedWork,
  type Likeness,
  status,
} from './work.ts';

const OFFRAMP_ENDS = { done: ['completed'], failed: OFFRAMP_FAILED } as const;
const PAYOUT_ENDS = { done: ['completed'], failed: PAYOUT_FAILED } as const;

/** Compares an event of an offramp with its request. */
function compareOfframp({ userId, data }: EventContent, request: EvidenceQuery['request']): Likeness {
  return compared(
    [amountMatch(data['amount'], 'naira', amountAt(request['amount'], 'naira', 'NGN'))],
    [
      agrees(userId, request['userId']),
      agrees(data['recipientAccountNumber'], request['accountNumber']),
      agreesBankCode(data['recipientBankCode'], request['bankCode']),
    ],
  );
}

/** A saved bank account as the terms of a payout to it. */
export function payeeTerms(account: SavedAccount | undefined): Baseline['terms'] {
  const { accountNumber, accountName, bankCode } = account ?? {};
  return {
    ...(typeof accountNumber === 'string' ? { accountNumber } : {}),
    ...(typeof accountName === 'string' ? { accountName } : {}),
    ...(typeof bankCode === 'string' ? { bankCode } : {}),
  };
}

/** A bank account as rows and events show it. */
interface Payee {
  readonly accountNumber?: unknown;
  readonly accountName?: unknown;
  readonly bankCode?: unknown;
}

/** Naira that a sum of cNGN is worth; undefined if it has parts of a kobo. */
const nairaOfCngn = (cngn: Amount | undefined): Amount | undefined =>
  cngn && cngn.minor % 10_000n === 0n ? amount('NGN', cngn.minor / 10_000n) : undefined;

/** Compares a payout with its request, whose terms are the saved account that it names. Without them, a person decides. */
function comparePayout(
  amountNaira: unknown,
  shown: Payee | null | undefined,
  request: EvidenceQuery['request'],
): Likeness {
  const { accountNumber, accountName, bankCode } = request;
  const wanted = nairaOfCngn(amountAt(request['amount'], 'base', 'CNGN'));
  return compared(
    [amountMatch(amountNaira, 'naira', wanted), knownMatch(accountNumber)],
    [
      agrees(shown?.accountNumber, accountNumber),
      agreesText(shown?.accountName, accountName),
      agreesBankCode(shown?.bankCode, bankCode),
    ],
  );
}

const comparePayoutEvent: EventMeaning['compare'] = ({ data }, request) =>
  comparePayout(data['amount'], data['bankAccount'] as Payee | undefined, request);

/** A user's cNGN on its way to a bank. */
export const offramp: FollowedWork = {
  starts: [startOfframp],
  status: status({
    ...OFFRAMP_ENDS,
    endpoint: offrampStatus,
    command: 'offramp status',
    what: 'the offramp',
    createdOf: ({ createdAt }) => createdAt,
  }),
  events: {
    'vault.return.transfer.confirmed': { outcome: 'accepted' },
    'vault.return.payout.completed': { outcome: 'settled', compare: compareOfframp },
    'vault.return.payout.failed': { outcome: 'failed', compare: compareOfframp },
  },
  evidence: 'fiatrail history payouts --type user_offramp',
  list: ({ userId, amount, accountNumber, bankCode }) => {
    const wanted = amountAt(amount, 'naira', 'NGN');
    return shownIn(payoutsBy({ type: 'user_offramp', userId: String(userId) }), {
      ...OFFRAMP_ENDS,
      compare: (row) =>
        compared(
          [amountMatch(row.amount, 'naira', wanted)],
          [
            agrees(row.type, 'user_offramp'),
            agrees(row.bankAccount?.accountNumber, accountNumber),
            agreesBankCode(row.bankAccount?.bankCode, bankCode),
          ],
        ),
    });
  },
};

/** The account's own cNGN on its way to one of its bank accounts. */
export const payout: FollowedWork = {
  starts: [startPayout],
  status: status({
    ...PAYOUT_ENDS,
    endpoint: payoutStatus,
    command: 'payout status',
    what: 'the payout',
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
  events: {
    'fintech.offramp.initiated': { outcome: 'accepted', compare: comparePayoutEvent },
    'fintech.offramp.transfer.completed': { outcome: 'accepted' },
    'fintech.offramp.payout.initiated': { outcome: 'accepted', compare: comparePayoutEvent },
    'fintech.offramp.completed': { outcome: 'settled', compare: comparePayoutEvent },
    'fintech.offramp.failed': { outcome: 'failed', compare: comparePayoutEvent },
  },
  evidence: 'fiatrail history payouts --type fintech_offramp',
  list: (request) =>
    shownIn(payoutsBy({ type: 'fintech_offramp' }), {
      ...PAYOUT_ENDS,
      compare: (row) => {
        const { isLike, isPartial } = comparePayout(row.amount, row.bankAccount, request);
        return { isLike: isLike && agrees(row.type, 'fintech_offramp'), isPartial };
      },
    }),
  terms: async (account, { accountNumber, bankAccountId }) => {
    if (typeof accountNumber === 'string') return undefined;
    try {
      const { data } = await account.call(getBankAccount, { accountId: String(bankAccountId) });
      return payeeTerms(data.accounts?.[0]);
    } catch (error) {
      // An account that was removed has nothing to compare.
      if (error instanceof CliError && error.category === 'refused') return undefined;
      throw error;
    }
  },
};
