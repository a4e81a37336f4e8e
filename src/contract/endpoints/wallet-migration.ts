import { endpoint } from '../endpoint.ts';
import { entry, fields, flag, group, integer, list, maybe, maybeText, optional, payload, stateOf } from '../fields.ts';

export const migrateUserWallets = endpoint({
  id: 'wallets.migrate-users',
  method: 'POST',
  path: '/migrateuserwallets',
  effect: 'write',
  summary: 'Create missing wallets for users',
  done: 'User wallets processed',
  lists: 'results',
  request: () =>
    fields({
      userId: list('public', entry(/^[\x21-\x7e]{1,500}$/), { min: 1, max: 1000, rule: '1 to 1000 user ids' }),
      force: optional(flag('public', { rule: 'true or false; true also replaces existing wallets' })),
      options: optional(group('inferred', {})),
    }),
  response: () =>
    payload({
      requestId: maybeText('public'),
      totalProcessed: maybe(integer('public')),
      created: maybe(integer('public')),
      migrated: maybe(integer('public')),
      skipped: maybe(integer('public')),
      failed: maybe(integer('public')),
      results: maybe(
        list(
          'public',
          group('public', {
            userId: maybeText('public'),
            status: maybe(stateOf('public', ['created', 'migrated', 'skipped', 'failed'])),
            walletAddress: maybeText('public'),
            deployed: maybe(flag('public')),
            reason: maybeText('public'),
          }),
        ),
      ),
    }),
  errors: [],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});
