import type { Secret } from '../../base/secret.ts';
import type { Clock } from '../../base/world.ts';
import { WebhookError } from '../error.ts';
import type { StoredDelivery } from '../inbox/inbox.ts';
import { type Delivery, pairsIn, verifyDelivery } from '../verify.ts';
import type { InboxWriter, SignedDelivery } from './inbox-writer.ts';

/** What a receiver needs to know of the account. */
export interface ReceiverAccount {
  /** The webhook secrets that count now: the current one, and those that it replaced a short time ago. */
  secrets(): Promise<readonly Secret[]>;
  readonly aesKey?: Secret | undefined;
  readonly serviceName?: string | undefined;
}

/** Writes verified deliveries to the inbox. */
export interface Receiver {
  /** Resolves when the delivery is on disk. Rejects with WebhookError if it is refused, and with another error if it cannot be written. */
  receive(delivery: Delivery): Promise<StoredDelivery>;
}

interface WaitingDelivery {
  readonly delivery: SignedDelivery;
  readonly resolve: (stored: StoredDelivery) => void;
  readonly reject: (error: unknown) => void;
}

/** The most deliveries of one flush. */
const MAX_GATHERED = 1_000;

/**
 * Returns a receiver that writes the deliveries of a turn of the event loop in one transaction, because a flush costs far more than a
 * row. What arrives during a flush is flushed together after it.
 */
export function createReceiver(
  writer: Pick<InboxWriter, 'write'>,
  {
    account,
    clock,
    gather,
  }: { account: ReceiverAccount; clock: Pick<Clock, 'now'>; gather: (flush: () => void) => void },
): Receiver {
  const waiting: WaitingDelivery[] = [];
  const aesKey = account.aesKey?.reveal();
  let isFlushing = false;
  const flush = async () => {
    isFlushing = true;
    const next = () => {
      isFlushing = false;
      // Before anything is answered, so that the writer does not wait for the answers.
      if (waiting.length > 0) void flush();
    };
    const batch = waiting.splice(0, MAX_GATHERED);
    try {
      const stored = await writer.write(batch.map(({ delivery }) => delivery));
      next();
      for (const [index, { resolve, reject }] of batch.entries()) {
        const one = stored[index];
        if (one) resolve(one);
        else reject(new Error('the inbox stored fewer events than it was given'));
      }
    } catch (error) {
      next();
      for (const { reject } of batch) reject(error);
    }
  };
  const write = (delivery: SignedDelivery) =>
    new Promise<StoredDelivery>((resolve, reject) => {
      waiting.push({ delivery, resolve, reject });
      if (waiting.length === 1 && !isFlushing) gather(() => void flush());
    });
  return {
    receive: async (delivery) => {
      const verified = verifyDelivery(delivery, {
        secrets: (await account.secrets()).map((secret) => secret.reveal()),
        aesKey,
        serviceName: account.serviceName,
        nowMs: clock.now(),
      });
      return write({ verified, headers: pairsIn(delivery.headers), body: delivery.body });
    },
  };
}

/** The status and the text to answer a failed delivery with. What could not be stored is to be sent again. */
export function refusalOf(error: unknown): { readonly status: number; readonly message: string } {
  if (error instanceof WebhookError) return { status: error.status, message: error.message };
  return { status: 503, message: 'the event could not be stored; send it again' };
}
