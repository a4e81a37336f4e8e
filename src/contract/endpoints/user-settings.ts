import { endpoint, invalid, refusal, userUnknown } from '../endpoint.ts';
import { SEE_USERS } from '../faults.ts';
import * as f from '../fields.ts';

export const setStatus = endpoint({
  id: 'users.set-status',
  method: 'POST',
  path: '/manageuserstatus',
  effect: 'write',
  consents: { active: { kind: 'access' } },
  summary: 'Activate or deactivate a user',
  done: 'User status updated',
  repeats: { userId: 'userId', active: 'active' },
  request: () =>
    f.fields({
      userId: f.text('interface'),
      active: f.flag('interface'),
      reason: f.optional(
        f.text('interface', { personal: 'text', rule: 'required if active is false; kept for auditing' }),
      ),
    }),
  response: () =>
    f.payload({
      userId: f.maybeText('public'),
      active: f.maybe(f.flag('public')),
      changedAt: f.maybe(f.timestamp('public')),
    }),
  errors: [userUnknown, invalid('public', 'active is false and no reason is given')],
});

export const updateOnrampAsset = endpoint({
  id: 'management.update-onramp-asset',
  method: 'POST',
  path: '/updateonrampasset',
  effect: 'write',
  consents: { preferredAsset: { kind: 'destination' }, preferences: { kind: 'price' } },
  summary: "Set the asset that a user's onramps deliver",
  done: 'Onramp asset updated',
  repeats: { 'preferences.autoSwap': 'autoSwap' },
  request: () =>
    f.fields({
      userId: f.text('public'),
      preferredAsset: f.optional(f.text('public', { rule: 'a symbol: CNGN, USDC or USDT' })),
      preferences: f.optional(
        f.group('public', {
          defaultAsset: f.optional(f.text('public', { rule: 'a symbol: CNGN, USDC or USDT' })),
          autoSwap: f.optional(f.flag('public')),
          slippageTolerance: f.optional(f.percentText('public', '0', '100')),
        }),
      ),
    }),
  response: () =>
    f.payload({
      requestId: f.maybeText('public'),
      updatedAt: f.maybe(f.timestamp('public')),
      autoSwap: f.maybe(f.flag('public')),
    }),
  errors: [refusal('NOT_FOUND', 'inferred', 'the user is unknown', SEE_USERS)],
});
