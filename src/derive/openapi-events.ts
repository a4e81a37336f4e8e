import { EVENT_PAYLOADS } from '../contract/event-payloads.ts';
import { EVENTS } from '../contract/events.ts';
import type { Source } from '../contract/fields.ts';
import { describedSchema } from './about.ts';
import { type JsonSchema, jsonSchema } from './schema.ts';

/** The tag of the events; a group of commands may have the name `webhooks`. */
export const WEBHOOKS = 'events';

export const ABOUT_EVENTS =
  'Events that the service sends to the webhook of the account. A delivery that is not acknowledged is repeated with the same `x-webhook-id`. Once a public key is stored, the body is `{"payload": "…"}`, where the payload is the event encrypted with that key.';

/** The content of a body, with its example or examples. */
export const json = (schema: JsonSchema, examples: JsonSchema): JsonSchema => ({
  'application/json': { schema, ...examples },
});

interface Header {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly source: Source;
}

/** The headers of a delivery. In their names, `service` stands for the service's name. */
const HEADERS: readonly Header[] = [
  {
    name: 'x-service-signature',
    description:
      'HMAC-SHA256 of the timestamp header, a dot and the request body as received, keyed with the webhook secret, or with the AES key if there is none. `service` in the header name is replaced by the name of the service.',
    schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    source: 'interface',
  },
  {
    name: 'x-service-timestamp',
    description:
      'Time of sending, UTC with milliseconds. `service` in the header name is replaced by the name of the service.',
    schema: { type: 'string', format: 'date-time' },
    source: 'interface',
  },
  {
    name: 'x-service-event',
    description: 'The event name, as in the body. `service` in the header name is replaced by the name of the service.',
    schema: { type: 'string' },
    source: 'public',
  },
  {
    name: 'x-webhook-id',
    description: 'Identifies the delivery; a retry has the same id, so that duplicates can be recognized',
    schema: { type: 'string', format: 'uuid' },
    source: 'interface',
  },
];

/** Returns the `webhooks` of an OpenAPI document: every event that a webhook can subscribe to. */
export function webhooks(examples: ReadonlyMap<string, JsonSchema>): JsonSchema {
  return Object.fromEntries(EVENTS.map((event) => [event.name, { post: deliveryOf(event, examples.get(event.name)) }]));
}

function deliveryOf({ name, scope, source, means, otherName }: EventKind, example: JsonSchema | undefined): JsonSchema {
  if (!example) throw new Error(`the event ${name} has no example`);
  return {
    operationId: `webhook.${name}`,
    tags: [WEBHOOKS],
    summary: means.charAt(0).toUpperCase() + means.slice(1),
    description: `Sent if the webhook is subscribed to \`${name}\` or to all events.${otherName ? ` Public documentation also calls it \`${otherName}\`.` : ''}`,
    security: [],
    parameters: HEADERS.map(({ source: from, ...header }) => ({
      name: header.name,
      in: 'header',
      required: true,
      description: header.description,
      schema: header.schema,
      'x-source': from,
    })),
    requestBody: {
      required: true,
      content: json(
        {
          type: 'object',
          required: ['event', 'data'],
          properties: {
            event: { type: 'string', const: name, description: 'The name of the event' },
            data: {
              ...describedSchema(jsonSchema(EVENT_PAYLOADS[name]()), { id: name }),
              description: 'What happened',
            },
          },
        },
        { example },
      ),
    },
    responses: {
      '200': {
        description: 'Received. Respond before processing the event: a slow response causes retries and duplicates.',
      },
    },
    'x-scope': scope,
    ...(otherName ? { 'x-other-name': otherName } : {}),
    'x-source': source,
  };
}

type EventKind = (typeof EVENTS)[number];
