import { TOKENS } from '../../money/amount.ts';
import { addressesFit } from '../addresses.ts';
import { endpoint } from '../endpoint.ts';
import {
  entry,
  fields,
  flag,
  group,
  integer,
  list,
  maybe,
  maybeText,
  moneyText,
  oneOf,
  optional,
  pay,
  payload,
  stateOf,
  text,
  timestamp,
} from '../fields.ts';
import { outOfSet, pageAnswer, range } from '../pages.ts';

const withdrawalNetworks = ['base', 'bsc', 'sol', 'eth', 'xbn', 'asc', 'arc', 'lisk'] as const;

const tokenText = () => maybe(moneyText('public', 'decimal-string', { field: 'tokenSymbol' }));

export const withdrawAsset = endpoint({
  id: 'transactions.withdraw-asset',
  method: 'POST',
  path: '/withdrawasset',
  effect: 'money',
  moves: { command: 'withdrawals start', amount: 'amount', to: [{ address: 'destinationWallet' }] },
  summary: "Withdraw a user's tokens to an external address",
  done: 'Withdrawal accepted',
  request: () =>
    fields({
      userId: text('public'),
      internalWallet: text('public', { rule: "a user's wallet on the platform" }),
      destinationWallet: text('public', { rule: 'an address on the network' }),
      amount: pay('interface', 'token', { field: 'ticker' }, { rule: 'greater than 0, in whole tokens' }),
      ticker: oneOf('public', TOKENS),
      network: optional(
        oneOf('interface', withdrawalNetworks, { rule: `one of ${withdrawalNetworks.join(', ')}; default base` }),
      ),
    }).check(addressesFit(['destinationWallet', 'network'])),
  response: () =>
    payload({
      transactionHash: maybeText('public'),
      smartWalletAddress: maybeText('public'),
      requestId: maybeText('public'),
      executedAt: maybe(timestamp('public')),
      gasUsed: maybeText('public'),
      effectiveGasPrice: maybeText('public'),
      blockNumber: maybeText('public'),
      duration: maybe(integer('public')),
      userId: maybeText('public'),
      amount: tokenText(),
      destinationWallet: maybeText('public'),
      tokenAddress: maybeText('public'),
      tokenSymbol: maybeText('public'),
      network: maybeText('public'),
      networkDisplayName: maybeText('public'),
      estimatedConfirmationTime: maybeText('public'),
      warnings: maybe(list('public', entry())),
      feeBreakdown: maybe(
        group('public', {
          requestedAmount: tokenText(),
          totalFee: tokenText(),
          netAmount: tokenText(),
          usedFintechOverride: maybe(flag('public')),
        }),
      ),
    }),
  errors: [
    { when: 'a field is missing or invalid, such as an amount of 0', fault: 'VALIDATION_ERROR', source: 'public' },
    { when: 'the user is unknown or not verified', fault: 'USER_NOT_FOUND', source: 'public' },
    { when: 'the balance of the source wallet is too low', fault: 'SHORT_BALANCE', source: 'public' },
  ],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

const withdrawalTypes = ['fintech_self_transfer', 'fintech_user_withdrawal', 'user_withdrawal'] as const;

const withdrawalStatuses = ['pending', 'completed', 'failed'] as const;

export const listWithdrawals = endpoint({
  id: 'transactions.list-withdrawals',
  method: 'GET',
  path: '/withdrawals',
  effect: 'read',
  summary: 'List token withdrawals and transfers, newest first',
  done: 'Withdrawals listed',
  lists: 'withdrawals',
  request: () =>
    fields({
      token: optional(oneOf('inferred', TOKENS)),
      status: optional(oneOf('interface', withdrawalStatuses)),
      type: optional(oneOf('interface', withdrawalTypes)),
      userId: optional(text('inferred', { rule: 'a user id' })),
      ...range('inferred'),
      limit: optional(integer('interface', { min: 1, max: 100, rule: '1 to 100; default 20' })),
      offset: optional(integer('interface', { rule: '0 or more' })),
    }),
  response: () =>
    payload({
      withdrawals: maybe(
        list(
          'inferred',
          group('inferred', {
            requestId: maybeText('inferred'),
            type: maybe(stateOf('interface', withdrawalTypes)),
            status: maybe(stateOf('interface', withdrawalStatuses)),
            userId: maybeText('inferred'),
            smartWalletAddress: maybeText('inferred'),
            destinationAddress: maybeText('inferred'),
            amount: maybe(moneyText('inferred', 'decimal-string', { field: 'ticker' })),
            ticker: maybeText('inferred'),
            network: maybeText('inferred'),
            transactionHash: maybeText('inferred'),
            createdAt: maybe(timestamp('inferred')),
            completedAt: maybe(timestamp('inferred')),
          }),
        ),
      ),
      ...pageAnswer('inferred'),
    }),
  errors: [{ when: 'the type or status is unknown', ...outOfSet }],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});
