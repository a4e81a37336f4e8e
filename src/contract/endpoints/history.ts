import { endpoint, invalid } from '../endpoint.ts';
import * as f from '../fields.ts';

const depositTypes = ['fintech_deposit', 'user_onramp'] as const;

const payoutTypes = ['fintech_offramp', 'user_offramp'] as const;

const transactionTypes = [...depositTypes, ...payoutTypes] as const;

const statuses = ['pending', 'processing', 'completed', 'failed', 'cancelled'] as const;

const naira = (source: f.Source, more: Pick<f.FieldMeta, 'atLeast'> = {}) =>
  f.maybe(f.money(source, 'naira', 'NGN', more));

const userFilter = (rule: string) => f.optional(f.text('public', { rule }));

const limits = { rateLimit: { max: 100, windowSeconds: 60 } } as const;

/** The sender, according to the bank. */
const depositor = () =>
  f.group('public', {
    name: f.maybeText('public', { personal: 'name' }),
    accountNumber: f.maybe(f.accountDigits('public')),
    bankName: f.maybeText('public'),
    bankCode: f.maybeText('public'),
  });

/** An incoming bank transfer. The source of its mint transaction hash differs between the two lists. */
const received = (types: readonly string[], directions: readonly string[], mintSource: f.Source) =>
  f.group('public', {
    id: f.maybeText('public'),
    type: f.maybe(f.stateOf('interface', types)),
    direction: f.maybe(f.stateOf('public', directions)),
    fintechId: f.maybe(f.opaqueUuid('public')),
    userId: f.maybeText('client'),
    amount: naira('public'),
    fundingAmount: naira('client'),
    platformFee: naira('client'),
    currency: f.maybe(f.stateOf('public', ['NGN'])),
    virtualAccountNumber: f.maybe(f.accountDigits('public')),
    virtualAccountName: f.maybeText('public', { personal: 'name' }),
    depositor: f.maybe(depositor()),
    transactionReference: f.maybeText('public', { personal: 'reference' }),
    provider: f.maybeText('public'),
    status: f.maybe(f.stateOf('interface', statuses)),
    walletAddress: f.maybeText('public', { personal: 'address' }),
    mintTxHash: f.maybeText(mintSource, { personal: 'hash' }),
    createdAt: f.maybe(f.timestamp('public')),
    completedAt: f.maybe(f.timestamp('public')),
  });

const sentNames = ['type', 'userId', 'status', 'startDate', 'endDate'] as const;

/** What a response repeats of the filters that were sent. */
const sentFilters = (names: readonly string[]) =>
  f.maybe(f.group('public', Object.fromEntries(names.map((name) => [name, f.maybeText('inferred')]))));

export const listDeposits = endpoint({
  ...limits,
  id: 'transactions.list-deposits',
  method: 'GET',
  path: '/deposits',
  effect: 'read',
  summary: 'List incoming bank transfers, newest first',
  done: 'Deposits listed',
  lists: 'deposits',
  repeats: { type: 'filters.type', userId: 'filters.userId', status: 'filters.status' },
  request: () =>
    f.fields({
      type: f.optional(f.oneOf('interface', depositTypes)),
      userId: userFilter('a user id; only with type user_onramp'),
      status: f.optional(f.oneOf('interface', statuses)),
      ...f.range('public'),
      ...f.page(),
    }),
  response: () =>
    f.payload({
      deposits: f.maybe(f.list('public', received(depositTypes, ['in'], 'public'))),
      ...f.pageAnswer('public'),
      filters: sentFilters(sentNames),
    }),
  errors: [invalid('inferred', 'the type or status is unknown, or the limit is above 100')],
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
  repeats: { type: 'filters.type', userId: 'filters.userId', status: 'filters.status' },
  request: () =>
    f.fields({
      type: f.optional(f.oneOf('interface', payoutTypes)),
      userId: userFilter('a user id; only with type user_offramp'),
      status: f.optional(f.oneOf('interface', statuses)),
      ...f.range('public'),
      ...f.page(),
    }),
  response: () =>
    f.payload({
      payouts: f.maybe(
        f.list(
          'public',
          f.group('public', {
            id: f.maybe(f.opaqueUuid('public')),
            type: f.maybe(f.stateOf('interface', payoutTypes)),
            direction: f.maybe(f.stateOf('public', ['out'])),
            fintechId: f.maybe(f.opaqueUuid('public')),
            amount: naira('public'),
            currency: f.maybe(f.stateOf('public', ['NGN'])),
            sourceWalletAddress: f.maybeText('public', { personal: 'address' }),
            sourceNetwork: f.maybeText('public'),
            bankAccount: f.maybe(
              f.group('public', {
                accountNumber: f.maybe(f.accountDigits('public')),
                accountName: f.maybeText('public', { personal: 'name' }),
                bankName: f.maybeText('public'),
                bankCode: f.maybeText('public'),
              }),
            ),
            status: f.maybe(f.stateOf('interface', statuses)),
            transferTxHash: f.maybeText('public', { personal: 'hash' }),
            payoutReference: f.maybeText('public', { personal: 'reference' }),
            payoutProvider: f.maybeText('public'),
            payoutStatus: f.maybe(f.stateOf('public', ['pending', 'processing', 'completed', 'failed'])),
            processingFee: naira('public'),
            totalDeducted: naira('public', { atLeast: 'amount' }),
            createdAt: f.maybe(f.timestamp('public')),
            initiatedAt: f.maybe(f.timestamp('public')),
            completedAt: f.maybe(f.timestamp('public')),
            updatedAt: f.maybe(f.timestamp('public')),
          }),
        ),
      ),
      ...f.pageAnswer('public'),
      filters: sentFilters(sentNames),
    }),
  errors: [invalid('inferred', 'the type or status is unknown, or the limit is above 100')],
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
  repeats: { direction: 'filters.direction', type: 'filters.type', userId: 'filters.userId', status: 'filters.status' },
  request: () =>
    f.fields({
      direction: f.optional(f.oneOf('interface', ['in', 'out'], { rule: 'in (deposits) or out (payouts)' })),
      type: f.optional(f.oneOf('interface', transactionTypes)),
      userId: userFilter('a user id'),
      status: f.optional(f.oneOf('interface', statuses)),
      ...f.range('public'),
      ...f.page(),
    }),
  response: () =>
    f.payload({
      transactions: f.maybe(f.list('public', received(transactionTypes, ['in', 'out'], 'inferred'))),
      ...f.pageAnswer('public'),
      summary: f.maybe(
        f.group('public', {
          totalDeposits: f.maybe(f.integer('public')),
          totalPayouts: f.maybe(f.integer('public')),
          depositVolume: f.maybe(f.moneyText('public', 'naira', 'NGN')),
          payoutVolume: f.maybe(f.moneyText('public', 'naira', 'NGN')),
        }),
      ),
      filters: sentFilters(['direction', ...sentNames]),
    }),
  errors: [invalid('inferred', 'the direction, type or status is unknown, or the limit is above 100')],
});
