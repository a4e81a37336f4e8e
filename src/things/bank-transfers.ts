import { agrees, agreesBankCode } from '../contract/compare.ts';
import { listPayouts } from '../contract/endpoints/history.ts';
import { offrampStatus, startOfframp } from '../contract/endpoints/offramp.ts';
import { payoutStatus, startPayout } from '../contract/endpoints/payouts.ts';
import { type Amount, amount as amountIn } from '../money/amount.ts';
import {
  agreesText,
  amountAt,
  amountMatch,
  compared,
  type EventContent,
  knownMatch,
  type Likeness,
  type Wanted,
} from './likeness.ts';
import {
  converted,
  type EventMeaning,
  elsewhere,
  ended,
  failing,
  fee,
  good,
  listedBy,
  ownerKey,
  personalKey,
  personName,
  sum,
  text,
  thing,
  time,
  undone,
  uniqueKey,
  waits,
  working,
} from './thing.ts';

/** Naira sent to bank accounts. */
export const payouts = listedBy(listPayouts, {
  name: 'payouts',
  about: 'Naira sent to bank accounts, for users and for the account',
  rows: 'payouts',
  pages: 'offset',
  readBy: 'dated',
  id: 'id',
  status: 'status',
  createdAt: 'createdAt',
  stage: 'payoutStatus',
  otherIds: ['payoutReference'],
  label: ['bankAccount.accountName', 'amount', 'status'],
  facts: [
    text('Type', 'type', 'type'),
    elsewhere(ownerKey('User', 'userId', 'user_id')),
    text('Payout status', 'payoutStatus', 'payout_status'),
    converted('Amount', 'amount', 'amount'),
    fee('Fee', 'processingFee', 'fee'),
    sum('Deducted', 'totalDeducted', 'deducted'),
    personName('To', 'bankAccount.accountName', 'account_name'),
    personalKey('Account number', ['bankAccount.accountNumber', 'accountNumber'], 'account_number'),
    text('Bank', 'bankAccount.bankName', 'bank_name'),
    text('Bank code', ['bankAccount.bankCode', 'bankCode'], 'bank_code'),
    ownerKey('From wallet', ['sourceWalletAddress', 'wallet.address', 'userWalletAddress'], 'wallet_address'),
    text('Network', 'sourceNetwork', 'network'),
    uniqueKey('Tx hash', ['transferTxHash', 'transferDetails.txHash', 'tokenTransfer.transactionHash'], 'tx_hash'),
    uniqueKey('Bank reference', ['payoutReference', 'payoutDetails.reference', 'payout.reference'], 'reference'),
    time('Requested', 'createdAt'),
    time('Started', 'initiatedAt', 'initiated_at'),
    elsewhere(time('Tokens moved', 'tokenTransfer.timestamp')),
    elsewhere(time('Sent to the bank', 'payout.timestamp')),
    ended('Completed', 'completedAt', 'completed_at'),
    time('Changed', 'updatedAt', 'updated_at'),
  ],
  columns: ['id', 'createdAt', 'amount', 'status', { field: 'type', isWide: true }, 'bankAccount.accountName'],
});

const TOKENS = waits('waits for the transfer of the tokens');
const TOKENS_AND_BANK = waits('waits for the transfer of the tokens, and then for the bank');
const BANK_NOT_ASKED = waits('has the tokens, and waits for the bank to be asked');
const BANK = waits('waits for the bank to pay');
const SERVICE = working('is being worked on by the service');

const BANK_TRANSFER = {
  list: payouts,
  amount: ['amount'],
  who: ['bankAccount.accountName'],
} as const;

/** Compares an event of an offramp with its request. */
function compareOfframp({ userId, data }: EventContent, request: Wanted): Likeness {
  return compared(
    [amountMatch(data['amount'], 'naira', amountAt(request['amount'], 'naira', 'NGN'))],
    [
      agrees(userId, request['userId']),
      agrees(data['recipientAccountNumber'], request['accountNumber']),
      agreesBankCode(data['recipientBankCode'], request['bankCode']),
    ],
  );
}

