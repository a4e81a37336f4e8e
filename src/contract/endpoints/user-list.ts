import { endpoint } from '../endpoint.ts';
import {
  anyText,
  fields,
  flag,
  group,
  integer,
  list,
  maybe,
  maybeText,
  oneOf,
  optional,
  payload,
  timestamp,
} from '../fields.ts';

export const listUsers = endpoint({
  id: 'users.list',
  method: 'POST',
  path: '/listfintechusers',
  effect: 'read',
  summary: 'List verified users',
  done: 'Users listed',
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
    payload({
      users: list(
        'public',
        group('public', {
          userId: anyText('public'),
          firstName: maybeText('public'),
          lastName: maybeText('public'),
          isActive: maybe(flag('public')),
          hasWallet: maybe(flag('public')),
          wallets: maybe(
            group('public', {
              evm: maybeText('public'),
              solana: maybeText('public'),
              bantu: maybeText('public'),
            }),
          ),
          virtualAccount: maybe(
            group('public', {
              accountNumber: maybeText('public'),
              accountName: maybeText('public'),
              bankName: maybeText('public'),
              bankCode: maybeText('public'),
              provider: maybeText('public'),
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
  errors: [{ when: 'the limit, status or sort value is invalid', fault: 'VALIDATION_ERROR', source: 'inferred' }],
  rateLimit: { max: 100, windowSeconds: 60 },
  source: 'interface',
});
