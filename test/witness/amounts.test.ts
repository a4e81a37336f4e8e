import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { printedEvent } from '../../src/commands/webhooks/offline.ts';
import { parseExactJson } from '../../src/money/decimal.ts';
import { documentedDeliveries } from '../webhooks/vectors.ts';
import { lineOf, run, SERVICE } from './answer-commands.ts';
import { readAnswers } from './answers.ts';
import { figuresIn, figuresOf } from './oracle.ts';
import { textOf } from './wire.ts';
import type { WitnessRow } from './witness.ts';

/**
 * The amounts of each documented answer and event, by hand from the specification: `57000.000000 CNGN`. A unit that it leaves open
 * is unknown, and so is an asset.
 */
const AMOUNTS = parse(readFileSync(new URL('./amounts.yaml', import.meta.url), 'utf8')) as Readonly<
  Record<string, Readonly<Record<string, string>>>
>;

/** Returns every amount in what was printed, by its path. */
function amountsIn(value: unknown, path = ''): [string, string][] {
  if (typeof value !== 'object' || value === null) return [];
  const { value: figure, asset, unit } = value as Readonly<Record<string, unknown>>;
  if (typeof figure === 'string' && asset !== undefined)
    return [[path, [figure, asset ?? 'unknown asset', ...(unit === undefined ? [] : [`${unit} unit`])].join(' ')]];
  return Object.entries(value).flatMap(([name, each]) => amountsIn(each, path === '' ? name : `${path}.${name}`));
}

const answers = readAnswers(SERVICE).filter(
  ({ endpoint, request, http }) => http < 300 && lineOf(endpoint) !== undefined && !request?.['sealedTo'],
);

const { events } = parse(readFileSync(new URL('contract/webhooks.yaml', import.meta.url), 'utf8')) as {
  readonly events: readonly { readonly name: string; readonly payload: readonly WitnessRow[] }[];
};

const deliveries = documentedDeliveries(SERVICE);

/** How many of some figures are written with digits or asterisks. */
const countOf = (figures: readonly { readonly value: unknown }[]) =>
  figures.filter(({ value }) => /[\d*]/.test(textOf(value))).length;

describe('a documented answer', () => {
  test.each(answers)('$id has its amounts in their units and assets', async (answer) => {
    const { printed } = await run(answer);
    expect(Object.fromEntries(amountsIn(printed))).toEqual(AMOUNTS[answer.id] ?? {});
  });

  test.each(answers)('$id has a row for each figure to which the specification gives a unit', (answer) => {
    const { id, endpoint, body } = answer;
    expect(Object.keys(AMOUNTS[id] ?? {})).toHaveLength(countOf(figuresIn(endpoint, parseExactJson(body))));
  });
});

describe('a documented event', () => {
  test.each(deliveries)('$id has its amounts in their units and assets', ({ id, body }) => {
    const { data } = printedEvent(body);
    expect(Object.fromEntries(amountsIn(JSON.parse(JSON.stringify(data))))).toEqual(AMOUNTS[id] ?? {});
  });

  test.each(deliveries)('$id has a row for each figure to which the specification gives a unit', ({ id, body }) => {
    const { event } = printedEvent(body);
    const name = event.replace(/\.deposit\.refunded$/, '.deposit.funding.refunded');
    const rows = events.find((each) => each.name === name)?.payload ?? [];
    expect(Object.keys(AMOUNTS[id] ?? {})).toHaveLength(countOf(figuresOf(rows, parseExactJson(body))));
  });
});

test('each row of the table is about a documented answer or event', () => {
  const ids = new Set([...answers, ...deliveries].map(({ id }) => id));
  expect(Object.keys(AMOUNTS).filter((id) => !ids.has(id))).toEqual([]);
});
