import { TOKENS } from '../../money/amount.ts';
import { addressesFit } from '../addresses.ts';
import { CORRECT_OR_ACTIVATE, endpoint, invalid, refusal, userNotVerified, WORK_FAILS } from '../endpoint.ts';
import * as f from '../fields.ts';
import { BASE } from '../networks.ts';

const withdrawalNetworks = ['base', 'bsc', 'sol', 'eth', 'xbn', 'asc', 'arc', 'lisk'] as const;

const tokenText = () => f.maybe(f.moneyText('public', 'decimal-string', { field: 'tokenSymbol' }));

export const withdrawAsset = endpoint({
  id: 'transactions.withdraw-asset',
  method: 'POST',
  path: '/withdrawasset',
  effect: 'money',
  moves: { command: 'withdrawals create', amount: 'amount', to: [{ address: 'destinationWallet' }] },
  summary: "Withdraw a user's tokens to an external address",
  done: 'Withdrawal accepted',
  repeats: {
    userId: 'userId',
    internalWallet: 'smartWalletAddress',
    destinationWallet: 'destinationWallet',
    amount: ['amount', 'feeBreakdown.requestedAmount'],
    ticker: 'tokenSymbol',
    network: 'network',
  },
  fails: WORK_FAILS,
  request: () =>
    f.checkedFields(addressesFit(['destinationWallet', 'network']), {
      userId: f.text('public'),
      internalWallet: f.text('public', { personal: 'address', rule: "a user's wallet on the platform" }),
      destinationWallet: f.text('public', { personal: 'address', rule: 'an address on the network' }),
      amount: f.pay('interface', 'token', { field: 'ticker' }, { rule: 'greater than 0, in whole tokens' }),
      ticker: f.oneOf('public', TOKENS),
      network: f.optional(
        f.oneOf('interface', withdrawalNetworks, {
          rule: `one of ${withdrawalNetworks.join(', ')}; default base`,
          byDefault: BASE.key,
          names: 'network',
        }),
      ),
    }),
  response: () =>
    f.payload({
      transactionHash: f.maybeText('public', { personal: 'hash' }),
      smartWalletAddress: f.maybeText('public', { personal: 'address' }),
      requestId: f.maybeText('public'),
      executedAt: f.maybe(f.timestamp('public')),
      gasUsed: f.maybeText('public'),
      effectiveGasPrice: f.maybeText('public'),
      blockNumber: f.maybeText('public'),
      duration: f.maybe(f.integer('public')),
      userId: f.maybeText('public'),
      amount: tokenText(),
      destinationWallet: f.maybeText('public', { personal: 'address' }),
      tokenAddress: f.maybeText('public', { personal: 'address' }),
      tokenSymbol: f.maybeText('public'),
      network: f.maybeText('public'),
      networkDisplayName: f.maybeText('public'),
      estimatedConfirmationTime: f.maybeText('public'),
      warnings: f.maybe(f.list('public', f.entry(), { personal: 'text' })),
      feeBreakdown: f.maybe(
        f.group('public', {
          requestedAmount: tokenText(),
          totalFee: tokenText(),
          netAmount: tokenText(),
          usedFintechOverride: f.maybe(f.flag('public')),
        }),
      ),
    }),
  errors: [
    invalid('public', 'a field is missing or invalid, such as an amount of 0', CORRECT_OR_ACTIVATE),
    userNotVerified,
    refusal('SHORT_BALANCE', 'public', 'the balance of the source wallet is too low'),
  ],
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
    f.fields({
      token: f.optional(f.oneOf('inferred', TOKENS)),
      status: f.optional(f.oneOf('interface', withdrawalStatuses)),
      type: f.optional(f.oneOf('interface', withdrawalTypes)),
      userId: f.optional(f.text('inferred', { rule: 'a user id' })),
      ...f.range('inferred'),
      ...f.page(),
    }),
  response: () =>
    f.payload({
      withdrawals: f.maybe(
        f.list(
          'inferred',
          f.group('inferred', {
            requestId: f.maybeText('inferred'),
            type: f.maybe(f.stateOf('interface', withdrawalTypes)),
            status: f.maybe(f.stateOf('interface', withdrawalStatuses)),
            userId: f.maybeText('inferred'),
            smartWalletAddress: f.maybeText('inferred', { personal: 'address' }),
            destinationAddress: f.maybeText('inferred', { personal: 'address' }),
            amount: f.maybe(f.moneyText('inferred', 'decimal-string', { field: 'ticker' })),
            ticker: f.maybeText('inferred'),
            network: f.maybeText('inferred'),
            transactionHash: f.maybeText('inferred', { personal: 'hash' }),
            createdAt: f.maybe(f.timestamp('inferred')),
            completedAt: f.maybe(f.timestamp('inferred')),
          }),
        ),
      ),
      ...f.pageAnswer('inferred'),
    }),
  errors: [invalid('inferred', 'the type or status is unknown')],
});
