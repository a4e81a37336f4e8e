import { endpoint } from '../endpoint.ts';
import {
  accountNumber,
  anyText,
  bankCode,
  fields,
  flag,
  group,
  integer,
  list,
  maybe,
  maybeText,
  money,
  oneOf,
  optional,
  pay,
  payload,
  stateOf,
  text,
  timestamp,
} from '../fields.ts';

const earnedRemedy = 'check the available fees and limits with: fiatrail fees earned';

export const withdrawFees = endpoint({
  id: 'fees.withdraw',
  method: 'POST',
  path: '/feewithdrawal',
  effect: 'money',
  moves: {
    command: 'fees withdrawals start',
    amount: 'amount',
    to: [{ bankCode: 'bankCode', accountNumber: 'bankAccountNumber' }],
  },
  starts: 'fee-withdrawal',
  summary: 'Withdraw earned fees to a bank account',
  done: 'Fee withdrawal started',
  request: () =>
    fields({
      bankAccountNumber: accountNumber('public'),
      bankCode: bankCode('public'),
      accountName: text('public', { rule: "the account holder's name" }),
      amount: pay('interface', 'kobo', 'NGN', { rule: 'greater than 0, in kobo' }),
      narration: optional(text('public')),
      metadata: optional(
        group('interface', {
          reference: optional(text('public', { rule: 'a unique reference chosen by the caller' })),
          notes: optional(text('public')),
        }),
      ),
    }),
  response: () =>
    payload({
      withdrawalId: anyText('interface'),
      amount: money('interface', 'kobo', 'NGN'),
      status: stateOf('interface', ['pending']),
      estimatedProcessingTime: maybeText('public'),
      message: maybeText('public'),
    }),
  errors: [
    { when: 'a required field is missing', fault: 'VALIDATION_ERROR', source: 'inferred' },
    {
      when: 'the amount is below the minimum',
      fault: 'VALIDATION_ERROR',
      source: 'public',
      remedy: earnedRemedy,
    },
    {
      when: 'the amount is above the maximum',
      fault: 'VALIDATION_ERROR',
      source: 'inferred',
      remedy: earnedRemedy,
    },
    {
      when: 'the amount is above the available fees',
      fault: 'VALIDATION_ERROR',
      source: 'public',
      remedy: earnedRemedy,
    },
  ],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

const withdrawalStates = ['pending', 'completed', 'failed'] as const;

export const verifyWithdrawal = endpoint({
  id: 'fees.verify-withdrawal',
  method: 'POST',
  path: '/verifywithdrawal',
  synonyms: { transactionReference: 'withdrawalId' },
  effect: 'read',
  summary: 'Show the status of a fee withdrawal',
  done: 'Fee withdrawal status retrieved',
  request: () =>
    fields({
      withdrawalId: text('interface', { rule: 'as returned by /feewithdrawal' }),
      // The public documentation's name for withdrawalId.
      transactionReference: optional(text('public')),
    }),
  response: () =>
    payload({
      withdrawalId: anyText('interface'),
      status: stateOf('interface', withdrawalStates),
      processedAt: maybe(timestamp('public')),
      failureReason: maybeText('public'),
    }),
  errors: [
    {
      when: 'no fee withdrawal has this id',
      fault: 'NOT_FOUND',
      source: 'inferred',
      remedy: 'list fee withdrawals with: fiatrail fees withdrawals list',
    },
  ],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

export const feeWithdrawals = endpoint({
  id: 'fees.withdrawal-history',
  method: 'GET',
  path: '/getwithdrawalhistory',
  effect: 'read',
  summary: 'List fee withdrawals, newest first',
  done: 'Fee withdrawals listed',
  lists: 'withdrawals',
  request: () =>
    fields({
      limit: optional(integer('interface', { min: 1, rule: '1 or more; default 20' })),
      status: optional(oneOf('interface', withdrawalStates)),
    }),
  response: () =>
    payload({
      withdrawals: list(
        'interface',
        group('interface', {
          withdrawalId: anyText('interface'),
          amount: money('interface', 'kobo', 'NGN'),
          bankAccountNumber: maybeText('public'),
          bankCode: maybeText('public'),
          accountName: maybeText('public'),
          narration: maybeText('public'),
          status: stateOf('interface', withdrawalStates),
          createdAt: maybe(timestamp('public')),
          processedAt: maybe(timestamp('public')),
          failureReason: maybeText('public'),
        }),
      ),
      pagination: maybe(
        group('public', {
          count: maybe(integer('public')),
          limit: maybe(integer('public')),
          hasMore: maybe(flag('public')),
        }),
      ),
    }),
  errors: [],
  rateLimit: { max: 100, windowSeconds: 60 },
  source: 'interface',
});
