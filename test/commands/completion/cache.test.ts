import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { writeProfile } from '../../../src/account/changes.ts';
import { moveEntries } from '../../../src/account/completion-cache.ts';
import { Secret } from '../../../src/base/secret.ts';
import type { World } from '../../../src/base/world.ts';
import { CATALOGUE } from '../../../src/commands/catalogue.ts';
import { complete } from '../../../src/commands/completion/complete.ts';
import { fingerprint } from '../../../src/crypto/digest.ts';
import { main } from '../../../src/main.ts';
import { json, success } from '../../support/exchange.ts';
import { ACCOUNT, type FakeWorld, fakeClock, fakeWorld, type WorldOptions } from '../../support/world.ts';

const IDS = ['01a20727ff52f2508ad8', '01a20727ff52100b9c71', '02b20727ff52874432a2'] as const;
const NAMES = ['IFEOMA OBI', 'TUNDE OKAFOR', 'SADE ADEYEMI'];

const usersOf = (ids: readonly unknown[], names: readonly unknown[] = NAMES) => ({
  users: ids.map((userId, index) => ({ userId, firstName: names[index], lastName: null })),
  pagination: { total: ids.length, limit: 20, offset: 0 },
});

/** What the service answers, by the end of the path. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  listfintechusers: usersOf(IDS),
  getbankscode: {
    banks: [
      { bankCode: '000013', bankName: 'GUARANTY TRUST BANK' },
      { bankCode: '000015', bankName: 'ZENITH BANK' },
    ],
  },
  listbankaccounts: { accounts: [{ accountId: 'acc-1', accountName: 'ACME LTD', bankName: 'ZENITH BANK' }] },
};

/** A machine with an account over the network. */
function machine(answers: Readonly<Record<string, unknown>> = ANSWERS, options: WorldOptions = {}): FakeWorld {
  return fakeWorld({
    env: ACCOUNT,
    network: async ({ url }) => {
      const answer = answers[new URL(url).pathname.split('/').at(-1) ?? ''];
      return answer === undefined ? json(404, '{}') : success(answer);
    },
    ...options,
  });
}

const noCall: World['network'] = async ({ url }) => {
  throw new Error(`Tab called ${url}`);
};

/** What Tab prints, on a network that must not be used. */
async function tab(world: World, ...words: readonly string[]): Promise<readonly string[]> {
  const shell = fakeWorld();
  await complete(words, CATALOGUE, { ...world, network: noCall, stdout: shell.stdout });
  return shell.stdout.text().split('\n').filter(Boolean);
}

const offered = async (world: World, ...words: readonly string[]) =>
  (await tab(world, ...words)).map((line) => line.split('\t')[0]);

const users = (world: World) => offered(world, 'users', 'show', '');

async function run(world: FakeWorld, ...argv: readonly string[]) {
  const [out, err] = [world.stdout.text().length, world.stderr.text().length];
  const code = await main(argv, world);
  return { code, stdout: world.stdout.text().slice(out), stderr: world.stderr.text().slice(err) };
}

/** Reads the users, so that they are known. */
async function read(world: FakeWorld, ...argv: readonly string[]) {
  expect((await run(world, 'users', 'list', '-q', ...argv)).code).toBe(0);
}

const fileOf = ({ stateDir }: FakeWorld) => join(stateDir, 'completion.db');
const filesOf = ({ stateDir }: FakeWorld) => readdirSync(stateDir).filter((name) => name.startsWith('completion'));
/** Whether a name is anywhere in the files of the cache. */
const isOnDisk = (world: FakeWorld, name: string) =>
  filesOf(world).some((file) => readFileSync(join(world.stateDir, file)).includes(name));

const withEnv = (world: FakeWorld, env: Readonly<Record<string, string>>): FakeWorld => ({
  ...world,
  env: { ...world.env, ...env },
});

