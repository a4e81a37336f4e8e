import { control } from './control-base.ts';
import { endpoint } from './endpoint.ts';
import {
  anyText,
  flag,
  group,
  integer,
  list,
  oneOf,
  only,
  optional,
  orNull,
  payload,
  text,
  timestamp,
} from './fields.ts';

/** The delivery status of an event. `none`: no webhook is registered for it. */
const DELIVERY_STATES = ['none', 'waiting', 'delivered', 'given-up'] as const;

const sentEvent = () => ({
  eventId: anyText('inferred'),
  event: anyText('inferred'),
  requestId: anyText('inferred'),
  userId: orNull(anyText('inferred')),
  createdAt: timestamp('inferred'),
  state: oneOf('inferred', DELIVERY_STATES),
  url: orNull(anyText('inferred')),
  webhookId: orNull(anyText('inferred')),
  attempts: integer('inferred'),
  dueAt: orNull(timestamp('inferred')),
});

export const sandboxEvents = endpoint({
  ...control,
  id: 'sandbox.events',
  method: 'GET',
  path: '/_sandbox/events',
  effect: 'read',
  summary: 'List the events of the sandbox, newest first, with their delivery status',
  done: 'Events listed',
  lists: 'events',
  request: () =>
    only({
      limit: optional(integer('inferred', { min: 1, max: 1000, rule: '1 to 1000; default 20' })),
      offset: optional(integer('inferred')),
      event: optional(text('inferred', { rule: 'an event name' })),
      requestId: optional(text('inferred', { rule: 'the request that caused the events' })),
      state: optional(oneOf('inferred', DELIVERY_STATES)),
    }),
  response: () =>
    payload({
      events: list('inferred', group('inferred', sentEvent())),
      total: integer('inferred'),
      limit: integer('inferred'),
      offset: integer('inferred'),
      hasMore: flag('inferred'),
    }),
});

export const sandboxEvent = endpoint({
  ...control,
  id: 'sandbox.event',
  method: 'GET',
  path: '/_sandbox/events/:eventId',
  effect: 'read',
  summary: 'Show an event with every attempt to deliver it',
  done: 'Event retrieved',
  request: () => only({ eventId: text('inferred', { rule: 'an event id' }) }),
  response: () =>
    payload({
      ...sentEvent(),
      /** The payload as JSON, with every digit. */
      data: anyText('inferred'),
      log: list(
        'inferred',
        group('inferred', {
          sentAt: timestamp('inferred'),
          status: orNull(integer('inferred')),
          problem: orNull(anyText('inferred')),
          durationMs: integer('inferred'),
          headers: list('inferred', group('inferred', { name: anyText('inferred'), value: anyText('inferred') })),
          body: anyText('inferred'),
          answer: orNull(anyText('inferred')),
        }),
      ),
    }),
});

export const sandboxEventResend = endpoint({
  ...control,
  id: 'sandbox.event-resend',
  method: 'POST',
  path: '/_sandbox/events/:eventId/resend',
  effect: 'write',
  summary: 'Deliver an event again, under the same id',
  done: 'Event scheduled',
  request: () => only({ eventId: text('inferred', { rule: 'an event id' }) }),
  response: () => payload(sentEvent()),
});
