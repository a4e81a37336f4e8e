import type { Secret } from '../../base/secret.ts';
import type { Clock } from '../../base/world.ts';
import { openWith, readBodyWith } from '../body.ts';
import { WebhookError } from '../error.ts';
import type { Inbox, Kept } from '../inbox/inbox.ts';
import { type NewEvent, newEventOf } from '../inbox/received.ts';
import { type Delivery, verifyDelivery } from '../verify.ts';

/** What a receiver needs to know of the account. */
export interface Account {
  /** The webhook secrets that count now: the current one, and those that it replaced a short time ago. */
  secrets(): Promise<readonly Secret[]>;
  readonly aesKey?: Secret | undefined;
  readonly serviceName?: string | undefined;
  privateKeys(): Promise<readonly Secret[]>;
}

/** A delivery that is on disk. */
interface ReceivedEvent {
  readonly event: NewEvent;
  readonly kept: Kept;
}

/** Keeps verified deliveries. */
export interface Receiver {
  /** Resolves when the delivery is on disk. Rejects with WebhookError if it is refused, and with DatabaseError if it cannot be kept. */
  receive(delivery: Delivery): Promise<ReceivedEvent>;
}

interface Waiting {
  readonly event: NewEvent;
  readonly resolve: (kept: Kept) => void;
  readonly reject: (error: unknown) => void;
}

/** How long deliveries may keep the flush waiting by arriving one after another. */
const GATHER_MS = 5;
/** More deliveries than this are flushed, whatever the clock says. */
const MOST_GATHERED = 1_000;

/**
 * Returns a receiver that keeps the deliveries that arrive together in one transaction, because a flush costs far more than a row. It
 * flushes after the first turn of the event loop without another delivery.
 */
export function createReceiver(
  inbox: Inbox,
  { account, clock, gather }: { account: Account; clock: Pick<Clock, 'now'>; gather: (flush: () => void) => void },
): Receiver {
  const waiting: Waiting[] = [];
  const aesKey = account.aesKey?.reveal();
  const open = openWith(account.privateKeys);
  const flush = () => {
    const batch = waiting.splice(0);
    try {
      const kept = inbox.keep(batch.map(({ event }) => event));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const one = kept[index];
        if (one) resolve(one);
        else reject(new Error('the inbox kept fewer events than it was given'));
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  const flushAfter = (count: number, deadlineMs: number) =>
    gather(() => {
      const isGrowing = waiting.length > count && waiting.length < MOST_GATHERED && clock.now() < deadlineMs;
      if (isGrowing) flushAfter(waiting.length, deadlineMs);
      else flush();
    });
  const keep = (event: NewEvent) =>
    new Promise<Kept>((resolve, reject) => {
      waiting.push({ event, resolve, reject });
      if (waiting.length === 1) flushAfter(0, clock.now() + GATHER_MS);
    });
  return {
    receive: async (delivery) => {
      const verified = verifyDelivery(delivery, {
        secrets: (await account.secrets()).map((secret) => secret.reveal()),
        ...{ aesKey, serviceName: account.serviceName, nowMs: clock.now() },
      });
      const read = await readBodyWith(delivery.body, open);
      const event = newEventOf(verified, read, delivery.body);
      return { event, kept: await keep(event) };
    },
  };
}

/** The status and the text to answer a failed delivery with. What could not be kept is to be sent again. */
export function refusalOf(error: unknown): { readonly status: number; readonly message: string } {
  if (error instanceof WebhookError) return { status: error.status, message: error.message };
  return { status: 503, message: 'the event could not be kept; send it again' };
}
