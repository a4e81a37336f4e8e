import { endpoint } from './endpoint.ts';
import { answer, anyText, fields, flag, group, integer, maybe, money, percent, stateOf, timestamp } from './fields.ts';

/** The fee the fintech takes in one direction. A direction never configured is left out. */
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
  summary: 'Show the fees the account charges its users',
  request: () => fields({}),
  response: () =>
    answer({
      fintechId: anyText('interface'),
      hasConfiguration: maybe(flag('public')),
      feeConfiguration: maybe(
        group('public', {
          onrampFee: maybe(directionFee()),
          offrampFee: maybe(directionFee()),
          metadata: maybe(
            group('public', { description: maybe(anyText('public')), lastUpdatedBy: maybe(anyText('public')) }),
          ),
        }),
      ),
      timestamps: maybe(
        group('public', { createdAt: maybe(timestamp('public')), updatedAt: maybe(timestamp('public')) }),
      ),
      version: maybe(anyText('public')),
    }),
  errors: [],
  rateLimit: { max: 60, windowSeconds: 60 },
  source: 'interface',
});

const kobo = () => money('public', 'kobo', 'NGN');

export const accumulatedFees = endpoint({
  id: 'fees.accumulated',
  method: 'GET',
  path: '/getaccumulatedfees',
  effect: 'read',
  summary: 'Show the fees earned and how much of them can be withdrawn',
  request: () => fields({}),
  response: () =>
    answer({
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
