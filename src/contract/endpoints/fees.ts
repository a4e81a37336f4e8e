import { endpoint } from '../endpoint.ts';
import { DIRECTIONS } from '../fees.ts';
import {
  anyText,
  fields,
  flag,
  group,
  integer,
  kobo,
  maybe,
  maybeText,
  money,
  oneOf,
  optional,
  pay,
  payload,
  payOrZero,
  percent,
  percentFrom,
  stateOf,
  text,
  timestamp,
} from '../fields.ts';

/** The fintech's fee in one direction. Omitted if it was never configured. */
const directionFee = () =>
  group('public', {
    percentageFee: maybe(percent('public')),
    capFee: maybe(money('public', 'kobo', 'NGN')),
    enabled: maybe(flag('public')),
  });

export const getFees = endpoint({
  id: 'fees.get',
  method: 'GET',
  path: '/getfees',
  effect: 'read',
  summary: 'Show the fees that the account charges its users',
  done: 'Fee configuration retrieved',
  request: () => fields({}),
  response: () =>
    payload({
      fintechId: anyText('interface'),
      hasConfiguration: maybe(flag('public')),
      feeConfiguration: maybe(
        group('public', {
          onrampFee: maybe(directionFee()),
          offrampFee: maybe(directionFee()),
          metadata: maybe(group('public', { description: maybeText('public'), lastUpdatedBy: maybeText('public') })),
        }),
      ),
      timestamps: maybe(
        group('public', { createdAt: maybe(timestamp('public')), updatedAt: maybe(timestamp('public')) }),
      ),
      version: maybeText('public'),
    }),
  errors: [],
  rateLimit: { max: 60, windowSeconds: 60 },
  source: 'interface',
});

export const accumulatedFees = endpoint({
  id: 'fees.accumulated',
  method: 'GET',
  path: '/getaccumulatedfees',
  effect: 'read',
  summary: 'Show earned fees and how much can be withdrawn',
  done: 'Accumulated fees retrieved',
  request: () => fields({}),
  response: () =>
    payload({
      summary: maybe(
        group('public', {
          totalAccumulatedFees: maybe(kobo()),
          onrampFees: maybe(kobo()),
          offrampFees: maybe(kobo()),
          collectedFees: maybe(kobo()),
          pendingFees: maybe(kobo()),
          transactionCount: maybe(integer('public')),
          pendingWithdrawals: maybe(kobo()),
          availableForWithdrawal: maybe(kobo()),
        }),
      ),
      details: maybe(
        group('public', {
          lastUpdated: maybe(timestamp('public')),
          currency: maybe(stateOf('public', ['NGN'])),
          minimumWithdrawal: maybe(kobo()),
          maximumWithdrawal: maybe(kobo()),
        }),
      ),
    }),
  errors: [],
  rateLimit: { max: 60, windowSeconds: 60 },
  source: 'interface',
});

/** A complete new fee setting for one direction. */
const newDirectionFee = () =>
  group('interface', {
    percentageFee: percentFrom('public', '0', '100'),
    capFee: payOrZero('public', 'kobo', 'NGN', { rule: '0 or more, in kobo; the maximum fee per transaction' }),
    enabled: flag('public'),
  });

/** An example: the account's fee on an amount. */
const example = () => group('public', { amount: maybe(kobo()), fee: maybe(kobo()), capped: maybe(flag('public')) });

export const manageFees = endpoint({
  id: 'fees.manage',
  method: 'PUT',
  path: '/managefees',
  effect: 'write',
  summary: 'Set the fees that the account charges its users',
  done: 'Fee configuration updated',
  request: () =>
    fields({
      onrampFee: optional(newDirectionFee()),
      offrampFee: optional(newDirectionFee()),
      metadata: optional(
        group('interface', {
          description: optional(text('public')),
          notes: optional(text('public')),
          lastUpdatedBy: optional(text('public')),
        }),
      ),
    }),
  response: () =>
    payload({
      fintechId: anyText('interface'),
      operation: stateOf('interface', ['updated']),
      feeConfiguration: maybe(
        group('public', {
          onrampFee: maybe(directionFee()),
          offrampFee: maybe(directionFee()),
          metadata: maybe(
            group('public', {
              description: maybeText('public'),
              notes: maybeText('public'),
              lastUpdatedBy: maybeText('public'),
            }),
          ),
        }),
      ),
      exampleCalculation: maybe(group('public', { onramp: maybe(example()), offramp: maybe(example()) })),
      timestamp: maybe(timestamp('public')),
      version: maybeText('public'),
    }),
  errors: [
    { when: 'a fee setting is incomplete or a value is negative', fault: 'VALIDATION_ERROR', source: 'inferred' },
  ],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

export const previewFees = endpoint({
  id: 'fees.preview',
  method: 'POST',
  path: '/fees/platform/preview',
  isNamedAfterService: true,
  effect: 'read',
  summary: "Preview the platform's fee on an amount",
  done: 'Platform fee calculated',
  nests: 'result',
  request: () =>
    fields({
      amount: pay('interface', 'kobo', 'NGN', { rule: 'greater than 0, in kobo' }),
      transactionType: oneOf('public', DIRECTIONS),
    }),
  response: () =>
    payload({
      input: maybe(
        group('public', {
          amount: maybe(kobo()),
          transactionType: maybe(stateOf('public', DIRECTIONS)),
          fintechId: maybeText('public'),
        }),
      ),
      result: maybe(
        group('public', {
          amount: maybe(kobo()),
          feePercentage: maybe(percent('public')),
          calculatedFee: maybe(kobo()),
          fixedFee: maybe(kobo()),
          finalFee: maybe(kobo()),
          wasCapped: maybe(flag('public')),
          appliedCap: maybe(kobo()),
          tierUsed: maybe(group('public', { minAmount: maybe(kobo()), maxAmount: maybe(kobo()) })),
          transactionType: maybe(stateOf('public', DIRECTIONS)),
          usedFintechOverride: maybe(flag('public')),
        }),
      ),
    }),
  errors: [
    {
      when: 'the amount is missing or not greater than 0, or the direction is unknown',
      fault: 'VALIDATION_ERROR',
      source: 'inferred',
    },
  ],
  rateLimit: { max: 60, windowSeconds: 60 },
  source: 'interface',
});
