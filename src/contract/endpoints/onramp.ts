import { evmAddress } from '../addresses.ts';
import { endpoint } from '../endpoint.ts';
import { userNotVerified } from '../faults.ts';
import {
  anyText,
  fields,
  flag,
  group,
  maybe,
  maybeText,
  money,
  moneyText,
  oneOf,
  opaqueUuid,
  optional,
  pay,
  payload,
  percent,
  stateOf,
  text,
  timestamp,
} from '../fields.ts';

/** The fees in short form. `totalAmount` is the sum to pay, `baseAmount` what the wallet receives. */
const onrampFees = () =>
  group('interface', {
    baseAmount: money('interface', 'naira', 'NGN'),
    fintechFee: maybe(money('public', 'naira', 'NGN')),
    platformFee: maybe(money('public', 'naira', 'NGN')),
    totalFee: money('interface', 'naira', 'NGN'),
    totalAmount: money('interface', 'naira', 'NGN'),
    gatewayFee: maybe(money('client', 'naira', 'NGN')),
    breakdown: maybe(onrampFeesInFull()),
  });

const onrampFeesInFull = () =>
  group('client', {
    userRequestedAmount: maybe(money('client', 'naira', 'NGN')),
    fintechFeeAmount: maybe(money('client', 'naira', 'NGN')),
    fintechFeePercentage: maybe(percent('client')),
    fintechFeeCapped: maybe(flag('client')),
    gatewayFeeAmount: maybe(money('client', 'naira', 'NGN')),
    gatewayFeePercentage: maybe(percent('client')),
    platformFeeAmount: maybe(money('client', 'naira', 'NGN')),
    platformFeePercentage: maybe(percent('client')),
    platformFeeCapped: maybe(flag('client')),
    totalFeeAmount: maybe(money('client', 'naira', 'NGN')),
    finalAmount: maybe(money('client', 'naira', 'NGN')),
    amountToWallet: maybe(money('client', 'naira', 'NGN')),
  });

export const startOnramp = endpoint({
  id: 'transactions.onramp',
  method: 'POST',
  path: '/cngnonramp',
  effect: 'money',
  moves: {
    command: 'onramp start',
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
  request: () =>
    fields({
      userId: text('interface', { rule: 'the id of a verified, active user' }),
      amount: pay('interface', 'naira', 'NGN', { rule: 'greater than 0, in Naira; the amount the wallet receives' }),
      assetSwap: optional(oneOf('interface', ['USDC', 'USDT'], { rule: 'USDC or USDT; only used with autoSwap' })),
      autoSwap: optional(flag('interface')),
      sweepToOfframp: optional(
        flag('interface', { rule: "true or false; true sends the result to the user's default wallet" }),
      ),
      // Only used with autoSwap and without sweepToOfframp.
      destinationAssetSwap: optional(evmAddress('interface')),
      // An externally owned account that owns the new wallet, so that the service can no longer withdraw from it.
      owner: optional(evmAddress('interface')),
    }),
  response: () =>
    payload({
      requestId: opaqueUuid('interface'),
      walletAddress: anyText('interface'),
      status: stateOf('interface', ['requested']),
      version: maybeText('public'),
      message: anyText('interface'),
      autoSwapEnabled: flag('interface'),
      sweepToOfframpEnabled: maybe(flag('public')),
      targetAsset: anyText('interface'),
      feeBreakdown: onrampFees(),
    }),
  errors: [
    { when: 'a field is missing or invalid, such as an amount of 0', fault: 'VALIDATION_ERROR', source: 'public' },
    userNotVerified,
  ],
  rateLimit: { max: 1000, windowSeconds: 600 },
  source: 'interface',
});

/** The newest public shape: the flat fields and the progress of the funding. */
const onrampWallet = () =>
  group('public', {
    walletAddress: maybeText('public'),
    owner: maybeText('public'),
    tokenBuy: maybeText('public'),
    autoSwap: maybe(flag('public')),
    sweepToOfframp: maybe(flag('public')),
    amount: maybe(moneyText('public', 'decimal-string', 'CNGN')),
    createdAt: maybe(timestamp('public')),
    fundingRequestedAt: maybe(timestamp('public')),
    fundedAt: maybe(timestamp('public')),
    transactionHash: maybeText('public'),
    virtualAccountDetails: maybe(
      group('public', {
        vaId: maybeText('client'),
        accountNumber: maybeText('public'),
        bankName: maybeText('public'),
        accountName: maybeText('public'),
        amount: maybe(money('public', 'naira', 'NGN')),
        createdAt: maybe(timestamp('public')),
      }),
    ),
    virtualAccountStatus: maybe(stateOf('public', ['created', 'active', 'used', 'expired'])),
  });

const swapQuote = () =>
  group('public', {
    available: maybe(flag('public')),
    pair: maybeText('public'),
    cngnAmount: maybe(moneyText('public', 'decimal-string', 'CNGN')),
    tokenAmount: maybe(moneyText('public', 'decimal-string', { field: 'finalAsset' })),
    // cNGN per token.
    averagePrice: maybe(moneyText('public', 'decimal-string', 'CNGN')),
    averageSpread: maybe(percent('public')),
    expiresAt: maybe(timestamp('public')),
    note: maybeText('public'),
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
  request: () =>
    fields({
      requestId: text('interface', { rule: 'as returned by /cngnonramp' }),
      walletAddress: optional(text('public', { rule: 'the wallet created by /cngnonramp' })),
    }),
  response: () =>
    payload({
      requestId: anyText('interface'),
      status: maybe(stateOf('public', onrampStates)),
      // The newest public shape has these fields only in `wallet`, and some appear only in the final state.
      walletAddress: maybeText('interface'),
      amount: maybe(moneyText('interface', 'base', 'CNGN')),
      swapCompleted: maybe(flag('interface')),
      finalAsset: maybeText('interface'),
      txHash: maybeText('interface'),
      completedAt: maybe(timestamp('interface')),
      version: maybeText('public'),
      metadata: maybe(
        group('client', {
          tokenBuy: maybeText('client'),
          autoSwap: maybe(flag('client')),
          sweepToOfframp: maybe(flag('client')),
        }),
      ),
      wallet: maybe(onrampWallet()),
      fxQuote: maybe(swapQuote()),
    }),
  errors: [{ when: 'no onramp has this request id', fault: 'NOT_FOUND', source: 'inferred' }],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});
