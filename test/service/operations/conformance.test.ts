import { beforeAll, describe, expect, test } from 'vitest';
import { problemsOf } from '../../../src/contract/check.ts';
import { controls } from '../../../src/contract/control.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { endpoints } from '../../../src/contract/endpoints/index.ts';
import type { FieldMeta } from '../../../src/contract/fields.ts';
import { type FieldRow, rowsOf } from '../../../src/contract/rows.ts';
import { isUnknownFigure } from '../../../src/money/amount.ts';
import { isWireNumber, wireNumberText } from '../../../src/money/decimal.ts';
import { dataOf, openSandbox, replyOf, type TestSandbox, temporaryFolder } from '../../support/sandbox.ts';
import type { Ask } from './rows/group.ts';
import { groups } from './rows/index.ts';
import { receiver } from './rows/sandbox.ts';

/** The data of the sandbox's responses, by endpoint id. */
const answers = new Map<string, unknown[]>();

/** The distinct envelope messages of the successful responses, by endpoint id. */
const messages = new Map<string, Set<string>>();

const unproduced = joined(groups.map((group) => group.unproduced));
const unreached = joined(groups.map((group) => group.unreached));

/** Merges tables, and asserts that no entry appears twice. */
function joined<T>(tables: readonly Readonly<Record<string, T>>[]): Readonly<Record<string, T>> {
  const entries = tables.flatMap((table) => Object.entries(table));
  const names = entries.map(([name]) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  return Object.fromEntries(entries);
}

function recorder(box: TestSandbox): Ask {
  return async (endpoint, input, apiKey) => {
    const response = await box.send(endpoint, input, apiKey);
    const data = dataOf(endpoint, response);
    const { message } = replyOf(response).envelope;
    messages.set(endpoint.id, (messages.get(endpoint.id) ?? new Set()).add(message));
    answers.set(endpoint.id, [...(answers.get(endpoint.id) ?? []), data]);
    return data;
  };
}

beforeAll(async () => {
  for (const { walk } of groups) {
    // On a file, because a snapshot of a sandbox in memory has no place.
    using folder = temporaryFolder();
    await using box = await openSandbox({ path: folder.file('sandbox.db'), delivery: { exchange: receiver } });
    await walk(box, recorder(box));
  }
});

/** Returns all values of a row in a response: one per item of a list. */
function valuesAt(data: unknown, name: string): unknown[] {
  const steps = name.replaceAll('[]', '.[]').split('.');
  return steps.reduce<unknown[]>((values, step) => values.flatMap((value) => stepInto(value, step)), [data]);
}

function stepInto(value: unknown, step: string): unknown[] {
  if (step === '[]') return Array.isArray(value) ? value : [];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.hasOwn(value, step) ? [(value as Record<string, unknown>)[step]] : [];
}

const isThere = (value: unknown) => value !== undefined && value !== null;

function valuesOf(endpoint: Endpoint, name: string): unknown[] {
  return (answers.get(endpoint.id) ?? []).flatMap((data) => valuesAt(data, name)).filter(isThere);
}

/** Returns the names of all fields in a value, in the notation of rowsOf. */
function namesIn(value: unknown, prefix = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => namesIn(each, prefix.replace(/\.$/, '[].')));
  if (typeof value !== 'object' || value === null || isWireNumber(value) || isUnknownFigure(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => [prefix + key, ...namesIn(each, `${prefix}${key}.`)]);
}

/** The format of each type, beyond what the schemas check. */
const TYPES: Readonly<Record<string, RegExp>> = {
  datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  integer: /^-?\d+$/,
  boolean: /^(true|false)$/,
};

const UNITS: Readonly<Record<string, RegExp>> = {
  naira: /^\d+(\.\d{1,2})?$/,
  kobo: /^\d+$/,
  base: /^\d+$/,
  token: /^\d+\.\d{6}$/,
  'decimal-string': /^\d+(\.\d{1,6})?$/,
  percent: /^-?\d+(\.\d{1,6})?$/,
};

function formOf({ type, unit }: FieldMeta): RegExp | undefined {
  if (unit) return UNITS[unit];
  const values = /^enum\[(.*)\]$/.exec(type)?.[1];
  return values ? new RegExp(`^(${values.replaceAll(',', '|')})$`) : TYPES[type];
}

function misshapen(endpoint: Endpoint, row: FieldRow): string[] {
  const form = formOf(row);
  const texts = valuesOf(endpoint, row.name).map((value) => {
    if (isUnknownFigure(value)) return value.value;
    return isWireNumber(value) ? wireNumberText(value) : String(value);
  });
  return form ? texts.filter((text) => !form.test(text)).map((text) => `${row.name}: ${text}`) : [];
}

const all = ([...endpoints, ...controls] as readonly Endpoint[]).map((endpoint) => ({ id: endpoint.id, endpoint }));

describe.each(all)('$id', ({ id, endpoint }) => {
  const listed = unproduced[id] ?? {};
  const rows = rowsOf(endpoint.response());

  test('returns data that matches the schema', () => {
    const problems = (answers.get(id) ?? []).map((data) => problemsOf(endpoint.response(), data));
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.flat()).toEqual([]);
  });

  test("sends the contract's success message", () => {
    expect([...(messages.get(id) ?? [])]).toEqual([endpoint.done]);
    expect(endpoint.done).toMatch(/^[A-Z].* ([a-z]+ed|set|reset|read|written)$/);
  });

  test('fills every row of the contract, except those listed with a reason', () => {
    const empty = rows.filter(({ name }) => valuesOf(endpoint, name).length === 0).map(({ name }) => name);
    expect(empty.sort()).toEqual(Object.keys(listed).sort());
    expect(Object.values(listed)).not.toContain('');
  });

  test('returns no field that the contract does not declare', () => {
    const known = new Set(rows.map(({ name }) => name));
    const returned = new Set((answers.get(id) ?? []).flatMap((data) => namesIn(data)));
    expect([...returned].filter((name) => !known.has(name))).toEqual([]);
  });

  test('formats times, ids, states and amounts as declared', () => {
    expect(rows.flatMap((row) => misshapen(endpoint, row))).toEqual([]);
  });
});

test('only endpoints of the contract are listed', () => {
  const ids = new Set<string>(all.map(({ id }) => id));
  expect(Object.keys(unproduced).filter((id) => !ids.has(id))).toEqual([]);
});

describe('the enums of a response', () => {
  const enums = all.flatMap(({ endpoint }) =>
    rowsOf(endpoint.response())
      .filter(({ type }) => type.startsWith('enum'))
      .map(({ name, type }) => ({ endpoint, name, values: type.slice(5, -1).split(',') })),
  );

  test.each(enums)('$endpoint.id $name takes every value of the contract, except those listed', (row) => {
    const seen = new Set(valuesOf(row.endpoint, row.name));
    const missing = row.values.filter((value) => !seen.has(value));
    expect(missing).toEqual(unreached[`${row.endpoint.id} ${row.name}`] ?? []);
  });
});
