import { expect, test } from 'vitest';
import { resolveProfile } from '../../src/account/profile.ts';
import { zoneNamed } from '../../src/base/zone.ts';
import { existingCopy } from '../../src/copy/open.ts';
import { accountIn, balancesAt } from '../../src/copy/questions/report/balance.ts';
import { lastCheckAt } from '../../src/copy/questions/report/checks.ts';
import { kindPartsIn, kindsIn, WORK_KINDS } from '../../src/copy/questions/report/kinds.ts';
import { partsOf, spanOf } from '../../src/copy/questions/report/periods.ts';
import { sizeText, trendsIn } from '../../src/copy/questions/report/trends.ts';
import type { Queries } from '../../src/journal/store.ts';
import { figureForPeople } from '../../src/money/figure.ts';
import { worldAfter } from '../support/world-after.ts';
import { must, run } from './reports.ts';
import { copyOf, DEPOSIT, looks } from './stored.ts';

/** What charts draw are the figures of the reports, part by part. */

const LAGOS = zoneNamed('Africa/Lagos');

const withWeeks = worldAfter(async (world) => {
  await must(world, 'sandbox', 'simulate', '--days', '24', '--users', '12', '--seed', '3', '-q');
  await must(world, 'sync', '-q');
});

/** An account with some weeks of everything, copied. */
async function simulated() {
  const { world } = await withWeeks();
  const copy = await existingCopy(world, resolveProfile(undefined, world));
  if (!copy) throw new Error('there is no copy');
  const untilMs = Date.parse((await copy.read(lastCheckAt)) ?? '') + 1;
  return { world, copy, untilMs };
}

const spansOf = (untilMs: number, days: number, step: 'day' | 'week' | 'month') =>
  partsOf(untilMs - days * 86_400_000, untilMs, step, LAGOS).map((part) => spanOf(part.sinceMs, part.untilMs));

test.each(['day', 'week', 'month'] as const)(
  'of each %s, what was completed and failed is what the report of it says',
  async (step) => {
    const { copy, untilMs } = await simulated();
    // Half of the days are enough.
    const spans = spansOf(untilMs, step === 'day' ? 13 : 26, step);
    const parts = await copy.read((queries) => kindPartsIn(queries, spans, () => undefined));
    let compared = 0;
    for (const [index, span] of spans.entries()) {
      const rows = (await copy.read((queries) => kindsIn(queries, span))).filter(
        ({ completed, failed }) => completed + failed > 0,
      );
      const drawn = parts.flatMap(({ work, asset, parts: of }) => {
        const part = of[index];
        return part && part.completed + part.failed > 0 ? [{ kind: work.kind, asset, ...part }] : [];
      });
      expect(drawn.map(({ kind, completed, amount, failed }) => ({ kind, completed, amount, failed }))).toEqual(
        rows.map(({ kind, completed, amount, failed }) => ({ kind, completed, amount, failed })),
      );
      compared += rows.length;
    }
    expect(compared).toBeGreaterThan(10);
    await copy.close();
  },
);

test('volumes, fees and balances are those of the report of each day', async () => {
  const { copy, untilMs } = await simulated();
  const spans = spansOf(untilMs, 20, 'day');
  await copy.read(async (queries) => {
    const trends = await trendsIn(queries, spans);
    const whole = { from: spans[0]?.from ?? '', to: spans.at(-1)?.to ?? '' };
    const { parts } = await accountIn(queries, whole, spans);
    const textOf = (title: string, unit: string, line: string, index: number) =>
      trends.find((each) => each.title === title && each.unit === unit)?.lines.find((each) => each.title === line)
        ?.values[index]?.text;
    let compared = 0;
    for (const [index, part] of parts.entries())
      for (const { asset, in: came, earned } of part)
        for (const [title, line, figure] of [
          ['Volumes', 'In', came],
          ['Fees', 'Earned', earned],
        ] as const) {
          const drawn = textOf(title, asset, line, index);
          if (drawn === undefined) continue;
          expect(drawn, `${title} ${asset} ${index}`).toBe(figureForPeople(figure));
          compared += 1;
        }
    expect(compared).toBeGreaterThan(10);
    const balances =
      (await balancesAt(
        queries,
        spans.map(({ to }) => to),
      )) ?? [];
    for (const [index, each] of balances.entries()) {
      const balance = each.get('CNGN');
      if (balance) expect(textOf('Balance', 'CNGN', 'At the end', index)).toBe(figureForPeople(balance));
    }
    // Balances are not known before the first sync, which is a gap.
    const [line] = trends.find(({ title, unit }) => title === 'Balance' && unit === 'CNGN')?.lines ?? [];
    expect(line?.values.filter(({ size }) => size === null).length).toBeGreaterThan(5);
  });
  await copy.close();
});

interface Took {
  readonly ms: number;
}

/** The same by hand: of what is sorted, the one that so many percent are not above. */
const ranked = (sorted: readonly Took[], percent: number) => sorted[Math.ceil((sorted.length * percent) / 100) - 1]?.ms;

