import { describe, expect, test } from 'vitest';
import { openApiExtras } from '../../scripts/openapi.ts';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { COMMON_ERRORS } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { EVENT_PAYLOADS } from '../../src/contract/event-payloads.ts';
import { EVENTS } from '../../src/contract/events.ts';
import { FAULTS } from '../../src/contract/faults.ts';
import { rowsOf } from '../../src/contract/rows.ts';
import { openApi } from '../../src/derive/openapi.ts';
import { openApiText } from '../../src/derive/openapi-text.ts';
import type { JsonSchema } from '../../src/derive/schema.ts';
import { share } from '../../src/derive/share.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly deprecated?: true;
  readonly 'x-codeSamples'?: readonly { readonly source: string }[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description?: string;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: Content }>>;
}

interface Properties {
  readonly properties: Readonly<Record<string, JsonSchema>>;
}

interface Content {
  readonly 'application/json': {
    readonly schema: JsonSchema;
    readonly example?: unknown;
    readonly examples?: Readonly<Record<string, { readonly $ref?: string; readonly value?: unknown }>>;
  };
}

const extras = await openApiExtras();
const inFull = openApi(extras);
const document = inFull as unknown as {
  readonly servers: readonly { url: string; variables?: Record<string, { default: string }> }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly tags: readonly { readonly name: string }[];
  readonly 'x-tagGroups': readonly { readonly tags: readonly string[] }[];
  readonly components: { readonly responses: Readonly<Record<string, unknown>> };
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);
const inBraces = (path: string) => path.replace(/:(\w+)/g, '{$1}');

