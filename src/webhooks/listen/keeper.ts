import { type Open, readBodyWith } from '../body.ts';
import type { Inbox, Kept } from '../inbox/inbox.ts';
import { newEventOf } from '../inbox/received.ts';
import type { Verified } from '../verify.ts';

/** A delivery whose signature was right. */
export interface SignedDelivery {
  readonly verified: Verified;
  readonly body: Uint8Array;
}

/** Reads deliveries, opens the sealed ones, and keeps them. */
export interface Keeper {
  /** Resolves once all of them are on disk. Rejects if they cannot be kept. */
  keep(deliveries: readonly SignedDelivery[]): Promise<readonly Kept[]>;
}

/** Returns a keeper that does its work on this thread. */
export function keeperOf(inbox: Pick<Inbox, 'keep'>, open: Open): Keeper {
  return {
    keep: async (deliveries) => {
      const events = deliveries.map(async ({ verified, body }) =>
        newEventOf(verified, await readBodyWith(body, open), body),
      );
      return inbox.keep(await Promise.all(events));
    },
  };
}
