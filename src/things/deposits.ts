import { WORK_FAILS } from '../contract/endpoint.ts';
import { listDeposits } from '../contract/endpoints/history.ts';
import {
  bad,
  converted,
  type Due,
  type EventsCome,
  ended,
  failing,
  fee,
  good,
  listedBy,
  type NotedRow,
  ownerKey,
  personalKey,
  personName,
  sum,
  text,
  thing,
  time,
  uniqueKey,
  waits,
  working,
} from './thing.ts';

/** Naira that arrived by bank transfer. */
export const deposits = listedBy(listDeposits, {
  name: 'deposits',
  about: 'Naira that arrived by bank transfer, for users and for the account',
  rows: 'deposits',
  pages: 'offset',
  readBy: 'dated',
  id: 'id',
  status: 'status',
  createdAt: 'createdAt',
  otherIds: ['transactionReference', 'mintTxHash'],
  label: ['depositor.name', 'amount', 'status'],
  facts: [
    text('Type', 'type', 'type'),
    ownerKey('User', 'userId', 'user_id'),
    sum('Amount', 'amount', 'amount'),
    converted('Minted', 'fundingAmount', 'funding'),
    fee('Fee', 'platformFee', 'fee'),
    personName('From', 'depositor.name', 'sender_name'),
    personalKey('Sender’s account', 'depositor.accountNumber', 'sender_account_number'),
    text('Sender’s bank', 'depositor.bankName', 'sender_bank'),
    personalKey('Into account', 'virtualAccountNumber', { column: 'account_number', isOwner: true }),
    personName('Account name', 'virtualAccountName', 'account_name'),
    ownerKey('Wallet', 'walletAddress', 'wallet_address'),
    uniqueKey('Bank reference', 'transactionReference', 'reference'),
    uniqueKey('Tx hash', 'mintTxHash', 'tx_hash'),
    time('Arrived', 'createdAt'),
    ended('Completed', 'completedAt', 'completed_at'),
  ],
  columns: ['id', 'createdAt', 'amount', 'status', { field: 'type', isWide: true }, 'depositor.name'],
});

/** Why the service does not accept a payment, in words. */
export const REFUSED_PAYMENTS = {
  bvn_name_mismatch: 'the sender’s name is not the user’s',
  amount_mismatch: 'its amount is not the one that is due',
  already_paid: 'the account was paid before',
  expired: 'the account was not paid in time',
} as const;

/** How a transfer ended that the bank took back before it arrived. */
const CANCELLED = 'cancelled';

/** Money that arrived. The account's own is one as a user's is. */
const DEPOSIT = {
  list: deposits,
  amount: ['amount'],
  who: ['depositor.name'],
  way: 'from',
  states: {
    pending: waits('waits for the bank to confirm it'),
    processing: working('is being minted, or returned if the service does not accept it'),
    completed: good,
    ...failing({ fails: WORK_FAILS }),
    [CANCELLED]: bad('the bank cancelled it, and nothing arrived'),
  },
  reasons: REFUSED_PAYMENTS,
  usualReason: 'its sum, its time or the name of its sender was not accepted',
  sentBackUnless: [CANCELLED],
  afterFailure: 'the service returns it to the bank account that it came from',
  ifFailed: ['help refund'],
} as const;

/** A transfer that the bank has not confirmed, or that it cancelled, causes no event. */
const hasArrived = ({ status }: NotedRow) => status !== 'pending' && status !== CANCELLED;

/**
 * The events of a deposit into an account of a user. No list says whether the account was a temporary one; a payment that a temporary account
 * refuses causes no event.
 */
function dueForUser(row: NotedRow, { account, isOldAccount }: EventsCome): ReturnType<Due> {
  const isCompleted = row.status === 'completed';
  if (account === 'temporary')
    return isCompleted
      ? [['payments.confirmed'], ['wallet.funding.completed'], !isOldAccount && ['virtual.account.created']]
      : [];
  if (account === undefined && isCompleted)
    return [
      ['fintech.user.deposit.received', 'payments.confirmed'],
      ['fintech.user.deposit.funding.completed', 'wallet.funding.completed'],
    ];
  return [
    hasArrived(row) && ['fintech.user.deposit.received'],
    isCompleted && ['fintech.user.deposit.funding.completed'],
    // Only a name that does not match sends a refund event.
    row.status === 'failed' && !row.isSentByOwner && ['fintech.user.deposit.funding.refunded'],
  ];
}

/** A payment into an account of a user. */
export const userDeposit = thing({
  ...DEPOSIT,
  events: {
    'virtual.account.created': { outcome: 'accepted', namesAnother: true },
    'payments.confirmed': { outcome: 'accepted' },
    'wallet.funding.completed': { outcome: 'settled' },
    'fintech.user.deposit.received': { outcome: 'accepted' },
    'fintech.user.deposit.funding.completed': { outcome: 'settled' },
    'fintech.user.deposit.funding.refunded': { outcome: 'failed' },
  },
  due: dueForUser,
  lists: 'onramp list',
  name: 'deposit',
  of: 'user',
  types: ['user_onramp'],
});

/** A payment into the account's own bank account. */
export const deposit = thing({
  ...DEPOSIT,
  name: 'deposit',
  of: 'account',
  types: ['fintech_deposit'],
  events: { 'fintech.virtual_account.deposit.received': { outcome: 'accepted' } },
  due: (row) => [hasArrived(row) && ['fintech.virtual_account.deposit.received']],
});
