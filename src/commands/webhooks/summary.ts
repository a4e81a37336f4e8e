import type { KeptEvent } from '../../webhooks/inbox/kept.ts';

/** An event as the lists print it. */
export function summaryOf(event: KeptEvent) {
  const { id, mark, eventId, requestId, userId, webhookId, isLate, isSealed, problem, happenedAt, copies } = event;
  return {
    id: Number(id),
    event: event.event,
    mark,
    ...{ requestId, userId, eventId, webhookId, isLate, isSealed, problem, happenedAt, copies },
    sentAt: new Date(event.sentAtMs).toISOString(),
    receivedAt: new Date(event.receivedAtMs).toISOString(),
    forwarding: forwardingOf(event),
  };
}

/** How the forwarding of an event stands, in one word; null if it goes nowhere. */
function forwardingOf({ forwards }: KeptEvent): 'forwarded' | 'pending' | 'dead' | null {
  if (forwards.length === 0) return null;
  if (forwards.some(({ state }) => state === 'dead')) return 'dead';
  return forwards.some(({ state }) => state === 'waiting') ? 'pending' : 'forwarded';
}
