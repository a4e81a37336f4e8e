import { endpoint } from '../endpoint.ts';
import {
  fields,
  group,
  integer,
  list,
  maybe,
  maybeText,
  money,
  moneyText,
  oneOf,
  opaqueUuid,
  optional,
  payload,
  type Source,
  stateOf,
  text,
  timestamp,
} from '../fields.ts';
import { outOfSet, pageAnswer, range } from '../pages.ts';

const depositTypes = ['fintech_deposit', 'user_onramp'] as const;

const payoutTypes = ['fintech_offramp', 'user_offramp'] as const;

const transactionTypes = [...depositTypes, ...payoutTypes] as const;

const statuses = ['pending', 'processing', 'completed', 'failed', 'cancelled'] as const;

const naira = (source: Source) => maybe(money(source, 'naira', 'NGN'));

const page = () => ({
  limit: optional(integer('interface', { min: 1, max: 100, rule: '1 to 100; default 20' })),
  offset: optional(integer('interface', { rule: '0 or more' })),
});

const userFilter = (rule: string) => optional(text('public', { rule }));

const limits = { rateLimit: { max: 100, windowSeconds: 60 }, source: 'interface' } as const;

/** The sender, according to the bank. */
const depositor = () =>
  group('public', {
    name: maybeText('public'),
    accountNumber: maybeText('public'),
    bankName: maybeText('public'),
    bankCode: maybeText('public'),
  });

/** An incoming bank transfer. The source of its mint transaction hash differs between the two lists. */
const received = (types: readonly string[], directions: readonly string[], mintSource: Source) =>
  group('public', {
    id: maybeText('public'),
    type: maybe(stateOf('interface', types)),
    direction: maybe(stateOf('public', directions)),
    fintechId: maybe(opaqueUuid('public')),
    userId: maybeText('client'),
    amount: naira('public'),
    fundingAmount: naira('client'),
    platformFee: naira('client'),
    currency: maybe(stateOf('public', ['NGN'])),
    virtualAccountNumber: maybeText('public'),
    virtualAccountName: maybeText('public'),
    depositor: maybe(depositor()),
    transactionReference: maybeText('public'),
    provider: maybeText('public'),
    status: maybe(stateOf('interface', statuses)),
    walletAddress: maybeText('public'),
    mintTxHash: maybeText(mintSource),
    createdAt: maybe(timestamp('public')),
    completedAt: maybe(timestamp('public')),
  });

/** What a response repeats of the filters that were sent. */
const sentFilters = () =>
  maybe(
    group('public', {
      ...{ direction: maybeText('inferred'), type: maybeText('inferred'), userId: maybeText('inferred') },
      ...{ status: maybeText('inferred'), startDate: maybeText('inferred'), endDate: maybeText('inferred') },
    }),
  );

export const listDeposits = endpoint({
  ...limits,
  id: 'transactions.list-deposits',
  method: 'GET',
  path: '/deposits',
  effect: 'read',
  summary: 'List incoming bank transfers, newest first',
  done: 'Deposits listed',
  lists: 'deposits',
  request: () =>
    fields({
      type: optional(oneOf('interface', depositTypes)),
      userId: userFilter('a user id; only with type user_onramp'),
      status: optional(oneOf('interface', statuses)),
      ...range('public'),
      ...page(),
    }),
  response: () =>
    payload({
      deposits: maybe(list('public', received(depositTypes, ['in'], 'public'))),
      ...pageAnswer('public'),
      filters: sentFilters(),
    }),
  errors: [{ when: 'the type or status is unknown, or the limit is above 100', ...outOfSet }],
});

export const listPayouts = endpoint({
  ...limits,
  id: 'transactions.list-payouts',
  method: 'GET',
  path: '/payouts',
  effect: 'read',
  summary: 'List outgoing bank transfers, newest first',
  done: 'Payouts listed',
  lists: 'payouts',
  request: () =>
    fields({
      type: optional(oneOf('interface', payoutTypes)),
      userId: userFilter('a user id; only with type user_offramp'),
      status: optional(oneOf('interface', statuses)),
      ...range('public'),
      ...page(),
    }),
  response: () =>
    payload({
      payouts: maybe(
        list(
          'public',
          group('public', {
            id: maybe(opaqueUuid('public')),
            type: maybe(stateOf('interface', payoutTypes)),
            direction: maybe(stateOf('public', ['out'])),
            fintechId: maybe(opaqueUuid('public')),
            amount: naira('public'),
            currency: maybe(stateOf('public', ['NGN'])),
            sourceWalletAddress: maybeText('public'),
            sourceNetwork: maybeText('public'),
            bankAccount: maybe(
              group('public', {
                accountNumber: maybeText('public'),
                accountName: maybeText('public'),
                bankName: maybeText('public'),
                bankCode: maybeText('public'),
              }),
            ),
            status: maybe(stateOf('interface', statuses)),
            transferTxHash: maybeText('public'),
            payoutReference: maybeText('public'),
            payoutProvider: maybeText('public'),
            payoutStatus: maybe(stateOf('public', ['pending', 'processing', 'completed', 'failed'])),
            processingFee: naira('public'),
            totalDeducted: naira('public'),
            createdAt: maybe(timestamp('public')),
            initiatedAt: maybe(timestamp('public')),
            completedAt: maybe(timestamp('public')),
            updatedAt: maybe(timestamp('public')),
          }),
        ),
      ),
      ...pageAnswer('public'),
      filters: sentFilters(),
    }),
  errors: [{ when: 'the type or status is unknown, or the limit is above 100', ...outOfSet }],
});

export const listTransactions = endpoint({
  ...limits,
  id: 'transactions.list',
  method: 'GET',
  path: '/transactions',
  effect: 'read',
  summary: 'List incoming and outgoing bank transfers with totals, newest first',
  done: 'Transactions listed',
  lists: 'transactions',
  request: () =>
    fields({
      direction: optional(oneOf('interface', ['in', 'out'], { rule: 'in (deposits) or out (payouts)' })),
      type: optional(oneOf('interface', transactionTypes)),
      userId: userFilter('a user id'),
      status: optional(oneOf('interface', statuses)),
      ...range('public'),
      ...page(),
    }),
  response: () =>
    payload({
      transactions: maybe(list('public', received(transactionTypes, ['in', 'out'], 'inferred'))),
      ...pageAnswer('public'),
      summary: maybe(
        group('public', {
          totalDeposits: maybe(integer('public')),
          totalPayouts: maybe(integer('public')),
          depositVolume: maybe(moneyText('public', 'naira', 'NGN')),
          payoutVolume: maybe(moneyText('public', 'naira', 'NGN')),
        }),
      ),
      filters: sentFilters(),
    }),
  errors: [{ when: 'the direction, type or status is unknown, or the limit is above 100', ...outOfSet }],
});
