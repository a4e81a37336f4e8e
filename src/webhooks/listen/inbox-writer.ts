import { type Open, type ReadBody, readBodyWith } from '../body.ts';
import type { Inbox, StoredDelivery } from '../inbox/inbox.ts';
import { contentOf, type NewEvent } from '../inbox/received.ts';
import type { Judged } from '../verify.ts';

/** A delivery whose signature was right. */
export interface SignedDelivery {
  readonly verified: Judged;
  readonly body: Uint8Array;
}

/** Reads deliveries, opens the sealed ones, and writes them to the inbox. */
export interface InboxWriter {
  /** Resolves once all of them are on disk. Rejects if they cannot be written. */
  write(deliveries: readonly SignedDelivery[]): Promise<readonly StoredDelivery[]>;
}

/** Describes a verified delivery for the inbox. */
export function newEventOf(verified: Judged, read: ReadBody, body: Uint8Array): NewEvent {
  const { serviceName, signature, timestamp, id, eventHeader, sentAtMs, isLate, isEarly } = verified;
  return {
    ...contentOf(read, body),
    ...{ webhookId: id, signature, isLate, isEarly, isSealed: read.isSealed, body, sentAtMs },
    headers: {
      [`x-${serviceName}-signature`]: signature,
      [`x-${serviceName}-timestamp`]: timestamp,
      ...(eventHeader === undefined ? {} : { [`x-${serviceName}-event`]: eventHeader }),
      ...(id === undefined ? {} : { 'x-webhook-id': id }),
    },
  };
}

/** Returns a writer that does its work on this thread. */
export function createInboxWriter(inbox: Pick<Inbox, 'add'>, open: Open): InboxWriter {
  return {
    write: async (deliveries) => {
      const events = deliveries.map(async ({ verified, body }) =>
        newEventOf(verified, await readBodyWith(body, open), body),
      );
      return inbox.add(await Promise.all(events));
    },
  };
}
