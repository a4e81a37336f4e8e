import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../../src/base/world.ts';
import { droppedLine, success } from '../../support/exchange.ts';
import { TO } from '../../support/fee-withdrawal.ts';
import { type Answer, fakeClock, type WorldOptions } from '../../support/world.ts';
import { BOX, LIVE, newMachine } from './support.ts';

const PAY = ['fees', 'withdrawals', 'start', '--amount', '500', ...TO, '--yes', '--no-tag', '-q', '--profile', 'main'];
const RECONCILE = ['ops', 'reconcile', '-q', '-o', 'json', '--profile', 'main'];
const MINUTE_MS = 60_000;

/** A machine whose profile `main` has an account that loses every payment and shows none. */
async function machineWith(flags: readonly string[], key = LIVE) {
  const machine = newMachine();
  const clock = fakeClock();
  const asked: string[] = [];
  const network: Exchange = async ({ method, url }) => {
    asked.push(`${method} ${new URL(url).pathname}`);
    if (url.endsWith('/feewithdrawal')) throw droppedLine();
    const { headers, ...answer } = success({ withdrawals: [] });
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

describe('a request that is in no list', () => {
  test.each<[flags: string, key: string, minutes: number, expected: string]>([
    ['', LIVE, 11, '6 absent null'],
    ['', BOX, 11, DONE],
    ['', BOX, 9, '6 unseen null'],
    ['--absence accept', LIVE, 11, DONE],
    ['--absence accept', LIVE, 9, '6 unseen null'],
    ['--absence accept --visible-after 2m', LIVE, 3, DONE],
    ['--absence accept --visible-after 2m', LIVE, 1, '6 unseen null'],
    ['--visible-after 2m', LIVE, 3, '6 absent null'],
    ['--visible-after 1h', BOX, 59, '6 unseen null'],
    ['--visible-after 1h', BOX, 61, DONE],
    ['--absence ask', BOX, 11, '6 absent null'],
  ])('with %j and the key %s is after %i minutes: %s', async (flags, key, minutes, expected) => {
    const { twice } = await machineWith(flags.split(' ').filter(Boolean), key);
    expect(await twice(minutes)).toBe(expected);
  });

  test.each<[what: string, edit: object, minutes: number, expected: string]>([
    ['absence', { absence: 'accept' }, 11, '6 absent null'],
    ['the delay', { absence: 'accept', visibleAfterMs: 1 }, 9, '6 unseen null'],
    [
      'both, with a mark of trust for others',
      { absence: 'accept', trustedRules: 'live: absence ask' },
      11,
      '6 absent null',
    ],
  ])('is judged by the defaults after %s was edited', async (_what, change, minutes, expected) => {
    const { edit, twice, run } = await machineWith([]);
    edit(change);
    expect(await twice(minutes)).toBe(expected);
    const { stderr } = await run(RECONCILE);
    expect(stderr).toContain('imported or edited and are not trusted, so the defaults apply');
  });

  test('is judged by the default delay after that of a sandbox was edited to be shorter', async () => {
    const { edit, twice } = await machineWith([], BOX);
    edit({ visibleAfterMs: MINUTE_MS });
    expect(await twice(9)).toBe('6 unseen null');
  });

  test('is judged by a longer delay although it was edited', async () => {
    const { edit, twice } = await machineWith([], BOX);
    edit({ visibleAfterMs: 60 * MINUTE_MS });
    expect(await twice(59)).toBe('6 unseen null');
  });

  test('is judged by the defaults once a trusted sandbox profile was edited to be live', async () => {
    const { edit, run, twice, write, at } = await machineWith(['--visible-after', '2m', '--absence', 'accept'], BOX);
    edit({ mode: 'live' });
    write(at('secrets', 'main.api-key'), LIVE);
    expect(await twice(11)).toBe('6 absent null');
    expect((await run(['profiles', 'list'])).stdout).toContain('are not trusted');
  });
});

describe('profiles trust', () => {
  const TRUST = ['profiles', 'trust', 'main'];
  const asked = (says: boolean): Answer[] => [{ kind: 'confirm', asks: 'Trust the settings of profile main', says }];

  test.each([
    [true, 0, DONE],
    [false, 9, '6 absent null'],
  ])('asks before edited settings are used (%s)', async (says, exit, expected) => {
    const { edit, run, twice } = await machineWith([]);
    edit({ absence: 'accept', visibleAfterMs: 5 * MINUTE_MS });
    const { code, stderr } = await run(TRUST, { isTerminal: true, answers: asked(says) });
    expect({ code, stderr }).toEqual({
      code: exit,
      stderr: expect.stringContaining('--absence accept --visible-after 5m'),
    });
    expect(await twice(11)).toBe(expected);
  });

  test('needs --yes without a terminal, and changes nothing in a dry run', async () => {
    const { edit, run, profile, json } = await machineWith([]);
    edit({ absence: 'accept' });
    expect((await run(TRUST)).code).toBe(2);
    expect((await run([...TRUST, '--yes', '--dry-run'])).code).toBe(0);
    expect(profile('main').trustedRules).toBeUndefined();
    expect(await json([...TRUST, '--yes'])).toEqual({ name: 'main', settings: '--absence accept', isTrusted: true });
    expect(await json(['profiles', 'show', 'main'])).toMatchObject({ absence: 'accept', problem: null });
  });

  test('has nothing to do for settings that are safer than the defaults', async () => {
    const { run } = await machineWith(['--visible-after', '1h', '--absence', 'ask']);
    expect((await run(TRUST)).stderr).toContain('has no key command and no setting that needs trust');
  });
});

test('an import does not turn weaker settings on', async () => {
  const { json, run } = await machineWith(['--absence', 'accept', '--visible-after', '2m']);
  const exported = await json(['profiles', 'export']);
  expect(JSON.stringify(exported)).not.toContain('trustedRules');
  const [profile] = exported.profiles;
  const forged = {
    ...exported,
    profiles: [{ ...profile, trustedRules: 'live: absence accept, visible after 120000 ms' }],
  };
  const other = newMachine();
  const { code, stderr } = await other.run(['profiles', 'import', '-', '-q'], { stdin: JSON.stringify(forged) });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('fiatrail profiles trust main') });
  expect(await other.json(['profiles', 'show', 'main'])).toMatchObject({ absence: 'ask', visibleAfter: '10m' });
  expect((await run(['profiles', 'import', '-', '-q'], { stdin: JSON.stringify(forged) })).stderr).toBe('');
});

