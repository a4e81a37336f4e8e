import type { InboxEvent } from './events.ts';
import type { EventState } from './states.ts';

/** An event as the lists print it. */
export function summaryOf(event: InboxEvent) {
  const { id, mark, eventId, requestId, userId, webhookId, isLate, isEarly, isSealed, problem } = event;
  const { happenedAt, copies, held } = event;
  return {
    id: Number(id),
    event: event.event,
    mark,
    requestId,
    userId,
    eventId,
    webhookId,
    isLate,
    isEarly,
    isSealed,
    problem,
    happenedAt,
    copies,
    sentAt: new Date(event.sentAtMs).toISOString(),
    receivedAt: new Date(event.receivedAtMs).toISOString(),
    status: stateOf(event),
    held,
  };
}

/** The state of an event in one word; null if it goes nowhere. */
function stateOf({ held, forwards }: InboxEvent): EventState | null {
  if (held !== null) return 'held';
  if (forwards.length === 0) return null;
  if (forwards.some(({ state }) => state === 'dead')) return 'dead';
  return forwards.some(({ state }) => state === 'waiting') ? 'pending' : 'forwarded';
}
