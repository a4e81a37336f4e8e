import { expect, test } from 'vitest';
import { Secret } from '../../src/base/secret.ts';
import { openWith } from '../../src/webhooks/body.ts';
import { createInboxWriter, type InboxWriter } from '../../src/webhooks/listen/inbox-writer.ts';
import { createReceiver } from '../../src/webhooks/listen/receiver.ts';
import { deliveryOf, onboarded, SECRET, testInbox } from './support.ts';

/** A receiver whose turns of the event loop the test makes, and the number of events of each flush. */
async function receiverInTurns() {
  const { inbox, clock } = await testInbox();
  const flushes: number[] = [];
  const turns: (() => void)[] = [];
  let fails = false;
  let quarantined = Promise.resolve();
  const inner = createInboxWriter(
    inbox,
    openWith(async () => []),
  );
  const writer: Pick<InboxWriter, 'write'> = {
    write: async (deliveries) => {
      flushes.push(deliveries.length);
      await quarantined;
      if (fails) {
        fails = false;
        throw new Error('the disk is full');
      }
      return inner.write(deliveries);
    },
  };
  const account = { secrets: async () => [new Secret(SECRET)] };
  const receiver = createReceiver(writer, { account, clock, gather: (flush) => void turns.push(flush) });
  let number = 0;
  return {
    flushes,
    failNext: () => {
      fails = true;
    },
    holdUp: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      quarantined = promise;
      return resolve;
    },
    arrive: async () => {
      const answer = receiver.receive(deliveryOf(onboarded(number)));
      number += 1;
      // Verifying and reading a delivery takes a few microtasks.
      await new Promise((resolve) => setImmediate(resolve));
      return { answer };
    },
    turn: async () => {
      turns.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('deliveries of one turn share a flush', async () => {
  const { arrive, turn, flushes } = await receiverInTurns();
  const [first, second] = [await arrive(), await arrive()];
  expect(flushes).toEqual([]);
  await turn();
  expect(flushes).toEqual([2]);
  expect(await Promise.all([first.answer, second.answer])).toMatchObject([{ id: 1n }, { id: 2n }]);
});

test('what arrives during a flush shares the next one', async () => {
  const { arrive, turn, flushes, holdUp } = await receiverInTurns();
  const goOn = holdUp();
  await arrive();
  await turn();
  const [second, third] = [await arrive(), await arrive()];
  expect(flushes).toEqual([1]);
  goOn();
  await Promise.all([second.answer, third.answer]);
  expect(flushes).toEqual([1, 2]);
});

test('a flush that fails rejects its own deliveries alone', async () => {
  const { arrive, turn, failNext } = await receiverInTurns();
  failNext();
  const { answer: first } = await arrive();
  first.catch(() => {});
  await turn();
  await expect(first).rejects.toThrow('the disk is full');
  const { answer: second } = await arrive();
  await turn();
  expect(await second).toMatchObject({ id: 1n });
});
