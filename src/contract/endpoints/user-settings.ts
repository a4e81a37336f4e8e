import { endpoint, managementLimits } from '../endpoint.ts';
import { SEE_USERS, userUnknown } from '../faults.ts';
import { fields, flag, group, maybe, maybeText, optional, payload, percentText, text, timestamp } from '../fields.ts';

export const setStatus = endpoint({
  id: 'users.set-status',
  method: 'POST',
  path: '/manageuserstatus',
  effect: 'write',
  summary: 'Activate or deactivate a user',
  done: 'User status updated',
  request: () =>
    fields({
      userId: text('interface'),
      active: flag('interface'),
      reason: optional(text('interface', { rule: 'required if active is false; kept for auditing' })),
    }),
  response: () =>
    payload({
      userId: maybeText('public'),
      active: maybe(flag('public')),
      changedAt: maybe(timestamp('public')),
    }),
  errors: [
    userUnknown,
    { when: 'active is false and no reason is given', fault: 'VALIDATION_ERROR', source: 'public' },
  ],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

export const updateOnrampAsset = endpoint({
  ...managementLimits,
  id: 'management.update-onramp-asset',
  method: 'POST',
  path: '/updateonrampasset',
  effect: 'write',
  summary: "Set the asset that a user's onramps deliver",
  done: 'Onramp asset updated',
  request: () =>
    fields({
      userId: text('public'),
      preferredAsset: optional(text('public', { rule: 'a symbol: CNGN, USDC or USDT' })),
      preferences: optional(
        group('public', {
          defaultAsset: optional(text('public', { rule: 'a symbol: CNGN, USDC or USDT' })),
          autoSwap: optional(flag('public')),
          slippageTolerance: optional(percentText('public', '0', '100')),
        }),
      ),
    }),
  response: () =>
    payload({ requestId: maybeText('public'), updatedAt: maybe(timestamp('public')), autoSwap: maybe(flag('public')) }),
  errors: [
    {
      when: 'the user is unknown',
      fault: 'NOT_FOUND',
      source: 'inferred',
      remedy: SEE_USERS,
    },
  ],
});
