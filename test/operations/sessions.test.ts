import { rmSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { changeProfile } from '../../src/account/changes.ts';
import { type StoredProfile, trustedStore } from '../../src/account/stored-profile.ts';
import { Secret } from '../../src/base/secret.ts';
import type { Exchange } from '../../src/base/world.ts';
import { main } from '../../src/main.ts';
import { droppedLine, refusal, refusedConnection, success } from '../support/exchange.ts';
import { TO } from '../support/fee-withdrawal.ts';
import { journalRows } from '../support/journal.ts';
import { type FakeWorld, fakeClock, fakeWorld } from '../support/world.ts';

const pay = (profile: string, ...more: string[]) => [
  'fees',
  'withdraw',
  '--amount',
  '500',
  ...TO,
  '--yes',
  '--no-tag',
  '-q',
  '--profile',
  profile,
  ...more,
];
const START_MS = Date.UTC(2026, 0, 5, 9);
const EQUAL = {
  withdrawalId: 'FTW_1',
  amount: 50_000,
  bankAccountNumber: '0123456789',
  status: 'pending',
  createdAt: new Date(START_MS + 1_000).toISOString(),
};

/** What the service does for each key. */
interface Account {
  /** Its list; undefined if it does not answer. */
  rows: object[] | undefined;
  /** Whether the response to a payment is lost. */
  isLossy: boolean;
  /** The requests other than payments; each payment reads the list once before it is sent. */
  readonly asked: string[];
}

let accounts: Record<string, Account>;
let world: FakeWorld;
let clock: ReturnType<typeof fakeClock>;

const service: Exchange = async ({ url, headers }) => {
  const account = accounts[headers['x-api-key'] ?? ''];
  if (!account) return refusal(401, '03', 'Invalid API key');
  if (url.endsWith('/feewithdrawal')) {
    if (account.isLossy) throw droppedLine();
    return success({ ...EQUAL, withdrawalId: 'FTW_1' });
  }
  account.asked.push(new URL(url).pathname);
  if (!account.rows) throw refusedConnection();
  const { headers: given, ...answer } = success(
    url.includes('/verifywithdrawal') ? { ...EQUAL, status: 'completed' } : { withdrawals: account.rows },
  );
  return { ...answer, headers: { ...given, date: new Date(clock.now()).toUTCString() } };
};

const account = (): Account => ({ rows: [], isLossy: true, asked: [] });
const of = (apiKey: string): Account => {
  const found = accounts[apiKey];
  if (!found) throw new Error(`no account has ${apiKey}`);
  return found;
};

async function add(name: string, apiKey: string, change: Partial<StoredProfile> = {}): Promise<void> {
  const profile: StoredProfile = {
    name,
    mode: 'sandbox',
    baseUrl: 'https://service.test/v1',
    store: { kind: 'file' },
    ...change,
  };
  await changeProfile(world, name, () => profile, new Secret(apiKey));
}

beforeEach(async () => {
  clock = fakeClock(START_MS);
  world = fakeWorld({ network: service, clock });
  accounts = { sandbox_1: account(), sandbox_2: account() };
  await add('one', 'sandbox_1');
  await add('two', 'sandbox_2');
});

const run = (argv: readonly string[], more: Partial<FakeWorld> = {}) => main(argv, { ...world, ...more });
const wait = (minutes: number) => clock.sleep(minutes * 60_000, new AbortController().signal);
const states = () => journalRows(world.stateDir).map(({ state }) => state);
const ids = () => journalRows(world.stateDir).map(({ id }) => id);

interface Looked {
  readonly exit: number;
  readonly stderr: string;
  readonly found: readonly { readonly found: string; readonly profile: string; readonly next: string | null }[];
}

async function reconcile(...argv: string[]): Promise<Looked> {
  const [out, err] = [world.stdout.text().length, world.stderr.text().length];
  const exit = await run(['ops', 'reconcile', '-q', '-o', 'json', ...argv]);
  const text = world.stdout.text().slice(out);
  const { operations = [] } = text ? (JSON.parse(text) as { operations: Looked['found'] }) : {};
  return { exit, found: operations, stderr: world.stderr.text().slice(err) };
}

describe('an operation of another profile', () => {
  test('is looked for in its own account', async () => {
    await run(pay('one'));
    of('sandbox_1').rows = [EQUAL];
    const { exit, found } = await reconcile(ids()[0] ?? '', '--profile', 'two');
    expect({ exit, found: found.map((each) => each.found), states: states() }).toEqual({
      exit: 0,
      found: ['ended'],
      states: ['accepted'],
    });
    expect({ one: of('sandbox_1').asked.length, two: of('sandbox_2').asked }).toEqual({ one: 4, two: [] });
  });

  test('is neither found nor absent because of the lists of the current one', async () => {
    await run(pay('one'));
    of('sandbox_1').rows = undefined;
    of('sandbox_2').rows = [EQUAL];
    const [id = ''] = ids();
    expect((await reconcile(id, '--profile', 'two')).exit).toBe(5);
    of('sandbox_2').rows = [];
    await wait(11);
    expect((await reconcile(id, '--profile', 'two')).exit).toBe(5);
    expect({ states: states(), asked: of('sandbox_2').asked }).toEqual({ states: ['unknown'], asked: [] });
  });

  test('is not looked for by ops reconcile of the current one, which says so', async () => {
    await run(pay('one'));
    expect(await reconcile('--profile', 'two')).toMatchObject({ exit: 0, found: [] });
    await run(['ops', 'reconcile', '--profile', 'two']);
    expect(world.stderr.text()).toContain('other profiles have 1 more; see: fiatrail ops reconcile --all');
  });

  test('is waited for with its own key, and its end is recorded', async () => {
    of('sandbox_1').isLossy = false;
    expect(await run(pay('one'))).toBe(0);
    expect(await run(['ops', 'resume', ids()[0] ?? '', '--profile', 'two', '-q'])).toBe(0);
    expect(of('sandbox_2').asked).toEqual([]);
    expect(states()).toEqual(['settled']);
  });

  test('is waited for in the profile that has its key now, and its end is recorded', async () => {
    of('sandbox_1').isLossy = false;
    await run(pay('one'));
    await run(['profiles', 'remove', 'one', '--yes', '-q']);
    await add('renamed', 'sandbox_1');
    expect(await run(['ops', 'resume', ids()[0] ?? '', '--profile', 'two', '-q'])).toBe(0);
    expect({ states: states(), asked: of('sandbox_2').asked }).toEqual({ states: ['settled'], asked: [] });
  });

  test('is not waited for once its profile is gone', async () => {
    of('sandbox_1').isLossy = false;
    await run(pay('one'));
    await run(['profiles', 'remove', 'one', '--yes', '-q']);
    expect(await run(['ops', 'resume', ids()[0] ?? '', '--profile', 'two', '-q'])).toBe(2);
    expect(of('sandbox_2').asked).toEqual([]);
    expect(world.stderr.text()).toContain('profile one, with which the operation was sent, no longer exists');
  });
});

describe('an operation whose profile changed', () => {
  beforeEach(async () => {
    await run(pay('one'));
    of('sandbox_1').rows = [EQUAL];
  });

  test('is found in the profile that has its key now', async () => {
    await run(['profiles', 'remove', 'one', '--yes', '-q']);
    await add('renamed', 'sandbox_1', { baseUrl: 'https://SERVICE.test:443/v1' });
    for (const argv of [
      ['--all', '--profile', 'two'],
      [ids()[0] ?? '', '--profile', 'two'],
      ['--profile', 'renamed'],
    ]) {
      expect((await reconcile(...argv)).exit).toBe(0);
      expect(states()).toEqual(['accepted']);
    }
  });

  test('is not looked for with the key commands of profiles of other services', async () => {
    await run(['profiles', 'remove', 'one', '--yes', '-q']);
    // This world has no programs: running one fails the test.
    const store = trustedStore({ kind: 'command', command: 'fetch-key', isShell: false });
    const other = { name: 'other', mode: 'sandbox', baseUrl: 'https://other.test/v1', store } as const;
    await changeProfile(world, 'other', () => other);
    expect((await reconcile(ids()[0] ?? '', '--profile', 'two')).exit).toBe(2);
  });

  test('is found by ops reconcile of the profile that has its key now', async () => {
    await run(['profiles', 'remove', 'one', '--yes', '-q']);
    await add('renamed', 'sandbox_1');
    expect(await reconcile('--profile', 'renamed')).toMatchObject({ exit: 0, found: [{ found: 'ended' }] });
  });

  test('is mentioned when its profile is removed', async () => {
    const before = world.stderr.text().length;
    expect(await run(['profiles', 'remove', 'one', '--yes', '-q'])).toBe(0);
    expect(world.stderr.text().slice(before)).toBe(
      'warning: unknown: the outcome of 1 operation, which cannot be looked for without its key\n',
    );
    const rest = world.stderr.text().length;
    expect(await run(['profiles', 'remove', 'two', '--yes', '-q'])).toBe(0);
    expect(world.stderr.text().slice(rest)).toBe('');
  });

  test('does not keep its profile from being removed if the journal cannot be read', async () => {
    for (const end of ['', '-wal', '-shm']) rmSync(`${world.stateDir}/journal.db${end}`, { force: true });
    writeFileSync(`${world.stateDir}/journal.db`, 'no database', { mode: 0o600 });
    expect(await run(['profiles', 'remove', 'one', '--yes', '-q'])).toBe(0);
  });

  test('is not looked for if the profile was removed, and what to do is said', async () => {
    await run(['profiles', 'remove', 'one', '--yes', '-q']);
    const { exit, stderr } = await reconcile(ids()[0] ?? '', '--profile', 'two');
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: expect.stringMatching(/profile one, with which .* no longer exists.*fiatrail ops resolve /),
    });
    expect(of('sandbox_2').asked).toEqual([]);
  });

  test('is not looked for with a key of another account', async () => {
    accounts['sandbox_3'] = account();
    await add('one', 'sandbox_3');
    const { exit, found } = await reconcile('--profile', 'one');
    expect({ exit, found }).toMatchObject({
      exit: 6,
      found: [{ found: 'unreachable', next: expect.stringContaining('profile one has another account now') }],
    });
    expect({ states: states(), asked: of('sandbox_3').asked }).toEqual({ states: ['unknown'], asked: [] });
  });
});

