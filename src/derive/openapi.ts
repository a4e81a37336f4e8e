import {
  type Alias,
  type Endpoint,
  fieldsSentIn,
  pathParameters,
  type Refusal,
  refusalsOf,
} from '../contract/endpoint.ts';
import { groups } from '../contract/endpoints/index.ts';
import { EVENT_PAYLOADS } from '../contract/event-payloads.ts';
import { EVENTS } from '../contract/events.ts';
import type { Source } from '../contract/fields.ts';
import { shapeOf, unwrap } from '../contract/rows.ts';
import { endpointsByGroup } from './describe.ts';
import { type JsonSchema, jsonSchema } from './schema.ts';

const SANDBOX_URL = 'http://127.0.0.1:8787/v1';

interface PathOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: JsonSchema;
}

/** Returns the contract as an OpenAPI 3.1 document. Money units, effects, limits and sources are in `x-` extensions. */
export function openApi(): JsonSchema {
  const byGroup = endpointsByGroup();
  const operations = byGroup.flatMap(([group, members]) =>
    members.flatMap((endpoint) => operationsOf(endpoint, group)),
  );
  const byPath = Map.groupBy(operations, ({ path }) => path);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stablecoin fiat-rail service',
      version: '1',
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
      description:
        'Generated from the contract by `fiatrail openapi`. `x-source` is where a fact comes from: the interface specification (`interface`), public documentation (`public`), a public client (`client`) or a guess (`inferred`). `x-effect` is what a call does, regardless of its HTTP method.',
    },
    // The first is literal, because many tools cannot use a URL that is only a variable.
    servers: [
      { url: SANDBOX_URL, description: 'A sandbox started with `fiatrail sandbox serve`' },
      {
        url: '{baseUrl}',
        description: 'The base URL of an account',
        variables: {
          baseUrl: { default: SANDBOX_URL },
        },
      },
    ],
    security: [{ apiKey: [] }],
    tags: [
      ...byGroup.map(([name]) => ({ name, description: groups[name].about })),
      { name: 'webhooks', description: 'Events that the service sends to the webhook of the account' },
    ],
    paths: Object.fromEntries(
      [...byPath].map(([path, some]) => [
        path,
        Object.fromEntries(some.map(({ method, operation }) => [method.toLowerCase(), operation])),
      ]),
    ),
    webhooks: webhooks(),
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The header name must be lower case' },
      },
      responses: Object.fromEntries(commonRefusals().map((refusal) => [refusal.fault, failure([refusal])])),
      schemas: { Refusal: REFUSAL },
    },
  };
}

/** The envelope of error responses. Source: interface, public. */
const REFUSAL: JsonSchema = {
  type: 'object',
  required: ['status', 'response_code', 'message'],
  properties: {
    status: { type: 'string', description: '`Error` or `Failed`; the case varies' },
    response_code: {
      type: 'string',
      pattern: '^[0-9]{2}$',
      description: 'Identifies the error, together with the HTTP status',
    },
    message: { type: 'string' },
    error: { type: 'string', description: 'A detailed message for people' },
    data: {
      type: 'object',
      description: 'More detail; contains `retry_after` in seconds when the rate limit is exceeded',
    },
  },
};

/** Returns an operation for the endpoint's path and a deprecated one for each alias. */
function operationsOf(endpoint: Endpoint, group: string): PathOperation[] {
  const { aliases = [], ...own } = endpoint;
  const others = aliases.map((alias, index) => {
    const spelled = { ...own, ...alias };
    const more = { operationId: `${endpoint.id}.${index + 2}`, deprecated: true, 'x-alias-of': endpoint.id };
    return { ...spotOf(alias), operation: { ...operationOf(spelled, group), ...more } };
  });
  return [{ ...spotOf(endpoint), operation: operationOf(endpoint, group) }, ...others];
}

function spotOf({ method, path }: Alias): { method: string; path: string } {
  return { method, path: path.replace(/:(\w+)/g, '{$1}') };
}

function operationOf(endpoint: Endpoint, group: string): JsonSchema {
  const { id, summary, effect, effects, rateLimit, source, aliases, synonyms, starts } = endpoint;
  const parameters = parametersOf(endpoint);
  const body = bodyOf(endpoint);
  return {
    operationId: id,
    tags: [group],
    summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: { '200': successOf(endpoint), ...failuresOf(endpoint) },
    'x-effect': effect,
    ...(effects ? { 'x-effect-by': effects } : {}),
    ...(starts ? { 'x-starts': starts } : {}),
    ...(aliases ? { 'x-aliases': aliases } : {}),
    ...(synonyms ? { 'x-synonyms': synonyms } : {}),
    'x-rate-limit': rateLimit,
    'x-source': source,
  };
}

