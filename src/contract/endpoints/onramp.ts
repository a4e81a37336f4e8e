import { evmAddress } from '../addresses.ts';
import { CORRECT_OR_ACTIVATE, endpoint, invalid, refusal, userNotVerified } from '../endpoint.ts';
import * as f from '../fields.ts';
import { cngn, figure } from '../fx.ts';

/** The fees in short form. `totalAmount` is the sum to pay, `baseAmount` what the wallet receives. */
const onrampFees = () =>
  f.group('interface', {
    baseAmount: f.money('interface', 'naira', 'NGN'),
    fintechFee: f.maybe(f.money('public', 'naira', 'NGN')),
    platformFee: f.maybe(f.money('public', 'naira', 'NGN')),
    totalFee: f.money('interface', 'naira', 'NGN'),
    totalAmount: f.money('interface', 'naira', 'NGN', { atLeast: 'baseAmount' }),
    gatewayFee: f.maybe(f.money('client', 'naira', 'NGN')),
    breakdown: f.maybe(onrampFeesInFull()),
  });

const onrampFeesInFull = () =>
  f.group('client', {
    userRequestedAmount: f.maybe(f.money('client', 'naira', 'NGN')),
    fintechFeeAmount: f.maybe(f.money('client', 'naira', 'NGN')),
    fintechFeePercentage: f.maybe(f.percent('client')),
    fintechFeeCapped: f.maybe(f.flag('client')),
    gatewayFeeAmount: f.maybe(f.money('client', 'naira', 'NGN')),
    gatewayFeePercentage: f.maybe(f.percent('client')),
    platformFeeAmount: f.maybe(f.money('client', 'naira', 'NGN')),
    platformFeePercentage: f.maybe(f.percent('client')),
    platformFeeCapped: f.maybe(f.flag('client')),
    totalFeeAmount: f.maybe(f.money('client', 'naira', 'NGN')),
    finalAmount: f.maybe(f.money('client', 'naira', 'NGN', { atLeast: 'userRequestedAmount' })),
    amountToWallet: f.maybe(f.money('client', 'naira', 'NGN')),
  });

export const startOnramp = endpoint({
  id: 'transactions.onramp',
  method: 'POST',
  path: '/cngnonramp',
  effect: 'money',
  moves: {
    command: 'onramp create',
    amount: 'amount',
    isIncoming: true,
    to: [
      { user: 'userId' },
      { walletOf: 'userId' },
      { address: 'destinationAssetSwap', isOptional: true },
      { address: 'owner', isOptional: true },
    ],
  },
  starts: 'onramp',
  summary: 'Start an onramp: create a one-time bank account to pay Naira into',
  done: 'Onramp started',
  repeats: {
    amount: ['feeBreakdown.baseAmount', 'feeBreakdown.breakdown.userRequestedAmount'],
    autoSwap: 'autoSwapEnabled',
    sweepToOfframp: 'sweepToOfframpEnabled',
  },
  request: () =>
    f.fields({
      userId: f.text('interface', { rule: 'the id of a verified, active user' }),
      amount: f.pay('interface', 'naira', 'NGN', { rule: 'greater than 0, in Naira; the amount the wallet receives' }),
      assetSwap: f.optional(f.oneOf('interface', ['USDC', 'USDT'], { rule: 'USDC or USDT; only used with autoSwap' })),
      autoSwap: f.optional(f.flag('interface')),
      sweepToOfframp: f.optional(
        f.flag('interface', { rule: "true or false; true sends the result to the user's default wallet" }),
      ),
      // Only used with autoSwap and without sweepToOfframp.
      destinationAssetSwap: f.optional(evmAddress('interface')),
      // An externally owned account that owns the new wallet, so that the service can no longer withdraw from it.
      owner: f.optional(evmAddress('interface')),
    }),
  response: () =>
    f.payload({
      requestId: f.opaqueUuid('interface'),
      walletAddress: f.anyText('interface', { personal: 'address' }),
      status: f.stateOf('interface', ['requested']),
      version: f.maybeText('public'),
      message: f.anyText('interface', { personal: 'text' }),
      autoSwapEnabled: f.flag('interface'),
      sweepToOfframpEnabled: f.maybe(f.flag('public')),
      targetAsset: f.anyText('interface'),
      feeBreakdown: onrampFees(),
    }),
  errors: [
    invalid('public', 'a field is missing or invalid, such as an amount of 0', CORRECT_OR_ACTIVATE),
    userNotVerified,
  ],
  rateLimit: { max: 1000, windowSeconds: 600 },
});

