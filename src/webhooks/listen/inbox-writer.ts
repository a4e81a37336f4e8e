import { type Open, type ReadBody, readBodyWith } from '../body.ts';
import type { Inbox, StoredDelivery } from '../inbox/inbox.ts';
import { type ArrivedHeaders, contentOf, type NewEvent } from '../inbox/received.ts';
import type { Judged } from '../verify.ts';

/** A delivery whose signature was right. */
export interface SignedDelivery {
  readonly verified: Judged;
  readonly headers: ArrivedHeaders;
  readonly body: Uint8Array;
}

/** Reads deliveries, opens the encrypted ones, and writes them to the inbox. */
export interface InboxWriter extends Pick<Inbox, 'tryRoom'> {
  /** Resolves once all of them are on disk. Rejects if they cannot be written. */
  write(deliveries: readonly SignedDelivery[]): Promise<readonly StoredDelivery[]>;
}

/** Describes a verified delivery for the inbox. */
export function newEventOf({ verified, headers, body }: SignedDelivery, read: ReadBody): NewEvent {
  const { signature, id, sentAtMs, isLate, isEarly } = verified;
  return {
    ...contentOf(read, body),
    webhookId: id,
    signature,
    isLate,
    isEarly,
    isEncrypted: read.isEncrypted,
    body,
    sentAtMs,
    headers,
  };
}

/** Returns a writer that does its work on this thread. */
export function createInboxWriter(inbox: Pick<Inbox, 'add' | 'tryRoom'>, open: Open): InboxWriter {
  return {
    tryRoom: inbox.tryRoom,
    write: async (deliveries) => {
      const events = deliveries.map(async (delivery) => newEventOf(delivery, await readBodyWith(delivery.body, open)));
      return inbox.add(await Promise.all(events));
    },
  };
}
