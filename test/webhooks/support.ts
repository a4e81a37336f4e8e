import { createHmac } from 'node:crypto';
import type { Host } from '../../src/base/world.ts';
import { readBody } from '../../src/webhooks/body.ts';
import { type Inbox, openInbox } from '../../src/webhooks/inbox/inbox.ts';
import type { NewEvent } from '../../src/webhooks/inbox/received.ts';
import { newEventOf } from '../../src/webhooks/listen/inbox-writer.ts';
import { type Delivery, pairsIn, verifyDelivery } from '../../src/webhooks/verify.ts';
import { type FakeClock, fakeClock } from '../support/sandbox.ts';

export const SECRET = 'a-webhook-secret';
export const NOW_MS = Date.UTC(2026, 0, 5, 9);

interface DeliveryParts {
  readonly id?: string;
  readonly sentAtMs?: number;
  readonly secret?: string;
}

let count = 0;

/** A signed delivery of a body. */
export function deliveryOf(
  body: string | object,
  { id, sentAtMs = NOW_MS, secret = SECRET }: DeliveryParts = {},
): Delivery {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const timestamp = new Date(sentAtMs).toISOString();
  count += 1;
  return {
    headers: {
      'x-service-signature': createHmac('sha256', secret).update(`${timestamp}.${text}`).digest('hex'),
      'x-service-timestamp': timestamp,
      'x-webhook-id': id ?? `webhook-${count}`,
    },
    body: Buffer.from(text),
  };
}

/** An onboarding that only its number tells from others. */
export const onboarded = (number: number, requestId = `request-${number}`) => ({
  event: 'user.onboarded',
  eventId: `event-${number}`,
  requestId,
  userId: `user-${number}`,
  data: { firstName: 'Ada' },
});

/** A delivery as the inbox keeps it. */
export async function received(delivery: Delivery, nowMs = NOW_MS): Promise<NewEvent> {
  const verified = verifyDelivery(delivery, { secrets: [SECRET], nowMs });
  return newEventOf({ ...delivery, verified, headers: pairsIn(delivery.headers) }, await readBody(delivery.body, []));
}

/** A machine on which only the given processes run. */
export const hostWith = (processId: number, running: readonly number[] = [processId], name = 'here'): Host => ({
  name,
  user: 'tester',
  processId,
  isRunning: (id) => running.includes(id),
});

/** Opens the inboxes of the tests that are the same for a file and for a server; test/postgres/support.ts replaces it. */
export const stores = {
  open: (path: string, clock: FakeClock, host: Host): Promise<Inbox> => openInbox(path, { clock, host }),
};

/** An inbox in memory, or in a file, whose clock the test moves. */
export async function testInbox(path = ':memory:', host = hostWith(1)) {
  const clock = fakeClock(NOW_MS);
  return { inbox: await stores.open(path, clock, host), clock };
}

/** Returns all that is yielded. */
export async function listOf<T>(yielded: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of yielded) all.push(each);
  return all;
}
