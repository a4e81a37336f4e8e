import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { answerDeviations, deviations, overlaps } from './deviations.ts';
import { compare, type Difference, readWitness, type WitnessEndpoint, witnessIn } from './witness.ts';

const witness = readWitness();

function witnessOf(id: string): WitnessEndpoint {
  const found = witness.get(id);
  if (!found) throw new Error(`the specification has no endpoint ${id}`);
  return found;
}

const pairs = endpoints
  .filter((endpoint) => endpoint.area !== 'control')
  .map((endpoint) => ({ id: endpoint.id, endpoint, witness: witnessOf(endpoint.id) }));

function isListed({ endpoint, row }: Difference): boolean {
  return deviations.some((deviation) => deviation.endpoint === endpoint && deviation.row === row);
}

describe('the contract against the specification', () => {
  test.each(pairs)('$id', ({ endpoint, witness }) => {
    expect(compare(endpoint, witness).filter((difference) => !isListed(difference))).toEqual([]);
  });

  test('every listed deviation exists and has a reason', () => {
    const differences = pairs.flatMap(({ endpoint, witness }) => compare(endpoint, witness));
    const needed = deviations.filter(({ endpoint, row, reason }) => {
      return reason !== '' && differences.some((found) => found.endpoint === endpoint && found.row === row);
    });
    expect(deviations).toEqual(needed);
  });

  test('docs/contributing/inferred.md lists exactly these deviations', () => {
    const document = readFileSync(new URL('../../docs/contributing/inferred.md', import.meta.url), 'utf8');
    const listed = [
      ...document.matchAll(/^\| `([\w.-]+)` \| `((?:answers|errors|request|response)\.[\w.[\]-]+)` \| \S/gm),
    ].map(([, id, row]) => `${id} ${row}`);
    const answers = answerDeviations.map(({ endpoint, answer }) => `${endpoint} answers.${answer}`);
    expect(listed.sort()).toEqual([...deviations.map(({ endpoint, row }) => `${endpoint} ${row}`), ...answers].sort());
  });

  test.each([...witness.keys()])('%s is in the contract', (id) => {
    const found = endpoints.find((endpoint) => endpoint.id === (overlaps[id] ?? id));
    expect({ method: found?.method, path: found?.path }).toEqual({
      method: witnessOf(id).method,
      path: witnessOf(id).path,
    });
  });

  test('serves every method and path of the specification', () => {
    const pairsOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
    const served = new Set(endpoints.flatMap((each) => [each, ...(each.aliases ?? [])]).map(pairsOf));
    const wanted = new Set([...witness.values()].map(pairsOf));
    expect([...wanted].filter((each) => !served.has(each))).toEqual([]);
  });
});

describe('reading the data files', () => {
  const head = '{id: a, method: GET, path: /a, source: interface, effect: read, rate_limit: {max: 1, window_s: 1}';
  const row = '{name: a, type: string, source: interface}';
  const fileOf = (...endpoints: readonly string[]) => `group: a\nendpoints: [${endpoints.join(', ')}]`;

  test('takes each endpoint and row', () => {
    const read = witnessIn([fileOf(`${head}, request: {body: [${row}]}, response: [${row}]}`)]);
    expect(read.get('a')).toMatchObject({ request: { body: [{ name: 'a' }] }, response: [{ name: 'a' }] });
  });

  test.each([
    ['a second endpoint of an id', fileOf(`${head}}`, `${head}}`), 'has a twice'],
    ['endpoints under another key', 'group: a\nendpoint: []', 'has endpoint'],
    ['rows under another key', fileOf(`${head}, responses: [${row}]}`), 'has responses'],
    ['fields that are sent in another place', fileOf(`${head}, request: {form: [${row}]}}`), 'has form'],
    [
      'a fact of a row under another key',
      fileOf(`${head}, response: [{name: a, type: string, unit_: kobo, source: public}]}`),
      'has unit_',
    ],
    ['a row without a source', fileOf(`${head}, response: [{name: a, type: string}]}`), 'lacks source'],
    ['an error without a name', fileOf(`${head}, errors: [{when: a, http: 400, source: public}]}`), 'lacks name'],
  ])('refuses %s', (_what, text, problem) => {
    expect(() => witnessIn([text])).toThrow(problem);
  });
});

describe('the comparison itself', () => {
  const extra = { name: 'extra', type: 'string', source: 'public' };
  const [pair] = pairs.filter(({ id }) => id === 'banks.add');
  const damage: [string, (good: WitnessEndpoint) => Partial<WitnessEndpoint>][] = [
    ['effect', () => ({ effect: 'read' })],
    ['starts', () => ({ starts: 'offramp' })],
    ['rate_limit.max', () => ({ rate_limit: { max: 31, window_s: 60 } })],
    ['request.bankCode', (good) => ({ request: { body: good.request?.body?.filter(notNamed('bankCode')) ?? [] } })],
    ['request.isDefault', (good) => ({ request: { body: good.request?.body?.map(demand('isDefault')) ?? [] } })],
    ['request.label', (good) => ({ request: { query: good.request?.body ?? [] } })],
    ['response.message', (good) => ({ response: good.response?.filter(notNamed('message')) ?? [] })],
    [
      'response.isValidated',
      (good) => ({ response: good.response?.map(alter('isValidated', { type: 'string' })) ?? [] }),
    ],
    ['response.bankName', (good) => ({ response: good.response?.map(alter('bankName', { source: 'client' })) ?? [] })],
    ['response.accountId', (good) => ({ response: good.response?.map(alter('accountId', { unit: 'kobo' })) ?? [] })],
    ['errors.VALIDATION_ERROR', (good) => ({ errors: good.errors?.slice(1) ?? [] })],
    ['response.extra', (good) => ({ response: [...(good.response ?? []), extra] })],
  ];

  test.each(damage)('detects a changed %s', (row, change) => {
    if (!pair) throw new Error('the contract has no banks.add');
    const seen = compare(pair.endpoint, { ...pair.witness, ...change(pair.witness) });
    expect(seen.map((difference) => difference.row)).toContain(row);
  });
});

function notNamed(name: string) {
  return (row: { name: string }) => row.name !== name;
}

function alter(name: string, change: { type?: string; source?: string; unit?: string }) {
  return <R extends { name: string }>(row: R): R => (row.name === name ? { ...row, ...change } : row);
}

function demand(name: string) {
  return <R extends { name: string }>(row: R): R => (row.name === name ? { ...row, required: true } : row);
}
