import { describe, expect, test } from 'vitest';
import { newKeyPair, seal } from '../../src/crypto/sealed-box.ts';
import { readBody } from '../../src/webhooks/body.ts';
import { BACKOFF_MS } from '../../src/webhooks/inbox/forwards.ts';
import type { Inbox } from '../../src/webhooks/inbox/inbox.ts';
import { contentOf } from '../../src/webhooks/inbox/received.ts';
import { testQueryPlans } from '../support/query-plans.ts';
import { temporaryFolder } from '../support/sandbox.ts';
import { deliveryOf, NOW_MS, onboarded, received, testInbox } from './support.ts';

const TARGET = 'http://127.0.0.1:3000/';
const OTHER = 'http://127.0.0.1:3001/';

async function keepAll(inbox: Inbox, ...bodies: object[]): Promise<void> {
  await inbox.add(await Promise.all(bodies.map((body) => received(deliveryOf(body)))));
}

const numbers = async (inbox: Inbox, target = TARGET) =>
  (await inbox.forwards.due(target, 100)).map(({ event }) => Number(event.id));

describe('a delivery', () => {
  test('is kept with the exact bytes, and read', async () => {
    const { inbox } = await testInbox();
    const body = '{ "event":"user.onboarded",  "data":{"amount":12345678901234567890} }';
    await inbox.add([await received(deliveryOf(body, { id: 'w-1' }))]);
    const [kept] = await inbox.list({ limit: 10 });
    expect(kept).toMatchObject({
      id: 1n,
      kind: 'event',
      event: 'user.onboarded',
      webhookId: 'w-1',
      text: body,
      copies: 0,
    });
    expect(Buffer.from(kept?.body ?? []).toString()).toBe(body);
  });

  test.each([
    ['an unknown event', '{"event":"a.new.event","data":{}}', 'unknown'],
    ['JSON that is no event', '[1]', 'unreadable'],
    ['an encrypted body without a key', '{"payload":"AAAA"}', 'encrypted'],
  ])('of %s is kept, marked and not lost', async (_what, body, kind) => {
    const { inbox } = await testInbox();
    await inbox.forwardTo({ targets: [TARGET] });
    await inbox.add([await received(deliveryOf(body))]);
    expect((await inbox.list({ limit: 1 }))[0]).toMatchObject({ kind });
    expect(await numbers(inbox)).toHaveLength(kind === 'unknown' ? 1 : 0);
  });

  test('that is not UTF-8 keeps its bytes', async () => {
    const { inbox } = await testInbox();
    const body = Uint8Array.of(0x7b, 0xff, 0x7d);
    const event = await received(deliveryOf('{}'));
    await inbox.add([{ ...event, body }]);
    expect([...((await inbox.list({ limit: 1 }))[0]?.body ?? [])]).toEqual([0x7b, 0xff, 0x7d]);
  });
});

