import { advice } from '../../base/advice.ts';
import { endpoint, invalid, refusal, WORK_FAILS } from '../endpoint.ts';
import * as f from '../fields.ts';

/** The bank may send back a payout that it has made. Source: public. */
const FAILED = [...WORK_FAILS.status, 'reversed'] as const;

export const startPayout = endpoint({
  id: 'transactions.fintech-offramp',
  method: 'POST',
  path: '/initiateofframp',
  effect: 'money',
  moves: { command: 'payout create', amount: 'amount', to: [{ savedAccount: 'bankAccountId' }] },
  starts: 'fintech-offramp',
  summary: "Start a payout of the account's own cNGN to one of its bank accounts",
  done: 'Payout started',
  repeats: { amount: 'amount' },
  fails: { status: FAILED },
  request: () =>
    f.fields({
      amount: f.pay('interface', 'base', 'CNGN', { rule: 'greater than 0, in base units (1000000 is 1 cNGN)' }),
      bankAccountId: f.opaqueId('public', { rule: 'the id of a payout account' }),
    }),
  response: () =>
    f.payload({
      requestId: f.opaqueUuid('interface'),
      amount: f.maybe(f.money('public', 'naira', 'NGN')),
      walletSource: f.maybe(f.stateOf('public', ['system_wallet'])),
      status: f.maybe(f.stateOf('public', ['pending'])),
      message: f.maybeText('public', { personal: 'text' }),
    }),
  errors: [
    invalid('public', 'the amount is not greater than 0'),
    refusal('BANK_ACCOUNT_NOT_FOUND', 'public', 'no payout account has this id'),
    refusal('SHORT_BALANCE', 'public', 'the cNGN balance of the account wallet is too low'),
  ],
});

const payoutStates = [
  'pending',
  'processing',
  'transferring_cngn',
  'initiating_payout',
  'payout_processing',
  'completed',
  ...FAILED,
  'pending_manual_review',
] as const;

export type PayoutState = (typeof payoutStates)[number];

export const payoutStatus = endpoint({
  id: 'transactions.fintech-offramp-status',
  method: 'GET',
  path: '/getofframpstatus',
  effect: 'read',
  summary: "Show the status of a payout of the account's own cNGN",
  done: 'Payout status retrieved',
  repeats: { requestId: 'requestId' },
  fails: { status: FAILED, 'payoutDetails.status': ['failed'] },
  request: () => f.fields({ requestId: f.text('interface', { rule: 'as returned by /initiateofframp' }) }),
  response: () =>
    f.payload({
      requestId: f.maybe(f.opaqueUuid('public')),
      status: f.maybe(f.stateOf('public', payoutStates)),
      // The example is a hundred times that of the payout's start, so that it may be kobo.
      amount: f.maybe(f.money('public', 'naira', 'NGN', { isUnitUnclear: true })),
      currency: f.maybe(f.stateOf('public', ['NGN'])),
      bankAccount: f.maybe(
        f.group('public', {
          accountNumber: f.maybe(f.accountDigits('public')),
          accountName: f.maybeText('public', { personal: 'name' }),
          bankName: f.maybeText('public'),
        }),
      ),
      wallet: f.maybe(
        f.group('public', {
          source: f.maybe(f.stateOf('public', ['system_wallet'])),
          address: f.maybeText('public', { personal: 'address' }),
        }),
      ),
      transferDetails: f.maybe(
        f.group('public', {
          txHash: f.maybeText('public', { personal: 'hash' }),
          status: f.maybe(f.stateOf('public', ['pending', 'confirmed', 'failed'])),
        }),
      ),
      payoutDetails: f.maybe(
        f.group('public', {
          reference: f.maybeText('public', { personal: 'reference' }),
          provider: f.maybeText('public'),
          status: f.maybe(f.stateOf('public', ['pending', 'processing', 'completed', 'failed'])),
        }),
      ),
      initiatedAt: f.maybe(f.timestamp('public')),
      completedAt: f.maybe(f.timestamp('public')),
    }),
  errors: [
    refusal('NOT_FOUND', 'inferred', 'the request id is unknown', advice`list payouts with: [fiatrail payout list]`),
  ],
});
