import { expect, test } from 'vitest';
import { DatabaseError } from '../../src/sqlite/errors.ts';
import type { ForwardEnd } from '../../src/webhooks/inbox/forwards.ts';
import { forwardTo } from '../../src/webhooks/listen/forwarder.ts';
import { deliveryOf, onboarded, received, testInbox } from './support.ts';

const TARGET = 'http://127.0.0.1:9/';

test('an acknowledged event is recorded once the disk has room again, and not sent twice', async () => {
  const { inbox, clock } = await testInbox();
  inbox.forwardTo({ targets: [TARGET], forwardsLate: false });
  inbox.keep([await received(deliveryOf(onboarded(1)))]);
  const stopping = new AbortController();
  let sent = 0;
  let failures = 2;
  const unrecorded: string[] = [];
  const send = async (): Promise<ForwardEnd> => {
    sent += 1;
    return { status: 200 };
  };
  const ended: typeof inbox.forwards.ended = (forward, end) => {
    failures -= 1;
    if (failures >= 0) throw new DatabaseError('full', 'inbox.db', undefined);
    inbox.forwards.ended(forward, end);
  };
  await forwardTo(
    { name: TARGET, send },
    { ...inbox.forwards, ended },
    {
      clock,
      onForwarded: () => stopping.abort(),
      onUnrecorded: (problem) => void unrecorded.push(problem),
    },
    stopping.signal,
  );
  expect([sent, unrecorded]).toEqual([1, ['full', 'full']]);
  expect(inbox.list({ limit: 1 })[0]?.forwards).toMatchObject([{ state: 'acknowledged' }]);
});
