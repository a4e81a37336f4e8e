import { describe, expect, test } from 'vitest';
import type { InboxFilter } from '../../src/webhooks/inbox/events.ts';
import type { Inbox } from '../../src/webhooks/inbox/inbox.ts';
import { deliveryOf, listOf, NOW_MS, onboarded, received, testInbox } from './support.ts';

describe('a list of a period', () => {
  const numbers = async (inbox: Inbox, filter: Omit<InboxFilter, 'limit'>, limit = 10) =>
    (await inbox.list({ limit, ...filter })).map(({ id }) => Number(id));

  test('is in the order of time, page by page, even if the clock was set back', async () => {
    const { inbox, clock } = await testInbox();
    for (const [number, stepMs] of [0, 10, -5, 0, 20].entries()) {
      clock.pass(stepMs);
      await inbox.add([await received(deliveryOf(onboarded(number)))]);
    }
    const period = { sinceMs: NOW_MS, untilMs: NOW_MS + 25 };
    expect(await numbers(inbox, period)).toEqual([2, 4, 3, 1]);
    const pages = await Promise.all([undefined, 4n, 1n].map((before) => numbers(inbox, { ...period, before }, 2)));
    expect(pages).toEqual([[2, 4], [3, 1], []]);
    const oldestFirst = await Promise.all([0n, 3n, 2n].map((after) => numbers(inbox, { ...period, after }, 2)));
    expect(oldestFirst).toEqual([[1, 3], [4, 2], []]);
    expect(await numbers(inbox, { sinceMs: NOW_MS + 5, untilMs: NOW_MS + 10 })).toEqual([4, 3]);
    expect(await numbers(inbox, { ...period, untilMs: NOW_MS + 10, before: 5n })).toEqual([4, 3, 1]);
    expect(await numbers(inbox, { ...period, sinceMs: NOW_MS + 5, after: 0n })).toEqual([3, 4, 2]);
    await inbox.close();
  });

  test('goes on where it was, even if the event there was deleted', async () => {
    const { inbox, clock } = await testInbox();
    for (const number of [1, 2, 3, 4]) {
      clock.pass(10);
      await inbox.add([await received(deliveryOf(onboarded(number)))]);
    }
    await inbox.prune(NOW_MS + 25);
    expect(await numbers(inbox, { sinceMs: 0, before: 2n })).toEqual([]);
    expect(await numbers(inbox, { sinceMs: 0, after: 2n })).toEqual([3, 4]);
    expect(await numbers(inbox, { sinceMs: 0, before: 9n })).toEqual([4, 3]);
    await inbox.close();
  });

  test('finds an event by both of its names', async () => {
    const { inbox } = await testInbox();
    for (const event of ['fintech.user.deposit.funding.refunded', 'fintech.user.deposit.refunded'])
      await inbox.add([await received(deliveryOf({ ...onboarded(event.length), event }))]);
    expect(await numbers(inbox, { event: 'fintech.user.deposit.funding.refunded' })).toEqual([2, 1]);
    await inbox.close();
  });
});

test('what happened is yielded in order and once, also across pages, by the service’s time or else that of sending', async () => {
  const { inbox } = await testInbox();
  const at = (ms: number) => new Date(NOW_MS + ms).toISOString();
  const many = Array.from({ length: 2_001 }, (_each, number) => ({ ...onboarded(number), timestamp: at(50) }));
  const others = [
    { ...onboarded(5_000), timestamp: at(40) },
    { ...onboarded(5_001), timestamp: 'no time' },
    { ...onboarded(5_002), timestamp: at(60) },
  ];
  await inbox.add(await Promise.all([...many, ...others, '[1]'].map((body) => received(deliveryOf(body)))));
  const happened = await listOf(inbox.happenedFrom(NOW_MS, NOW_MS + 60));
  expect(happened.map(({ id }) => Number(id))).toEqual([2_003, 2_002, ...many.map((_each, index) => index + 1)]);
  expect(happened.map(({ happenedMs }) => happenedMs - NOW_MS).slice(0, 3)).toEqual([0, 40, 50]);
  expect(await inbox.extent()).toMatchObject({ earliestMs: NOW_MS, latestId: 2_005n });
  await inbox.close();
});

test.each(['-271821-04-20T00:00:00Z', '+275760-09-13T00:00:00Z', '1970-01-01T00:00:00Z', 'never'])(
  'an event that says it happened at %s is taken for one of the time when it was sent',
  async (timestamp) => {
    const { inbox } = await testInbox();
    await inbox.add([await received(deliveryOf({ ...onboarded(1), timestamp }))]);
    expect((await inbox.extent())?.earliestMs).toBe(NOW_MS);
  },
);
