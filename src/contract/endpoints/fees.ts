import { endpoint, invalid } from '../endpoint.ts';
import * as f from '../fields.ts';
import { DIRECTIONS } from '../values.ts';

/** The fintech's fee in one direction. Omitted if it was never configured. */
const directionFee = () =>
  f.group('public', {
    percentageFee: f.maybe(f.percent('public')),
    capFee: f.maybe(f.money('public', 'kobo', 'NGN')),
    enabled: f.maybe(f.flag('public')),
  });

export const getFees = endpoint({
  id: 'fees.get',
  method: 'GET',
  path: '/getfees',
  effect: 'read',
  summary: 'Show the fees that the account charges its users',
  done: 'Fee configuration retrieved',
  request: () => f.fields({}),
  response: () =>
    f.payload({
      fintechId: f.anyText('interface'),
      hasConfiguration: f.maybe(f.flag('public')),
      feeConfiguration: f.maybe(
        f.group('public', {
          onrampFee: f.maybe(directionFee()),
          offrampFee: f.maybe(directionFee()),
          metadata: f.maybe(
            f.group('public', {
              description: f.maybeText('public', { personal: 'text' }),
              lastUpdatedBy: f.maybeText('public', { personal: 'name' }),
            }),
          ),
        }),
      ),
      timestamps: f.maybe(
        f.group('public', { createdAt: f.maybe(f.timestamp('public')), updatedAt: f.maybe(f.timestamp('public')) }),
      ),
      version: f.maybeText('public'),
    }),
  rateLimit: { max: 60, windowSeconds: 60 },
});

export const accumulatedFees = endpoint({
  id: 'fees.accumulated',
  method: 'GET',
  path: '/getaccumulatedfees',
  effect: 'read',
  summary: 'Show earned fees and how much can be withdrawn',
  done: 'Accumulated fees retrieved',
  request: () => f.fields({}),
  response: () =>
    f.payload({
      summary: f.maybe(
        f.group('public', {
          totalAccumulatedFees: f.maybe(f.kobo()),
          onrampFees: f.maybe(f.kobo()),
          offrampFees: f.maybe(f.kobo()),
          collectedFees: f.maybe(f.kobo()),
          pendingFees: f.maybe(f.kobo()),
          transactionCount: f.maybe(f.integer('public')),
          pendingWithdrawals: f.maybe(f.kobo()),
          availableForWithdrawal: f.maybe(f.kobo()),
        }),
      ),
      details: f.maybe(
        f.group('public', {
          lastUpdated: f.maybe(f.timestamp('public')),
          currency: f.maybe(f.stateOf('public', ['NGN'])),
          minimumWithdrawal: f.maybe(f.kobo()),
          maximumWithdrawal: f.maybe(f.kobo()),
        }),
      ),
    }),
  rateLimit: { max: 60, windowSeconds: 60 },
});

/** A complete new fee setting for one direction. */
const newDirectionFee = () =>
  f.group('interface', {
    percentageFee: f.percentFrom('public', '0', '100'),
    capFee: f.pay('public', 'kobo', 'NGN', {
      minMinor: 0n,
      rule: '0 or more, in kobo; the maximum fee per transaction',
    }),
    enabled: f.flag('public'),
  });

/** An example: the account's fee on an amount. */
const example = () =>
  f.group('public', { amount: f.maybe(f.kobo()), fee: f.maybe(f.kobo()), capped: f.maybe(f.flag('public')) });

export const manageFees = endpoint({
  id: 'fees.manage',
  method: 'PUT',
  path: '/managefees',
  effect: 'write',
  consents: { onrampFee: { kind: 'price' }, offrampFee: { kind: 'price' } },
  summary: 'Set the fees that the account charges its users',
  done: 'Fee configuration updated',
  repeats: {
    'onrampFee.percentageFee': 'feeConfiguration.onrampFee.percentageFee',
    'onrampFee.capFee': 'feeConfiguration.onrampFee.capFee',
    'onrampFee.enabled': 'feeConfiguration.onrampFee.enabled',
    'offrampFee.percentageFee': 'feeConfiguration.offrampFee.percentageFee',
    'offrampFee.capFee': 'feeConfiguration.offrampFee.capFee',
    'offrampFee.enabled': 'feeConfiguration.offrampFee.enabled',
  },
  request: () =>
    f.fields({
      onrampFee: f.optional(newDirectionFee()),
      offrampFee: f.optional(newDirectionFee()),
      metadata: f.optional(
        f.group('interface', {
          description: f.optional(f.text('public', { personal: 'text' })),
          notes: f.optional(f.text('public', { personal: 'text' })),
          lastUpdatedBy: f.optional(f.text('public', { personal: 'name' })),
        }),
      ),
    }),
  response: () =>
    f.payload({
      fintechId: f.anyText('interface'),
      operation: f.stateOf('interface', ['updated']),
      feeConfiguration: f.maybe(
        f.group('public', {
          onrampFee: f.maybe(directionFee()),
          offrampFee: f.maybe(directionFee()),
          metadata: f.maybe(
            f.group('public', {
              description: f.maybeText('public', { personal: 'text' }),
              notes: f.maybeText('public', { personal: 'text' }),
              lastUpdatedBy: f.maybeText('public', { personal: 'name' }),
            }),
          ),
        }),
      ),
      exampleCalculation: f.maybe(f.group('public', { onramp: f.maybe(example()), offramp: f.maybe(example()) })),
      timestamp: f.maybe(f.timestamp('public')),
      version: f.maybeText('public'),
    }),
  errors: [invalid('inferred', 'a fee setting is incomplete or a value is negative')],
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
  repeats: {
    amount: ['input.amount', 'result.amount'],
    transactionType: ['input.transactionType', 'result.transactionType'],
  },
  request: () =>
    f.fields({
      amount: f.pay('interface', 'kobo', 'NGN', { rule: 'greater than 0, in kobo' }),
      transactionType: f.oneOf('public', DIRECTIONS),
    }),
  response: () =>
    f.payload({
      input: f.maybe(
        f.group('public', {
          amount: f.maybe(f.kobo()),
          transactionType: f.maybe(f.stateOf('public', DIRECTIONS)),
          fintechId: f.maybeText('public'),
        }),
      ),
      result: f.maybe(
        f.group('public', {
          amount: f.maybe(f.kobo()),
          feePercentage: f.maybe(f.percent('public')),
          calculatedFee: f.maybe(f.kobo()),
          fixedFee: f.maybe(f.kobo()),
          finalFee: f.maybe(f.kobo()),
          wasCapped: f.maybe(f.flag('public')),
          appliedCap: f.maybe(f.kobo()),
          tierUsed: f.maybe(f.group('public', { minAmount: f.maybe(f.kobo()), maxAmount: f.maybe(f.kobo()) })),
          transactionType: f.maybe(f.stateOf('public', DIRECTIONS)),
          usedFintechOverride: f.maybe(f.flag('public')),
        }),
      ),
    }),
  errors: [invalid('inferred', 'the amount is missing or not greater than 0, or the direction is unknown')],
  rateLimit: { max: 60, windowSeconds: 60 },
});
