import { TOKENS } from '../money/amount.ts';
import { addressesFit, evmAddress } from './addresses.ts';
import { endpoint } from './endpoint.ts';
import {
  answer,
  entry,
  fields,
  figure,
  flag,
  group,
  integer,
  known,
  list,
  maybe,
  money,
  moneyText,
  oneOf,
  opaqueId,
  opaqueUuid,
  optional,
  patterned,
  pay,
  stateOf,
  text,
  timestamp,
  uuid,
} from './fields.ts';

export const startPayout = endpoint({
  id: 'transactions.fintech-offramp',
  method: 'POST',
  path: '/initiateofframp',
  effect: 'money',
  starts: 'fintech-offramp',
  summary: "Pay the account's own cNGN out to one of its bank accounts",
  request: () =>
    fields({
      amount: pay('interface', 'base', 'CNGN', { rule: 'above 0, in base units: 1000000 is 1 cNGN' }),
      bankAccountId: opaqueId('public', { rule: 'the id of a payout account' }),
    }),
  response: () =>
    answer({
      requestId: opaqueUuid('interface'),
      amount: maybe(money('public', 'naira', 'NGN')),
      walletSource: maybe(stateOf('public', ['system_wallet'])),
      status: maybe(stateOf('public', ['pending'])),
      message: known('public'),
    }),
  errors: [
    { when: 'the amount is not above 0', fault: 'VALIDATION_ERROR', source: 'public' },
    { when: 'no payout account has this id', fault: 'BANK_ACCOUNT_NOT_FOUND', source: 'public' },
    { when: 'the smart wallet holds too little cNGN', fault: 'SHORT_BALANCE', source: 'public' },
  ],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

const payoutStates = [
  'pending',
  'processing',
  'transferring_cngn',
  'initiating_payout',
  'payout_processing',
  'completed',
  'failed',
  'cancelled',
  'reversed',
  'pending_manual_review',
] as const;

export const payoutStatus = endpoint({
  id: 'transactions.fintech-offramp-status',
  method: 'GET',
  path: '/getofframpstatus',
  effect: 'read',
  summary: "Show how a payout of the account's own cNGN stands",
  request: () => fields({ requestId: text('interface', { rule: 'as given by /initiateofframp' }) }),
  response: () =>
    answer({
      requestId: maybe(opaqueUuid('public')),
      status: maybe(stateOf('public', payoutStates)),
      amount: maybe(money('public', 'naira', 'NGN')),
      currency: maybe(stateOf('public', ['NGN'])),
      bankAccount: maybe(
        group('public', {
          accountNumber: known('public'),
          accountName: known('public'),
          bankName: known('public'),
        }),
      ),
      wallet: maybe(group('public', { source: maybe(stateOf('public', ['system_wallet'])), address: known('public') })),
      transferDetails: maybe(
        group('public', {
          txHash: known('public'),
          status: maybe(stateOf('public', ['pending', 'confirmed', 'failed'])),
        }),
      ),
      payoutDetails: maybe(
        group('public', {
          reference: known('public'),
          provider: known('public'),
          status: maybe(stateOf('public', ['pending', 'processing', 'completed', 'failed'])),
        }),
      ),
      initiatedAt: maybe(timestamp('public')),
      completedAt: maybe(timestamp('public')),
    }),
  errors: [{ when: 'the request id is unknown', fault: 'NOT_FOUND', source: 'inferred' }],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

const withdrawalNetworks = ['base', 'bsc', 'sol', 'eth', 'xbn', 'asc', 'arc', 'lisk'] as const;
const tokenText = () => maybe(moneyText('public', 'decimal-string', { field: 'tokenSymbol' }));

export const withdrawAsset = endpoint({
  id: 'transactions.withdraw-asset',
  method: 'POST',
  path: '/withdrawasset',
  effect: 'money',
  summary: "Send a user's tokens to an external address",
  request: () =>
    fields({
      userId: text('public'),
      internalWallet: text('public', { rule: 'a wallet of the user on the platform' }),
      destinationWallet: text('public', { rule: 'an address of the network' }),
      amount: pay('interface', 'token', { field: 'ticker' }, { rule: 'above 0, in whole tokens' }),
      ticker: oneOf('public', TOKENS),
      network: optional(
        oneOf('interface', withdrawalNetworks, { rule: `one of ${withdrawalNetworks.join(', ')}; base when left out` }),
      ),
    }).check(addressesFit(['destinationWallet', 'network'])),
  response: () =>
    answer({
      transactionHash: known('public'),
      smartWalletAddress: known('public'),
      requestId: known('public'),
      executedAt: maybe(timestamp('public')),
      gasUsed: known('public'),
      effectiveGasPrice: known('public'),
      blockNumber: known('public'),
      duration: maybe(integer('public')),
      userId: known('public'),
      amount: tokenText(),
      destinationWallet: known('public'),
      tokenAddress: known('public'),
      tokenSymbol: known('public'),
      network: known('public'),
      networkDisplayName: known('public'),
      estimatedConfirmationTime: known('public'),
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
    { when: 'a field is missing or wrong, such as an amount of 0', fault: 'VALIDATION_ERROR', source: 'public' },
    { when: 'the user is unknown or not verified', fault: 'USER_NOT_FOUND', source: 'public' },
    { when: 'the source wallet holds too little', fault: 'SHORT_BALANCE', source: 'public' },
  ],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

const baseText = () => maybe(moneyText('public', 'base', { field: 'ticker' }));

export const transferToWallet = endpoint({
  id: 'transactions.fintech-transfer',
  method: 'POST',
  path: '/fintechtransfer',
  effect: 'money',
  summary: "Send the account's own tokens to a registered external wallet",
  request: () =>
    fields({
      destinationAddress: evmAddress('public'),
      amount: pay('interface', 'base', { field: 'ticker' }, { rule: 'above 0, in base units: 1000000 is 1 token' }),
      ticker: optional(oneOf('public', TOKENS, { rule: 'CNGN, USDC or USDT; CNGN when left out' })),
      note: optional(patterned('public', /^[^\p{Cc}]{0,500}$/u, 'at most 500 characters')),
    }),
  response: () =>
    answer({
      requestId: known('public'),
      transactionHash: known('public'),
      smartWalletAddress: known('public'),
      destinationAddress: known('public'),
      destinationLabel: known('public'),
      amount: baseText(),
      ticker: known('public'),
      blockNumber: known('public'),
      gasUsed: known('public'),
      commitmentsSafeguarded: maybe(
        group('public', {
          activeOrders: maybe(integer('public')),
          activeEscrows: maybe(integer('public')),
          totalCommitted: baseText(),
          remainingBalance: baseText(),
        }),
      ),
      executedAt: maybe(timestamp('public')),
      version: known('public'),
      feeBreakdown: maybe(
        group('public', {
          requestedAmount: baseText(),
          totalFee: maybe(figure('public', 'base', 'base units; public examples mix in whole tokens')),
          netAmount: maybe(figure('public', 'base', 'base units; public examples mix in whole tokens')),
          usedFintechOverride: maybe(flag('public')),
        }),
      ),
    }),
  errors: [
    {
      when: 'the destination is no registered external wallet',
      fault: 'VALIDATION_ERROR',
      source: 'public',
      remedy: 'register it first with: fiatrail wallets external add <address> --network <network>',
    },
    { when: 'what orders and escrows leave is too little', fault: 'SHORT_BALANCE', source: 'public' },
  ],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

const recovery = {
  effect: 'write',
  summary: 'Ask the service to look after a request that is stuck',
  path: '/manualstatusrecovery',
  response: () => answer({}),
  rateLimit: { max: 30, windowSeconds: 60 },
} as const;

/** A GET with a side effect: never sent twice, as its effect says. */
export const recoverRequest = endpoint({
  ...recovery,
  id: 'transactions.recover-status',
  method: 'GET',
  synonyms: { uuid: 'requestId' },
  request: () =>
    fields({
      requestId: text('interface'),
      // The older name of the same value.
      uuid: optional(text('public')),
    }),
  errors: [{ when: 'the request id is unknown', fault: 'NOT_FOUND', source: 'inferred' }],
  source: 'interface',
});

/** The newest public form of the same, with the fields of its older ones. */
export const recoverRequestByPost = endpoint({
  ...recovery,
  id: 'transactions.recover-status-post',
  method: 'POST',
  request: () =>
    fields({
      requestId: text('public'),
      signingRequestUuid: optional(uuid('public')),
      batch: optional(flag('public')),
      signingRequestUuids: optional(list('public', entry())),
      options: optional(
        group('public', {
          resumePolling: optional(flag('public')),
          updateWalletBalance: optional(flag('public')),
        }),
      ),
      uuids: optional(list('client', entry())),
    }),
  errors: [],
  source: 'public',
});
