import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { openApiExtras } from '../../scripts/openapi.ts';
import { openApi } from '../../src/derive/openapi.ts';
import type { JsonSchema } from '../../src/derive/schema.ts';
import { fund, onboardUser } from '../service/steps.ts';
import { anyCharacter } from '../support/characters.ts';
import { openSandbox } from '../support/sandbox.ts';

interface Response {
  readonly $ref?: string;
  readonly content?: {
    readonly 'application/json': {
      readonly schema: JsonSchema;
      readonly example?: unknown;
      readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
    };
  };
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: JsonSchema; readonly example?: unknown } };
  };
  readonly responses: Readonly<Record<string, Response>>;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

/** Keys that lock every caller out, or change what later requests of the walk get. */
const LEFT_OUT = ['management.regenerate-api-key', 'management.ip-allowlist', 'management.store-public-key'];

/** How many requests are made; the soak makes more. */
const REQUESTS = Number(process.env['FIATRAIL_SOAK_WALK'] ?? 1200);

/** A schema with the components in it that it refers to. */
function inFull(schema: JsonSchema, components: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const named = /^#\/components\/schemas\/(\w+)$/.exec(String(schema['$ref'] ?? ''))?.[1];
  const { allOf } = schema as { readonly allOf?: readonly JsonSchema[] };
  if (allOf) return { ...schema, allOf: allOf.map((each) => inFull(each, components)) };
  return named === undefined ? schema : (components[named] ?? schema);
}

/** Returns a function that says what is wrong with an answer by the document; undefined if nothing is. */
function judgeOf(document: OpenApi): (operation: Operation, status: number, body: string) => string | undefined {
  const schemas = new Map<JsonSchema, z.ZodType>();
  const schemaOf = (schema: JsonSchema): z.ZodType => {
    const whole = inFull(schema, document.components.schemas);
    const known = schemas.get(schema) ?? z.fromJSONSchema(whole as Parameters<typeof z.fromJSONSchema>[0]);
    schemas.set(schema, known);
    return known;
  };
  return ({ operationId, responses }, status, body) => {
    const declared = responses[String(status)];
    const named = /^#\/components\/responses\/(\w+)$/.exec(declared?.$ref ?? '')?.[1];
    const response = named === undefined ? declared : document.components.responses[named];
    if (!response) return `${operationId} answers ${status}, which is not declared`;
    const schema = response.content?.['application/json'].schema;
    const result = schema && schemaOf(schema).safeParse(JSON.parse(body));
    if (!result || result.success) return undefined;
    const [first] = result.error.issues;
    return `${operationId} ${status}: ${first?.path.join('.')}: ${first?.message}`;
  };
}

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
/** Values that fit fields whose schema does not say which do; those of ids come from the answers. */
const RIGHT: Readonly<Record<string, unknown>> = {
  bvn: '33333333333',
  amount: 5000,
  accountNumber: '0123456789',
  bankAccountNumber: '0123456789',
  bankCode: '000013',
  accountName: 'ADA OBI',
  token: 'CNGN',
  ticker: 'CNGN',
  preferredAsset: 'CNGN',
  blockchain: 'base',
  reason: 'left',
  network: 'base',
  fromNetwork: 'base',
  toNetwork: 'bsc',
  networks: ['base'],
  baseCurrency: 'CNGN',
  quoteCurrency: 'USDC',
  address: ADDRESS,
  walletAddress: ADDRESS,
  destinationWallet: ADDRESS,
  destinationAddress: ADDRESS,
  internalWallet: ADDRESS,
  fromAddress: ADDRESS,
  toAddress: ADDRESS,
  callbackUrl: 'https://hooks.example.com/in',
  webhookUrl: 'https://hooks.example.com/in',
  price: '1400',
  minAmount: '1000',
  maxAmount: '5000',
  cngnAmount: '5000',
  side: 'buy',
  days: 7,
  usdThreshold: '100',
  limit: 10,
  offset: 0,
  page: 1,
  spread: 1,
  slippage: 2,
  enabled: true,
  active: true,
  startDate: '2026-01-01',
  endDate: '2026-02-01',
  secret: 'a-long-enough-secret',
  events: ['user.onboarded'],
  type: 'hot',
  narration: 'fees',
};

/** By the name of a field, the ids that answers had in it, the newest last. */
type Known = Map<string, string[]>;

/** Values for a field: mostly one that fits, and some that do not. */
function valuesFor(name: string, schema: JsonSchema, known: Known): fc.Arbitrary<unknown> {
  const { enum: values } = schema as { readonly enum?: unknown[] };
  const right = known.get(name) ?? values ?? [Object.hasOwn(RIGHT, name) ? RIGHT[name] : 'x'];
  return fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...right) },
    { weight: 2, arbitrary: fc.constantFrom(1, 0.5, '10', 'CNGN', 'USDC', true, ...[...known.values()].flat()) },
    { weight: 1, arbitrary: fc.constantFrom('', null, -1, 1e21, '%', '\u0000', '\ud800', [], {}, 'x'.repeat(300)) },
    { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 20 }) },
  );
}

interface Sent {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly raw: string | undefined;
}