/** A user's cNGN on its way to a bank. */
export const offramp = thing({
  ...BANK_TRANSFER,
  name: 'offramp',
  of: 'user',
  types: ['user_offramp'],
  starts: [startOfframp],
  read: { endpoint: offrampStatus, id: 'requestId', createdAt: 'createdAt', user: 'fintechUserId' },
  states: {
    pending: TOKENS_AND_BANK,
    processing: SERVICE,
    bank_verification: waits('waits for the bank account to be verified'),
    transfer_pending: TOKENS,
    transfer_confirmed: BANK_NOT_ASKED,
    payout_pending: BANK,
    completed: good,
    ...failing(offrampStatus),
  },
  lists: 'offramp list',
  shows: 'offramp status',
  events: {
    'vault.return.transfer.confirmed': { outcome: 'accepted' },
    'vault.return.payout.completed': { outcome: 'settled', compare: compareOfframp },
    'vault.return.payout.failed': { outcome: 'failed', compare: compareOfframp },
  },
  due: ({ status, isTransferred }) => [
    (status === 'completed' || (status === 'failed' && isTransferred === true)) && ['vault.return.transfer.confirmed'],
    status === 'completed' && ['vault.return.payout.completed'],
    status === 'failed' && ['vault.return.payout.failed'],
  ],
  likeness: {
    asked: ({ userId }) => ({ userId: String(userId) }),
    compare: (row, { amount, accountNumber, bankCode }) =>
      compared(
        [amountMatch(row.amount, 'naira', amountAt(amount, 'naira', 'NGN'))],
        [
          agrees(row.type, 'user_offramp'),
          agrees(row.bankAccount?.accountNumber, accountNumber),
          agreesBankCode(row.bankAccount?.bankCode, bankCode),
        ],
      ),
  },
});

/** Naira that a sum of cNGN is worth; undefined if it has parts of a kobo. */
const nairaOfCngn = (cngn: Amount | undefined): Amount | undefined =>
  cngn && cngn.minor % 10_000n === 0n ? amountIn('NGN', cngn.minor / 10_000n) : undefined;

/** A bank account as rows and events show it. */
interface Payee {
  readonly accountNumber?: unknown;
  readonly accountName?: unknown;
  readonly bankCode?: unknown;
}

/** Compares a payout with its request, whose terms are the saved account that it names. Without them, a person decides. */
function comparePayout(amountNaira: unknown, shown: Payee | null | undefined, request: Wanted): Likeness {
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

const compareEvent: EventMeaning['compare'] = ({ data }, request) =>
  comparePayout(data['amount'], data['bankAccount'] as Payee | undefined, request);

/** The account's own cNGN on its way to one of its bank accounts. */
export const payout = thing({
  ...BANK_TRANSFER,
  name: 'payout',
  isSpecial: true,
  of: 'account',
  types: ['fintech_offramp'],
  starts: [startPayout],
  read: { endpoint: payoutStatus, id: 'requestId', createdAt: 'initiatedAt' },
  states: {
    pending: TOKENS_AND_BANK,
    processing: SERVICE,
    transferring_cngn: TOKENS,
    initiating_payout: BANK_NOT_ASKED,
    payout_processing: BANK,
    pending_manual_review: waits('waits for a manual review by the service'),
    completed: good,
    ...failing(payoutStatus),
    reversed: undone('the bank sent it back'),
  },
  lists: 'payout list',
  shows: 'payout status',
  events: {
    'fintech.offramp.initiated': { outcome: 'accepted', compare: compareEvent },
    'fintech.offramp.transfer.completed': { outcome: 'accepted' },
    'fintech.offramp.payout.initiated': { outcome: 'accepted', compare: compareEvent },
    'fintech.offramp.completed': { outcome: 'settled', compare: compareEvent },
    'fintech.offramp.failed': { outcome: 'failed', compare: compareEvent },
  },
  due: ({ status, isTransferred }, come) => {
    // A payout that the bank sends back fails after it completed.
    const isPaid = status === 'completed' || come.has('fintech.offramp.completed');
    return [
      ['fintech.offramp.initiated'],
      (isPaid || (status === 'failed' && isTransferred === true)) && ['fintech.offramp.transfer.completed'],
      isPaid && ['fintech.offramp.payout.initiated'],
      isPaid && ['fintech.offramp.completed'],
      status === 'failed' && !isPaid && ['fintech.offramp.failed'],
    ];
  },
  likeness: {
    compare: (row, request) => {
      const { isLike, isPartial } = comparePayout(row.amount, row.bankAccount, request);
      return { isLike: isLike && agrees(row.type, 'fintech_offramp'), isPartial };
    },
  },
});
