import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { main } from '../../../src/main.ts';
import { serve } from '../../../src/sandbox/serve.ts';
import { testNetwork } from '../../support/loopback.ts';
import { START_MS } from '../../support/sandbox.ts';
import { type FakeWorld, fakeWorld } from '../../support/world.ts';

const iso = (timeMs: number) => new Date(timeMs).toISOString();

interface Simulated {
  readonly from: string;
  readonly now: string;
  readonly operations: number;
  readonly seconds: number;
  readonly balanced: boolean;
  readonly kinds: readonly {
    readonly kind: string;
    readonly requests: number;
    readonly NGN: { readonly value: string };
  }[];
  readonly failures: readonly { readonly kind: string; readonly code: string; readonly count: number }[];
}

async function run(world: FakeWorld, ...argv: string[]) {
  const before = world.stdout.text().length;
  const errors = world.stderr.text().length;
  const code = await main([...argv, '--no-input', '-q'], world);
  return { code, stdout: world.stdout.text().slice(before), stderr: world.stderr.text().slice(errors) };
}

async function json(world: FakeWorld, ...argv: string[]): Promise<Simulated & Readonly<Record<string, unknown>>> {
  const { code, stdout, stderr } = await run(world, ...argv, '-o', 'json');
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const SMALL = ['--days', '3', '--users', '20', '--seed', '7'];

/** The rows of one column of the state file. */
function column(path: string, sql: string): unknown[] {
  const connection = new DatabaseSync(path, { readOnly: true });
  const rows = connection.prepare(sql).all();
  connection.close();
  return rows.map((row) => Object.values(row)[0]);
}

test('adds up its days, and the same seed and time give the same again', async () => {
  const [world, other] = [fakeWorld(), fakeWorld()];
  const { seconds, ...first } = await json(world, 'sandbox', 'simulate', ...SMALL, '--until', '2025-12-31');
  const { seconds: _, ...second } = await json(other, 'sandbox', 'simulate', ...SMALL, '--until', '2025-12-31');
  expect(second).toEqual(first);
  expect(first).toMatchObject({ days: 3, users: 20, seed: 7, balanced: true, from: '2025-12-28T23:00:00.000Z' });
  expect(seconds).toBeGreaterThanOrEqual(0);
  expect(first.kinds.reduce((sum, { requests }) => sum + requests, 0)).toBe(first.operations);
  const path = join(world.stateDir, 'sandbox.db');
  const paid = column(
    path,
    'SELECT CAST(SUM(amount_kobo) AS TEXT) FROM deposit WHERE user IS NOT NULL AND onramp IS NULL',
  );
  const { value = '' } = first.kinds.find(({ kind }) => kind === 'user-deposit')?.NGN ?? {};
  expect(value.replace('.', '')).toBe(paid[0]);
  const refunded = column(path, `SELECT COUNT(*) FROM deposit WHERE refund_reason = 'amount_mismatch'`);
  const { count = 0 } = first.failures.find(({ code }) => code === 'AMOUNT_MISMATCH') ?? {};
  expect(count).toBe(refunded[0]);
});

test('prints a table of what happened and of what went wrong', async () => {
  const { code, stdout } = await run(fakeWorld(), 'sandbox', 'simulate', ...SMALL);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Ledger balances +yes$/m);
  expect(stdout).toMatch(/^ +user-deposit +\d+ +0 +₦[\d,]+\.\d\d/m);
  expect(stdout).toMatch(/^ +trade +INVALID_QUOTE +\d+$/m);
});

describe('the clock', () => {
  test('of a new sandbox is the present again', async () => {
    const world = fakeWorld();
    const { from, now } = await json(world, 'sandbox', 'simulate', ...SMALL);
    expect({ from, now }).toEqual({ from: iso(START_MS - 3 * 86_400_000 - 300_000), now: iso(START_MS) });
    expect(await json(world, 'sandbox', 'clock')).toMatchObject({ now: iso(START_MS), clockOffsetSeconds: 0 });
  });

  test('stays at --until', async () => {
    const world = fakeWorld();
    const { now } = await json(world, 'sandbox', 'simulate', ...SMALL, '--until', '2025-12-01');
    expect(now).toMatch(/^2025-12-01T23:\d\d/);
    expect(await json(world, 'sandbox', 'clock')).toMatchObject({ now });
  });

  test('of a sandbox in use moves on', async () => {
    const world = fakeWorld();
    await json(world, 'sandbox', 'simulate', ...SMALL);
    const { from, now } = await json(world, 'sandbox', 'simulate', '--days', '1', '--users', '20');
    expect(from).toBe(iso(START_MS));
    expect(Date.parse(now)).toBeGreaterThanOrEqual(START_MS + 86_400_000);
    expect(await json(world, 'sandbox', 'clock')).toMatchObject({ now });
  });
});

test('leaves the journal alone', async () => {
  const world = fakeWorld();
  await json(world, 'sandbox', 'simulate', ...SMALL);
  expect(existsSync(join(world.stateDir, 'sandbox.db'))).toBe(true);
  expect(existsSync(join(world.stateDir, 'journal.db'))).toBe(false);
});

test('works in a served sandbox, with the same result', async () => {
  const folder = fakeWorld();
  folder.ensurePrivateDir(folder.stateDir);
  const served = await serve(folder, { path: join(folder.stateDir, 'sandbox.db'), port: 0, rateLimits: true });
  onTestFinished(() => served.close());
  const env = { FIATRAIL_BASE_URL: served.url, FIATRAIL_API_KEY: served.apiKey };
  const world = fakeWorld({ env, network: testNetwork() });
  const { seconds: _, ...there } = await json(world, 'sandbox', 'simulate', ...SMALL, '--until', '2025-12-31');
  const { seconds: _own, ...here } = await json(fakeWorld(), 'sandbox', 'simulate', ...SMALL, '--until', '2025-12-31');
  expect(there).toEqual(here);
});

describe('bad input', () => {
  test.each([
    [['--days', '0'], '--days'],
    [['--days', '1.5'], '--days'],
    [['--users', '0'], '--users'],
    [['--users', '10001'], '--users'],
    [['--seed', 'seven'], '--seed'],
    [['--seed', '-1'], '--seed'],
    [['--until', '2026-02-30'], '--until'],
  ])('%j exits with 2, and nothing is done', async (argv, flag) => {
    const world = fakeWorld();
    const { code, stderr } = await run(world, 'sandbox', 'simulate', ...argv);
    expect(code).toBe(2);
    expect(stderr).toContain(flag);
    expect(existsSync(join(world.stateDir, 'sandbox.db'))).toBe(false);
  });

  test('--until before the present of a sandbox in use exits with 3, and says what to do', async () => {
    const world = fakeWorld();
    await json(world, 'sandbox', 'simulate', ...SMALL);
    const { code, stderr } = await run(world, 'sandbox', 'simulate', '--until', '2025-12-31');
    expect(code).toBe(3);
    expect(stderr).toContain('until: the days would begin before 2026-01-05T09:00:00.000Z');
    expect(stderr).toContain('reset it first');
  });

  test('a live profile exits with 2', async () => {
    const env = { FIATRAIL_BASE_URL: 'https://service.test/v1', FIATRAIL_API_KEY: 'a-live-key-nobody-may-see' };
    const { code, stderr } = await run(fakeWorld({ env }), 'sandbox', 'simulate');
    expect(code).toBe(2);
    expect(stderr).toContain('sandbox commands need a sandbox profile');
  });
});