test('the median and the 95th of 100 are those of the rows, and the failure rate counts all that ended', async () => {
  const { copy, untilMs } = await simulated();
  const spans = spansOf(untilMs, 24, 'week');
  await copy.read(async (queries) => {
    const trends = await trendsIn(queries, spans);
    let compared = 0;
    for (const { kind, table, where, done } of WORK_KINDS)
      for (const [index, { from, to }] of spans.entries()) {
        const rows = await queries.all<{ a: string; b: string }>(
          `SELECT created_at AS a, ended_at AS b FROM ${table} WHERE ${where} AND ${done} AND end_bound IS NULL AND ended_at > ? AND ended_at <= ?`,
          from,
          to,
        );
        const took = rows.map(({ a, b }) => ({ ms: Date.parse(b) - Date.parse(a) })).sort((a, b) => a.ms - b.ms);
        const lines = trends.find(({ title }) => title === `Time to complete ${kind}`)?.lines;
        if (!lines || took.length === 0) continue;
        expect(lines.map(({ values }) => Number(values[index]?.size))).toEqual([ranked(took, 50), ranked(took, 95)]);
        compared += 1;
      }
    expect(compared).toBeGreaterThan(5);
    const [failures] = trends.find(({ title }) => title === 'Failure rate')?.lines ?? [];
    for (const [index, span] of spans.entries()) {
      const kinds = await kindsIn(queries, span);
      const [failed, completed] = [
        kinds.reduce((n, each) => n + each.failed, 0),
        kinds.reduce((n, each) => n + each.completed, 0),
      ];
      if (failed + completed > 0)
        expect(failures?.values[index]?.text).toMatch(
          kinds.some((each) => each.countsKnown?.why === 'END_BETWEEN')
            ? new RegExp(`^near .*\\(${failed} of ${failed + completed}, each at least\\)$`)
            : new RegExp(`^\\d.* % \\(${failed} of ${failed + completed}\\)$`),
        );
    }
  });
  await copy.close();
});

const at = (day: number, hour = 9) =>
  `2026-11-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00.000Z`;
const WEEK = partsOf(Date.parse(at(2, 0)), Date.parse(at(6, 0)), 'day', zoneNamed('UTC')).map((part) =>
  spanOf(part.sinceMs, part.untilMs),
);

const lineOf = async (ask: <T>(question: (queries: Queries) => Promise<T>) => Promise<T>, title: string) =>
  (await ask((queries) => trendsIn(queries, WEEK)))
    .find((each) => each.title === title)
    ?.lines[0]?.values.map(({ text }) => text);

test('what is not known is a gap, and not zero', async () => {
  const rows = {
    deposits: [{ ...DEPOSIT, created_at: at(2, 8), completed_at: at(2) }],
    ...looks([at(2, 1), 0n], [at(5), 0n]),
  };
  const ask = await copyOf(rows);
  expect(await lineOf(ask, 'Failure rate')).toEqual([
    '0.00 % (0 of 1)',
    'nothing ended',
    'nothing ended',
    'nothing ended',
  ]);
  expect(await lineOf(ask, 'Time to complete deposits of the account')).toEqual([
    '1 h',
    'nothing ended',
    'nothing ended',
    'nothing ended',
  ]);
  // A list that was not read to its end may have more rows than are counted.
  const cut = await copyOf(
    { deposits: [...rows.deposits, { ...DEPOSIT, id: 'd-2', status: 'failed', completed_at: at(3) }] },
    ['deposits'],
  );
  expect(await lineOf(cut, 'Failure rate')).toBeUndefined();
  expect(await lineOf(cut, 'Volume in, by kind')).toEqual(['at least ₦700.00', 'not known', 'not known', 'not known']);
});

test('an end that is known only within bounds is no duration, and the others say how many they are', async () => {
  const ended = (id: string, more: object) => ({ ...DEPOSIT, id, created_at: at(2, 8), completed_at: at(2), ...more });
  const ask = await copyOf({ deposits: [ended('d-1', {}), ended('d-2', { end_bound: at(2, 7) })] });
  expect((await lineOf(ask, 'Time to complete deposits of the account'))?.[0]).toBe('1 h (of 1 of 2)');
});

test('sizes are exact', () => {
  expect(sizeText('NGN', 12345n)).toBe('123.45');
  expect(sizeText('percent', 241n)).toBe('2.41');
  expect(sizeText('ms', 95_000n)).toBe('95000');
  expect(sizeText('count', 7n)).toBe('7');
});

test('--chart draws instead of the table, leaves JSON as it is, and needs days, weeks or months', async () => {
  const { world, copy } = await simulated();
  await copy.close();
  const words = ['report', '--since', '2025-12-20', '--by', 'week'];
  const drawn = await run(world, ...words, '--chart');
  expect(drawn.stdout).toMatch(/^Volumes in cNGN: In\n/m);
  expect(drawn.stdout).toMatch(/^Failure rate: Failed of all that ended\n/m);
  expect(drawn.stdout).toContain('█');
  expect(drawn.stdout).not.toContain('\u001b');
  expect(drawn.stdout).toContain('Checks');
  expect(
    Math.max(
      ...drawn.stdout
        .split('\n')
        .slice(0, 40)
        .map((line) => line.length),
    ),
  ).toBeLessThanOrEqual(80);
  const json = await run(world, ...words, '-o', 'json');
  expect(await run(world, ...words, '--chart', '-o', 'json')).toEqual(json);
  expect(await run(world, ...words, '--chart', '-o', 'csv')).toEqual(await run(world, ...words, '-o', 'csv'));
  for (const by of [[], ['--by', 'kind'], ['--by', 'user']])
    expect(await run(world, 'report', '--chart', ...by)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--chart draws days, weeks or months'),
    });
  const balance = await run(world, 'report', 'balance', '--since', '2025-12-20', '--chart');
  expect(balance.stdout).toMatch(/^Balance in cNGN\n/);
});
