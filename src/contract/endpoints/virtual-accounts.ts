import { advice } from '../../base/advice.ts';
import { endpoint, invalid, refusal } from '../endpoint.ts';
import * as f from '../fields.ts';

/** The fees in long form. The platform fields are named after the service if the profile sets a service name. */
const feesInFull = () =>
  f.group('interface', {
    userRequestedAmount: f.money('interface', 'naira', 'NGN'),
    fintechFeeAmount: f.money('interface', 'naira', 'NGN'),
    fintechFeePercentage: f.percent('interface'),
    fintechFeeCapped: f.maybe(f.flag('public')),
    platformFeeAmount: f.maybe(f.money('interface', 'naira', 'NGN')),
    platformFeePercentage: f.maybe(f.percent('interface')),
    platformFeeCapped: f.maybe(f.flag('public')),
    gatewayFeeAmount: f.maybe(f.money('client', 'naira', 'NGN')),
    gatewayFeePercentage: f.maybe(f.percent('client')),
    totalFeeAmount: f.money('interface', 'naira', 'NGN'),
    finalAmount: f.money('interface', 'naira', 'NGN', { atLeast: 'userRequestedAmount' }),
    amountToWallet: f.money('interface', 'naira', 'NGN'),
  });

export const getVirtualAccount = endpoint({
  id: 'virtual-accounts.get',
  method: 'POST',
  path: '/getvirtualaccount',
  effect: 'read',
  summary: 'Show the bank account and the exact amount to pay for an onramp',
  done: 'Virtual account retrieved',
  nests: 'virtualAccount',
  repeats: { requestId: 'requestId' },
  request: () => f.fields({ requestId: f.opaqueId('interface', { rule: 'as returned by /cngnonramp' }) }),
  response: () =>
    f.payload({
      requestId: f.maybe(f.opaqueUuid('public')),
      virtualAccount: f.group('interface', {
        accountNumber: f.accountDigits('interface'),
        bankName: f.anyText('interface'),
        accountName: f.anyText('interface', { personal: 'name' }),
        amount: f.money('interface', 'naira', 'NGN'),
        createdAt: f.maybe(f.timestamp('public')),
        baseAmount: f.maybe(f.money('public', 'naira', 'NGN')),
        feeAmount: f.maybe(f.money('public', 'naira', 'NGN')),
        totalAmountWithFee: f.money('interface', 'naira', 'NGN', { atLeast: 'amount' }),
        // The interface documents this shape for onramps, not for this response.
        feeBreakdown: f.maybe(feesInFull()),
        feePercentage: f.maybe(f.percent('client')),
      }),
      expiresAt: f.maybe(f.timestamp('interface')),
      status: f.maybeText('public'),
      walletAddress: f.maybeText('public', { personal: 'address' }),
      version: f.maybeText('public'),
    }),
  errors: [
    refusal('NOT_FOUND', 'public', 'the request id has no bank account'),
    invalid(
      'public',
      'the bank account is older than 30 minutes',
      advice`start a new onramp with: [fiatrail onramp create <user id> --amount <naira>]`,
    ),
  ],
  rateLimit: { max: 100, windowSeconds: 600 },
});

/** A permanent account of the fintech; there is one per banking provider. */
const fintechAccount = () => ({
  accountNumber: f.maybe(f.accountDigits('public')),
  accountName: f.maybeText('public', { personal: 'name' }),
  bankName: f.maybeText('public'),
  provider: f.maybeText('public'),
  accountType: f.maybeText('interface'),
  status: f.maybeText('public'),
  createdAt: f.maybe(f.timestamp('public')),
});

export const getFintechAccount = endpoint({
  id: 'virtual-accounts.get-fintech',
  method: 'GET',
  path: '/getfintechvirtualaccount',
  effect: 'read',
  summary: "Show the account's permanent bank account; Naira paid into it becomes cNGN",
  done: 'Fintech virtual account retrieved',
  nests: 'virtualAccount',
  request: () => f.fields({}),
  response: () =>
    f.payload({
      virtualAccount: f.group('interface', {
        accountNumber: f.accountDigits('interface'),
        accountName: f.anyText('interface', { personal: 'name' }),
        bankName: f.anyText('interface'),
        provider: f.maybeText('public'),
        accountType: f.maybeText('interface'),
        status: f.anyText('interface'),
        createdAt: f.maybe(f.timestamp('interface')),
      }),
      virtualAccounts: f.maybe(f.list('public', f.group('public', fintechAccount()))),
    }),
});
