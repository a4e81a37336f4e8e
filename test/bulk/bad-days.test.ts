import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { withEnv } from '../postgres/hosts.ts';
import type { Served } from '../support/accounts.ts';
import { type Home, newHome, requireBuilt, SHIM, startProgram } from '../support/built.ts';
import { fiatrail, fiatrailJson, serveSandbox } from '../support/in-process.ts';
import { amountsOf, createWords, manyRows, paidIn, printed, type Row, runIn, writeRows } from './payouts.ts';
import { type Between, startProxy } from './proxy.ts';

// The service is away or answers wrongly, or the disk is full: each row ends as done, or waits, or is unknown until a list shows it.

let served: Served;
let between: Between;
let home: Home;

beforeAll(requireBuilt);

beforeEach(async () => {
  served = await serveSandbox(onTestFinished);
  between = await startProxy(served.url, onTestFinished);
  home = withEnv(newHome(onTestFinished), { FIATRAIL_BASE_URL: between.url, FIATRAIL_API_KEY: served.apiKey });
  const seed = ['sandbox', 'seed', '--users', '0', '--rate-limits', 'off', '--pace', 'instant', '-q'];
  expect((await fiatrail(served.home, seed)).code).toBe(0);
});

const paid = () => paidIn(home);
const create = (rows: readonly Row[], ...more: readonly string[]) =>
  runIn(home, [...createWords(writeRows(home, rows)), '--wait', '1s', ...more]);
const resume = () => runIn(home, ['bulk', 'resume', 'nov', '--yes', '-q', '-o', 'json', '--wait', '1s']);
const rows = manyRows(4);

describe('a service that is away', () => {
  test('before anything is known of the file: nothing is staged', async () => {
    await between.goAway();
    const { code, error } = await create(rows);
    expect([code, error.category]).toEqual([5, 'network']);
    await between.comeBack();
    expect((await runIn(home, ['bulk', 'status', '-q', '-o', 'json'])).data.files).toEqual([]);
  });

  test('for a day: the run ends before the next row, and the same command goes on later', async () => {
    expect((await create(rows, '--first', '1')).code).toBe(8);
    await between.goAway();
    const { code, error, data } = await resume();
    expect([code, error.category]).toEqual([5, 'network']);
    expect(data).toMatchObject({ done: 1, unknown: 0, waiting: 3 });
    await between.comeBack();
    await fiatrailJson(home, ['sandbox', 'advance', '1d', '-q']);
    expect((await resume()).data).toMatchObject({ done: 4, unknown: 0, waiting: 0 });
    expect(await paid()).toEqual(amountsOf(rows));
  });
});

describe('a response', () => {
  const end = async () => {
    between.answers = async (response) => [response];
    await fiatrailJson(home, ['sandbox', 'advance', '20m', '-q']);
    await fiatrail(home, ['payout', 'create', '--amount', '7', '--to', 'default', '--yes', '-q']);
    const { data } = await resume();
    expect(data).toMatchObject({ done: 4, unknown: 0, waiting: 0 });
    expect(await paid()).toEqual([...amountsOf(rows), '7.00'].toSorted());
    const report = await runIn(home, ['bulk', 'report', 'nov', '-q', '-o', 'json']);
    const ids = report.data.rows.map(({ requestId }: { readonly requestId: string }) => requestId);
    expect(new Set(ids).size).toBe(4);
  };

  test('of another request is not taken for that of the row: a person compares, and decides', async () => {
    between.answers = async (response, earlier) => [earlier ?? response];
    const { code, data } = await create(rows);
    expect([code, data]).toEqual([6, expect.objectContaining({ done: 1, unknown: 3, waiting: 0 })]);
    between.answers = async (response) => [response];
    // Nothing is sent again, and each is named with what ends it.
    expect((await resume()).data).toMatchObject({ done: 1, unknown: 3 });
    expect(await paid()).toEqual(amountsOf(rows));
    const { payouts } = await fiatrailJson<{ payouts: { id: string; amount: { value: string } }[] }>(home, [
      ...['payout', 'list', '--all', '-q'],
    ]);
    const report = await runIn(home, ['bulk', 'report', 'nov', '-q', '-o', 'json']);
    for (const { status, operationId, amount } of report.data.rows) {
      if (status !== 'unknown') continue;
      const found = payouts.find(({ amount: { value } }) => Number(value) === Number(amount));
      const seen = ['--completed', '--request-id', found?.id ?? '', '--reason', 'seen in the list'];
      expect((await fiatrail(home, ['ops', 'resolve', operationId, ...seen, '-q'])).stderr).toBe('');
    }
    expect((await resume()).data).toMatchObject({ done: 4, unknown: 0, waiting: 0 });
    expect(await paid()).toEqual(amountsOf(rows));
  });

  test('that comes twice is not taken for that of the next row', async () => {
    between.answers = async (response) => [response, response];
    const { code } = await create(rows);
    expect([0, 6]).toContain(code);
    await end();
  });

  test('that comes too late: the row is unknown until the list shows it', async () => {
    let count = 0;
    between.answers = async (response) => {
      count += 1;
      if (count === 2) await sleep(2_000);
      return [response];
    };
    const { code } = await create(rows, '--timeout', '1s');
    expect([0, 6]).toContain(code);
    await end();
  });
});

describe('a disk that is full', () => {
  // A file that must not grow is told apart from a full disk only where the system does.
  const FULL = ['STATE_FULL', 'STATE_UNWRITABLE'];
  const limited = async (kibibytes: number, words: readonly string[]) => {
    const line = ["trap '' XFSZ", `ulimit -f ${kibibytes}`, 'exec "$@"'].join('; ');
    return printed(await startProgram(home, 'bash', ['-c', line, 'bash', process.execPath, SHIM, ...words]).end);
  };
  const journalBytes = () =>
    existsSync(home.stateDir)
      ? readdirSync(home.stateDir)
          .filter((name) => name.startsWith('journal'))
          .reduce((sum, name) => sum + statSync(join(home.stateDir, name)).size, 0)
      : 0;
  const many = manyRows(20);

  test('while the rows are staged: none is', async () => {
    expect((await fiatrail(home, ['ops', 'list', '-q'])).code).toBe(0);
    const words = createWords(writeRows(home, manyRows(1_500)));
    const { code, error } = await limited(300, words);
    expect([code, FULL.includes(error.code)]).toEqual([2, true]);
    expect((await runIn(home, ['bulk', 'status', '-q', '-o', 'json'])).data.files).toEqual([]);
    expect(await paid()).toEqual([]);
  });

  test('while rows are sent: the run ends, and a later one sends each of the others once', async () => {
    expect((await create(many, '--first', '1')).code).toBe(8);
    const words = createWords(writeRows(home, many));
    const { code, error } = await limited(Math.ceil(journalBytes() / 1024) + 20, words);
    expect([code, FULL.includes(error.code)]).toEqual([2, true]);
    const sent = await paid();

    expect(sent.length).toBeLessThan(many.length);
    await resume();
    await fiatrailJson(home, ['sandbox', 'advance', '20m', '-q']);
    await fiatrail(home, ['payout', 'create', '--amount', '7', '--to', 'default', '--yes', '-q']);
    expect((await resume()).data).toMatchObject({ done: many.length, unknown: 0, waiting: 0 });
    expect(await paid()).toEqual([...amountsOf(many), '7.00'].toSorted());
  });
});
