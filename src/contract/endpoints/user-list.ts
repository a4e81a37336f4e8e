import { endpoint, invalid } from '../endpoint.ts';
import * as f from '../fields.ts';

export const listUsers = endpoint({
  id: 'users.list',
  method: 'POST',
  path: '/listfintechusers',
  effect: 'read',
  summary: 'List verified users',
  done: 'Users listed',
  lists: 'users',
  request: () =>
    f.fields({
      limit: f.optional(f.integer('interface', { min: 1, max: 100, type: 'number', rule: '1 to 100' })),
      offset: f.optional(f.integer('interface', { type: 'number', rule: '0 or more' })),
      status: f.optional(f.oneOf('interface', ['active', 'inactive', 'all'])),
      sortBy: f.optional(f.oneOf('interface', ['createdAt', 'verifiedAt'])),
      orderBy: f.optional(f.oneOf('public', ['createdAt', 'verifiedAt'])),
      orderDirection: f.optional(f.oneOf('public', ['asc', 'desc'])),
    }),
  response: () =>
    f.payload({
      users: f.list(
        'public',
        f.group('public', {
          userId: f.anyText('public'),
          firstName: f.maybeText('public', { personal: 'name' }),
          lastName: f.maybeText('public', { personal: 'name' }),
          isActive: f.maybe(f.flag('public')),
          hasWallet: f.maybe(f.flag('public')),
          wallets: f.maybe(
            f.group('public', {
              evm: f.maybeText('public', { personal: 'address' }),
              solana: f.maybeText('public', { personal: 'address' }),
              bantu: f.maybeText('public', { personal: 'address' }),
            }),
          ),
          virtualAccount: f.maybe(
            f.group('public', {
              accountNumber: f.maybe(f.accountDigits('public')),
              accountName: f.maybeText('public', { personal: 'name' }),
              bankName: f.maybeText('public'),
              bankCode: f.maybeText('public'),
              provider: f.maybeText('public'),
            }),
          ),
          verifiedAt: f.maybe(f.timestamp('public')),
          createdAt: f.maybe(f.timestamp('public')),
        }),
      ),
      pagination: f.maybe(
        f.group('public', {
          total: f.maybe(f.integer('public')),
          limit: f.maybe(f.integer('public')),
          offset: f.maybe(f.integer('public')),
          currentPage: f.maybe(f.integer('public')),
          totalPages: f.maybe(f.integer('public')),
          hasMore: f.maybe(f.flag('interface')),
          hasNextPage: f.maybe(f.flag('public')),
          hasPreviousPage: f.maybe(f.flag('public')),
        }),
      ),
    }),
  errors: [invalid('inferred', 'the limit, status or sort value is invalid')],
  rateLimit: { max: 100, windowSeconds: 60 },
});