describe('an operation with the key from FIATRAIL_API_KEY', () => {
  const env = (change: object) => ({ env: { ...world.env, ...change } });

  test('of a profile is not looked for with the profile’s own key', async () => {
    const given = env({ FIATRAIL_PROFILE: 'one', FIATRAIL_API_KEY: 'sandbox_2' });
    expect(await run(pay('one').slice(0, -2), given)).toBe(6);
    expect(await reconcile('--profile', 'one')).toMatchObject({ exit: 6, found: [{ found: 'unseen' }] });
    expect({ one: of('sandbox_1').asked, two: of('sandbox_2').asked.length }).toEqual({ one: [], two: 6 });
  });

  test('that no profile has is looked for with the same variable', async () => {
    accounts['sandbox_3'] = account();
    const given = env({ FIATRAIL_PROFILE: 'one', FIATRAIL_API_KEY: 'sandbox_3' });
    expect(await run(pay('one').slice(0, -2), given)).toBe(6);
    of('sandbox_3').rows = [EQUAL];
    expect(await run(['ops', 'reconcile', '-q'], given)).toBe(0);
    expect({ states: states(), one: of('sandbox_1').asked }).toEqual({ states: ['accepted'], one: [] });
  });

  test('and FIATRAIL_BASE_URL is looked for in the profile with that key, or not at all', async () => {
    accounts['sandbox_3'] = account();
    const given = env({ FIATRAIL_BASE_URL: 'https://service.test/v1', FIATRAIL_API_KEY: 'sandbox_3' });
    expect(await run(pay('one').slice(0, -2), given)).toBe(6);
    const { exit, stderr } = await reconcile(ids()[0] ?? '', '--profile', 'one');
    expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining('sent with FIATRAIL_API_KEY') });
    await add('three', 'sandbox_3');
    expect(await reconcile(ids()[0] ?? '', '--profile', 'one')).toMatchObject({
      exit: 6,
      found: [{ found: 'unseen' }],
    });
    expect({ one: of('sandbox_1').asked, three: of('sandbox_3').asked.length }).toEqual({ one: [], three: 6 });
  });
});

