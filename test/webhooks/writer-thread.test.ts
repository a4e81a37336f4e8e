import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import type { Secret } from '../../src/base/secret.ts';
import type { Thread } from '../../src/base/world.ts';
import { newKeyPair, seal } from '../../src/crypto/sealed-box.ts';
import type { SignedDelivery } from '../../src/webhooks/listen/inbox-writer.ts';
import { answerFor, createThreadedWriter } from '../../src/webhooks/listen/writer-thread.ts';
import { pairsIn, verifyDelivery } from '../../src/webhooks/verify.ts';
import { temporaryFolder } from '../support/built.ts';
import { deliveryOf, NOW_MS, onboarded, SECRET, testInbox } from './support.ts';

/** Both ends of a thread's messages, on this thread. */
function thread() {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  let ended = () => {};
  const ours: Thread = {
    post: (message) => port1.postMessage(message),
    onMessage: (listener) => void port1.on('message', listener),
    onEnd: (listener) => {
      ended = listener;
    },
    end: async () => port1.close(),
  };
  return { ours, theirs: port2, dies: () => ended() };
}

function signed(body: string | object): SignedDelivery {
  const delivery = deliveryOf(body);
  const verified = verifyDelivery(delivery, { secrets: [SECRET], nowMs: NOW_MS });
  return { verified, headers: pairsIn(delivery.headers), body: delivery.body };
}

async function setUp(privateKeys: readonly Secret[] = []) {
  const path = join(temporaryFolder(onTestFinished), 'inbox.db');
  const { inbox, clock } = await testInbox(path);
  onTestFinished(() => inbox.close());
  const started: ReturnType<typeof thread>[] = [];
  let asked = 0;
  const settings = {
    location: { path, server: undefined },
    clock,
    host: { user: 'tester' },
    privateKeys: async () => {
      asked += 1;
      return privateKeys;
    },
  };
  const writerWith = (answers: (number: number) => boolean, more: Partial<typeof settings> = {}) =>
    createThreadedWriter(
      async () => {
        const one = thread();
        started.push(one);
        if (answers(started.length)) answerFor(one.theirs);
        return one.ours;
      },
      { ...settings, ...more },
    );
  return { inbox, clock, started, writerWith, asked: () => asked };
}

test('what another thread keeps is in the inbox, at the time of this one', async () => {
  const { inbox, clock, writerWith } = await setUp();
  const writer = writerWith(() => true);
  clock.pass(5_000);
  const kept = await writer.write([signed(onboarded(1)), signed(onboarded(2)), signed(onboarded(1))]);
  expect(kept).toEqual([
    { id: 1n, isCopy: false },
    { id: 2n, isCopy: false },
    { id: 1n, isCopy: true },
  ]);
  expect((await inbox.list({ limit: 5 })).map(({ receivedAtMs }) => receivedAtMs)).toEqual([
    NOW_MS + 5_000,
    NOW_MS + 5_000,
  ]);
});

test('keeps each body and its headers as they arrived, however long the others of its batch are', async () => {
  const { inbox, writerWith } = await setUp();
  const bodies = ['{}', '', JSON.stringify({ ...onboarded(1), note: 'Adébáyọ̀ €'.repeat(500) }), 'x', '\u{feff}{}'];
  const batch = bodies.map(signed);
  await writerWith(() => true).write(batch);
  const kept = await inbox.list({ limit: 9, after: 0n });
  expect(kept.map(({ headers, body }) => ({ headers, body: Buffer.from(body).toString() }))).toEqual(
    batch.map(({ headers }, at) => ({ headers, body: bodies[at] })),
  );
});

test('asks for private keys once, and only for an encrypted body', async () => {
  const { publicKey, privateKey } = newKeyPair(new Uint8Array(32).fill(1));
  const { inbox, writerWith, asked } = await setUp([privateKey]);
  const writer = writerWith(() => true);
  await writer.write([signed(onboarded(1))]);
  expect(asked()).toBe(0);
  const sealed = async (number: number) =>
    signed({ payload: await seal(JSON.stringify(onboarded(number)), publicKey) });
  await writer.write([await sealed(2), await sealed(3)]);
  await writer.write([await sealed(4)]);
  expect(asked()).toBe(1);
  expect((await inbox.list({ limit: 5 })).map(({ event, isEncrypted }) => ({ event, isEncrypted }))).toEqual([
    ...[1, 2, 3].map(() => ({ event: 'user.onboarded', isEncrypted: true })),
    { event: 'user.onboarded', isEncrypted: false },
  ]);
});

test('a thread that ends loses its batch alone', async () => {
  const { inbox, started, writerWith } = await setUp();
  const writer = writerWith((number) => number > 1);
  const lost = writer.write([signed(onboarded(1))]);
  await new Promise((resolve) => setImmediate(resolve));
  started[0]?.dies();
  await expect(lost).rejects.toThrow('has ended');
  await writer.write([signed(onboarded(1))]);
  expect((await inbox.counts()).events).toBe(1);
});

test('tries again if a thread cannot be started', async () => {
  const { inbox, writerWith } = await setUp();
  const writer = writerWith((number) => {
    if (number === 1) throw new Error('no memory');
    return true;
  });
  await expect(writer.write([signed(onboarded(1))])).rejects.toThrow('no memory');
  await writer.write([signed(onboarded(1))]);
  expect((await inbox.counts()).events).toBe(1);
});

test('says that nothing was kept if the inbox cannot be opened', async () => {
  const { writerWith } = await setUp();
  const writer = writerWith(() => true, { location: { path: '/dev/null/inbox.db', server: undefined } });
  await expect(writer.write([signed(onboarded(1))])).rejects.toThrow(/inbox\.db/);
});

test('room is tried on the thread, between batches, and what fails is said', async () => {
  const { inbox, writerWith } = await setUp();
  const writer = writerWith(() => true);
  const [first, , second] = await Promise.all([
    writer.write([signed(onboarded(1))]),
    writer.tryRoom('x'.repeat(100_000)),
    writer.write([signed(onboarded(2))]),
  ]);
  expect([first, second].flat().map(({ id }) => id)).toEqual([1n, 2n]);
  expect((await inbox.counts()).events).toBe(2);
  const nowhere = writerWith(() => true, { location: { path: '/nowhere/inbox.db', server: undefined } });
  await expect(nowhere.tryRoom('x')).rejects.toThrow('/nowhere/inbox.db');
});