/** The newest public shape: the flat fields and the progress of the funding. */
const onrampWallet = () =>
  f.group('public', {
    walletAddress: f.maybeText('public', { personal: 'address' }),
    owner: f.maybeText('public', { personal: 'address' }),
    tokenBuy: f.maybeText('public'),
    autoSwap: f.maybe(f.flag('public')),
    sweepToOfframp: f.maybe(f.flag('public')),
    amount: f.maybe(f.moneyText('public', 'decimal-string', 'CNGN')),
    createdAt: f.maybe(f.timestamp('public')),
    fundingRequestedAt: f.maybe(f.timestamp('public')),
    fundedAt: f.maybe(f.timestamp('public')),
    transactionHash: f.maybeText('public', { personal: 'hash' }),
    virtualAccountDetails: f.maybe(
      f.group('public', {
        vaId: f.maybeText('client'),
        accountNumber: f.maybe(f.accountDigits('public')),
        bankName: f.maybeText('public'),
        accountName: f.maybeText('public', { personal: 'name' }),
        amount: f.maybe(f.money('public', 'naira', 'NGN')),
        createdAt: f.maybe(f.timestamp('public')),
      }),
    ),
    virtualAccountStatus: f.maybe(f.stateOf('public', ['created', 'active', 'used', 'expired'])),
  });

const swapQuote = () =>
  f.group('public', {
    available: f.maybe(f.flag('public')),
    pair: f.maybeText('public'),
    cngnAmount: f.maybe(cngn('public')),
    tokenAmount: f.maybe(f.moneyText('public', 'decimal-string', { leg: 'stablecoin' }, { mayBeBase: 'six-decimals' })),
    // cNGN per token.
    averagePrice: f.maybe(figure('public', 'CNGN')),
    averageSpread: f.maybe(f.percent('public')),
    expiresAt: f.maybe(f.timestamp('public')),
    note: f.maybeText('public', { personal: 'text' }),
  });

const onrampStates = [
  'requested',
  'pending',
  'processing',
  'funded',
  'swap_queued',
  'swap_processing',
  'completed',
  'failed',
] as const;

export const onrampStatus = endpoint({
  id: 'transactions.onramp-status',
  method: 'POST',
  path: '/cngnonrampstatus',
  synonyms: { walletAddress: 'requestId' },
  effect: 'read',
  summary: 'Show the status of an onramp',
  done: 'Onramp status retrieved',
  repeats: { requestId: 'requestId', walletAddress: ['walletAddress', 'wallet.walletAddress'] },
  request: () =>
    f.fields({
      requestId: f.text('interface', { rule: 'as returned by /cngnonramp' }),
      walletAddress: f.optional(f.text('public', { personal: 'address', rule: 'the wallet created by /cngnonramp' })),
    }),
  response: () =>
    f.payload({
      requestId: f.anyText('interface'),
      status: f.maybe(f.stateOf('public', onrampStates)),
      // The newest public shape has these fields only in `wallet`, and some appear only in the final state.
      walletAddress: f.maybeText('interface', { personal: 'address' }),
      amount: f.maybe(f.moneyText('interface', 'base', 'CNGN')),
      swapCompleted: f.maybe(f.flag('interface')),
      finalAsset: f.maybeText('interface'),
      txHash: f.maybeText('interface', { personal: 'hash' }),
      completedAt: f.maybe(f.timestamp('interface')),
      version: f.maybeText('public'),
      metadata: f.maybe(
        f.group('client', {
          tokenBuy: f.maybeText('client'),
          autoSwap: f.maybe(f.flag('client')),
          sweepToOfframp: f.maybe(f.flag('client')),
        }),
      ),
      wallet: f.maybe(onrampWallet()),
      fxQuote: f.maybe(swapQuote()),
    }),
  errors: [refusal('NOT_FOUND', 'inferred', 'no onramp has this request id')],
});