describe('ops reconcile --all', () => {
  test('looks for every operation in its own account', async () => {
    await run(pay('one'));
    await run(pay('two'));
    of('sandbox_1').rows = [{ ...EQUAL, withdrawalId: 'FTW_A' }];
    of('sandbox_2').rows = [{ ...EQUAL, withdrawalId: 'FTW_B' }];
    const { exit, found } = await reconcile('--all');
    expect({ exit, profiles: found.map(({ profile }) => profile).sort() }).toEqual({
      exit: 0,
      profiles: ['one', 'two'],
    });
    expect(journalRows(world.stateDir).map(({ request_id: id }) => id)).toEqual(['FTW_A', 'FTW_B']);
  });

  test.each<[what: string, breaks: () => Promise<unknown>, next: string]>([
    ['has no key', () => run(['profiles', 'remove', 'one', '--yes', '-q']).then(() => addKeyless()), 'has no API key'],
    [
      'was removed',
      () => run(['profiles', 'remove', 'one', '--yes', '-q']),
      'no longer exists; add a profile with its key',
    ],
    ['has a rejected key', async () => delete accounts['sandbox_1'], 'Invalid API key'],
    ['has a service that does not answer', async () => (of('sandbox_1').rows = undefined), 'connection was refused'],
    ['has a broken file', () => breakFile(), 'is not valid JSON'],
  ])('is not stopped by a profile that %s', async (_what, breaks, next) => {
    await run(pay('one'));
    await run(pay('one').map((word) => (word === '500' ? '501' : word)));
    await run(pay('two'));
    of('sandbox_2').rows = [EQUAL];
    await breaks();
    const before = accounts['sandbox_1']?.asked.length ?? 0;
    const { exit, found } = await reconcile('--all', '--profile', 'two');
    const rows = found.map((each) => `${each.profile} ${each.found}`).sort();
    expect({ exit, rows }).toEqual({ exit: 6, rows: ['one unreachable', 'one unreachable', 'two ended'] });
    expect(found.filter(({ profile }) => profile === 'one').map((each) => each.next)).toEqual(
      Array(2).fill(expect.stringContaining(next)),
    );
    // One read with its retries, not one for each operation.
    expect((accounts['sandbox_1']?.asked.length ?? 0) - before).toBeLessThanOrEqual(5);
  });

  test('uses the settings and the clock of each', async () => {
    const rowAt = (withdrawalId: string, minutes: number) => ({
      ...EQUAL,
      withdrawalId,
      amount: 1,
      createdAt: new Date(START_MS + minutes * 60_000).toISOString(),
    });
    await add('two', 'sandbox_2', { unknown: 'ask' });
    for (const key of ['sandbox_1', 'sandbox_2']) of(key).rows = [rowAt('OLD', -5)];
    const embedded = ['--profile', 'sandbox', '-q'];
    await run(['sandbox', 'fault', 'add', '--on', 'fees.withdraw', '--fault', 'lost-request', ...embedded]);
    for (const name of ['one', 'two', 'sandbox']) expect(await run(pay(name))).toBe(6);
    expect((await reconcile('--all')).exit).toBe(6);
    const looks = async () => {
      const { found } = await reconcile('--all');
      return Object.fromEntries(found.map(({ profile, next, found: kind }) => [profile, next ?? kind]));
    };
    await run(['sandbox', 'advance', '11m', ...embedded]);
    const again = expect.stringContaining('run this again after');
    // The time of one has not passed for the others.
    const short = expect.stringContaining('nothing shows that the list goes back');
    expect(await looks()).toEqual({ one: again, two: again, sandbox: short });
    for (const key of ['sandbox_1', 'sandbox_2']) of(key).rows = [rowAt('NEW', 70), rowAt('OLD', -5)];
    await wait(75);
    expect(await looks()).toMatchObject({ one: 'ended', two: expect.stringContaining('--unknown ask') });
  });

  test('needs no key if nothing is unknown, and takes no operation id', async () => {
    expect(await reconcile('--all', '--profile', 'one')).toMatchObject({ exit: 0, found: [] });
    expect(await reconcile('--all', 'abc')).toMatchObject({ exit: 2 });
  });
});

/** Adds the profile `one` without its key. */
async function addKeyless(): Promise<void> {
  await changeProfile(world, 'one', () => ({
    name: 'one',
    mode: 'sandbox',
    baseUrl: 'https://service.test/v1',
    store: { kind: 'file' },
  }));
}

async function breakFile(): Promise<void> {
  writeFileSync(`${world.homeDir}/config/profiles/one.json`, '{');
}