describe('a copy', () => {
  const first = deliveryOf(onboarded(1), { id: 'w-1' });
  test.each([
    ['the same delivery', first, true],
    [
      'a retry: same id and content, signed anew',
      deliveryOf(onboarded(1), { id: 'w-1', sentAtMs: NOW_MS - 60_000 }),
      true,
    ],
    ['the same event under another id', deliveryOf(onboarded(1), { id: 'w-2', sentAtMs: NOW_MS - 1 }), true],
    ['another event under the same id, which is not signed', deliveryOf(onboarded(2), { id: 'w-1' }), false],
    ['another event', deliveryOf(onboarded(2), { id: 'w-2' }), false],
  ])('%s: %#', async (_what, second, isCopy) => {
    const { inbox } = await testInbox();
    await inbox.forwardTo({ targets: [TARGET] });
    await inbox.add([await received(first)]);
    expect(await inbox.add([await received(second)])).toMatchObject([{ isCopy }]);
    expect(await inbox.list({ limit: 10 })).toHaveLength(isCopy ? 1 : 2);
    expect(await numbers(inbox)).toHaveLength(isCopy ? 1 : 2);
    expect((await inbox.list({ limit: 10 })).at(-1)?.copies).toBe(isCopy ? 1 : 0);
  });

  test('is recognized within one batch, and after a restart', async () => {
    using folder = temporaryFolder();
    const path = folder.file('inbox.db');
    const event = await received(first);
    const { inbox } = await testInbox(path);
    expect((await inbox.add([event, event])).map(({ isCopy }) => isCopy)).toEqual([false, true]);
    await inbox.close();
    const { inbox: again } = await testInbox(path);
    expect(await again.add([event])).toMatchObject([{ isCopy: true }]);
    await again.close();
  });

  test('that is sent again under another id, which is not signed, is no new event', async () => {
    const { inbox } = await testInbox();
    const { headers, body } = deliveryOf({ event: 'user.onboarded', data: { firstName: 'Ada' } });
    const again = { headers: { ...(headers as Record<string, string>), 'x-webhook-id': 'another' }, body };
    await inbox.add([await received({ headers, body })]);
    expect(await inbox.add([await received(again)])).toMatchObject([{ isCopy: true }]);
  });

  test('of content without an event id and under another id is a new event', async () => {
    const { inbox } = await testInbox();
    const body = { event: 'user.onboarded', data: { firstName: 'Ada' } };
    await inbox.add([await received(deliveryOf(body)), await received(deliveryOf(body, { sentAtMs: NOW_MS - 1 }))]);
    expect(await inbox.list({ limit: 10 })).toHaveLength(2);
  });
});

