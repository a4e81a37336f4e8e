import { advice } from '../../base/advice.ts';
import { endpoint, invalid, refusal, WORK_FAILS } from '../endpoint.ts';
import * as f from '../fields.ts';

const earnedRemedy = advice`check the available fees and limits with: [fiatrail fees earned]`;

export const withdrawFees = endpoint({
  id: 'fees.withdraw',
  method: 'POST',
  path: '/feewithdrawal',
  effect: 'money',
  moves: {
    command: 'fees withdraw',
    amount: 'amount',
    to: [{ bankCode: 'bankCode', accountNumber: 'bankAccountNumber' }],
  },
  starts: 'fee-withdrawal',
  summary: 'Withdraw earned fees to a bank account',
  done: 'Fee withdrawal started',
  repeats: { amount: 'amount' },
  fails: WORK_FAILS,
  request: () =>
    f.fields({
      bankAccountNumber: f.accountNumber('public'),
      bankCode: f.bankCode('public'),
      accountName: f.text('public', { personal: 'name', rule: "the account holder's name" }),
      amount: f.pay('interface', 'kobo', 'NGN', { rule: 'greater than 0, in kobo' }),
      narration: f.optional(f.text('public', { personal: 'text' })),
      metadata: f.optional(
        f.group('interface', {
          reference: f.optional(
            f.text('public', { personal: 'reference', rule: 'a unique reference chosen by the caller' }),
          ),
          notes: f.optional(f.text('public', { personal: 'text' })),
        }),
      ),
    }),
  response: () =>
    f.payload({
      withdrawalId: f.anyText('interface'),
      amount: f.money('interface', 'kobo', 'NGN'),
      status: f.stateOf('interface', ['pending']),
      estimatedProcessingTime: f.maybeText('public'),
      message: f.maybeText('public', { personal: 'text' }),
    }),
  errors: [
    invalid('inferred', 'a required field is missing'),
    invalid('public', 'the amount is below the minimum', earnedRemedy),
    invalid('inferred', 'the amount is above the maximum', earnedRemedy),
    invalid('public', 'the amount is above the available fees', earnedRemedy),
  ],
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
  repeats: { withdrawalId: 'withdrawalId' },
  fails: WORK_FAILS,
  request: () =>
    f.fields({
      withdrawalId: f.text('interface', { rule: 'as returned by /feewithdrawal' }),
      // The public documentation's name for withdrawalId.
      transactionReference: f.optional(f.text('public', { personal: 'reference' })),
    }),
  response: () =>
    f.payload({
      withdrawalId: f.anyText('interface'),
      status: f.stateOf('interface', withdrawalStates),
      processedAt: f.maybe(f.timestamp('public')),
      failureReason: f.maybeText('public', { personal: 'text' }),
    }),
  errors: [
    refusal(
      'NOT_FOUND',
      'inferred',
      'no fee withdrawal has this id',
      advice`list fee withdrawals with: [fiatrail fees withdrawals list]`,
    ),
  ],
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
    f.fields({
      limit: f.optional(f.integer('interface', { min: 1, rule: '1 or more; default 20' })),
      status: f.optional(f.oneOf('interface', withdrawalStates)),
    }),
  response: () =>
    f.payload({
      withdrawals: f.list(
        'interface',
        f.group('interface', {
          withdrawalId: f.anyText('interface'),
          amount: f.money('interface', 'kobo', 'NGN'),
          bankAccountNumber: f.maybe(f.accountDigits('public')),
          bankCode: f.maybeText('public'),
          accountName: f.maybeText('public', { personal: 'name' }),
          narration: f.maybeText('public', { personal: 'text' }),
          status: f.stateOf('interface', withdrawalStates),
          createdAt: f.maybe(f.timestamp('public')),
          processedAt: f.maybe(f.timestamp('public')),
          failureReason: f.maybeText('public', { personal: 'text' }),
        }),
      ),
      pagination: f.maybe(
        f.group('public', {
          count: f.maybe(f.integer('public')),
          limit: f.maybe(f.integer('public')),
          hasMore: f.maybe(f.flag('public')),
        }),
      ),
    }),
  rateLimit: { max: 100, windowSeconds: 60 },
});