function parametersOf(endpoint: Endpoint): JsonSchema[] {
  const inPath = pathParameters(endpoint.path);
  const inQuery = fieldsSentIn(endpoint) === 'query';
  return Object.entries(shapeOf(endpoint.request()) ?? {}).flatMap(([name, field]): JsonSchema[] => {
    const location = inPath.includes(name) ? 'path' : inQuery ? 'query' : undefined;
    if (!location) return [];
    const { description, ...schema } = jsonSchema(field);
    return [
      {
        name,
        in: location,
        required: location === 'path' || unwrap(field).required,
        ...(description ? { description } : {}),
        schema,
      },
    ];
  });
}

function bodyOf(endpoint: Endpoint): JsonSchema | undefined {
  const inPath = pathParameters(endpoint.path);
  const fields = Object.entries(shapeOf(endpoint.request()) ?? {}).filter(([name]) => !inPath.includes(name));
  if (fieldsSentIn(endpoint) === 'query' || fields.length === 0) return undefined;
  const required = fields.some(([, field]) => unwrap(field).required);
  return { required, content: json(jsonSchema(endpoint.request(), inPath)) };
}

const json = (schema: JsonSchema): JsonSchema => ({ 'application/json': { schema } });

/** The success response in its envelope, which varies for a few endpoints. */
function successOf({ envelope, response }: Endpoint): JsonSchema {
  const fields = shapeOf(response()) ?? {};
  const version = envelope === 'top-level-version' ? fields['version'] : undefined;
  const data = jsonSchema(response(), version ? ['version'] : []);
  const word = { type: 'string' };
  return {
    description: Object.keys(fields).length > 0 ? 'Success; the result is in `data`' : 'Success',
    content: json({
      type: 'object',
      required: ['status', 'response_code', 'message', 'data'],
      properties: {
        status: { ...word, description: envelope === 'lower-case' ? '`success`' : '`Success`' },
        response_code: { ...word, const: '00' },
        message: word,
        ...(envelope === 'camel' ? { responseCode: { ...word, const: '00' }, responseMessage: word } : {}),
        data,
        ...(version ? { version: jsonSchema(version) } : {}),
      },
    }),
  };
}

/** Error responses by HTTP status: those the endpoint declares and those common to all endpoints. */
function failuresOf({ errors }: Pick<Endpoint, 'errors'>): JsonSchema {
  const common = Map.groupBy(commonRefusals(), statusOf);
  const byStatus = Map.groupBy(refusalsOf({ errors }), statusOf);
  const responses = [...byStatus].map(([status, refusals]): [string, JsonSchema] => {
    const isCommon = refusals.length === common.get(status)?.length;
    return [status, isCommon ? { $ref: `#/components/responses/${refusals[0]?.fault}` } : failure(refusals)];
  });
  return Object.fromEntries(responses);
}

const commonRefusals = () => refusalsOf({ errors: [] });

const statusOf = ({ http }: Refusal) => String(http);

function failure(refusals: readonly Refusal[]): JsonSchema {
  return {
    description: refusals.map(({ code, name, when }) => `\`${code}\` ${name}: ${when}`).join('\n\n'),
    content: json({ $ref: '#/components/schemas/Refusal' }),
    'x-refusals': refusals.map(({ code, name, when, remedy, source }) => ({
      response_code: code,
      name,
      when,
      remedy,
      'x-source': source,
    })),
  };
}

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
function webhooks(): JsonSchema {
  return Object.fromEntries(EVENTS.map((event) => [event.name, { post: deliveryOf(event) }]));
}

function deliveryOf({ name, scope, source, means, otherName }: (typeof EVENTS)[number]): JsonSchema {
  return {
    operationId: `webhook.${name}`,
    tags: ['webhooks'],
    summary: means.charAt(0).toUpperCase() + means.slice(1),
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
      description: 'Once a public key is stored, the body is `{"payload": "…"}` with this content sealed to that key.',
      content: json({
        type: 'object',
        required: ['event', 'data'],
        properties: { event: { type: 'string', const: name }, data: jsonSchema(EVENT_PAYLOADS[name]()) },
      }),
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
