import { oneAtATime } from '../../base/calls.ts';
import { Secret } from '../../base/secret.ts';
import type { Clock, Host, Thread } from '../../base/world.ts';
import { openWith } from '../body.ts';
import type { StoredDelivery } from '../inbox/inbox.ts';
import { type InboxLocation, openToAdd } from '../inbox/open.ts';
import { createInboxWriter, type InboxWriter, type SignedDelivery } from './inbox-writer.ts';

/** What the main thread sends to the writer on another thread. The first message names the inbox. */
type ToThread =
  | { readonly kind: 'open'; readonly location: InboxLocation; readonly user: string }
  | ({ readonly kind: 'write'; readonly nowMs: number } & PackedDeliveries)
  | { readonly kind: 'try-room'; readonly nowMs: number; readonly filler: string }
  | { readonly kind: 'keys'; readonly keys: readonly string[] };

/** Deliveries for another thread: one text and the bodies in one piece, because a thread is sent hundreds of small things more slowly. */
interface PackedDeliveries {
  /** JSON: the deliveries without their bodies. */
  readonly heads: string;
  readonly byteLengths: readonly number[];
  readonly bodies: Uint8Array;
}

/**
 * Returns a writer that has its work done by another thread, a batch at a time. If the thread ends by itself, the batch is lost, so
 * that its deliveries are sent again, and the next one gets another thread.
 */
export function createThreadedWriter(
  start: () => Promise<Thread>,
  { location, privateKeys, clock, host }: WriterSettings,
): ThreadedWriter {
  let waiting: { resolve(stored: readonly StoredDelivery[]): void; reject(error: Error): void } | undefined;
  let running: Promise<Thread> | undefined;
  const post = (thread: Thread, message: ToThread) => thread.post(message);
  const fail = (problem: string) => waiting?.reject(new Error(problem));
  const started = async () => {
    const thread = await start();
    thread.onMessage((message) => {
      const answer = message as FromThread;
      if (answer.kind === 'written') waiting?.resolve(answer.stored);
      else if (answer.kind === 'failed') fail(answer.problem);
      else
        privateKeys()
          // A key that cannot be read now may be readable for the next delivery.
          .catch(() => [])
          .then((keys) => post(thread, { kind: 'keys', keys: keys.map((key) => key.reveal()) }));
    });
    thread.onEnd(() => {
      running = undefined;
      fail('the thread that writes to the inbox has ended');
    });
    post(thread, { kind: 'open', location, user: host.user });
    return thread;
  };
  const inTurn = oneAtATime();
  const asked = (message: () => ToThread): Promise<readonly StoredDelivery[]> =>
    inTurn(async () => {
      running ??= started();
      const thread = await running.catch((error: unknown) => {
        running = undefined;
        throw error;
      });
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        post(thread, message());
      });
    });
  return {
    write: (deliveries) => asked(() => ({ kind: 'write', ...packed(deliveries), nowMs: clock.now() })),
    tryRoom: async (filler) => void (await asked(() => ({ kind: 'try-room', filler, nowMs: clock.now() }))),
    end: async () => (await running)?.end(),
  };
}

const packed = (deliveries: readonly SignedDelivery[]): PackedDeliveries => ({
  heads: JSON.stringify(deliveries.map(({ verified, headers }) => ({ verified, headers }))),
  byteLengths: deliveries.map(({ body }) => body.length),
  bodies: Buffer.concat(deliveries.map(({ body }) => body)),
});

function unpacked({ heads, byteLengths, bodies }: PackedDeliveries): readonly SignedDelivery[] {
  let end = 0;
  return (JSON.parse(heads) as Omit<SignedDelivery, 'body'>[]).map((head, at) => {
    const start = end;
    end += byteLengths[at] ?? 0;
    return { ...head, body: bodies.subarray(start, end) };
  });
}

/** What the writer answers. It asks for private keys only when an encrypted body needs other ones than it has. */
type FromThread =
  | { readonly kind: 'written'; readonly stored: readonly StoredDelivery[] }
  | { readonly kind: 'failed'; readonly problem: string }
  | { readonly kind: 'ask-keys' };

interface WriterSettings {
  readonly location: InboxLocation;
  readonly privateKeys: () => Promise<readonly Secret[]>;
  readonly clock: Pick<Clock, 'now'>;
  readonly host: Pick<Host, 'user'>;
}

/** A writer with a thread that can be ended. */
interface ThreadedWriter extends InboxWriter {
  end(): Promise<void>;
}

/** The end of a thread's messages that is on the thread. */
interface Port {
  postMessage(message: FromThread): void;
  on(event: 'message', listener: (message: ToThread) => void): void;
}

type WorkMessage = Extract<ToThread, { readonly kind: 'write' | 'try-room' }>;

async function doneBy(writer: InboxWriter | undefined, message: WorkMessage): Promise<readonly StoredDelivery[]> {
  if (message.kind === 'write') return (await writer?.write(unpacked(message))) ?? [];
  await writer?.tryRoom(message.filler);
  return [];
}

/** Does the work of a writer for the main thread. bin/fiatrail.js calls it on the other one. */
export function answerFor(port: Port): void {
  let nowMs = 0;
  let open: (() => Promise<InboxWriter>) | undefined;
  let writer: Promise<InboxWriter> | undefined;
  let asked: PromiseWithResolvers<readonly Secret[]> | undefined;
  // The deliveries of a batch ask at the same time, and share the answer.
  const askKeys = () => {
    if (!asked) {
      asked = Promise.withResolvers();
      port.postMessage({ kind: 'ask-keys' });
    }
    return asked.promise;
  };
  const opened = async (location: InboxLocation, user: string) => {
    // This thread never claims the inbox, and is ended without closing it.
    const host = { name: '', user, processId: 0, isRunning: () => true };
    const clock = { now: () => nowMs, sleep: async () => {} };
    return createInboxWriter(await openToAdd(location, { clock, host }), openWith(askKeys));
  };
  port.on('message', (message) => {
    if (message.kind === 'keys') {
      asked?.resolve(message.keys.map((key) => new Secret(key)));
      asked = undefined;
      return;
    }
    if (message.kind === 'open') {
      const { location, user } = message;
      open = () => opened(location, user);
      return;
    }
    nowMs = message.nowMs;
    writer ??= open?.().catch((error: unknown) => {
      // Its server may be there for the next batch.
      writer = undefined;
      throw error;
    });
    Promise.resolve(writer)
      .then((one) => doneBy(one, message))
      .then((stored) => port.postMessage({ kind: 'written', stored }))
      .catch((error: unknown) =>
        port.postMessage({ kind: 'failed', problem: error instanceof Error ? error.message : String(error) }),
      );
  });
}
