import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { changeProfile } from '../../src/account/changes.ts';
import type { StoredProfile } from '../../src/account/stored-profile.ts';
import { Secret } from '../../src/base/secret.ts';
import type { Exchange } from '../../src/base/world.ts';
import { fingerprint } from '../../src/crypto/digest.ts';
import { journalLocationOf } from '../../src/engine/connection/journal-location.ts';
import { knownFintech } from '../../src/journal/known-fintech.ts';
import { main } from '../../src/main.ts';
import { success } from '../support/exchange.ts';
import { TO } from '../support/fee-withdrawal.ts';
import { tcpServer } from '../support/loopback.ts';
import { ACCOUNT, type FakeWorld, fakeWorld } from '../support/world.ts';

const PAY = ['fees', 'withdraw', '--amount', '500', ...TO, '--yes', '--no-tag', '-q'];
const PAY_ONCE = [...PAY, '--once', 'k'];
const FINTECH = 'e1080560-02a0-424a-ace1-28385ea1c5e5';
const CREATED = '2026-01-05T09:00:00.000Z';

/** The fintech id that the service names for each key. */
let fintechs: Record<string, string | undefined>;
let payments: string[];
/** How many withdrawals the service ever started: each has an id of its own. */
let withdrawals = 0;
let reads: number;
let world: FakeWorld;

const service: Exchange = async ({ url, headers }) => {
  const apiKey = headers['x-api-key'] ?? '';
  if (url.endsWith('/feewithdrawal')) {
    payments.push(apiKey);
    return success({ withdrawalId: `FTW_${++withdrawals}`, amount: 50_000, status: 'pending', createdAt: CREATED });
  }
  reads += 1;
  const fee = { percentageFee: 1, capFee: 50_000, enabled: true };
  const feeConfiguration = { onrampFee: fee, offrampFee: fee };
  const rest = { totalBalance: '1', banks: [{ code: '000013', name: 'GTBANK' }] };
  return success({ fintechId: fintechs[apiKey], feeConfiguration, smartWallet: { address: '0x1' }, ...rest });
};

const run = (argv: readonly string[], more: Partial<FakeWorld> = {}) => main(argv, { ...world, ...more });

/** Adds a profile with a key of its own. */
async function add(name: string, apiKey: string, change: Partial<StoredProfile> = {}): Promise<void> {
  const profile: StoredProfile = {
    name,
    mode: 'live',
    baseUrl: 'https://service.test/v1',
    store: { kind: 'file' },
    ...change,
  };
  await changeProfile(world, name, () => profile, new Secret(apiKey));
}

beforeEach(async () => {
  // The journal that the world makes, which the live accounts need not confirm.
  world = fakeWorld({ network: service, env: { FIATRAIL_JOURNAL_ID: ACCOUNT.FIATRAIL_JOURNAL_ID } });
  payments = [];
  reads = 0;
  fintechs = { 'key-1': FINTECH, 'key-2': FINTECH };
  await add('one', 'key-1');
  await add('two', 'key-2');
});