describe('what a read showed', () => {
  test('is offered in its order, with what it is recognised by, and without a call', async () => {
    const world = machine();
    expect(await users(world)).toEqual([]);
    await read(world);
    expect(await tab(world, 'users', 'show', '')).toEqual(IDS.map((id, index) => `${id}\t${NAMES[index]}`));
    expect(await offered(world, 'onramp', 'start', '02b')).toEqual([IDS[2]]);
    expect(await offered(world, 'history', 'deposits', '--user=01')).toEqual(
      [...IDS]
        .slice(0, 2)
        .toSorted()
        .map((id) => `--user=${id}`),
    );
  });

  test('is banks by code and by name, and bank accounts', async () => {
    const world = machine();
    await run(world, 'banks', '-q');
    await run(world, 'bank-accounts', 'list', '-q');
    const bank = ['fees', 'withdrawals', 'start', '--bank-code'];
    expect(await tab(world, ...bank, '')).toEqual(['000013\tGUARANTY TRUST BANK', '000015\tZENITH BANK']);
    expect(await tab(world, ...bank, 'Gua')).toEqual(['Guaranty-trust-bank\tGUARANTY TRUST BANK, 000013']);
    expect(await tab(world, ...bank, 'gtb')).toEqual(['000013\tGUARANTY TRUST BANK']);
    expect(await offered(world, ...bank, '000015')).toEqual(['000015']);
    expect(await tab(world, 'bank-accounts', 'show', '')).toEqual(['acc-1\tACME LTD ZENITH BANK']);
    expect(await offered(world, 'payout', 'start', '--to', '')).toEqual(['default', 'acc-1']);
  });

  test('is found by the start of a name or an account number', async () => {
    const accounts = [{ accountId: 'acc-1', accountName: 'ACME LTD', accountNumber: '0123456789', bankName: 'ZENITH' }];
    const world = machine();
    await read(world);
    const { network } = machine({ listbankaccounts: { accounts } });
    await run({ ...world, network }, 'bank-accounts', 'list', '-q');
    expect(await tab(world, 'users', 'show', 'ifeo')).toEqual([`${IDS[0]}\tIFEOMA OBI`]);
    expect(await offered(world, 'onramp', 'start', 'OB')).toContain(IDS[0]);
    expect(await offered(world, 'users', 'show', 'feoma')).toEqual([]);
    expect(await tab(world, 'bank-accounts', 'show', '0123')).toEqual(['acc-1\tACME LTD 0123456789 ZENITH']);
    expect(await offered(world, 'payout', 'start', '--to=ltd')).toEqual(['--to=acc-1']);
  });

  test('replaces what a whole list no longer has, but not what a page has not', async () => {
    const world = machine();
    await run(world, 'bank-accounts', 'list', '-q');
    await read(world);
    const later = {
      ...world,
      network: machine({ listbankaccounts: { accounts: [] }, listfintechusers: usersOf([]) }).network,
    };
    await run(later, 'bank-accounts', 'list', '-q');
    await read(later);
    expect(await offered(world, 'bank-accounts', 'show', '')).toEqual([]);
    expect(await users(world)).toEqual(IDS);
  });

  test('keeps a name when a later read has none', async () => {
    const world = machine();
    await read(world);
    await run(
      { ...world, network: machine({ onboardstatus: { userId: IDS[0], status: 'completed' } }).network },
      ...['users', 'onboarding', 'status', 'r1', '-q'],
    );
    expect(await tab(world, 'users', 'show', IDS[0])).toEqual([`${IDS[0]}\tIFEOMA OBI`]);
  });

  test('is forgotten after a week, and gone from the disk with the next write', async () => {
    const clock = fakeClock();
    const many = Array.from({ length: 400 }, (_, index) => `more-${index}`);
    const names = many.map(() => 'BABAJIDE OGUNLEYE');
    const world = machine(ANSWERS, { clock });
    await read({ ...world, network: machine({ listfintechusers: usersOf(many, names) }).network });
    await clock.sleep(1_000, world.interrupted);
    await read(world);
    await clock.sleep(6.9 * 86_400_000, world.interrupted);
    expect((await users(world)).slice(0, 3)).toEqual(IDS);
    expect(await offered(world, 'users', 'show', '01')).toHaveLength(2);
    await clock.sleep(0.2 * 86_400_000, world.interrupted);
    expect(await users(world)).toEqual([]);
    expect(await offered(world, 'users', 'show', '01')).toEqual([]);
    await run(world, 'banks', '-q');
    expect([isOnDisk(world, 'IFEOMA'), isOnDisk(world, 'BABAJIDE')]).toEqual([false, false]);
  });

  test('is forgotten where the clock is set far back', async () => {
    const world = machine(ANSWERS, { clock: fakeClock(Date.UTC(2036, 0, 5)) });
    await read(world);
    expect(await users({ ...world, clock: fakeClock() })).toEqual([]);
  });

  test('is not remembered by a dry run', async () => {
    const world = machine();
    await run(world, 'users', 'list', '--dry-run');
    const to = ['--account-number', '0123456789', '--account-name', 'ADA'];
    const withdraw = ['fees', 'withdrawals', 'start', '--amount', '500', '--bank-code', 'zenith', ...to, '--dry-run'];
    // It reads the banks to find the one that is named.
    expect((await run(world, ...withdraw)).code).toBe(0);
    expect(existsSync(fileOf(world))).toBe(false);
  });
});

