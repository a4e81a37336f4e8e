import { endpoint } from '../endpoint.ts';
import { entry, fields, flag, group, list, optional, payload, text, uuid } from '../fields.ts';

const recovery = {
  effect: 'write',
  summary: 'Recover a stuck request',
  done: 'Recovery requested',
  path: '/manualstatusrecovery',
  response: () => payload({}),
  rateLimit: { max: 30, windowSeconds: 60 },
} as const;

/** A GET with a side effect, so it is never retried. */
export const recoverRequest = endpoint({
  ...recovery,
  id: 'transactions.recover-status',
  method: 'GET',
  synonyms: { uuid: 'requestId' },
  request: () =>
    fields({
      requestId: text('interface'),
      // The older name of requestId.
      uuid: optional(text('public')),
    }),
  errors: [{ when: 'the request id is unknown', fault: 'NOT_FOUND', source: 'inferred' }],
  source: 'interface',
});

/** The newest public form of recovery, including the fields of older forms. */
export const recoverRequestByPost = endpoint({
  ...recovery,
  id: 'transactions.recover-status-post',
  method: 'POST',
  request: () =>
    fields({
      requestId: text('public'),
      signingRequestUuid: optional(uuid('public')),
      batch: optional(flag('public')),
      signingRequestUuids: optional(list('public', entry())),
      options: optional(
        group('public', {
          resumePolling: optional(flag('public')),
          updateWalletBalance: optional(flag('public')),
        }),
      ),
      uuids: optional(list('client', entry())),
    }),
  errors: [],
  source: 'public',
});
