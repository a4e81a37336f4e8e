import { control } from './control-base.ts';
import { endpoint } from './endpoint.ts';
import * as f from './fields.ts';

/** The delivery status of an event. `none`: no webhook is registered for it. */
const DELIVERY_STATES = ['none', 'waiting', 'delivered', 'given-up'] as const;

const sentEvent = () => ({
  eventId: f.anyText('inferred'),
  event: f.anyText('inferred'),
  requestId: f.anyText('inferred'),
  userId: f.orNull(f.anyText('inferred')),
  createdAt: f.timestamp('inferred'),
  state: f.oneOf('inferred', DELIVERY_STATES),
  url: f.orNull(f.anyText('inferred')),
  webhookId: f.orNull(f.anyText('inferred')),
  attempts: f.integer('inferred'),
  dueAt: f.orNull(f.timestamp('inferred')),
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
    f.only({
      limit: f.optional(f.integer('inferred', { min: 1, max: 1000, rule: '1 to 1000; default 20' })),
      offset: f.optional(f.integer('inferred')),
      event: f.optional(f.text('inferred', { rule: 'an event name' })),
      requestId: f.optional(f.text('inferred', { rule: 'the request that caused the events' })),
      state: f.optional(f.oneOf('inferred', DELIVERY_STATES)),
    }),
  response: () =>
    f.payload({
      events: f.list('inferred', f.group('inferred', sentEvent())),
      total: f.integer('inferred'),
      limit: f.integer('inferred'),
      offset: f.integer('inferred'),
      hasMore: f.flag('inferred'),
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
  request: () => f.only({ eventId: f.text('inferred', { rule: 'an event id' }) }),
  response: () =>
    f.payload({
      ...sentEvent(),
      /** The payload as JSON, with every digit. */
      data: f.anyText('inferred'),
      log: f.list(
        'inferred',
        f.group('inferred', {
          sentAt: f.timestamp('inferred'),
          status: f.orNull(f.integer('inferred')),
          problem: f.orNull(f.anyText('inferred')),
          durationMs: f.integer('inferred'),
          headers: f.list(
            'inferred',
            f.group('inferred', { name: f.anyText('inferred'), value: f.anyText('inferred') }),
          ),
          body: f.anyText('inferred'),
          answer: f.orNull(f.anyText('inferred')),
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
  request: () => f.only({ eventId: f.text('inferred', { rule: 'an event id' }) }),
  response: () => f.payload(sentEvent()),
});