describe('an account', () => {
  test.each([
    ['another key', { FIATRAIL_API_KEY: 'another-live-key-of-somebody' }],
    ['another service', { FIATRAIL_BASE_URL: 'https://other.test/v1' }],
  ])('is not offered what %s saw', async (_what, env) => {
    const world = machine();
    await read(world);
    const other = withEnv(world, env);
    expect(await users(other)).toEqual([]);
    await read({ ...other, network: machine({ listfintechusers: usersOf(['of-another']) }).network });
    expect([await users(other), await users(world)]).toEqual([['of-another'], IDS]);
    expect([await offered(other, 'users', 'show', '0'), await offered(world, 'users', 'show', 'of')]).toEqual([[], []]);
  });

  /** A machine whose profile `main` takes its key from a command, which only reads run. */
  async function withKeyCommand(key: string, answers = ANSWERS) {
    const command = { command: 'vault read key', isShell: false, trusted: 'program: vault read key' };
    const world = machine(answers, {
      env: { FIATRAIL_PROFILE: 'main' },
      runProgram: async () => ({ kind: 'ended', code: 0, stdout: key }),
    });
    const stored = {
      name: 'main',
      mode: 'live',
      baseUrl: ACCOUNT.FIATRAIL_BASE_URL,
      store: { kind: 'command', ...command },
    } as const;
    await writeProfile(world, stored);
    const runProgram: World['runProgram'] = async () => {
      throw new Error('Tab ran the key command');
    };
    return { world, shell: { ...world, runProgram }, stored };
  }

  test('whose key only a command knows is the one that the profile last used', async () => {
    const { world, shell } = await withKeyCommand('live-key-of-main');
    await read(world);
    expect(await users(shell)).toEqual(IDS);
  });

  test('is no longer known to a profile that was changed', async () => {
    const { world, shell, stored } = await withKeyCommand('live-key-of-main');
    await read(world);
    await writeProfile(world, { ...stored, output: 'json' });
    expect(await users(shell)).toEqual([]);
  });

  test('of a key in the environment is not that of the profile it stands in for', async () => {
    const { world, shell } = await withKeyCommand('live-key-of-main');
    await read(withEnv(world, { FIATRAIL_API_KEY: 'live-key-of-another' }));
    expect(await users(shell)).toEqual([]);
    expect(await users(withEnv(world, { FIATRAIL_API_KEY: 'live-key-of-another' }))).toEqual(IDS);
  });

  test('is the same under two profiles', async () => {
    const world = machine();
    await read(world);
    const stored = { mode: 'live', baseUrl: ACCOUNT.FIATRAIL_BASE_URL, store: { kind: 'file' } } as const;
    for (const name of ['one', 'two']) {
      await writeProfile(world, { name, ...stored });
      const folder = join(world.env['FIATRAIL_CONFIG_DIR'] ?? '', 'secrets');
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, `${name}.api-key`), ACCOUNT.FIATRAIL_API_KEY, { mode: 0o600 });
      expect(await offered(world, '--profile', name, 'users', 'show', '')).toEqual(IDS);
    }
  });
});

test('a key that replaces another one takes along what that one saw', async () => {
  const world = machine();
  await read(world);
  const [before, after] = [ACCOUNT.FIATRAIL_API_KEY, 'a-live-key-that-replaces-it'].map((key) =>
    fingerprint(new Secret(key)),
  );
  const rotated = withEnv(world, { FIATRAIL_API_KEY: 'a-live-key-that-replaces-it' });
  await read({ ...rotated, network: machine({ listfintechusers: usersOf(['seen-between']) }).network });
  await moveEntries(world, ACCOUNT.FIATRAIL_BASE_URL, before ?? '', after ?? '');
  expect(await users(rotated)).toEqual(IDS);
  expect(await users(world)).toEqual([]);
});