function requestFor({ parameters = [], requestBody }: Operation, known: Known): fc.Arbitrary<Sent> {
  const { properties = {}, required = [] } = (requestBody?.content['application/json'].schema ?? {}) as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  const fields = { ...Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])), ...properties };
  const arbitrary = Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, valuesFor(name, schema, known)]),
  );
  const must = [...parameters.filter((each) => each.required).map(({ name }) => name), ...required];
  return fc.record({
    fields: fc.oneof(
      { weight: 5, arbitrary: fc.record(arbitrary, { requiredKeys: must }) },
      { weight: 1, arbitrary: fc.record(arbitrary, { requiredKeys: [] }) },
    ),
    raw: fc.oneof(
      { weight: 20, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom('', '{', '[]', 'null', '{"a":1,"a":2}', '\ufeff{}') },
    ),
  });
}

/** Asks every operation of a document at random, and returns everything that the document does not say. */
async function violationsOf(
  document: OpenApi,
  requests: number,
): Promise<{ readonly pairs: ReadonlySet<string>; readonly found: ReadonlySet<string> }> {
  await using box = await openSandbox({ pace: 'instant' });
  const user = await onboardUser(box);
  await fund(box, user, 100_000);
  const known: Known = new Map([['userId', [user.userId]]]);
  const paths = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const asked = paths.filter(({ operation }) => !LEFT_OUT.some((id) => operation.operationId.startsWith(id)));
  const judge = judgeOf(document);
  const pairs = new Set<string>();
  const found = new Set<string>();
  for (let seed = 0; seed < requests; seed += 1) {
    // Each operation in turn, with ids that earlier answers had.
    const { path, method, operation } = asked[seed % asked.length] as (typeof asked)[number];
    const [{ fields, raw } = { fields: {}, raw: undefined }] = fc.sample(requestFor(operation, known), {
      seed,
      numRuns: 1,
    });
    const inPath = (operation.parameters ?? []).filter((each) => each.in === 'path').map(({ name }) => name);
    const url = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(safe(fields[name] ?? 'x')));
    const others = Object.entries(fields).filter(([name]) => !inPath.includes(name));
    const isBody = operation.requestBody !== undefined;
    const query = isBody
      ? ''
      : `?${new URLSearchParams(Object.fromEntries(others.map(([name, value]) => [name, safe(value)])))}`;
    const text = isBody ? (raw ?? JSON.stringify(Object.fromEntries(others))) : undefined;
    const { status, body } = await box.fetch(method.toUpperCase(), `/v1${url}${query}`, text);
    pairs.add(`${operation.operationId} ${status}`);
    const wrong = judge(operation, status, body);
    if (wrong !== undefined) found.add(wrong);
    noteIds(known, body);
  }
  return { pairs, found };
}

const safe = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed();

/** Notes the ids in an answer, with which later requests find something. */
function noteIds(known: Known, body: string): void {
  const ids = /"(requestId|orderId|tradeId|quoteId|accountId|withdrawalId|walletAddress)":"([^"]+)"/g;
  for (const [, name = '', id = ''] of body.matchAll(ids)) {
    const found = known.get(name) ?? [];
    if (!found.includes(id)) known.set(name, [...found, id].slice(-5));
    if (name === 'accountId') known.set('bankAccountId', known.get(name) ?? []);
    if (name === 'walletAddress') known.set('internalWallet', known.get(name) ?? []);
  }
}

const document = openApi(await openApiExtras()) as unknown as OpenApi;

test('a random walk with right and wrong input gets no answer that the document does not declare', async () => {
  const { pairs, found } = await violationsOf(document, REQUESTS);
  expect([...found]).toEqual([]);
  const statuses = new Set([...pairs].map((pair) => pair.split(' ')[1]));
  expect({ isWide: pairs.size > 140, statuses: [...statuses] }).toMatchObject({
    isWide: true,
    statuses: expect.arrayContaining(['200', '400', '404']),
  });
});

test('a row that the document lacks is found', async () => {
  const lacking = JSON.parse(JSON.stringify(document), (key, value) => {
    if (key !== 'responses' || !Object.hasOwn(value as object, '200')) return value;
    const { 400: _, ...rest } = value as Record<string, unknown>;
    return rest;
  }) as OpenApi;
  expect((await violationsOf(lacking, 400)).found.size).toBeGreaterThan(20);
});

test('every example of a request or response is one by its schema', () => {
  const judge = judgeOf(document);
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const wrong: unknown[] = [];
  let count = 0;
  for (const operation of operations) {
    const { operationId, requestBody, responses } = operation;
    const { schema, example } = requestBody?.content['application/json'] ?? {};
    const result = schema && z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(example);
    if (result && !result.success) wrong.push(`${operationId}: ${result.error.message}`);
    for (const [status, { content }] of Object.entries(responses)) {
      const { example: success, examples = {} } = content?.['application/json'] ?? {};
      for (const value of [success, ...Object.values(examples).map((each) => each.value)].filter(Boolean)) {
        count += 1;
        wrong.push(judge(operation, Number(status), JSON.stringify(value)));
      }
    }
  }
  expect(wrong.filter((each) => each !== undefined)).toEqual([]);
  expect(count).toBeGreaterThan(190);
});
