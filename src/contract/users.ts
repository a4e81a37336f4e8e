import { addressesFit } from './addresses.ts';
import { endpoint } from './endpoint.ts';
import { SEE_USERS } from './faults.ts';
import {
  answer,
  anyText,
  bvn,
  fields,
  flag,
  group,
  integer,
  known,
  list,
  maybe,
  oneOf,
  only,
  opaqueUuid,
  optional,
  orNull,
  stateOf,
  text,
  timestamp,
} from './fields.ts';

const userNotFound = {
  when: 'the user is unknown or not verified',
  fault: 'NOT_FOUND',
  source: 'public',
  remedy: SEE_USERS,
} as const;

export const onboard = endpoint({
  id: 'users.onboard',
  method: 'POST',
  path: '/onboarduser',
  effect: 'write',
  starts: 'onboarding',
  summary: 'Onboard a user by BVN',
  request: () => only({ bvn: bvn('interface') }),
  response: () =>
    answer({
      requestId: opaqueUuid('interface'),
      status: maybe(stateOf('public', ['processing'])),
      userHash: anyText('interface'),
      message: known('public'),
      estimatedCompletionTime: known('public'),
    }),
  errors: [
    { when: 'the BVN is missing or not exactly 11 digits', fault: 'VALIDATION_ERROR', source: 'public' },
    { when: 'the BVN belongs to a user already', fault: 'VALIDATION_ERROR', source: 'public' },
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
  summary: 'Show how an onboarding stands',
  request: () => fields({ requestId: text('interface', { rule: 'as given by /onboarduser' }) }),
  response: () =>
    answer({
      type: known('public'),
      userId: known('interface'),
      status: stateOf('interface', ['processing', 'completed', 'failed']),
      createdAt: maybe(timestamp('public')),
      message: known('public'),
      verified: maybe(flag('client')),
      details: maybe(
        group('client', {
          status: known('client'),
          error: maybe(
            group('client', {
              code: known('client'),
              step: known('client'),
              message: known('client'),
              userMessage: known('client'),
            }),
          ),
          userMessage: known('client'),
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
  summary: 'Show a user: names, wallets, permanent virtual account',
  request: () => fields({ userId: text('interface'), bvn: optional(bvn('client')) }),
  response: () =>
    answer({
      userId: known('public'),
      isActive: maybe(flag('public')),
      personalDetails: maybe(
        group('public', {
          firstName: known('public'),
          middleName: known('public'),
          lastName: known('public'),
        }),
      ),
      walletDetails: maybe(
        group('public', {
          evmWallet: known('public'),
          bantuWallet: known('public'),
          solanaWallet: known('public'),
          walletCreatedAt: maybe(timestamp('public')),
        }),
      ),
      virtualAccounts: list(
        'interface',
        group('interface', {
          accountNumber: anyText('interface'),
          accountName: anyText('interface'),
          bankName: anyText('interface'),
          bankCode: known('public'),
          provider: known('public'),
          accountType: stateOf('interface', ['user_permanent']),
          reference: known('public'),
          status: known('interface'),
          createdAt: maybe(timestamp('interface')),
        }),
      ),
    }),
  errors: [userNotFound],
  rateLimit: { max: 100, windowSeconds: 60 },
  source: 'interface',
});

export const listUsers = endpoint({
  id: 'users.list',
  method: 'POST',
  path: '/listfintechusers',
  effect: 'read',
  summary: 'List the verified users',
  lists: 'users',
  request: () =>
    fields({
      limit: optional(integer('interface', { min: 1, max: 100, type: 'number', rule: '1 to 100' })),
      offset: optional(integer('interface', { type: 'number', rule: '0 or more' })),
      status: optional(oneOf('interface', ['active', 'inactive', 'all'])),
      sortBy: optional(oneOf('interface', ['createdAt', 'verifiedAt'])),
      orderBy: optional(oneOf('public', ['createdAt', 'verifiedAt'])),
      orderDirection: optional(oneOf('public', ['asc', 'desc'])),
    }),
  response: () =>
    answer({
      users: list(
        'public',
        group('public', {
          userId: anyText('public'),
          firstName: known('public'),
          lastName: known('public'),
          isActive: maybe(flag('public')),
          hasWallet: maybe(flag('public')),
          wallets: maybe(
            group('public', {
              evm: known('public'),
              solana: known('public'),
              bantu: known('public'),
            }),
          ),
          virtualAccount: maybe(
            group('public', {
              accountNumber: known('public'),
              accountName: known('public'),
              bankName: known('public'),
              bankCode: known('public'),
              provider: known('public'),
            }),
          ),
          verifiedAt: maybe(timestamp('public')),
          createdAt: maybe(timestamp('public')),
        }),
      ),
      pagination: maybe(
        group('public', {
          total: maybe(integer('public')),
          limit: maybe(integer('public')),
          offset: maybe(integer('public')),
          currentPage: maybe(integer('public')),
          totalPages: maybe(integer('public')),
          hasMore: maybe(flag('interface')),
          hasNextPage: maybe(flag('public')),
          hasPreviousPage: maybe(flag('public')),
        }),
      ),
    }),
  errors: [{ when: 'the limit, status or sort value is out of range', fault: 'VALIDATION_ERROR', source: 'inferred' }],
  rateLimit: { max: 100, windowSeconds: 60 },
  source: 'interface',
});

export const setStatus = endpoint({
  id: 'users.set-status',
  method: 'POST',
  path: '/manageuserstatus',
  effect: 'write',
  summary: 'Activate or deactivate a user',
  request: () =>
    fields({
      userId: text('interface'),
      active: flag('interface'),
      reason: optional(text('interface', { rule: 'needed when active is false; kept for the audit' })),
    }),
  response: () =>
    answer({
      userId: known('public'),
      active: maybe(flag('public')),
      changedAt: maybe(timestamp('public')),
    }),
  errors: [
    userNotFound,
    { when: 'active is false and there is no reason', fault: 'VALIDATION_ERROR', source: 'public' },
  ],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

const blockchain = () =>
  text('public', { rule: 'a network the service delivers to: base, eth, bsc, pol, celo, lisk, arc, asc, sol or xbn' });

export const setDefaultWallet = endpoint({
  id: 'users.set-default-wallet',
  method: 'POST',
  path: '/setuserdefaultwallet',
  effect: 'write',
  summary: 'Set the external wallet that a user’s cNGN is delivered to',
  nests: 'defaultWallet',
  request: () =>
    fields({
      userId: text('public'),
      address: text('public', { rule: 'an address of the blockchain' }),
      blockchain: blockchain(),
      label: optional(text('public')),
    }).check(addressesFit(['address', 'blockchain'])),
  response: () =>
    answer({
      userId: known('public'),
      defaultWallet: group('interface', {
        address: known('public'),
        blockchain: known('public'),
        type: stateOf('interface', ['external']),
        status: stateOf('interface', ['active']),
        label: known('public'),
      }),
      note: known('public'),
    }),
  errors: [
    userNotFound,
    { when: 'the address is none of the blockchain', fault: 'VALIDATION_ERROR', source: 'public' },
  ],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

export const getDefaultWallet = endpoint({
  id: 'users.get-default-wallet',
  method: 'POST',
  path: '/getuserdefaultwallet',
  effect: 'read',
  summary: 'Show the external wallet that a user’s cNGN is delivered to',
  request: () => fields({ userId: text('public') }),
  response: () =>
    answer({
      userId: known('public'),
      defaultWallet: orNull(
        group('interface', {
          address: known('inferred'),
          blockchain: known('inferred'),
          type: maybe(stateOf('inferred', ['external'])),
          status: maybe(stateOf('inferred', ['active'])),
          label: known('inferred'),
        }),
      ),
    }),
  errors: [userNotFound],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

export const removeDefaultWallet = endpoint({
  id: 'users.remove-default-wallet',
  method: 'DELETE',
  path: '/removeuserdefaultwallet',
  effect: 'destructive',
  summary: 'Deliver a user’s cNGN to their managed wallet again',
  request: () => fields({ userId: text('public') }),
  response: () =>
    answer({
      userId: known('public'),
      defaultWallet: maybe(group('public', {})),
      note: known('public'),
    }),
  errors: [userNotFound],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});