describe('forwarding', () => {
  test('keeps the order of each request, and lets other requests pass', async () => {
    const { inbox } = await testInbox();
    await inbox.forwardTo({ targets: [TARGET] });
    await keepAll(inbox, onboarded(1, 'a'), onboarded(2, 'a'), onboarded(3, 'b'));
    expect(await numbers(inbox)).toEqual([1, 3]);
    const [first] = await inbox.forwards.due(TARGET, 1);
    if (first) await inbox.forwards.ended([[first, { status: 200 }]]);
    expect(await numbers(inbox)).toEqual([2, 3]);
  });

  test('goes on with the request of an event that is dead, and with the dead one first once it is redriven', async () => {
    const { inbox, clock } = await testInbox();
    await inbox.forwardTo({ targets: [TARGET] });
    await keepAll(inbox, onboarded(1, 'a'), onboarded(2, 'a'), onboarded(3, 'a'));
    for (const delayMs of [0, ...BACKOFF_MS]) {
      clock.pass(delayMs);
      const [due] = await inbox.forwards.due(TARGET, 1);
      if (due) await inbox.forwards.ended([[due, { status: 500 }]]);
    }
    expect(await numbers(inbox)).toEqual([2]);
    await inbox.forwards.redrive();
    for (const number of [1, 2, 3]) {
      expect(await numbers(inbox)).toEqual([number]);
      const [due] = await inbox.forwards.due(TARGET, 1);
      if (due) await inbox.forwards.ended([[due, { status: 200 }]]);
    }
    expect(await numbers(inbox)).toEqual([]);
  });

  test('is in turn for events that arrive after all before them were acknowledged', async () => {
    const { inbox } = await testInbox();
    await inbox.forwardTo({ targets: [TARGET] });
    for (const number of [1, 2]) {
      await keepAll(inbox, onboarded(number, 'a'));
      const [due] = await inbox.forwards.due(TARGET, 1);
      expect(due?.event.eventId).toBe(`event-${number}`);
      if (due) await inbox.forwards.ended([[due, { status: 200 }]]);
    }
  });

  test('is for each target by itself', async () => {
    const { inbox } = await testInbox();
    await inbox.forwardTo({ targets: [TARGET, OTHER] });
    await keepAll(inbox, onboarded(1));
    const [due] = await inbox.forwards.due(TARGET, 1);
    if (due) await inbox.forwards.ended([[due, { status: 204 }]]);
    expect([await numbers(inbox), await numbers(inbox, OTHER)]).toEqual([[], [1]]);
    expect(await inbox.list({ limit: 1, forwarding: 'pending' })).toHaveLength(1);
  });

  test.each([
    [{ status: 500 }, 'pending'],
    [{ status: 301 }, 'pending'],
    [{ problem: 'the connection was refused' }, 'pending'],
    [{ status: 200 }, 'forwarded'],
    [{ status: 202 }, 'forwarded'],
  ] as const)('that ends with %j is %s, and due again only later', async (end, state) => {
    const { inbox, clock } = await testInbox();
    await inbox.forwardTo({ targets: [TARGET] });
    await keepAll(inbox, onboarded(1));
    const [due] = await inbox.forwards.due(TARGET, 1);
    if (due) await inbox.forwards.ended([[due, end]]);
    expect(await numbers(inbox)).toEqual([]);
    clock.pass(BACKOFF_MS[0] ?? 0);
    expect(await numbers(inbox)).toEqual(state === 'pending' ? [1] : []);
    expect(await inbox.list({ limit: 1, forwarding: state })).toHaveLength(1);
  });

  test('does not wait for a clock that was set back', async () => {
    const { inbox, clock } = await testInbox();
    await inbox.forwardTo({ targets: [TARGET] });
    await keepAll(inbox, onboarded(1));
    const [due] = await inbox.forwards.due(TARGET, 1);
    if (due) await inbox.forwards.ended([[due, { status: 500 }]]);
    expect(await numbers(inbox)).toEqual([]);
    clock.pass(-3_600_000);
    expect(await numbers(inbox)).toEqual([1]);
  });

  test('dies after the last delay, and is redriven', async () => {
    const { inbox, clock } = await testInbox();
    await inbox.forwardTo({ targets: [TARGET] });
    await keepAll(inbox, onboarded(1));
    for (const delayMs of [0, ...BACKOFF_MS]) {
      clock.pass(delayMs);
      const [due] = await inbox.forwards.due(TARGET, 1);
      if (due) await inbox.forwards.ended([[due, { status: 500 }]]);
    }
    clock.pass(1e9);
    expect([await numbers(inbox), (await inbox.counts()).dead]).toEqual([[], 1]);
    expect(await inbox.forwards.redrive()).toEqual({ redriven: 1, released: 0 });
    expect(await numbers(inbox)).toEqual([1]);
  });

  test('of an acknowledged event never happens again, whatever a slow process reports later', async () => {
    const { inbox } = await testInbox();
    await inbox.forwardTo({ targets: [TARGET] });
    await keepAll(inbox, onboarded(1));
    const [due] = await inbox.forwards.due(TARGET, 1);
    if (!due) throw new Error('nothing is due');
    await inbox.forwards.ended([[due, { status: 200 }]]);
    await inbox.forwards.ended([[due, { status: 500 }]]);
    expect([await numbers(inbox), await inbox.counts()]).toMatchObject([[], { events: 1, waiting: 0, dead: 0 }]);
  });

  test('skips unwanted events', async () => {
    const { inbox } = await testInbox();
    await inbox.forwardTo({ targets: [TARGET], events: ['user.onboarded'] });
    await keepAll(inbox, { ...onboarded(1), event: 'swap.failed' }, onboarded(2));
    expect(await numbers(inbox)).toEqual([2]);
  });
});

