import { endpoint } from '../endpoint.ts';
import { userUnknown } from '../faults.ts';
import {
  anyText,
  bvn,
  fields,
  flag,
  group,
  list,
  maybe,
  maybeText,
  only,
  opaqueUuid,
  optional,
  payload,
  stateOf,
  text,
  timestamp,
} from '../fields.ts';

export const onboard = endpoint({
  id: 'users.onboard',
  method: 'POST',
  path: '/onboarduser',
  effect: 'write',
  starts: 'onboarding',
  summary: 'Onboard a user by BVN',
  done: 'User onboarding started',
  otherNames: { userHash: ['userId'] },
  request: () => only({ bvn: bvn('interface') }),
  response: () =>
    payload({
      requestId: opaqueUuid('interface'),
      status: maybe(stateOf('public', ['processing'])),
      userHash: anyText('interface'),
      message: maybeText('public'),
      estimatedCompletionTime: maybeText('public'),
    }),
  errors: [
    { when: 'the BVN is missing or not exactly 11 digits', fault: 'VALIDATION_ERROR', source: 'public' },
    { when: 'the BVN already belongs to a user', fault: 'VALIDATION_ERROR', source: 'public' },
    {
      when: 'the identity provider cannot verify the BVN or cannot be reached',
      fault: 'INTERNAL_ERROR',
      source: 'public',
    },
  ],
  rateLimit: { max: 100, windowSeconds: 60 },
  source: 'interface',
});

export const onboardStatus = endpoint({
  id: 'users.onboard-status',
  method: 'POST',
  path: '/onboardstatus',
  effect: 'read',
  summary: 'Show the status of an onboarding',
  done: 'Onboarding status retrieved',
  request: () => fields({ requestId: text('interface', { rule: 'as returned by /onboarduser' }) }),
  response: () =>
    payload({
      type: maybeText('public'),
      userId: maybeText('interface'),
      status: stateOf('interface', ['processing', 'completed', 'failed']),
      createdAt: maybe(timestamp('public')),
      message: maybeText('public'),
      verified: maybe(flag('client')),
      details: maybe(
        group('client', {
          status: maybeText('client'),
          error: maybe(
            group('client', {
              code: maybeText('client'),
              step: maybeText('client'),
              message: maybeText('client'),
              userMessage: maybeText('client'),
            }),
          ),
          userMessage: maybeText('client'),
        }),
      ),
      retryable: maybe(flag('client')),
    }),
  errors: [{ when: 'the request id is unknown', fault: 'NOT_FOUND', source: 'public' }],
  rateLimit: { max: 200, windowSeconds: 60 },
  source: 'interface',
});

export const getDetails = endpoint({
  id: 'users.get-details',
  method: 'POST',
  path: '/getuserdetails',
  effect: 'read',
  summary: "Show a user's name, wallets and permanent virtual account",
  done: 'User details retrieved',
  otherNames: { virtualAccounts: ['virtualAccountDetails'] },
  request: () => fields({ userId: text('interface'), bvn: optional(bvn('client')) }),
  response: () =>
    payload({
      userId: maybeText('public'),
      isActive: maybe(flag('public')),
      deactivationReason: maybeText('inferred'),
      personalDetails: maybe(
        group('public', {
          firstName: maybeText('public'),
          middleName: maybeText('public'),
          lastName: maybeText('public'),
        }),
      ),
      walletDetails: maybe(
        group('public', {
          evmWallet: maybeText('public'),
          bantuWallet: maybeText('public'),
          solanaWallet: maybeText('public'),
          walletCreatedAt: maybe(timestamp('public')),
        }),
      ),
      virtualAccounts: list(
        'interface',
        group('interface', {
          accountNumber: anyText('interface'),
          accountName: anyText('interface'),
          bankName: anyText('interface'),
          bankCode: maybeText('public'),
          provider: maybeText('public'),
          accountType: stateOf('interface', ['user_permanent']),
          reference: maybeText('public'),
          status: maybeText('interface'),
          createdAt: maybe(timestamp('interface')),
        }),
      ),
    }),
  errors: [userUnknown],
  rateLimit: { max: 100, windowSeconds: 60 },
  source: 'interface',
});