describe('the cache', () => {
  test('can be read by its owner only', async () => {
    const world = machine();
    await read(world);
    const modeOf = (path: string) => statSync(path).mode & 0o777;
    expect({ folder: modeOf(world.stateDir), file: modeOf(fileOf(world)) }).toEqual({ folder: 0o700, file: 0o600 });
  });

  test('is not opened for what was written to it within the hour', async () => {
    const world = machine();
    const stamp = () => statSync(fileOf(world), { bigint: true }).mtimeNs;
    await read(world);
    const written = stamp();
    await read(world);
    expect(stamp()).toBe(written);
    expect(await users(world)).toEqual(IDS);
    const nextHour = { ...world, clock: fakeClock(world.clock.now() + 3_600_001) };
    await read(nextHour);
    expect(stamp()).not.toBe(written);
    // A file that is not as it was left is opened, whatever was read.
    truncateSync(fileOf(world), 100);
    await read(nextHour);
    expect(await users(nextHour)).toEqual(IDS);
  });

  test('is deleted when it is switched off, and nothing is remembered until it is on', async () => {
    const world = machine();
    await read(world);
    expect((await run(world, 'completion', 'cache', 'set', 'off')).code).toBe(0);
    expect(filesOf(world)).toEqual([]);
    let hasTried = false;
    const ensurePrivateDir = (path: string) => {
      hasTried = true;
      world.ensurePrivateDir(path);
    };
    await read({ ...world, ensurePrivateDir });
    expect(hasTried).toBe(false);
    expect(filesOf(world)).toEqual([]);
    expect(await users(world)).toEqual([]);
    expect((await run(world, 'completion', 'cache', 'set', 'on')).code).toBe(0);
    await read(world);
    expect(await users(world)).toEqual(IDS);
  });

  test('is deleted by a command that was writing while it was switched off', async () => {
    const world = machine();
    await read(world);
    const switchOff = () =>
      writeFileSync(
        join(world.env['FIATRAIL_CONFIG_DIR'] ?? '', 'settings.json'),
        '{"version":1,"completionCache":"off"}',
      );
    mkdirSync(world.env['FIATRAIL_CONFIG_DIR'] ?? '', { recursive: true, mode: 0o700 });
    // It makes sure of the folder after it has asked whether it may write.
    const { network } = machine({ listfintechusers: usersOf(IDS.slice(0, 1)) });
    await read({ ...world, network, ensurePrivateDir: switchOff });
    expect(filesOf(world)).toEqual([]);
  });

  test('that was left behind is not offered while it is off', async () => {
    const world = machine();
    await read(world);
    const kept = readFileSync(fileOf(world));
    await run(world, 'completion', 'cache', 'set', 'off');
    writeFileSync(fileOf(world), kept, { mode: 0o600 });
    expect(await users(world)).toEqual([]);
  });

  test('stays off when the default profile changes', async () => {
    const world = machine();
    await run(world, 'completion', 'cache', 'set', 'off');
    await run(world, 'profiles', 'use', 'sandbox');
    expect(JSON.parse((await run(world, 'completion', 'cache', 'show', '-o', 'json')).stdout)).toMatchObject({
      cache: 'off',
    });
  });

  test('says what it has', async () => {
    const world = machine();
    await read(world);
    const { stdout } = await run(world, 'completion', 'cache', 'show', '-o', 'json');
    expect(JSON.parse(stdout)).toEqual({
      cache: 'on',
      file: fileOf(world),
      keptDays: 7,
      accounts: 1,
      oldest: '2026-01-05T08:59:59.999Z',
      newest: '2026-01-05T09:00:00.000Z',
      things: [{ kind: 'user', count: 3 }],
    });
  });

  test('is unchanged by a dry run', async () => {
    const world = machine();
    await read(world);
    const { stdout } = await run(world, 'completion', 'cache', 'set', 'off', '--dry-run', '-o', 'json');
    expect(JSON.parse(stdout)).toEqual({ dryRun: true, cache: 'off', file: fileOf(world) });
    expect(await users(world)).toEqual(IDS);
  });
});

