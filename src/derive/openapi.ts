import {
  type Alias,
  type Endpoint,
  fieldsSentIn,
  pathParameters,
  type Refusal,
  refusalsOf,
} from '../contract/endpoint.ts';
import { shapeOf, unwrap } from '../contract/rows.ts';
import { aboutField, aboutOperation, describedSchema } from './about.ts';
import { type FieldOwner, sentences } from './describe.ts';
import { ABOUT_EVENTS, json, WEBHOOKS, webhooks } from './openapi-events.ts';
import { type JsonSchema, jsonSchema } from './schema.ts';

const SANDBOX_URL = 'http://127.0.0.1:8787/v1';

/** An endpoint as the command line shows it. */
export interface Listed {
  readonly endpoint: Endpoint;
  /** The group of commands that calls it. */
  readonly tag: string;
  /** A command line that calls it. */
  readonly commandLine: string;
}

/** A group of commands as `fiatrail --help` shows it. */
interface Tag {
  readonly name: string;
  readonly description: string;
  readonly section: string;
}

/** A request and a response of an endpoint, and its refusals in the order in which it declares them. */
interface EndpointExample {
  readonly request: JsonSchema;
  readonly response: JsonSchema;
  readonly refusals: readonly JsonSchema[];
}

export interface Examples {
  /** By the endpoint’s id. */
  readonly operations: ReadonlyMap<string, EndpointExample>;
  /** Of the conditions of every endpoint, in their order. */
  readonly refusals: readonly JsonSchema[];
  /** By the event’s name. */
  readonly events: ReadonlyMap<string, JsonSchema>;
}

/** What the document has besides the contract, in the order in which it shows them. */
export interface Extras {
  readonly tags: readonly Tag[];
  readonly listed: readonly Listed[];
  readonly examples: Examples;
}

interface PathOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: JsonSchema;
}

/**
 * Returns the contract as an OpenAPI 3.1 document in which every schema is written out. Money units, effects, limits and sources are in
 * `x-` extensions.
 */
export function openApi({ tags, listed, examples }: Extras): JsonSchema {
  const operations = listed.flatMap((each) => operationsOf(each, examples));
  const byPath = Map.groupBy(operations, ({ path }) => path);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stablecoin fiat-rail service',
      version: '1',
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
      description: ABOUT,
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
      ...tags.map(({ name, description }) => ({ name, description })),
      { name: WEBHOOKS, description: ABOUT_EVENTS },
    ],
    'x-tagGroups': [
      ...[...Map.groupBy(tags, ({ section }) => section)].map(([name, some]) => ({
        name,
        tags: some.map((tag) => tag.name),
      })),
      { name: 'Events', tags: [WEBHOOKS] },
    ],
    paths: Object.fromEntries(
      [...byPath].map(([path, some]) => [
        path,
        Object.fromEntries(some.map(({ method, operation }) => [method.toLowerCase(), operation])),
      ]),
    ),
    webhooks: webhooks(examples.events),
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The header name must be lower case' },
      },
      examples: Object.fromEntries(
        commonRefusals().map((refusal, index) => [refusal.fault, refusalExample(refusal, examples.refusals[index])]),
      ),
      responses: Object.fromEntries(commonRefusals().map((refusal) => [refusal.fault, failure([refusal], [])])),
      schemas: { Success: SUCCESS, Refusal: REFUSAL },
    },
  };
}

const ABOUT = [
  'Generated from the contract and the sandbox of fiatrail. Every example is a response of the sandbox.',
  'A field that is not `required` may be missing or null; its description says when, if that is known.',
  '`x-source` is where a fact comes from: the interface specification (`interface`), public documentation (`public`), a public client (`client`) or a guess (`inferred`). What has no `x-source` has that of the object, list or operation around it.',
  '`x-effect` is what a call does, regardless of its HTTP method: `read`, `write`, `money` or `destructive`. `x-unit` and `x-asset` are the unit and the asset of an amount. `x-known-values` are values that are known; a response may have others.',
].join('\n\n');

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
    message: { type: 'string', description: 'A message for people' },
    error: { type: 'string', description: 'A detailed message for people' },
    responseCode: { type: 'string', description: 'The same as `response_code`; only some operations have it' },
    responseMessage: { type: 'string', description: 'The same as `message`; only some operations have it' },
    data: {
      type: 'object',
      description: 'More detail; contains `retry_after` in seconds when the rate limit is exceeded',
    },
  },
};

/** Returns an operation for the endpoint's path and a deprecated one for each alias. */
function operationsOf({ endpoint, ...listed }: Listed, examples: Examples): PathOperation[] {
  const { aliases = [], ...own } = endpoint;
  const others = aliases.map((alias, index) => {
    const spelled = { ...own, ...alias };
    const more = { operationId: `${endpoint.id}.${index + 2}`, deprecated: true, 'x-alias-of': endpoint.id };
    return { ...spotOf(alias), operation: { ...operationOf({ ...listed, endpoint: spelled }, examples), ...more } };
  });
  return [{ ...spotOf(endpoint), operation: operationOf({ ...listed, endpoint }, examples) }, ...others];
}

function spotOf({ method, path }: Alias): { method: string; path: string } {
  return { method, path: path.replace(/:(\w+)/g, '{$1}') };
}