describe('two profiles with keys of their own', () => {
  test.each(['fees show', 'wallets show'])('are one account after %s with each', async (read) => {
    for (const name of ['one', 'two']) expect(await run([...read.split(' '), '--profile', name, '-q'])).toBe(0);
    for (const name of ['one', 'two', 'one']) expect(await run([...PAY_ONCE, '--profile', name])).toBe(0);
    expect(payments).toEqual(['key-1']);
    expect(await run([...PAY, '--profile', 'one'])).toBe(9);
  });

  test('are one account from the read on, also for what was paid before', async () => {
    expect(await run([...PAY_ONCE, '--profile', 'one'])).toBe(0);
    for (const name of ['one', 'two']) await run(['fees', 'show', '--profile', name, '-q']);
    expect(await run([...PAY_ONCE, '--profile', 'two'])).toBe(0);
    expect(payments).toEqual(['key-1']);
  });

  test.each<[what: string, reads: readonly string[], second: string | undefined]>([
    ['before any read', [], FINTECH],
    ['after a read with one of them', ['one'], FINTECH],
    ['if the service names another fintech', ['one', 'two'], FINTECH.replace('e', 'f')],
    ['if the id of the fintech may not be unique', ['one', 'two'], 'acme'],
  ])('are two accounts %s', async (_what, reads, second) => {
    fintechs = { 'key-1': second === 'acme' ? 'acme' : FINTECH, 'key-2': second };
    for (const name of reads) await run(['fees', 'show', '--profile', name, '-q']);
    for (const name of ['one', 'two']) expect(await run([...PAY_ONCE, '--profile', name])).toBe(0);
    expect(payments).toEqual(['key-1', 'key-2']);
  });

  test('are two accounts if they are at different services', async () => {
    await add('two', 'key-2', { baseUrl: 'https://impostor.test/v1' });
    for (const name of ['one', 'two']) await run(['fees', 'show', '--profile', name, '-q']);
    for (const name of ['one', 'two']) expect(await run([...PAY_ONCE, '--profile', name])).toBe(0);
    expect(payments).toEqual(['key-1', 'key-2']);
  });

  test('learn nothing from the reads of a dry run', async () => {
    const set = ['fees', 'set', '--onramp-percent', '1', '--dry-run', '-q'];
    for (const name of ['one', 'two']) expect(await run([...set, '--profile', name])).toBe(0);
    expect(reads).toBe(2);
    for (const name of ['one', 'two']) await run([...PAY_ONCE, '--profile', name]);
    expect(payments).toEqual(['key-1', 'key-2']);
  });
});

/** Returns the databases that a command uses. */
async function databasesOf(argv: readonly string[]): Promise<readonly string[]> {
  const { prepare, exec } = DatabaseSync.prototype;
  const used = new Set<string>();
  const watched = <R>(call: (this: DatabaseSync, sql: string) => R) =>
    function (this: DatabaseSync, sql: string): R {
      used.add(this.location() ?? '');
      return call.call(this, sql);
    };
  Object.assign(DatabaseSync.prototype, { prepare: watched(prepare), exec: watched(exec) });
  try {
    expect(await run(argv)).toBe(0);
  } finally {
    Object.assign(DatabaseSync.prototype, { prepare, exec });
  }
  return [...used];
}

