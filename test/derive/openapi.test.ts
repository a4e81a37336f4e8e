import { describe, expect, test } from 'vitest';
import { COMMON_ERRORS } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { EVENT_PAYLOADS } from '../../src/contract/event-payloads.ts';
import { EVENTS } from '../../src/contract/events.ts';
import { FAULTS } from '../../src/contract/faults.ts';
import { rowsOf } from '../../src/contract/rows.ts';
import { openApi } from '../../src/derive/openapi.ts';
import type { JsonSchema } from '../../src/derive/schema.ts';

interface Operation {
  readonly operationId: string;
  readonly deprecated?: true;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: Content; 'x-refusals'?: unknown[] }>
  >;
}

interface Content {
  readonly 'application/json': { readonly schema: JsonSchema };
}

const document = openApi() as unknown as {
  readonly servers: readonly { url: string; variables?: Record<string, { default: string }> }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
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

  test('has no dangling references', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    const components = document.components as unknown as Record<string, Record<string, unknown>>;
    expect(refs.length).toBeGreaterThan(100);
    expect(refs.filter(([, kind = '', name = '']) => components[kind]?.[name] === undefined)).toEqual([]);
  });
});

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
    const envelope = operation.responses['200']?.content?.['application/json'].schema['properties'] as Record<
      string,
      { readonly properties?: object }
    >;
    const beside = endpoint.envelope === 'top-level-version' ? ['version'] : [];
    expect(Object.keys(envelope)).toEqual(expect.arrayContaining(['status', 'response_code', 'message', ...beside]));
    const fields = [...Object.keys(envelope['data']?.properties ?? {}), ...beside];
    expect(fields.toSorted()).toEqual(topLevel(endpoint.response()).toSorted());
  });

  test('lists each error under its HTTP status', () => {
    const wanted = [...endpoint.errors, ...COMMON_ERRORS].map(({ fault }) => String(FAULTS[fault].http));
    const { '200': _success, ...failures } = operation.responses;
    expect(Object.keys(failures).toSorted()).toEqual([...new Set(wanted)].toSorted());
    const own = Object.values(failures).flatMap((failure) => failure['x-refusals'] ?? []);
    expect(own.length).toBeGreaterThanOrEqual(endpoint.errors.length);
  });
});