function operationOf({ endpoint, tag, commandLine }: Listed, { operations }: Examples): JsonSchema {
  const { id, summary, effect, effects, rateLimit, source, aliases, synonyms, starts } = endpoint;
  const example = operations.get(id);
  if (!example) throw new Error(`${id} has no example`);
  const parameters = parametersOf(endpoint, example);
  const body = bodyOf(endpoint, example);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: aboutOperation(id),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: { '200': successOf(endpoint, example), ...failuresOf(endpoint, example) },
    'x-codeSamples': [{ lang: 'Shell', source: commandLine }],
    'x-effect': effect,
    ...(effects ? { 'x-effect-by': effects } : {}),
    ...(starts ? { 'x-starts': starts } : {}),
    ...(aliases ? { 'x-aliases': aliases } : {}),
    ...(synonyms ? { 'x-synonyms': synonyms } : {}),
    'x-rate-limit': rateLimit,
    'x-source': source,
  };
}

function parametersOf(endpoint: Endpoint, { request }: EndpointExample): JsonSchema[] {
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
        description: sentences(aboutField({ id: endpoint.id, isRequest: true }, [name]), description),
        schema,
        ...(Object.hasOwn(request, name) ? { example: request[name] } : {}),
      },
    ];
  });
}

function bodyOf(endpoint: Endpoint, { request }: EndpointExample): JsonSchema | undefined {
  const inPath = pathParameters(endpoint.path);
  const fields = Object.entries(shapeOf(endpoint.request()) ?? {}).filter(([name]) => !inPath.includes(name));
  if (fieldsSentIn(endpoint) === 'query' || fields.length === 0) return undefined;
  const required = fields.some(([, field]) => unwrap(field).required);
  const owner: FieldOwner = { id: endpoint.id, isRequest: true };
  const example = Object.fromEntries(Object.entries(request).filter(([name]) => !inPath.includes(name)));
  return { required, content: json(describedSchema(jsonSchema(endpoint.request(), inPath), owner), { example }) };
}

const CODE = { type: 'string', const: '00' } as const;
const MESSAGE = { type: 'string', description: 'A message for people. Do not parse it.' } as const;

/** The envelope of success responses, without its data. Source: interface. */
const SUCCESS: JsonSchema = {
  type: 'object',
  required: ['status', 'response_code', 'message'],
  properties: {
    status: { type: 'string', description: '`Success`; some operations write it in lower case' },
    response_code: { ...CODE, description: '`00`: the request succeeded' },
    message: MESSAGE,
  },
};

/** The success response in its envelope, to which a few endpoints add something. */
function successOf({ id, envelope, response }: Endpoint, { response: example }: EndpointExample): JsonSchema {
  const fields = shapeOf(response()) ?? {};
  const version = envelope === 'top-level-version' ? fields['version'] : undefined;
  const data = describedSchema(jsonSchema(response(), version ? ['version'] : []), { id });
  const code = { ...CODE, description: 'The same as `response_code`' };
  const message = { ...MESSAGE, description: 'The same as `message`' };
  const own = {
    type: 'object',
    required: ['data'],
    properties: {
      data: { ...data, description: Object.keys(fields).length > 0 ? 'The result' : 'Empty' },
      ...(envelope === 'camel' ? { responseCode: code, responseMessage: message } : {}),
      ...(version ? { version: { ...jsonSchema(version), description: aboutField({ id }, ['version']) } } : {}),
    },
  };
  return {
    description: 'Success',
    content: json({ allOf: [{ $ref: '#/components/schemas/Success' }, own] }, { example }),
  };
}

/** Error responses by HTTP status: those the endpoint declares and those common to all endpoints. */
function failuresOf({ errors }: Pick<Endpoint, 'errors'>, { refusals: examples }: EndpointExample): JsonSchema {
  const common = Map.groupBy(commonRefusals(), statusOf);
  const byStatus = Map.groupBy(
    refusalsOf({ errors }).map((refusal, index) => ({ ...refusal, example: examples[index] })),
    statusOf,
  );
  const responses = [...byStatus].map(([status, refusals]): [string, JsonSchema] => {
    const isCommon = refusals.length === common.get(status)?.length;
    const own = refusals.map(({ example }) => example);
    return [status, isCommon ? { $ref: `#/components/responses/${refusals[0]?.fault}` } : failure(refusals, own)];
  });
  return Object.fromEntries(responses);
}

const commonRefusals = () => refusalsOf({ errors: [] });

const statusOf = ({ http }: Refusal) => String(http);

/**
 * A response for several conditions, each of which is an example: its summary says when, its description what to do then. Those without
 * an example of their own are the common ones, which have one among the components.
 */
function failure(refusals: readonly Refusal[], examples: readonly (JsonSchema | undefined)[]): JsonSchema {
  const conditions = refusals.map((refusal, index) => {
    const { fault, name } = refusal;
    const count = refusals.slice(0, index).filter((each) => each.name === name).length;
    const value = examples[index];
    const example = value ? refusalExample(refusal, value) : { $ref: `#/components/examples/${fault}` };
    return [count === 0 ? name : `${name}_${count + 1}`, example] as const;
  });
  return {
    description: refusals.map(({ code, name, when }) => `\`${code}\` ${name}: ${when}`).join('\n\n'),
    content: json({ $ref: '#/components/schemas/Refusal' }, { examples: Object.fromEntries(conditions) }),
  };
}

function refusalExample({ when, remedy, source }: Refusal, value: JsonSchema | undefined): JsonSchema {
  return { summary: when, description: String(remedy), value, 'x-source': source };
}
