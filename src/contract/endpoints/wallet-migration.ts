import { endpoint } from '../endpoint.ts';
import * as f from '../fields.ts';

export const migrateUserWallets = endpoint({
  id: 'wallets.migrate-users',
  method: 'POST',
  path: '/migrateuserwallets',
  effect: 'write',
  // Tokens at the replaced addresses are not moved.
  consents: { force: { kind: 'destination', unless: { words: 'false', holds: (value) => value === false } } },
  summary: 'Create missing wallets for users',
  done: 'User wallets processed',
  lists: 'results',
  repeats: { userId: 'results.userId' },
  request: () =>
    f.fields({
      userId: f.list('public', f.entry(/^[\x21-\x7e]{1,500}$/), { min: 1, max: 1000, rule: '1 to 1000 user ids' }),
      force: f.optional(f.flag('public', { rule: 'true or false; true also replaces existing wallets' })),
      options: f.optional(f.group('inferred', {})),
    }),
  response: () =>
    f.payload({
      requestId: f.maybeText('public'),
      totalProcessed: f.maybe(f.integer('public')),
      created: f.maybe(f.integer('public')),
      migrated: f.maybe(f.integer('public')),
      skipped: f.maybe(f.integer('public')),
      failed: f.maybe(f.integer('public')),
      results: f.maybe(
        f.list(
          'public',
          f.group('public', {
            userId: f.maybeText('public'),
            status: f.maybe(f.stateOf('public', ['created', 'migrated', 'skipped', 'failed'])),
            walletAddress: f.maybeText('public', { personal: 'address' }),
            deployed: f.maybe(f.flag('public')),
            reason: f.maybeText('public', { personal: 'text' }),
          }),
        ),
      ),
    }),
});
