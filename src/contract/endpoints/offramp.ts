import { endpoint } from '../endpoint.ts';
import { userNotVerified } from '../faults.ts';
import {
  accountNumber,
  anyText,
  bankCode,
  fields,
  group,
  integer,
  maybe,
  maybeText,
  moneyText,
  opaqueUuid,
  pay,
  payload,
  stateOf,
  text,
  timestamp,
} from '../fields.ts';

/** The payout account as verified by the bank. */
const verifiedDestination = () =>
  group('public', {
    accountNumber: maybeText('public'),
    bankCode: maybeText('public'),
    accountHolderName: maybeText('public'),
    verificationTimestamp: maybe(timestamp('public')),
  });

export const startOfframp = endpoint({
  id: 'transactions.offramp',
  method: 'POST',
  path: '/cngnofframp',
  effect: 'money',
  moves: {
    command: 'offramp start',
    amount: 'amount',
    to: [{ bankCode: 'bankCode', accountNumber: 'accountNumber' }],
  },
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
    payload({
      requestId: opaqueUuid('interface'),
      status: anyText('interface'),
      stage: anyText('interface'),
      // Public documentation has it on the envelope.
      message: maybeText('interface'),
      tokenAddress: maybeText('public'),
      vaultAddress: maybeText('public'),
      transactionHash: maybeText('public'),
      smartWalletAddress: maybeText('public'),
      executedAt: maybe(timestamp('public')),
      gasUsed: maybeText('public'),
      effectiveGasPrice: maybeText('public'),
      blockNumber: maybeText('public'),
      duration: maybe(integer('public')),
      userId: maybeText('public'),
      amount: maybe(moneyText('public', 'decimal-string', 'CNGN')),
      tokenSymbol: maybeText('public'),
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
    status: maybeText('public'),
    transactionHash: maybeText('public'),
    blockNumber: maybeText('public'),
    timestamp: maybe(timestamp('public')),
  });

/** The bank leg. */
const payout = () =>
  group('public', {
    status: maybeText('public'),
    reference: maybeText('public'),
    transactionId: maybeText('public'),
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
    payload({
      requestId: maybeText('public'),
      status: maybe(stateOf('public', offrampStates)),
      stage: maybeText('public'),
      createdAt: maybe(timestamp('public')),
      updatedAt: maybe(timestamp('public')),
      userWalletAddress: maybeText('client'),
      vaultAddress: maybeText('client'),
      tokenAddress: maybeText('public'),
      amount: maybe(moneyText('public', 'decimal-string', 'CNGN')),
      fintechUserId: maybeText('client'),
      tokenTransfer: maybe(tokenTransfer()),
      payout: maybe(payout()),
    }),
  errors: [{ when: 'the request id is unknown', fault: 'NOT_FOUND', source: 'inferred' }],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});
