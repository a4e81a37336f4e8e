import type { Form } from '../../present/prints.ts';
import type { InboxEvent } from '../../webhooks/inbox/events.ts';

/** The form of `summaryOf`. */
const SUMMARY = {
  ...{ id: 'whole number', event: ['null or', 'text'], mark: 'text', requestId: ['null or', 'text'] },
  ...{ userId: ['null or', 'text'], eventId: ['null or', 'text'], webhookId: ['null or', 'text'], isLate: 'flag' },
  ...{ isSealed: 'flag', problem: ['null or', 'text'], happenedAt: ['null or', 'time'], copies: 'whole number' },
  ...{ sentAt: 'time', receivedAt: 'time', forwarding: ['null or', ['one of', 'forwarded', 'pending', 'dead']] },
} satisfies Form;

/** An event as the lists print it. */
export function summaryOf(event: InboxEvent) {
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

/** The forwarding status of an event in one word; null if it goes nowhere. */
function forwardingOf({ forwards }: InboxEvent): 'forwarded' | 'pending' | 'dead' | null {
  if (forwards.length === 0) return null;
  if (forwards.some(({ state }) => state === 'dead')) return 'dead';
  return forwards.some(({ state }) => state === 'waiting') ? 'pending' : 'forwarded';
}

/** The headers as rows, because their names are data. */
export const headersOf = ({ headers }: InboxEvent) => Object.entries(headers).map(([name, value]) => ({ name, value }));

/** What the commands of the inbox print: a list, the counts by name, an event with its content, and what a target answered. */
export const LISTED: Form = {
  events: ['list of', SUMMARY],
  pagination: 'pagination',
  counts: { events: 'whole number', waiting: 'whole number', dead: 'whole number' },
};
export const COUNTED: Form = {
  counts: ['list of', { event: ['null or', 'text'], mark: 'text', count: 'whole number' }],
  pagination: 'pagination',
};
export const CONTENT = {
  ...SUMMARY,
  data: 'any',
  headers: ['list of', { name: 'text', value: 'text' }],
} satisfies Form;
export const FORWARD: Form = {
  ...{ target: 'text', attempts: 'whole number', status: ['null or', 'whole number'], problem: ['null or', 'text'] },
  state: ['one of', 'waiting', 'acknowledged', 'dead'],
  dueAt: ['null or', 'time'],
};
export const SENT = {
  ...{ event: ['null or', 'text'], to: 'text', status: ['null or', 'whole number'], problem: ['null or', 'text'] },
} satisfies Form;