describe('an encrypted event, once there is a key', () => {
  /** The same event encrypted twice, as a retry is, and what opening it shows. */
  async function encryptedTwice() {
    const { publicKey, privateKey } = newKeyPair(new Uint8Array(32).fill(1));
    const text = JSON.stringify(onboarded(7));
    const payloads = await Promise.all([seal(text, publicKey), seal(text, publicKey)]);
    const deliveries = payloads.map((payload, at) =>
      deliveryOf({ payload }, { id: 'w-7', sentAtMs: NOW_MS - at * 1_000 }),
    );
    const opened = async (body: Uint8Array) => contentOf(await readBody(body, [privateKey]), body);
    return { events: await Promise.all(deliveries.map((each) => received(each))), opened };
  }

  test('is filled in and forwarded, and its retry becomes a copy of it', async () => {
    const { inbox } = await testInbox();
    await inbox.forwardTo({ targets: [TARGET] });
    const { events, opened } = await encryptedTwice();
    await inbox.add(events);
    expect((await inbox.list({ limit: 10 })).map(({ kind }) => kind)).toEqual(['encrypted', 'encrypted']);
    expect(await numbers(inbox)).toEqual([]);
    for (const sealed of await inbox.list({ limit: 10, after: 0n }))
      await inbox.open(sealed, await opened(sealed.body));
    expect(await inbox.list({ limit: 10 })).toMatchObject([
      { kind: 'event', eventId: 'event-7', copies: 1, isEncrypted: true },
    ]);
    expect(await numbers(inbox)).toEqual([1]);
  });

  test.each([
    ['with ids', {}],
    ['without any id', { eventId: undefined, webhookId: undefined }],
  ])('is forwarded once if two programs open it, %s', async (_what, ids) => {
    const { inbox } = await testInbox();
    await inbox.forwardTo({ targets: [TARGET] });
    const { events, opened } = await encryptedTwice();
    const [event] = events.map((each) => ('webhookId' in ids ? { ...each, webhookId: undefined } : each));
    if (event) await inbox.add([event as (typeof events)[number]]);
    // Both have read it before either of them opened it.
    const [sealed] = await inbox.list({ limit: 1 });
    const content = sealed && (await opened(sealed.body));
    for (const _program of ['one', 'another']) if (sealed && content) await inbox.open(sealed, { ...content, ...ids });
    expect(await inbox.list({ limit: 10 })).toMatchObject([{ kind: 'event', event: 'user.onboarded' }]);
    expect(await numbers(inbox)).toEqual([1]);
  });

  test('is not forwarded again by a program that opens it after it was forwarded', async () => {
    const { inbox } = await testInbox();
    await inbox.forwardTo({ targets: [TARGET] });
    const { events, opened } = await encryptedTwice();
    await inbox.add(events.slice(0, 1).map((event) => ({ ...event, webhookId: undefined })));
    const [sealed] = await inbox.list({ limit: 1 });
    if (!sealed) throw new Error('nothing arrived');
    const content = { ...(await opened(sealed.body)), eventId: undefined };
    await inbox.open(sealed, content);
    const [forward] = await inbox.forwards.due(TARGET, 1);
    if (forward) await inbox.forwards.ended([[forward, { status: 200 }]]);
    await inbox.open(sealed, content);
    expect({ isForwarded: forward !== undefined, waiting: await numbers(inbox) }).toEqual({
      isForwarded: true,
      waiting: [],
    });
  });
});

describe('an event under the name that other documents have', () => {
  const refunded = (event: string) => ({ ...onboarded(1), event });
  const [NAME, OTHER_NAME] = ['fintech.user.deposit.funding.refunded', 'fintech.user.deposit.refunded'];

  test.each([NAME, OTHER_NAME])('goes to the target that wants it: %s', async (sent) => {
    const { inbox } = await testInbox();
    await inbox.forwardTo({ targets: [TARGET, OTHER], routes: { [TARGET]: [NAME], [OTHER]: ['user.onboarded'] } });
    await keepAll(inbox, refunded(sent));
    expect([await numbers(inbox), await numbers(inbox, OTHER)]).toEqual([[1], []]);
  });

  test.each([NAME, OTHER_NAME])('is forwarded if it is among the events that are: %s', async (sent) => {
    const { inbox } = await testInbox();
    await inbox.forwardTo({ targets: [TARGET], events: [NAME] });
    await keepAll(inbox, refunded(sent), onboarded(2));
    expect(await numbers(inbox)).toEqual([1]);
  });
});

