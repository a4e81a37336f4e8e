import { endpoint } from '../endpoint.ts';
import {
  fields,
  group,
  maybe,
  maybeText,
  money,
  opaqueId,
  opaqueUuid,
  pay,
  payload,
  stateOf,
  text,
  timestamp,
} from '../fields.ts';

export const startPayout = endpoint({
  id: 'transactions.fintech-offramp',
  method: 'POST',
  path: '/initiateofframp',
  effect: 'money',
  moves: { command: 'payout start', amount: 'amount', to: [{ savedAccount: 'bankAccountId' }] },
  starts: 'fintech-offramp',
  summary: "Start a payout of the account's own cNGN to one of its bank accounts",
  done: 'Payout started',
  request: () =>
    fields({
      amount: pay('interface', 'base', 'CNGN', { rule: 'greater than 0, in base units (1000000 is 1 cNGN)' }),
      bankAccountId: opaqueId('public', { rule: 'the id of a payout account' }),
    }),
  response: () =>
    payload({
      requestId: opaqueUuid('interface'),
      amount: maybe(money('public', 'naira', 'NGN')),
      walletSource: maybe(stateOf('public', ['system_wallet'])),
      status: maybe(stateOf('public', ['pending'])),
      message: maybeText('public'),
    }),
  errors: [
    { when: 'the amount is not greater than 0', fault: 'VALIDATION_ERROR', source: 'public' },
    { when: 'no payout account has this id', fault: 'BANK_ACCOUNT_NOT_FOUND', source: 'public' },
    { when: 'the cNGN balance of the smart wallet is too low', fault: 'SHORT_BALANCE', source: 'public' },
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
  summary: "Show the status of a payout of the account's own cNGN",
  done: 'Payout status retrieved',
  request: () => fields({ requestId: text('interface', { rule: 'as returned by /initiateofframp' }) }),
  response: () =>
    payload({
      requestId: maybe(opaqueUuid('public')),
      status: maybe(stateOf('public', payoutStates)),
      amount: maybe(money('public', 'naira', 'NGN')),
      currency: maybe(stateOf('public', ['NGN'])),
      bankAccount: maybe(
        group('public', {
          accountNumber: maybeText('public'),
          accountName: maybeText('public'),
          bankName: maybeText('public'),
        }),
      ),
      wallet: maybe(
        group('public', { source: maybe(stateOf('public', ['system_wallet'])), address: maybeText('public') }),
      ),
      transferDetails: maybe(
        group('public', {
          txHash: maybeText('public'),
          status: maybe(stateOf('public', ['pending', 'confirmed', 'failed'])),
        }),
      ),
      payoutDetails: maybe(
        group('public', {
          reference: maybeText('public'),
          provider: maybeText('public'),
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
