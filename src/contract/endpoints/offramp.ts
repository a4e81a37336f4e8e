import { advice } from '../../base/advice.ts';
import { CORRECT_OR_ACTIVATE, endpoint, invalid, refusal, userNotVerified, WORK_FAILS } from '../endpoint.ts';
import * as f from '../fields.ts';

/** The payout account as verified by the bank. */
const verifiedDestination = () =>
  f.group('public', {
    accountNumber: f.maybe(f.accountDigits('public')),
    bankCode: f.maybeText('public'),
    accountHolderName: f.maybeText('public', { personal: 'name' }),
    verificationTimestamp: f.maybe(f.timestamp('public')),
  });

export const startOfframp = endpoint({
  id: 'transactions.offramp',
  method: 'POST',
  path: '/cngnofframp',
  effect: 'money',
  moves: {
    command: 'offramp create',
    amount: 'amount',
    to: [{ bankCode: 'bankCode', accountNumber: 'accountNumber' }],
  },
  starts: 'offramp',
  summary: "Start an offramp of a user's cNGN to a bank account",
  done: 'Offramp started',
  repeats: {
    userId: 'userId',
    amount: 'amount',
    ticker: 'tokenSymbol',
    accountNumber: 'verifiedAccountDetails.accountNumber',
    bankCode: 'verifiedAccountDetails.bankCode',
  },
  fails: WORK_FAILS,
  request: () =>
    f.fields({
      userId: f.text('interface', { rule: 'the id of a verified, active user' }),
      amount: f.pay('interface', 'naira', 'NGN', { rule: 'greater than 0, in Naira' }),
      accountNumber: f.accountNumber('interface'),
      bankCode: f.bankCode('interface'),
      ticker: f.text('interface', { rule: 'a ticker; only CNGN is known to work', names: 'tokens' }),
    }),
  response: () =>
    f.payload({
      requestId: f.opaqueUuid('interface'),
      status: f.anyText('interface'),
      stage: f.anyText('interface'),
      // Public documentation has it on the envelope.
      message: f.maybeText('interface', { personal: 'text' }),
      tokenAddress: f.maybeText('public', { personal: 'address' }),
      vaultAddress: f.maybeText('public', { personal: 'address' }),
      transactionHash: f.maybeText('public', { personal: 'hash' }),
      smartWalletAddress: f.maybeText('public', { personal: 'address' }),
      executedAt: f.maybe(f.timestamp('public')),
      gasUsed: f.maybeText('public'),
      effectiveGasPrice: f.maybeText('public'),
      blockNumber: f.maybeText('public'),
      duration: f.maybe(f.integer('public')),
      userId: f.maybeText('public'),
      amount: f.maybe(f.moneyText('public', 'decimal-string', 'CNGN')),
      tokenSymbol: f.maybeText('public'),
      verifiedAccountDetails: f.maybe(verifiedDestination()),
    }),
  errors: [
    invalid('public', 'a field is missing or invalid, such as a bank code with letters', CORRECT_OR_ACTIVATE),
    refusal('INSUFFICIENT_BALANCE', 'public', "the user's total balance on all networks is below the amount"),
    refusal('NO_FUNDED_WALLET', 'inferred', "none of the user's wallets has a balance"),
    userNotVerified,
  ],
  rateLimit: { max: 1000, windowSeconds: 600 },
});

const offrampStates = [
  'pending',
  'processing',
  'bank_verification',
  'transfer_pending',
  'transfer_confirmed',
  'payout_pending',
  'completed',
  ...WORK_FAILS.status,
] as const;

export type OfframpState = (typeof offrampStates)[number];

/** The token leg: cNGN leaving the user's wallet. */
const tokenTransfer = () =>
  f.group('public', {
    status: f.maybeText('public'),
    transactionHash: f.maybeText('public', { personal: 'hash' }),
    blockNumber: f.maybeText('public'),
    timestamp: f.maybe(f.timestamp('public')),
  });

/** The bank leg. */
const payout = () =>
  f.group('public', {
    status: f.maybeText('public'),
    reference: f.maybeText('public', { personal: 'reference' }),
    transactionId: f.maybeText('public'),
    timestamp: f.maybe(f.timestamp('public')),
    attempts: f.maybe(f.integer('public')),
  });

export const offrampStatus = endpoint({
  id: 'transactions.offramp-status',
  method: 'POST',
  path: '/cngnofframpstatus',
  effect: 'read',
  summary: 'Show the status of an offramp',
  done: 'Offramp status retrieved',
  repeats: { requestId: 'requestId' },
  fails: { ...WORK_FAILS, 'payout.status': ['failed'] },
  request: () => f.fields({ requestId: f.text('interface', { rule: 'as returned by /cngnofframp' }) }),
  response: () =>
    f.payload({
      requestId: f.maybeText('public'),
      status: f.maybe(f.stateOf('public', offrampStates)),
      stage: f.maybeText('public'),
      createdAt: f.maybe(f.timestamp('public')),
      updatedAt: f.maybe(f.timestamp('public')),
      userWalletAddress: f.maybeText('client', { personal: 'address' }),
      vaultAddress: f.maybeText('client', { personal: 'address' }),
      tokenAddress: f.maybeText('public', { personal: 'address' }),
      amount: f.maybe(f.moneyText('public', 'decimal-string', 'CNGN')),
      fintechUserId: f.maybeText('client'),
      tokenTransfer: f.maybe(tokenTransfer()),
      payout: f.maybe(payout()),
    }),
  errors: [
    refusal('NOT_FOUND', 'inferred', 'the request id is unknown', advice`list offramps with: [fiatrail offramp list]`),
  ],
});
