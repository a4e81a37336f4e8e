import { expect, test } from 'vitest';
import { Secret } from '../../src/base/secret.ts';
import { createReceiver } from '../../src/webhooks/listen/receiver.ts';
import { deliveryOf, onboarded, SECRET, testInbox } from './support.ts';

/** A receiver whose turns of the event loop the test makes, and the number of events of each flush. */
async function receiverInTurns() {
  const { inbox, clock } = await testInbox();
  const flushes: number[] = [];
  const turns: (() => void)[] = [];
  const kept = {
    ...inbox,
    keep: (events: Parameters<typeof inbox.keep>[0]) => {
      flushes.push(events.length);
      return inbox.keep(events);
    },
  };
  const account = { secrets: async () => [new Secret(SECRET)], privateKeys: async () => [] };
  const receiver = createReceiver(kept, { account, clock, gather: (flush) => void turns.push(flush) });
  let number = 0;
  return {
    ...{ clock, flushes },
    arrive: async () => {
      const answer = receiver.receive(deliveryOf(onboarded(number)));
      number += 1;
      // Verifying and reading a delivery takes a few microtasks.
      await new Promise((resolve) => setImmediate(resolve));
      return { answer };
    },
    turn: () => turns.shift()?.(),
  };
}

test('deliveries of successive turns share a flush, which ends with the first turn without one', async () => {
  const { arrive, turn, flushes } = await receiverInTurns();
  const first = await arrive();
  turn();
  const second = await arrive();
  turn();
  expect(flushes).toEqual([]);
  turn();
  expect(flushes).toEqual([2]);
  expect(await Promise.all([first.answer, second.answer])).toMatchObject([{ kept: { id: 1n } }, { kept: { id: 2n } }]);
});

test('deliveries that never pause are flushed after a few milliseconds', async () => {
  const { arrive, turn, clock, flushes } = await receiverInTurns();
  await arrive();
  turn();
  await arrive();
  clock.pass(5);
  turn();
  expect(flushes).toEqual([2]);
});