test('pruning keeps what was not forwarded', async () => {
  const { inbox, clock } = await testInbox();
  await keepAll(inbox, onboarded(1));
  await inbox.forwardTo({ targets: [TARGET] });
  await keepAll(inbox, onboarded(2), onboarded(3));
  const [due] = await inbox.forwards.due(TARGET, 1);
  if (due) await inbox.forwards.ended([[due, { status: 200 }]]);
  clock.pass(1_000);
  await keepAll(inbox, onboarded(4));
  expect(await inbox.prune(clock.now())).toBe(2);
  expect((await inbox.list({ limit: 10 })).map(({ id }) => Number(id))).toEqual([4, 3]);
});

test.each([
  ['delivered', [200, 500]],
  ['dead', [...Array.from(BACKOFF_MS, () => 500), 500, 200]],
] as const)('a forward that is %s stays so when a slower process ends it again', async (end, statuses) => {
  const { inbox, clock } = await testInbox();
  await inbox.forwardTo({ targets: [TARGET] });
  await keepAll(inbox, onboarded(1));
  const [due] = await inbox.forwards.due(TARGET, 1);
  for (const [attempts, status] of statuses.entries()) {
    if (due) await inbox.forwards.ended([[{ ...due, attempts }, { status }]]);
    clock.pass(24 * 3_600_000);
  }
  expect({ due: await numbers(inbox), counts: await inbox.counts() }).toMatchObject({
    due: [],
    counts: { events: 1, waiting: 0, dead: end === 'dead' ? 1 : 0 },
  });
});

test('pruning keeps an event that some forward did not deliver, whatever became of its other ones', async () => {
  const { inbox, clock } = await testInbox();
  const third = 'http://127.0.0.1:3002/';
  await inbox.forwardTo({ targets: [TARGET, OTHER, third] });
  await keepAll(inbox, onboarded(1), onboarded(2), onboarded(3));
  const end = async (target: string, event: bigint, status: number) => {
    const due = (await inbox.forwards.due(target, 10)).find((each) => each.event.id === event);
    if (due) await inbox.forwards.ended([[due, { status }]]);
  };
  // The first is delivered everywhere, the second dead in one place, and the third still waits in one.
  for (const target of [TARGET, OTHER, third]) await end(target, 1n, 200);
  for (const target of [TARGET, OTHER]) await end(target, 2n, 200);
  for (const target of [TARGET, OTHER]) await end(target, 3n, 200);
  for (const delayMs of [0, ...BACKOFF_MS]) {
    clock.pass(delayMs);
    await end(third, 2n, 500);
  }
  clock.pass(1_000);
  expect(await inbox.counts()).toMatchObject({ events: 3, waiting: 1, dead: 1 });
  expect(await inbox.prune(clock.now())).toBe(1);
  expect((await inbox.list({ limit: 10 })).map(({ id }) => Number(id))).toEqual([3, 2]);
  expect(await inbox.counts()).toMatchObject({ events: 2, waiting: 1, dead: 1 });
});

test('the number of a deleted event is not used again', async () => {
  const { inbox, clock } = await testInbox();
  await keepAll(inbox, onboarded(1), onboarded(2));
  clock.pass(1);
  expect(await inbox.prune(clock.now())).toBe(2);
  await keepAll(inbox, onboarded(3));
  expect((await inbox.list({ limit: 10, after: 2n })).map(({ id }) => Number(id))).toEqual([3]);
});

test('events are found by number, event id and webhook id', async () => {
  const { inbox } = await testInbox();
  await inbox.add([
    await received(deliveryOf(onboarded(1), { id: 'w-abc' })),
    await received(deliveryOf(onboarded(2), { id: 'w-abd' })),
  ]);
  const found = async (id: string) => (await inbox.find(id)).map((event) => Number(event.id));
  expect(await Promise.all(['2', 'event-1', 'w-ab', 'w-abc', 'none'].map(found))).toEqual([[2], [1], [1, 2], [1], []]);
});

testQueryPlans();
