import * as z from 'zod/mini';
import { paginationSchema } from '../../present/pagination.ts';
import type { InboxEvent } from '../../webhooks/inbox/events.ts';

/** The form of `summaryOf`. */
const summarySchema = () =>
  z.object({
    id: z.int(),
    event: z.nullable(z.string()),
    mark: z.string(),
    requestId: z.nullable(z.string()),
    userId: z.nullable(z.string()),
    eventId: z.nullable(z.string()),
    webhookId: z.nullable(z.string()),
    isLate: z.boolean(),
    isSealed: z.boolean(),
    problem: z.nullable(z.string()),
    happenedAt: z.nullable(z.iso.datetime()),
    copies: z.int(),
    sentAt: z.iso.datetime(),
    receivedAt: z.iso.datetime(),
    forwarding: z.nullable(z.enum(['forwarded', 'pending', 'dead'])),
  });

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
export const listedSchema = () =>
  z.object({
    events: z.array(summarySchema()),
    pagination: paginationSchema(),
    counts: z.object({ events: z.int(), waiting: z.int(), dead: z.int() }),
  });
export const countedSchema = () =>
  z.object({
    counts: z.array(z.object({ event: z.nullable(z.string()), mark: z.string(), count: z.int() })),
    pagination: paginationSchema(),
  });
export const contentSchema = () =>
  z.extend(summarySchema(), {
    data: z.unknown(),
    headers: z.array(z.object({ name: z.string(), value: z.string() })),
  });
export const forwardSchema = () =>
  z.object({
    target: z.string(),
    attempts: z.int(),
    status: z.nullable(z.int()),
    problem: z.nullable(z.string()),
    state: z.enum(['waiting', 'acknowledged', 'dead']),
    dueAt: z.nullable(z.iso.datetime()),
  });
export const sentSchema = () =>
  z.object({
    event: z.nullable(z.string()),
    to: z.string(),
    status: z.nullable(z.int()),
    problem: z.nullable(z.string()),
  });
