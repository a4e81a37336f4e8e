import { endpoint } from '../endpoint.ts';
import { userNotVerified } from '../faults.ts';
import {
  accountNumber,
  answer,
  anyText,
  bankCode,
  fields,
  group,
  integer,
  known,
  maybe,
  moneyText,
  opaqueUuid,
  pay,
  stateOf,
  text,
  timestamp,
} from '../fields.ts';

/** The payout account as verified by the bank. */
const verifiedDestination = () =>
  group('public', {
    accountNumber: known('public'),
    bankCode: known('public'),
    accountHolderName: known('public'),
    verificationTimestamp: maybe(timestamp('public')),
  });

export const startOfframp = endpoint({
  id: 'transactions.offramp',
  method: 'POST',
  path: '/cngnofframp',
  effect: 'money',
  starts: 'offramp',
  summary: "Start an offramp of a user's cNGN to a bank account",
  done: 'Offramp started',
  request: () =>
    fields({
      userId: text('interface', { rule: 'the id of a verified, active user' }),
      amount: pay('interface', 'naira', 'NGN', { rule: 'greater than 0, in Naira' }),
      accountNumber: accountNumber('interface'),
      bankCode: bankCode('interface'),
      ticker: text('interface', { rule: 'a ticker; only CNGN is known to work' }),
    }),
  response: () =>
    answer({
      requestId: opaqueUuid('interface'),
      status: anyText('interface'),
      stage: anyText('interface'),
      // Public documentation has it on the envelope.
      message: known('interface'),
      tokenAddress: known('public'),
      vaultAddress: known('public'),
      transactionHash: known('public'),
      smartWalletAddress: known('public'),
      executedAt: maybe(timestamp('public')),
      gasUsed: known('public'),
      effectiveGasPrice: known('public'),
      blockNumber: known('public'),
      duration: maybe(integer('public')),
      userId: known('public'),
      amount: maybe(moneyText('public', 'decimal-string', 'CNGN')),
      tokenSymbol: known('public'),
      verifiedAccountDetails: maybe(verifiedDestination()),
    }),
  errors: [
    {
      when: 'a field is missing or invalid, such as a bank code with letters',
      fault: 'VALIDATION_ERROR',
      source: 'public',
    },
    {
      when: "the user's total balance on all networks is below the amount",
      fault: 'INSUFFICIENT_BALANCE',
      source: 'public',
    },
    { when: "none of the user's wallets has a balance", fault: 'NO_FUNDED_WALLET', source: 'inferred' },
    userNotVerified,
  ],
  rateLimit: { max: 1000, windowSeconds: 600 },
  source: 'interface',
});

const offrampStates = [
  'pending',
  'processing',
  'bank_verification',
  'transfer_pending',
  'transfer_confirmed',
  'payout_pending',
  'completed',
  'failed',
  'cancelled',
] as const;

/** The token leg: cNGN leaving the user's wallet. */
const tokenTransfer = () =>
  group('public', {
    status: known('public'),
    transactionHash: known('public'),
    blockNumber: known('public'),
    timestamp: maybe(timestamp('public')),
  });

/** The bank leg. */
const payout = () =>
  group('public', {
    status: known('public'),
    reference: known('public'),
    transactionId: known('public'),
    timestamp: maybe(timestamp('public')),
    attempts: maybe(integer('public')),
  });

export const offrampStatus = endpoint({
  id: 'transactions.offramp-status',
  method: 'POST',
  path: '/cngnofframpstatus',
  effect: 'read',
  summary: 'Show the status of an offramp',
  done: 'Offramp status retrieved',
  request: () => fields({ requestId: text('interface', { rule: 'as returned by /cngnofframp' }) }),
  response: () =>
    answer({
      requestId: known('public'),
      status: maybe(stateOf('public', offrampStates)),
      stage: known('public'),
      createdAt: maybe(timestamp('public')),
      updatedAt: maybe(timestamp('public')),
      userWalletAddress: known('client'),
      vaultAddress: known('client'),
      tokenAddress: known('public'),
      amount: maybe(moneyText('public', 'decimal-string', 'CNGN')),
      fintechUserId: known('client'),
      tokenTransfer: maybe(tokenTransfer()),
      payout: maybe(payout()),
    }),
  errors: [{ when: 'the request id is unknown', fault: 'NOT_FOUND', source: 'inferred' }],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});
