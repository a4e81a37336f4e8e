import {
  type Alias,
  type DeclaredError,
  type Endpoint,
  EVERYWHERE,
  pathParameters,
  placeOf,
} from '../contract/endpoint.ts';
import type { Group } from '../contract/endpoints/index.ts';
import { shapeOf, unwrap } from '../contract/rows.ts';
import { endpointsByGroup, refusalOf } from './describe.ts';
import { type JsonSchema, jsonSchema } from './schema.ts';

/** What each group of endpoints is about, for the document's tags. */
const ABOUT: Readonly<Record<Group, string>> = {
  users: 'Onboarding by BVN',
  'user-list': 'The users of the account',
  'user-settings': 'Activation of users and their onramp asset',
  'default-wallets': 'The external wallet that a user’s cNGN is delivered to',
  onramp: 'Naira from a bank to cNGN in a wallet',
  offramp: 'A user’s cNGN to Naira in a bank account',
  payouts: 'The account’s own cNGN to its bank accounts',
  withdrawals: 'A user’s tokens sent to external addresses',
  transfers: 'The account’s own tokens sent to registered wallets',
  recovery: 'Requests that are stuck',
  history: 'Deposits, payouts and transactions, as lists',
  swaps: 'One token for another',
  bridge: 'cNGN from one network to another',
  wallets: 'Wallets of the account and its users',
  'external-wallets': 'External wallets that may receive transfers',
  'wallet-migration': 'Moving users to another kind of wallet',
  balances: 'Wallet balances on each network',
  'virtual-accounts': 'Bank accounts to pay Naira into',
  banks: 'Banks, and the payout accounts of the account',
  fees: 'Fee settings and fees earned',
  'fee-withdrawals': 'Withdrawals of earned fees',
  'fx-orders': 'The account’s orders on the book',
  'fx-book': 'The order book',
  'fx-quotes': 'Quotes for trades between cNGN and stablecoins',
  'fx-trades': 'Trades between cNGN and stablecoins',
  'fx-vault': 'The vault that holds the stablecoins',
  'fx-auto-signing': 'Trades signed without a person',
  management: 'Keys, webhooks and signing',
  allowlist: 'The IP addresses that may call',
};

interface Operation {
  readonly path: string;
  readonly method: string;
  readonly operation: JsonSchema;
}

/** The whole contract as an OpenAPI 3.1 document. Money, effects, limits and sources stand in fields that begin with `x-`. */
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
      description:
        'Made by `fiatrail openapi` from the contract. `x-source` says where a fact comes from: the interface specification, public text, a public client, or a guess (`inferred`). `x-effect` says what a call does, whatever its method.',
    },
    servers: [
      {
        url: '{baseUrl}',
        description: 'The account’s base address, or a sandbox served with `fiatrail sandbox serve`',
        variables: { baseUrl: { default: 'http://127.0.0.1:8787/v1', description: 'Includes the version segment' } },
      },
    ],
    security: [{ apiKey: [] }],
    tags: byGroup.map(([name]) => ({ name, description: ABOUT[name] })),
    paths: Object.fromEntries(
      [...byPath].map(([path, some]) => [
        path,
        Object.fromEntries(some.map(({ method, operation }) => [method.toLowerCase(), operation])),
      ]),
    ),
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'Written in lower case' },
      },
      responses: Object.fromEntries(EVERYWHERE.map((error) => [error.fault, failure([error])])),
      schemas: { Refusal: REFUSAL },
    },
  };
}

/** The envelope of every refusal. Source: interface, public. */
const REFUSAL: JsonSchema = {
  type: 'object',
  required: ['status', 'response_code', 'message'],
  properties: {
    status: { type: 'string', description: '`Error`, or `Failed`; its case varies' },
    response_code: { type: 'string', pattern: '^[0-9]{2}$', description: 'Decides, with the HTTP status' },
    message: { type: 'string' },
    error: { type: 'string', description: 'Detail, for people' },
    data: { type: 'object', description: 'Further detail; `retry_after` in seconds when the rate limit was met' },
  },
};

/** The endpoint by the path the client sends, and deprecated by each other spelling. */
function operationsOf(endpoint: Endpoint, group: string): Operation[] {
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
  const inQuery = placeOf(endpoint) === 'query';
  return Object.entries(shapeOf(endpoint.request()) ?? {}).flatMap(([name, field]): JsonSchema[] => {
    const place = inPath.includes(name) ? 'path' : inQuery ? 'query' : undefined;
    if (!place) return [];
    const { description, ...schema } = jsonSchema(field);
    return [
      {
        name,
        in: place,
        required: place === 'path' || unwrap(field).required,
        ...(description ? { description } : {}),
        schema,
      },
    ];
  });
}

function bodyOf(endpoint: Endpoint): JsonSchema | undefined {
  const inPath = pathParameters(endpoint.path);
  const fields = Object.entries(shapeOf(endpoint.request()) ?? {}).filter(([name]) => !inPath.includes(name));
  if (placeOf(endpoint) === 'query' || fields.length === 0) return undefined;
  const required = fields.some(([, field]) => unwrap(field).required);
  return { required, content: json(jsonSchema(endpoint.request(), inPath)) };
}

const json = (schema: JsonSchema): JsonSchema => ({ 'application/json': { schema } });

/** The answer in its envelope, which a few endpoints spell in another way. */
function successOf({ envelope, response }: Endpoint): JsonSchema {
  const fields = shapeOf(response()) ?? {};
  const version = envelope === 'version-beside' ? fields['version'] : undefined;
  const data = jsonSchema(response(), version ? ['version'] : []);
  const word = { type: 'string' };
  return {
    description: Object.keys(fields).length > 0 ? 'Done; what was asked for is in `data`' : 'Done',
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

/** Refusals by HTTP status: what the endpoint declares, and what every endpoint may answer. */
function failuresOf({ errors }: Endpoint): JsonSchema {
  const byStatus = Map.groupBy([...errors, ...EVERYWHERE], (error) => String(refusalOf(error).http));
  const responses = [...byStatus].map(([status, [first, ...more]]): [string, JsonSchema] => {
    const isUsual = first !== undefined && more.length === 0 && EVERYWHERE.includes(first);
    return [status, isUsual ? { $ref: `#/components/responses/${first.fault}` } : failure(byStatus.get(status) ?? [])];
  });
  return Object.fromEntries(responses);
}

function failure(errors: readonly DeclaredError[]): JsonSchema {
  const refusals = errors.map(refusalOf);
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
