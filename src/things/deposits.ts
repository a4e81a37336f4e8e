import { WORK_FAILS } from '../contract/endpoint.ts';
import { listDeposits } from '../contract/endpoints/history.ts';
import {
  amount,
  failing,
  good,
  key,
  listedBy,
  personalKey,
  personName,
  sum,
  text,
  thing,
  time,
  waits,
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
  label: ['depositor.name', 'amount', 'status'],
  facts: [
    text('Type', 'type', 'type'),
    key('User', 'userId', 'user_id'),
    sum('Amount', 'amount', 'amount'),
    sum('Minted', 'fundingAmount', 'funding'),
    amount('Fee', 'platformFee', 'fee'),
    personName('From', 'depositor.name', 'sender_name'),
    personalKey('Sender’s account', 'depositor.accountNumber', 'sender_account_number'),
    text('Sender’s bank', 'depositor.bankName', 'sender_bank'),
    personalKey('Into account', 'virtualAccountNumber', 'account_number'),
    personName('Account name', 'virtualAccountName', 'account_name'),
    key('Wallet', 'walletAddress', 'wallet_address'),
    key('Bank reference', 'transactionReference', 'reference'),
    key('Tx hash', 'mintTxHash', 'tx_hash'),
    time('Arrived', 'createdAt'),
    time('Completed', 'completedAt', 'completed_at'),
  ],
  columns: [
    'id',
    'createdAt',
    'amount',
    'status',
    { field: 'type', isWide: true },
    { field: 'depositor.name', isWide: true },
  ],
});

/** Why the service does not accept a payment, in words. */
export const REFUSED_PAYMENTS = {
  bvn_name_mismatch: 'the sender’s name is not the user’s',
  amount_mismatch: 'its amount is not the one that is due',
  already_paid: 'the account was paid before',
  expired: 'the account was not paid in time',
} as const;

/** Money that arrived. The account's own is one as a user's is. */
const DEPOSIT = {
  list: deposits,
  amount: ['amount'],
  who: ['depositor.name'],
  way: 'from',
  states: {
    pending: waits('waits for the bank to confirm it'),
    processing: waits('is being minted, or returned if the service does not accept it'),
    completed: good,
    ...failing({ fails: WORK_FAILS }),
  },
  reasons: REFUSED_PAYMENTS,
  usualReason: 'its sum, its time or the name of its sender was not accepted',
  afterFailure: 'the service returns it to the bank account that it came from',
  ifFailed: ['help refund'],
} as const;

/** A payment into an account of a user. */
export const userDeposit = thing({
  ...DEPOSIT,
  lists: 'onramp list',
  name: 'deposit',
  of: 'user',
  types: ['user_onramp'],
});

/** A payment into the account's own bank account. */
export const deposit = thing({ ...DEPOSIT, name: 'deposit', of: 'account', types: ['fintech_deposit'] });
