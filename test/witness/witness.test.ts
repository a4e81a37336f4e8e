import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { answerDeviations, deviations, overlaps } from './deviations.ts';
import { compare, type Difference, readWitness, rowCount, type WitnessEndpoint } from './witness.ts';

const witness = readWitness();

/** The number of request, response and error rows in the data files, without the one overlap. */
const ROWS = 1386;

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

  test('docs/fidelity.md lists exactly these deviations', () => {
    const document = readFileSync(new URL('../../docs/fidelity.md', import.meta.url), 'utf8');
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
    expect(wanted.size).toBe(86);
    expect([...wanted].filter((each) => !served.has(each))).toEqual([]);
  });

  test('covers every row', () => {
    const rows = pairs.reduce((sum, pair) => sum + rowCount(pair.witness), 0);
    expect(rows).toBe(ROWS);
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
