import { describe, expect, test } from 'vitest';
import { type Endpoint, pathParameters } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { type FieldRow, rowsOf } from '../../src/contract/rows.ts';
import type { BadCase, Case } from './requests/case.ts';
import { bad, good } from './requests/index.ts';

const all = endpoints.map((endpoint) => ({ id: endpoint.id, endpoint }));

/** Fields of responses that only public documentation names, but that the interface promises in prose. */
const promisedInWords = new Set(['users.list users', 'users.list users[].userId']);

/** Figures in a response whose asset is unknown or not in the ledger; their rule describes them. */
/** Names of tokens that the command adds, because neither the request nor the response has them. */
const NAMED_BY_COMMAND = ['swaps.status buyToken'];

function endpointOf(id: string): Endpoint {
  const found = endpoints.find((endpoint) => endpoint.id === id);
  if (!found) throw new Error(`the contract has no endpoint ${id}`);
  return found;
}

function repeated(values: readonly string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index);
}

function rowsOfBoth(endpoint: Endpoint): FieldRow[] {
  return [...rowsOf(endpoint.request()), ...rowsOf(endpoint.response())];
}

describe('the contract as a whole', () => {
  test('has no duplicate ids', () => {
    expect(repeated(endpoints.map(({ id }) => id))).toEqual([]);
  });

  test('has no duplicate method and path', () => {
    expect(repeated(endpoints.map(({ method, path }) => `${method} ${path}`))).toEqual([]);
  });

  test('requires only response fields that the interface promises, by name or in prose', () => {
    const plain = all.flatMap(({ id, endpoint }) => unpromised(endpoint).map((name) => `${id} ${name}`));
    expect(plain.sort()).toEqual([...promisedInWords].sort());
  });
});

/** Returns response fields that the contract requires although the interface does not name them. */
function unpromised(endpoint: Endpoint): string[] {
  const rows = rowsOf(endpoint.response());
  const isElement = ({ name }: FieldRow) => name.endsWith('[]');
  return rows
    .filter((row) => row.source !== 'interface' && row.required && !row.nullable && !isElement(row))
    .map(({ name }) => name);
}

describe.each(all)('$id', ({ endpoint }) => {
  test('has a summary without a final period', () => {
    expect(endpoint.summary).toMatch(/^[A-Z].*[^.\s]$/);
  });

  test('takes its path parameters from the request', () => {
    const required = rowsOf(endpoint.request()).filter((row) => row.required);
    expect(required.map(({ name }) => name)).toEqual(expect.arrayContaining(pathParameters(endpoint.path)));
  });

  test('has a unit only if the asset is known or it is a percentage', () => {
    const rows = rowsOfBoth(endpoint).filter((row) => (row.asset === undefined) !== notMoney(row.unit));
    expect(rows).toEqual([]);
  });

  test('refers only to existing fields for the asset', () => {
    const rows = rowsOfBoth(endpoint);
    const last = (name: string) => name.slice(name.lastIndexOf('.') + 1);
    const fields = rows
      .flatMap(({ asset }) => (asset && typeof asset === 'object' && 'field' in asset ? [asset.field] : []))
      .filter((name) => !NAMED_BY_COMMAND.includes(`${endpoint.id} ${name}`));
    expect(rows.map(({ name }) => last(name))).toEqual(expect.arrayContaining(fields));
  });
});

function notMoney(unit: FieldRow['unit']): boolean {
  return unit === undefined || unit === 'percent';
}

/** Adds a title to each case, in which raw JSON numbers appear as their text. */
function named(cases: readonly (Case | BadCase)[]) {
  return cases.map(([id, request, ...wrong]) => ({ id, request, wrong, shown: JSON.stringify(request) }));
}

/** The paths of the fields that an endpoint rejects in a request, each once. */
function rejectedFields(id: string, request: Case[1]): string[] {
  const { error } = endpointOf(id).request().safeParse(request);
  const paths = (error?.issues ?? []).flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.join('.')],
  );
  return [...new Set(paths)];
}

describe('requests', () => {
  test.each(named(good))('$id accepts $shown', ({ id, request }) => {
    expect(rejectedFields(id, request)).toEqual([]);
  });

  test.each(named(bad))('$id rejects $shown', ({ id, request, wrong }) => {
    expect(rejectedFields(id, request)).toEqual(wrong);
  });
});
