import type { InboxEvent } from './events.ts';
import type { EventState } from './states.ts';

/** An event as the lists print it. */
export function summaryOf(event: InboxEvent) {
  const { id, kind, eventId, requestId, userId, webhookId, isLate, isEarly, isEncrypted, problem } = event;
  const { happenedAt, copies, quarantined } = event;
  return {
    id: Number(id),
    event: event.event,
    kind,
    requestId,
    userId,
    eventId,
    webhookId,
    isLate,
    isEarly,
    isEncrypted,
    problem,
    happenedAt,
    copies,
    sentAt: new Date(event.sentAtMs).toISOString(),
    receivedAt: new Date(event.receivedAtMs).toISOString(),
    status: stateOf(event),
    quarantined,
  };
}

/** The state of an event in one word; null if it goes nowhere. */
function stateOf({ quarantined, forwards }: InboxEvent): EventState | null {
  if (quarantined !== null) return 'quarantined';
  if (forwards.length === 0) return null;
  if (forwards.some(({ state }) => state === 'dead')) return 'dead';
  return forwards.some(({ state }) => state === 'waiting') ? 'pending' : 'forwarded';
}
