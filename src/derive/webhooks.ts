import { EVENT_PAYLOADS } from '../contract/event-payloads.ts';
import { EVENTS } from '../contract/events.ts';
import type { Source } from '../contract/fields.ts';
import { type JsonSchema, jsonSchema } from './schema.ts';

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
export function webhooks(): JsonSchema {
  return Object.fromEntries(EVENTS.map((event) => [event.name, { post: deliveryOf(event) }]));
}

function deliveryOf({ name, scope, source, means, otherName }: (typeof EVENTS)[number]): JsonSchema {
  return {
    operationId: `webhook.${name}`,
    tags: ['webhooks'],
    summary: means.charAt(0).toUpperCase() + means.slice(1),
    security: [],
    parameters: HEADERS.map((header) => parameterOf(header)),
    requestBody: {
      required: true,
      description: 'Once a public key is stored, the body is `{"payload": "…"}` with this content sealed to that key.',
      content: { 'application/json': { schema: bodyOf(name) } },
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

function parameterOf({ name, description, schema, source }: Header): JsonSchema {
  return { name, in: 'header', required: true, description, schema, 'x-source': source };
}

function bodyOf(name: (typeof EVENTS)[number]['name']): JsonSchema {
  return {
    type: 'object',
    required: ['event', 'data'],
    properties: { event: { type: 'string', const: name }, data: jsonSchema(EVENT_PAYLOADS[name]()) },
  };
}
