import { endpoint, refusal } from '../endpoint.ts';
import * as f from '../fields.ts';

const recovery = {
  effect: 'write',
  summary: 'Recover a stuck request',
  done: 'Recovery requested',
  path: '/manualstatusrecovery',
  response: () => f.payload({}),
  errors: [refusal('NOT_FOUND', 'inferred', 'the request id is unknown')],
} as const;

/** A GET with a side effect, so it is never retried. */
export const recoverRequest = endpoint({
  ...recovery,
  id: 'transactions.recover-status',
  method: 'GET',
  synonyms: { uuid: 'requestId' },
  request: () =>
    f.fields({
      requestId: f.text('interface'),
      // The older name of requestId.
      uuid: f.optional(f.text('public')),
    }),
  errors: [refusal('NOT_FOUND', 'inferred', 'the request id is unknown')],
});

/** The newest public form of recovery, including the fields of older forms. */
export const recoverRequestByPost = endpoint({
  ...recovery,
  id: 'transactions.recover-status-post',
  method: 'POST',
  request: () =>
    f.fields({
      requestId: f.text('public'),
      signingRequestUuid: f.optional(f.uuid('public')),
      batch: f.optional(f.flag('public')),
      signingRequestUuids: f.optional(f.list('public', f.entry())),
      options: f.optional(
        f.group('public', {
          resumePolling: f.optional(f.flag('public')),
          updateWalletBalance: f.optional(f.flag('public')),
        }),
      ),
      uuids: f.optional(f.list('client', f.entry())),
    }),
  source: 'public',
});