describe('the OpenAPI document', () => {
  test('has every endpoint, and each alias as deprecated', () => {
    const wanted = endpoints.flatMap(({ id, method, path, aliases = [] }) => [
      [id, method.toLowerCase(), inBraces(path), false],
      ...aliases.map((alias, index) => [`${id}.${index + 2}`, alias.method.toLowerCase(), inBraces(alias.path), true]),
    ]);
    const found = operations.map(({ path, method, operation }) => [
      operation.operationId,
      method,
      path,
      operation.deprecated ?? false,
    ]);
    expect(found.toSorted()).toEqual(wanted.toSorted());
  });

  test('has no duplicate operation ids', () => {
    const deliveries = Object.values(document.webhooks).map(({ post }) => post);
    const ids = [...operations.map(({ operation }) => operation), ...deliveries].map(({ operationId }) => operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test('is plain JSON', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });

  test('has a literal server and one with a variable, both with the version segment', () => {
    const { servers } = document;
    expect(servers.map(({ url }) => url)).toEqual([expect.stringMatching(/^http:\/\/[^{}]+\/v1$/), '{baseUrl}']);
    expect(servers[1]?.variables?.['baseUrl']?.default).toBe(servers[0]?.url);
  });

  test('has a request body only for fields in the body', () => {
    const withoutBody = operations.filter(({ operation }) => !operation.requestBody);
    expect(withoutBody.map(({ method, path }) => `${method} ${path}`)).toEqual(
      expect.arrayContaining(['post /getbankscode', 'delete /deletebankaccount', 'delete /fx/orders/{orderId}']),
    );
    for (const { method, operation } of operations) {
      if (method === 'get') expect(operation).not.toHaveProperty('requestBody');
      if (operation.requestBody) expect(fieldsOf(operation.requestBody.content).length).toBeGreaterThan(0);
    }
  });

  test('has the groups of commands as tags, in the order of the help', () => {
    const names = document.tags.map(({ name }) => name);
    expect(document['x-tagGroups'].flatMap(({ tags }) => tags)).toEqual(names);
    const groups = CATALOGUE.map(({ name }) => name);
    const [events, ...commands] = names.toReversed();
    expect(events).toBe('events');
    expect(commands.toReversed()).toEqual(groups.filter((name) => names.includes(name)));
    const used = new Set(operations.flatMap(({ operation }) => operation.tags));
    expect([...used].toSorted()).toEqual(names.filter((name) => name !== 'events').toSorted());
  });

  test('describes every property and parameter', () => {
    const found = [...descriptionsIn(document)];
    expect(found.length).toBeGreaterThan(1800);
    expect(found.filter(([, description]) => !/^[`A-Z0-9].+/.test(description ?? '')).map(([name]) => name)).toEqual(
      [],
    );
  });

  test('says when a field is absent only of a field that may be', () => {
    const { post } = document.webhooks['fintech.asset.transfer.completed'] as { readonly post: Operation };
    const schema = post.requestBody?.content['application/json'].schema ?? {};
    const { properties } = schema as unknown as Properties;
    const { transactionHash, note } = (properties['data'] as unknown as Properties).properties;
    expect(transactionHash?.['description']).toBe('The hash of the transaction.');
    expect(note?.['description']).toBe('The note of the transfer. Null if it has none.');
  });
});

/** Every property and parameter with its description. */
function* descriptionsIn(value: unknown, path = ''): Generator<readonly [string, string | undefined]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value as Record<string, unknown>)) {
    if (key === 'example' || key === 'examples') continue;
    const here = `${path}/${key}`;
    const inside = each as Record<string, { readonly name?: string; readonly description?: string }>;
    if (key === 'properties' || key === 'parameters')
      for (const [name, part] of Object.entries(inside)) yield [`${here}/${part.name ?? name}`, part.description];
    yield* descriptionsIn(each, here);
  }
}

describe('the document as it is written', () => {
  const shared = share(inFull);
  const written = openApiText(shared);

  test('says all that the full one says', () => {
    expect(expanded(shared, inFull)).toEqual(withOwnSources(inFull));
    expect(JSON.parse(written)).toEqual(shared);
  });

  test('is half as long at least, and below 450 kB', () => {
    expect(Buffer.byteLength(written)).toBeLessThan(450_000);
  });

  test('has no dangling references, and no component that nothing refers to', () => {
    const refs = new Set(
      [...written.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)].map(([, kind, name]) => `${kind}/${name}`),
    );
    const { securitySchemes: _, ...components } = shared['components'] as Record<string, object>;
    const names = Object.entries(components).flatMap(([kind, parts]) =>
      Object.keys(parts).map((name) => `${kind}/${name}`),
    );
    expect(names.length).toBeGreaterThan(100);
    expect([...refs].toSorted()).toEqual(names.toSorted());
  });

  test('has the same examples on every run', async () => {
    expect(openApiText(share(openApi(await openApiExtras())))).toBe(written);
  });

  test('has no secret in its examples', () => {
    const keys = [...written.matchAll(/"(apiKey|aesKey|secret|token|mpcVaultApiKey)":"([^"]*)"/g)];
    expect(keys.length).toBeGreaterThan(4);
    expect(
      keys.map(([, , value]) => value).filter((value) => !/^(EXAM(PLE|[*]+)|CNGN|USDC|USDT|cNGN)$/.test(value ?? '')),
    ).toEqual([]);
    expect(written).not.toContain('sandbox_0');
  });
});

/** A shared document with the components that `original` does not have put back, and the sources that are left out. */
function expanded(shared: JsonSchema, original: JsonSchema): unknown {
  const given = original['components'] as Record<string, object>;
  const components = shared['components'] as Record<string, Record<string, JsonSchema>>;
  const walk = (value: unknown, source: unknown): unknown => {
    if (Array.isArray(value)) return value.map((each) => walk(each, source));
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...beside } = value as JsonSchema;
    const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(\w+)$/.exec(String($ref ?? '')) ?? [];
    const isAdded = $ref !== undefined && !Object.hasOwn(given[kind] ?? {}, name);
    if (isAdded) return walk({ ...components[kind]?.[name], ...beside }, source);
    const own = (value as JsonSchema)['x-source'] ?? source;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, walk(each, own)]));
  };
  return withOwnSources({ ...(walk(shared, undefined) as object), components: given });
}

/** A document in which each schema has a source: its own, or that of what is around it. */
function withOwnSources(value: unknown, source?: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => withOwnSources(each, source, key));
  if (typeof value !== 'object' || value === null || key === 'example' || key === 'examples') return value;
  const own = (value as JsonSchema)['x-source'] ?? source;
  const inside = Object.entries(value).map(([name, each]) => [name, withOwnSources(each, own, name)]);
  return { ...Object.fromEntries(inside), ...(own === undefined ? {} : { 'x-source': own }) };
}

/** Returns the top-level fields of a schema. */
const fieldsOf = (content: Content | undefined) =>
  Object.keys((content?.['application/json'].schema['properties'] ?? {}) as object);

describe('webhooks', () => {
  const headers = ['x-service-signature', 'x-service-timestamp', 'x-service-event', 'x-webhook-id'];

  test('has every event that a webhook can subscribe to', () => {
    expect(Object.keys(document.webhooks)).toEqual(EVENTS.map(({ name }) => name));
  });

  test.each(EVENTS)('$name has its headers, name and payload', ({ name }) => {
    const { parameters, requestBody, responses } = document.webhooks[name]?.post ?? {};
    expect(parameters?.map((header) => [header.name, header.in, header.required])).toEqual(
      headers.map((header) => [header, 'header', true]),
    );
    expect(Object.keys(responses ?? {})).toEqual(['200']);
    const schema = requestBody?.content['application/json'].schema;
    expect(schema).toMatchObject({
      required: ['event', 'data'],
      properties: { event: { type: 'string', const: name } },
    });
    const properties = schema?.['properties'] as { readonly data: { readonly properties: object } } | undefined;
    const wanted = rowsOf(EVENT_PAYLOADS[name]()).map((row) => row.name.replace(/[.[].*/, ''));
    expect(Object.keys(properties?.data.properties ?? {})).toEqual([...new Set(wanted)]);
  });
});

describe.each(operations.map((each) => ({ ...each, id: each.operation.operationId })))('$id', ({ path, operation }) => {
  const endpoint = endpoints.find(({ id }) => id === operation.operationId.replace(/\.\d+$/, ''));
  if (!endpoint) throw new Error(`the contract has no ${operation.operationId}`);
  const topLevel = (schema: ReturnType<typeof endpoint.request>) =>
    rowsOf(schema)
      .map(({ name }) => name)
      .filter((name) => !/[.[]/.test(name));

  test('has every request field once, in the path, query or body', () => {
    const parameters = (operation.parameters ?? []).map(({ name }) => name);
    const body = fieldsOf(operation.requestBody?.content);
    expect([...parameters, ...body].toSorted()).toEqual(topLevel(endpoint.request()).toSorted());
  });

  test('has its path parameters, all required', () => {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const found = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
    expect(found.map(({ name }) => name)).toEqual(inPath);
    expect(found.every(({ required }) => required)).toBe(true);
  });

  test('has every response field in data', () => {
    const parts = operation.responses['200']?.content?.['application/json'].schema['allOf'];
    const [, { properties: own }] = parts as readonly [unknown, Properties];
    const beside = endpoint.envelope === 'top-level-version' ? ['version'] : [];
    expect(Object.keys(own)).toEqual(expect.arrayContaining(['data', ...beside]));
    const fields = [...Object.keys(own['data']?.['properties'] ?? {}), ...beside];
    expect(fields.toSorted()).toEqual(topLevel(endpoint.response()).toSorted());
  });

  test('lists each error under its HTTP status', () => {
    const wanted = [...endpoint.errors, ...COMMON_ERRORS].map(({ fault }) => String(FAULTS[fault].http));
    const { '200': _success, ...failures } = operation.responses;
    expect(Object.keys(failures).toSorted()).toEqual([...new Set(wanted)].toSorted());
    const examples = Object.values(failures).flatMap((each) =>
      Object.values(each.content?.['application/json'].examples ?? {}),
    );
    expect(examples.filter(({ value }) => value !== undefined).length).toBe(endpoint.errors.length);
  });

  test('has what it does, a command line, and an example of the request and the response', () => {
    expect(operation.description).toMatch(/^[A-Z].+[.]$/);
    expect(operation.description).not.toBe(operation.summary);
    expect(operation['x-codeSamples']?.[0]?.source).toMatch(/^fiatrail \w/);
    expect(operation.responses['200']?.content?.['application/json'].example).toMatchObject({ response_code: '00' });
    if (operation.requestBody) expect(operation.requestBody.content['application/json'].example).toBeInstanceOf(Object);
  });
});
