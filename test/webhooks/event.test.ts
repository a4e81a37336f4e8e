import { expect, test } from 'vitest';
import { eventIn } from '../../src/webhooks/event.ts';

test.each([
  ['event', { event: 'wallet_funding', data: { requestId: 'r-1' } }],
  ['eventType', { eventType: 'wallet_funding', payload: { requestId: 'r-1' } }],
  ['notify', { notify: 'wallet_funding', notifyType: 'successful', Data: { requestId: 'r-1' } }],
])('an event is read in the form with %s', (_form, body) => {
  expect(eventIn(body)).toMatchObject({ event: 'wallet_funding', data: { requestId: 'r-1' }, requestId: 'r-1' });
});
