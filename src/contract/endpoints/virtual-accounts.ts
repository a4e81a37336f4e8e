import { endpoint } from '../endpoint.ts';
import {
  anyText,
  fields,
  flag,
  group,
  list,
  maybe,
  maybeText,
  money,
  opaqueId,
  opaqueUuid,
  payload,
  percent,
  timestamp,
} from '../fields.ts';

/** The fees in long form. The platform fields are named after the service if the profile sets a service name. */
const feesInFull = () =>
  group('interface', {
    userRequestedAmount: money('interface', 'naira', 'NGN'),
    fintechFeeAmount: money('interface', 'naira', 'NGN'),
    fintechFeePercentage: percent('interface'),
    fintechFeeCapped: maybe(flag('public')),
    platformFeeAmount: maybe(money('interface', 'naira', 'NGN')),
    platformFeePercentage: maybe(percent('interface')),
    platformFeeCapped: maybe(flag('public')),
    gatewayFeeAmount: maybe(money('client', 'naira', 'NGN')),
    gatewayFeePercentage: maybe(percent('client')),
    totalFeeAmount: money('interface', 'naira', 'NGN'),
    finalAmount: money('interface', 'naira', 'NGN'),
    amountToWallet: money('interface', 'naira', 'NGN'),
  });

export const getVirtualAccount = endpoint({
  id: 'virtual-accounts.get',
  method: 'POST',
  path: '/getvirtualaccount',
  effect: 'read',
  summary: 'Show the bank account and the exact amount to pay for an onramp',
  done: 'Virtual account retrieved',
  nests: 'virtualAccount',
  request: () => fields({ requestId: opaqueId('interface', { rule: 'as returned by /cngnonramp' }) }),
  response: () =>
    payload({
      requestId: maybe(opaqueUuid('public')),
      virtualAccount: group('interface', {
        accountNumber: anyText('interface'),
        bankName: anyText('interface'),
        accountName: anyText('interface'),
        amount: money('interface', 'naira', 'NGN'),
        createdAt: maybe(timestamp('public')),
        baseAmount: maybe(money('public', 'naira', 'NGN')),
        feeAmount: maybe(money('public', 'naira', 'NGN')),
        totalAmountWithFee: money('interface', 'naira', 'NGN'),
        // The interface documents this shape for onramps, not for this response.
        feeBreakdown: maybe(feesInFull()),
        feePercentage: maybe(percent('client')),
      }),
      expiresAt: maybe(timestamp('interface')),
      status: maybeText('public'),
      walletAddress: maybeText('public'),
      version: maybeText('public'),
    }),
  errors: [
    { when: 'the request id has no bank account', fault: 'NOT_FOUND', source: 'public' },
    {
      when: 'the bank account is older than 30 minutes',
      fault: 'VALIDATION_ERROR',
      source: 'public',
      remedy: 'start a new onramp with: fiatrail onramp start <user id> --amount <naira>',
    },
  ],
  rateLimit: { max: 100, windowSeconds: 600 },
  source: 'interface',
});

/** A permanent account of the fintech; there is one per banking provider. */
const fintechAccount = () => ({
  accountNumber: maybeText('public'),
  accountName: maybeText('public'),
  bankName: maybeText('public'),
  provider: maybeText('public'),
  status: maybeText('public'),
  createdAt: maybe(timestamp('public')),
});

export const getFintechAccount = endpoint({
  id: 'virtual-accounts.get-fintech',
  method: 'GET',
  path: '/getfintechvirtualaccount',
  effect: 'read',
  summary: "Show the account's permanent bank account; Naira paid into it becomes cNGN",
  done: 'Fintech virtual account retrieved',
  nests: 'virtualAccount',
  request: () => fields({}),
  response: () =>
    payload({
      virtualAccount: group('interface', {
        accountNumber: anyText('interface'),
        accountName: anyText('interface'),
        bankName: anyText('interface'),
        provider: maybeText('public'),
        status: anyText('interface'),
        createdAt: maybe(timestamp('interface')),
      }),
      virtualAccounts: maybe(list('public', group('public', fintechAccount()))),
    }),
  errors: [],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});