describe('what comes from outside', () => {
  test('is offered only as plain words', async () => {
    const ids = ['a;rm -rf ~', '$(id)', '`id`', '--yes', "a'b", 'a\nb', 'a\tb', 'a\u001b[31m', 'a b', '', null];
    const world = machine({ listfintechusers: usersOf([...ids, '22345678901', 'good-1'], []) });
    await run(world, 'users', 'list', '-q');
    expect(await tab(world, 'users', 'show', '')).toEqual(['good-1']);
    expect(isOnDisk(world, 'rm -rf')).toBe(false);
  });

  test('is left out where a shell would not take it as one plain word', async () => {
    const values = ['fine', 'a b', '$(id)', 'a;b', "a'b", 'a\nb'];
    const command = {
      ...{ words: ['x'], summary: '', examples: [], endpoints: [], run: async () => ({}) },
      parameters: { a: { kind: 'argument', name: 'a', help: '', required: false, parse: String, values } as const },
    };
    const world = fakeWorld();
    await complete(['x', ''], [{ name: 'x', summary: '', section: 'Users', load: async () => [command] }], world);
    expect(world.stdout.text()).toBe('fine\n');
  });

  test('cannot control the terminal, and shows no number as long as a BVN', async () => {
    const names = ['A\nB\tC', '\u001b]0;title\u0007X\u202eY', '22345678901', 'x'.repeat(500)];
    const world = machine({ listfintechusers: usersOf(['u-1', 'u-2', 'u-3', 'u-4'], names) });
    await run(world, 'users', 'list', '-q');
    const lines = await tab(world, 'users', 'show', '');
    expect(lines.map((line) => line.split('\t')[1])).toEqual(['A B C', ']0;title X Y', '…', 'x'.repeat(80)]);
    expect(isOnDisk(world, '22345678901')).toBe(false);
  });

  test('is checked again when it is read from a file that somebody changed', async () => {
    const world = machine();
    await read(world);
    const database = new DatabaseSync(fileOf(world));
    database.exec(`UPDATE seen SET id = '$(id)' WHERE id = '${IDS[0]}'`);
    database.exec("INSERT INTO seen SELECT account, kind, '--yes', '', seen_us FROM seen LIMIT 1");
    database.exec(`UPDATE seen SET about = 'a' || char(10, 27) || '[2J' WHERE id = '${IDS[1]}'`);
    database.close();
    expect(await tab(world, 'users', 'show', '')).toEqual([`${IDS[1]}\ta [2J`, `${IDS[2]}\tSADE ADEYEMI`]);
  });
});

describe('a cache that cannot be used', () => {
  const damages: readonly (readonly [string, (file: string) => void])[] = [
    ['is no database', (file) => writeFileSync(file, 'no database at all, '.repeat(300))],
    ['is cut off', (file) => truncateSync(file, 6000)],
    ['is empty', (file) => truncateSync(file, 0)],
    [
      'has other tables',
      (file) => {
        const database = new DatabaseSync(file);
        database.exec('DROP TABLE seen; PRAGMA user_version = 9');
        database.close();
      },
    ],
  ];

  test.each(damages)('because it %s offers nothing, and the next read makes a new one', async (_how, damage) => {
    const world = machine();
    await read(world);
    damage(fileOf(world));
    expect(await users(world)).toEqual([]);
    expect((await run(world, 'completion', 'cache', 'show')).code).toBe(0);
    await read(world);
    expect(await users(world)).toEqual(IDS);
  });

  test('changes nothing about a command but a line of --verbose', async () => {
    const world = machine();
    mkdirSync(fileOf(world), { recursive: true, mode: 0o700 });
    expect(await run(world, 'users', 'list', '-q')).toMatchObject({ code: 0, stderr: '' });
    expect((await run(world, 'users', 'list', '-v')).stderr).toContain('the completion cache could not be updated');
  });

  test('because another process writes is waited for only shortly', async () => {
    const world = machine();
    await read(world);
    const other = new DatabaseSync(fileOf(world));
    other.exec('BEGIN IMMEDIATE');
    const startedMs = performance.now();
    expect(await run(world, 'bank-accounts', 'list', '-q')).toMatchObject({ code: 0, stderr: '' });
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    expect(await users(world)).toEqual(IDS);
    other.close();
    expect(await offered(world, 'bank-accounts', 'show', '')).toEqual([]);
  });
});

test('several commands at once all remember what they saw', async () => {
  const world = machine();
  const ids = Array.from({ length: 8 }, (_, index) => `user-${index}`);
  await Promise.all(ids.map((id) => read({ ...world, network: machine({ listfintechusers: usersOf([id]) }).network })));
  expect((await users(world)).toSorted()).toEqual(ids);
});
