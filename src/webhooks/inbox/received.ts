import { eventOf } from '../../contract/events.ts';
import { nodeCrypto } from '../../crypto/digest.ts';
import type { ReadBody } from '../body.ts';

/** How the inbox marks a delivery. `unknown`: an event that the contract does not have. `sealed`: nobody could open it yet. */
export type Mark = 'event' | 'unknown' | 'sealed' | 'unreadable';

/** A verified delivery, as the inbox stores it. */
export interface NewEvent {
  readonly mark: Mark;
  readonly event: string | undefined;
  readonly eventId: string | undefined;
  readonly requestId: string | undefined;
  readonly userId: string | undefined;
  readonly webhookId: string | undefined;
  readonly signature: string;
  /** Equal for equal content, however it was sealed. */
  readonly contentDigest: string;
  readonly isLate: boolean;
  readonly isSealed: boolean;
  /** The headers that a second verification needs. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The event's JSON text; undefined if it could not be read. */
  readonly opened: string | undefined;
  readonly problem: string | undefined;
  readonly happenedAt: string | undefined;
  readonly sentAtMs: number;
}

/** What the body of a delivery says. */
export type Content = Pick<
  NewEvent,
  'mark' | 'event' | 'eventId' | 'requestId' | 'userId' | 'contentDigest' | 'opened' | 'problem' | 'happenedAt'
>;

/** Describes what a body says for the inbox. */
export function contentOf(read: ReadBody, body: Uint8Array): Content {
  const event = read.kind === 'event' ? read.event : undefined;
  const opened = read.kind === 'event' ? read.text : undefined;
  return {
    mark: markOf(read),
    ...{ event: event?.event, eventId: event?.eventId, requestId: event?.requestId, userId: event?.userId },
    contentDigest: nodeCrypto()
      .createHash('sha256')
      .update(opened ?? body)
      .digest('base64url'),
    opened,
    problem: read.kind === 'event' ? undefined : read.problem,
    happenedAt: event?.happenedAt,
  };
}

function markOf(read: ReadBody): Mark {
  if (read.kind === 'event') return eventOf(read.event.event) ? 'event' : 'unknown';
  return read.kind === 'sealed' ? 'sealed' : 'unreadable';
}
