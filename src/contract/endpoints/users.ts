import { endpoint, invalid, refusal, userUnknown } from '../endpoint.ts';
import * as f from '../fields.ts';

export const onboard = endpoint({
  id: 'users.onboard',
  method: 'POST',
  path: '/onboarduser',
  effect: 'write',
  starts: 'onboarding',
  summary: 'Onboard a user by BVN',
  done: 'User onboarding started',
  otherNames: { userHash: ['userId'] },
  request: () => f.only({ bvn: f.bvn('interface') }),
  response: () =>
    f.payload({
      requestId: f.opaqueUuid('interface'),
      status: f.maybe(f.stateOf('public', ['processing'])),
      userHash: f.anyText('interface', { personal: 'reference' }),
      message: f.maybeText('public', { personal: 'text' }),
      estimatedCompletionTime: f.maybeText('public'),
    }),
  errors: [
    invalid('public', 'the BVN is missing or not exactly 11 digits'),
    invalid('public', 'the BVN already belongs to a user'),
    refusal('INTERNAL_ERROR', 'public', 'the identity provider cannot verify the BVN or cannot be reached'),
  ],
  rateLimit: { max: 100, windowSeconds: 60 },
});

export const onboardStatus = endpoint({
  id: 'users.onboard-status',
  method: 'POST',
  path: '/onboardstatus',
  effect: 'read',
  summary: 'Show the status of an onboarding',
  done: 'Onboarding status retrieved',
  request: () => f.fields({ requestId: f.text('interface', { rule: 'as returned by /onboarduser' }) }),
  response: () =>
    f.payload({
      type: f.maybeText('public'),
      userId: f.maybeText('interface'),
      status: f.stateOf('interface', ['processing', 'completed', 'failed']),
      createdAt: f.maybe(f.timestamp('public')),
      message: f.maybeText('public', { personal: 'text' }),
      verified: f.maybe(f.flag('client')),
      details: f.maybe(
        f.group('client', {
          status: f.maybeText('client'),
          error: f.maybe(
            f.group('client', {
              code: f.maybeText('client'),
              step: f.maybeText('client'),
              message: f.maybeText('client', { personal: 'text' }),
              userMessage: f.maybeText('client', { personal: 'text' }),
            }),
          ),
          userMessage: f.maybeText('client', { personal: 'text' }),
        }),
      ),
      retryable: f.maybe(f.flag('client')),
    }),
  errors: [refusal('NOT_FOUND', 'public', 'the request id is unknown')],
  rateLimit: { max: 200, windowSeconds: 60 },
});

export const getDetails = endpoint({
  id: 'users.get-details',
  method: 'POST',
  path: '/getuserdetails',
  effect: 'read',
  summary: "Show a user's name, wallets and permanent virtual account",
  done: 'User details retrieved',
  otherNames: { virtualAccounts: ['virtualAccountDetails'] },
  repeats: { userId: 'userId' },
  request: () => f.fields({ userId: f.text('interface'), bvn: f.optional(f.bvn('client')) }),
  response: () =>
    f.payload({
      userId: f.maybeText('public'),
      isActive: f.maybe(f.flag('public')),
      deactivationReason: f.maybeText('inferred', { personal: 'text' }),
      personalDetails: f.maybe(
        f.group('public', {
          firstName: f.maybeText('public', { personal: 'name' }),
          middleName: f.maybeText('public', { personal: 'name' }),
          lastName: f.maybeText('public', { personal: 'name' }),
        }),
      ),
      walletDetails: f.maybe(
        f.group('public', {
          evmWallet: f.maybeText('public', { personal: 'address' }),
          bantuWallet: f.maybeText('public', { personal: 'address' }),
          solanaWallet: f.maybeText('public', { personal: 'address' }),
          walletCreatedAt: f.maybe(f.timestamp('public')),
        }),
      ),
      virtualAccounts: f.list(
        'interface',
        f.group('interface', {
          accountNumber: f.accountDigits('interface'),
          accountName: f.anyText('interface', { personal: 'name' }),
          bankName: f.anyText('interface'),
          bankCode: f.maybeText('public'),
          provider: f.maybeText('public'),
          accountType: f.stateOf('interface', ['user_permanent']),
          reference: f.maybeText('public', { personal: 'reference' }),
          status: f.maybeText('interface'),
          createdAt: f.maybe(f.timestamp('interface')),
        }),
      ),
    }),
  errors: [userUnknown],
  rateLimit: { max: 100, windowSeconds: 60 },
});