describe('a read of an account whose fintech is known', () => {
  const journalFile = () => join(world.stateDir, 'journal.db');
  const readWithEach = async () => {
    for (const name of ['one', 'two']) expect(await run(['fees', 'show', '--profile', name, '-q'])).toBe(0);
  };

  test.each(['fees show', 'wallets show', 'balances account', 'banks'])('opens no journal: %s', async (read) => {
    const command = [...read.split(' '), '--profile', 'one', '-q'];
    const learns = ['fees show', 'wallets show'].includes(read);
    expect((await databasesOf(command)).includes(journalFile())).toBe(learns);
    expect(await databasesOf(command)).not.toContain(journalFile());
    fintechs = { 'key-1': FINTECH.replace('e', 'f') };
    expect((await databasesOf(command)).includes(journalFile())).toBe(learns);
  });

  test('does not connect to the server of its journal', async () => {
    let connections = 0;
    const { port } = await tcpServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    world = { ...world, env: { ...world.env, FIATRAIL_JOURNAL_URL: `postgres://ops@127.0.0.1:${port}/ledger` } };
    await run(['fees', 'show', '--profile', 'one', '-q']);
    expect(connections).toBeGreaterThan(0);
    const place = journalLocationOf(world, { name: 'one', mode: 'live' });
    const keyFingerprint = fingerprint(new Secret('key-1'));
    const names = { keyFingerprint, profile: 'one', baseUrl: 'https://service.test/v1' };
    knownFintech(place, names, { id: FINTECH, isLive: true }).save('unique');
    connections = 0;
    expect(await run(['fees', 'show', '--profile', 'one', '-q'])).toBe(0);
    expect(connections).toBe(0);
    world = { ...world, env: { ...world.env, FIATRAIL_JOURNAL_URL: `postgres://ops@127.0.0.1:${port}/other` } };
    await run(['fees', 'show', '--profile', 'one', '-q']);
    expect(connections).toBeGreaterThan(0);
  });

  test('tells it to a journal that takes the place of the one that knows it', async () => {
    await readWithEach();
    for (const end of ['', '-wal', '-shm', '.head']) rmSync(`${journalFile()}${end}`, { force: true });
    const unnamed = { env: { ...world.env, FIATRAIL_JOURNAL_ID: '' } };
    for (const name of ['one', 'two'])
      expect(await run(['ops', 'journal', 'verify', '--accept', '--yes', '--profile', name, '-q'], unnamed)).toBe(0);
    await readWithEach();
    for (const name of ['one', 'two']) expect(await run([...PAY_ONCE, '--profile', name], unnamed)).toBe(0);
    expect(payments).toEqual(['key-1']);
  });

  test('tells it to an older copy that was accepted', async () => {
    for (const name of ['one', 'two']) expect(await run([...PAY, '--once', name, '--profile', name])).toBe(0);
    const copy = join(world.homeDir, 'copy.db');
    copyFileSync(journalFile(), copy);
    await readWithEach();
    writeFileSync(journalFile(), readFileSync(copy));
    expect(await run([...PAY_ONCE, '--profile', 'two'])).toBe(2);
    expect(await run(['ops', 'journal', 'verify', '--accept', '--yes', '--profile', 'one', '-q'])).toBe(0);
    await readWithEach();
    payments = [];
    for (const name of ['one', 'two']) expect(await run([...PAY_ONCE, '--profile', name])).toBe(0);
    expect(payments).toEqual(['key-1']);
  });
});

test('a read succeeds although the journal cannot be written', async () => {
  rmSync(world.stateDir, { recursive: true, force: true });
  writeFileSync(world.stateDir, 'in the way');
  expect(await run(['fees', 'show', '--profile', 'one', '-q'])).toBe(0);
  expect(world.stderr.text()).toBe('');
});

describe('one key is one account', () => {
  test('in two profiles, with another spelling of the base URL', async () => {
    await add('two', 'key-1', { baseUrl: 'https://SERVICE.test:443/v1/' });
    for (const name of ['one', 'two']) expect(await run([...PAY_ONCE, '--profile', name])).toBe(0);
    expect(payments).toEqual(['key-1']);
  });

  test('in a profile and in the environment', async () => {
    expect(await run([...PAY_ONCE, '--profile', 'one'])).toBe(0);
    const account = { FIATRAIL_BASE_URL: 'https://service.test/v1', FIATRAIL_API_KEY: 'key-1' };
    expect(await run(PAY_ONCE, { env: { ...world.env, ...account } })).toBe(0);
    const ofProfile = { FIATRAIL_PROFILE: 'two', FIATRAIL_API_KEY: 'key-1' };
    expect(await run(PAY_ONCE, { env: { ...world.env, ...ofProfile } })).toBe(0);
    expect(payments).toEqual(['key-1']);
  });

  test('after its profile was removed and added under another name', async () => {
    expect(await run([...PAY_ONCE, '--profile', 'one'])).toBe(0);
    expect(await run(['profiles', 'remove', 'one', '--yes', '-q'])).toBe(0);
    await add('renamed', 'key-1');
    expect(await run([...PAY_ONCE, '--profile', 'renamed'])).toBe(0);
    expect(payments).toEqual(['key-1']);
  });

  test('but a profile that gets another key is another account', async () => {
    expect(await run([...PAY_ONCE, '--profile', 'one'])).toBe(0);
    await add('one', 'key-3');
    expect(await run([...PAY_ONCE, '--profile', 'one'])).toBe(0);
    expect(payments).toEqual(['key-1', 'key-3']);
  });
});