test('a folder’s file cannot contain settings', async () => {
  const { run, write, folder } = await machineWith([]);
  write(`${folder}/.fiatrail.json`, '{"profile":"main","absence":"accept"}');
  const { code, stderr } = await run(['ops', 'reconcile']);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('does not contain just a profile name'),
  });
});

test('settings are kept and shown', async () => {
  const { json, run } = await machineWith(['--absence', 'accept', '--visible-after', '90s']);
  await run(['profiles', 'add', 'main', '--default-output', 'yaml']);
  const rules = { absence: 'accept', visibleAfter: '90s', problem: null };
  expect(await json(['profiles', 'show', 'main'])).toMatchObject(rules);
});

describe('a wrong value', () => {
  test.each([
    ['--absence', 'maybe', 'expected one of ask, accept'],
    ['--visible-after', '10', 'expected a positive number with a unit'],
    ['--visible-after', '-5m', 'expected a positive number with a unit'],
    ['--visible-after', '0m', 'expected a positive number with a unit'],
    ['--visible-after', '300y', 'is too long'],
  ])('%s %s is one sentence', async (flag, value, message) => {
    const { run, profile } = await machineWith([]);
    const before = profile('main');
    const { code, stderr } = await run(['profiles', 'add', 'main', `${flag}=${value}`]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(stderr.match(/^error: /gm)).toHaveLength(1);
    expect(profile('main')).toEqual(before);
  });

  test.each([
    ['absence', 'perhaps'],
    ['visibleAfterMs', 0],
    ['visibleAfterMs', 1.5],
    ['visibleAfterMs', '10m'],
  ])('%s: %j in the profile’s file is named', async (field, value) => {
    const { run, edit, asked } = await machineWith([]);
    edit({ [field]: value });
    const { code, stderr } = await run(PAY);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`has an invalid field: ${field}`) });
    expect(asked).toEqual([]);
  });
});
