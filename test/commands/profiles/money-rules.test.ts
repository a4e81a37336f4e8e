import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../../src/base/world.ts';
import { droppedLine, success } from '../../support/exchange.ts';
import { TO } from '../../support/fee-withdrawal.ts';
import { fakeClock, type WorldOptions } from '../../support/world.ts';
import { BOX, LIVE, newMachine } from './support.ts';

const PAY = ['fees', 'withdraw', '--amount', '500', ...TO, '--yes', '--no-tag', '-q', '--profile', 'main'];
const RECONCILE = ['ops', 'reconcile', '-q', '-o', 'json', '--profile', 'main'];
const MINUTE_MS = 60_000;

/** A machine whose profile `main` has an account that loses every payment, and shows rows of other work before and after it. */
async function machineWith(flags: readonly string[], key = LIVE) {
  const machine = newMachine();
  const clock = fakeClock();
  const startMs = clock.now();
  const asked: string[] = [];
  const rowAt = (withdrawalId: string, atMs: number) => ({
    withdrawalId,
    amount: 1,
    bankAccountNumber: '0123456789',
    status: 'completed',
    createdAt: new Date(atMs).toISOString(),
  });
  const network: Exchange = async ({ method, url }) => {
    asked.push(`${method} ${new URL(url).pathname}`);
    if (url.endsWith('/feewithdrawal')) throw droppedLine();
    const rows = [rowAt('FTW_NEW', startMs + 63 * MINUTE_MS), rowAt('FTW_OLD', startMs - MINUTE_MS)];
    const { headers, ...answer } = success({
      withdrawals: rows.filter(({ createdAt }) => Date.parse(createdAt) <= clock.now()),
    });
    return { ...answer, headers: { ...headers, date: new Date(clock.now()).toUTCString() } };
  };
  expect((await machine.add('main', key, ...flags)).code).toBe(0);
  const run = (argv: readonly string[], options: WorldOptions = {}) =>
    machine.run(argv, { network, clock, ...options });
  /** Looks twice, this many minutes apart, and returns what the second look concluded. */
  const twice = async (minutes: number): Promise<string> => {
    expect((await run(PAY)).code).toBe(6);
    expect((await run(RECONCILE)).code).toBe(6);
    await clock.sleep(minutes * MINUTE_MS, new AbortController().signal);
    const { stdout, code } = await run(RECONCILE);
    const { operations } = JSON.parse(stdout) as { operations: { found: string; verdict: string | null }[] };
    return `${code} ${operations[0]?.found} ${operations[0]?.verdict}`;
  };
  const edit = (change: object) =>
    machine.write(machine.at('profiles', 'main.json'), JSON.stringify({ ...machine.profile('main'), ...change }));
  return { ...machine, run, twice, edit, asked };
}

const DONE = '0 ended not-done';
const UNSEEN = '6 unseen null';

describe('a request that is proven to be in no list', () => {
  test.each<[flags: string, key: string, expected: string]>([
    ['', LIVE, DONE],
    ['', BOX, DONE],
    ['--unknown auto', LIVE, DONE],
    ['--unknown ask', LIVE, UNSEEN],
    ['--unknown ask', BOX, UNSEEN],
  ])('with %j and the key %s is: %s', async (flags, key, expected) => {
    const { twice } = await machineWith(flags.split(' ').filter(Boolean), key);
    expect(await twice(65)).toBe(expected);
  });

  test('is left to a person, who is told what was seen', async () => {
    const { twice, run } = await machineWith(['--unknown', 'ask']);
    await twice(65);
    const { stderr } = await run(RECONCILE.filter((word) => word !== '-q'));
    expect(stderr).toContain('  missing: the profile says --unknown ask\n');
    expect(stderr).toContain('  holds: FTW_NEW came after the request, and is in the list\n');
  });
});

test('the setting is kept, shown, exported and imported, and changed by profiles add', async () => {
  const { json, run } = await machineWith(['--unknown', 'ask']);
  await run(['profiles', 'add', 'main', '--default-output', 'yaml']);
  expect(await json(['profiles', 'show', 'main'])).toMatchObject({ unknown: 'ask' });
  const other = newMachine();
  const stdin = JSON.stringify(await json(['profiles', 'export']));
  expect((await other.run(['profiles', 'import', '-', '-q'], { stdin })).code).toBe(0);
  expect(await other.json(['profiles', 'show', 'main'])).toMatchObject({ unknown: 'ask' });
  await run(['profiles', 'add', 'main', '--unknown', 'auto']);
  expect(await json(['profiles', 'show', 'main'])).toMatchObject({ unknown: 'auto' });
});

test('a profile without the setting ends unknown outcomes by itself', async () => {
  const { json } = await machineWith([]);
  expect(await json(['profiles', 'show', 'main'])).toMatchObject({ unknown: 'auto' });
});

test('a folder’s file cannot contain settings', async () => {
  const { run, write, folder } = await machineWith([]);
  write(`${folder}/.fiatrail.json`, '{"profile":"main","unknown":"auto"}');
  const { code, stderr } = await run(['ops', 'reconcile']);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('does not contain just a profile name'),
  });
});

describe('a wrong value', () => {
  test('--unknown maybe is one sentence', async () => {
    const { run, profile } = await machineWith([]);
    const before = profile('main');
    const { code, stderr } = await run(['profiles', 'add', 'main', '--unknown', 'maybe']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('expected one of ask, auto') });
    expect(stderr.match(/^error: /gm)).toHaveLength(1);
    expect(profile('main')).toEqual(before);
  });

  test.each([
    ['unknown', 'perhaps'],
    ['unknown', true],
  ])('%s: %j in the profile’s file is named', async (field, value) => {
    const { run, edit, asked } = await machineWith([]);
    edit({ [field]: value });
    const { code, stderr } = await run(PAY);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`has an invalid field: ${field}`) });
    expect(asked).toEqual([]);
  });
});
