import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Home } from '../support/built.ts';
import { fiatrail, fiatrailJson } from '../support/in-process.ts';
import { homeForRows, runIn } from './payouts.ts';

let home: Home;

beforeEach(async () => {
  home = await homeForRows();
});

const run = (...argv: readonly string[]) => runIn(home, [...argv, '-q', '-o', 'json']);

function fileOf(text: string, name = 'rows.csv'): string {
  const path = join(home.path, name);
  writeFileSync(path, text);
  chmodSync(path, 0o600);
  return path;
}

const create = (text: string, as: string, ...more: readonly string[]) =>
  run('bulk', 'create', fileOf(text), '--as', as, '--once', 'many', '--yes', ...more);

const fault = (on: string, name: string) =>
  fiatrail(home, ['sandbox', 'fault', 'add', '--on', on, '--fault', name, '--times', '1', '-q']);

const usersNow = async () =>
  (await fiatrailJson<{ users: { userId: string }[] }>(home, ['users', 'list', '--all', '-q'])).users;

test('a dry run of what is left of a file sends nothing, and leaves no outcome unknown', async () => {
  const rows = 'reference,account number,bank code\nA,0123456785,000013\nB,0123456792,000013\n';
  await create(rows, 'bank-accounts add', '--first', '1');
  const words = ['bulk', 'create', fileOf(rows), '--as', 'bank-accounts add', '--once', 'many', '--yes', '--dry-run'];
  for (const line of [words, ['bulk', 'resume', 'many', '--yes', '--dry-run']])
    expect((await run(...line)).data).toEqual({ dryRun: true, key: 'many', rows: 1 });
  expect((await run('bulk', 'status', 'many')).data).toMatchObject({ done: 1, unknown: 0, waiting: 1 });
  expect((await run('bulk', 'resume', 'many', '--yes')).data).toMatchObject({ done: 2, unknown: 0 });
});

describe('users onboard', () => {
  const [ONE, TWO, BAD] = ['22222222221', '22222222222', '00000000000'];
  const file = (...bvns: readonly string[]) =>
    `reference,bvn\n${bvns.map((bvn, at) => `U${at + 1},${bvn}`).join('\n')}\n`;

  test('each once, and no BVN is stored', async () => {
    const { code, data } = await create(file(ONE ?? '', TWO ?? ''), 'users onboard');
    expect([code, data]).toEqual([0, expect.objectContaining({ rows: 2, done: 2, sums: [] })]);
    expect(await usersNow()).toHaveLength(2);
    expect((await create(file(ONE ?? '', TWO ?? ''), 'users onboard')).code).toBe(0);
    expect(await usersNow()).toHaveLength(2);
    const stored = readdirSync(home.stateDir)
      .filter((name) => name.startsWith('journal'))
      .map((name) => readFileSync(join(home.stateDir, name), 'latin1'));
    expect(stored.length).toBeGreaterThan(0);
    expect(stored.join('')).not.toContain('2222222222');
    const { stdout } = await fiatrail(home, ['bulk', 'report', 'many', '-q', '-o', 'json']);
    expect(stdout).not.toContain('2222222222');
  });

  test('another BVN under the reference is another row', async () => {
    await create(file(ONE ?? '', TWO ?? ''), 'users onboard', '--first', '1');
    const { error } = await create(file(TWO ?? '', ONE ?? ''), 'users onboard');
    expect(error).toMatchObject({ code: 'FILE_KEY_TAKEN', message: expect.stringMatching(/^line 2: the row U1 /) });
    expect(error.message).not.toContain('2222');
    const resumed = await run('bulk', 'resume', 'many', '--yes');
    expect(resumed.error).toMatchObject({ code: 'FILE_NEEDED' });
    expect((await create(file(ONE ?? '', TWO ?? ''), 'users onboard')).code).toBe(0);
    expect(await usersNow()).toHaveLength(2);
  });

  test('one whose response was lost is not onboarded again', async () => {
    await fault('users.onboard', 'lost-response');
    const { data } = await create(file(ONE ?? '', TWO ?? ''), 'users onboard', '--wait', '1ms');
    expect(data).toMatchObject({ done: 1, unknown: 1 });
    const again = await create(file(ONE ?? '', TWO ?? ''), 'users onboard', '--wait', '1ms');
    expect(again.data).toMatchObject({ done: 1, unknown: 1 });
    expect(await usersNow()).toHaveLength(2);
  });

  test('one that fails verification is not sent again', async () => {
    const { code, data } = await create(file(BAD ?? '', TWO ?? ''), 'users onboard');
    expect([code, data]).toEqual([3, expect.objectContaining({ done: 1, failed: 1 })]);
    const before = await run('ops', 'list', '--kind', 'onboarding');
    expect((await create(file(BAD ?? '', TWO ?? ''), 'users onboard')).code).toBe(3);
    expect((await run('ops', 'list', '--kind', 'onboarding')).data).toEqual(before.data);
  });
});

describe('bank-accounts add', () => {
  const file = 'reference,bank,account number,label\nB1,GTBank,0123456785,one\nB2,Zenith,0123456792,two\n';
  const labels = async () =>
    (await fiatrailJson<{ accounts: { label: string }[] }>(home, ['bank-accounts', 'list', '-q'])).accounts
      .map(({ label }) => label)
      .filter((label) => label !== 'settlement')
      .toSorted();

  test('each once, and a second run adds nothing', async () => {
    const { code, data } = await create(file, 'bank-accounts add');
    expect([code, data]).toEqual([0, expect.objectContaining({ rows: 2, done: 2 })]);
    expect(await labels()).toEqual(['one', 'two']);
    expect((await create(file, 'bank-accounts add')).code).toBe(0);
    expect(await labels()).toEqual(['one', 'two']);
  });

  test('one that the service rejects is sent again by the next run', async () => {
    await fault('banks.add', 'rate-limit');
    const { code, data } = await create(file, 'bank-accounts add');
    expect([code, data.done]).toEqual([expect.any(Number), 2]);
    expect(await labels()).toEqual(['one', 'two']);
  });

  test.each(['lost-response', 'http-500-after', 'truncated'])(
    'one whose response was lost is not added again: %s',
    async (kind) => {
      await fault('banks.add', kind);
      const { data, stderr } = await create(file, 'bank-accounts add');
      expect(stderr).toContain('B1 (line 2): the outcome is unknown');
      // The list of accounts, which is read right after, has it.
      expect(data).toMatchObject({ done: 2, unknown: 0 });
      expect((await create(file, 'bank-accounts add')).code).toBe(0);
      expect(await labels()).toEqual(['one', 'two']);
    },
  );

  test('one that never arrived is sent again once that is known', async () => {
    await fault('banks.add', 'lost-request');
    const { code, data, error } = await create(file, 'bank-accounts add', '--wait', '1ms');
    expect([code, error.code, data]).toEqual([6, 'OUTCOME_UNKNOWN', expect.objectContaining({ done: 1, unknown: 1 })]);
    expect((await create(file, 'bank-accounts add', '--wait', '1ms')).data).toMatchObject({ done: 1, unknown: 1 });
    expect(await labels()).toEqual(['two']);
    await fiatrail(home, ['sandbox', 'advance', '30m', '-q']);
    await create(file, 'bank-accounts add', '--wait', '1ms');
    expect((await create(file, 'bank-accounts add', '--wait', '1ms')).code).toBe(0);
    expect(await labels()).toEqual(['one', 'two']);
  });
});

describe('users default-wallet set', () => {
  const [OLD, NEW] = ['0x52908400098527886E0F7030069857D2E4169EE7', '0x8617E340B3D01FA5F11F306F4090FD50E238070D'];
  const shown = async (user: string) =>
    (await run('users', 'default-wallet', 'show', user)).data.defaultWallet?.address;
  const onboarded = async () => {
    await create('reference,bvn\nU1,22222222221\n', 'users onboard');
    const [user] = await usersNow();
    return user?.userId ?? '';
  };
  const set = (user: string, key: string) =>
    run(
      ...['bulk', 'create', fileOf(`reference,user id,address,network\nW1,${user},${OLD},base\n`, 'wallets.csv')],
      ...['--as', 'users default-wallet set', '--once', key, '--yes', '--wait', '1ms'],
    );

  test('one whose response was lost is found in what it changed', async () => {
    const user = await onboarded();
    await fault('users.set-default-wallet', 'lost-response');
    const { code, data } = await set(user, 'wallets');
    expect([code, data]).toEqual([0, expect.objectContaining({ done: 1 })]);
    expect((await shown(user)).toLowerCase()).toBe(OLD?.toLowerCase());
  });

  test('one that never arrived does not replace what was set meanwhile', async () => {
    const user = await onboarded();
    await fault('users.set-default-wallet', 'lost-request');
    expect((await set(user, 'wallets')).data).toMatchObject({ unknown: 1 });
    await run('users', 'default-wallet', 'set', user, '--address', NEW ?? '', '--network', 'base', '--yes');
    expect((await set(user, 'wallets')).data).toMatchObject({ unknown: 1 });
    expect((await shown(user)).toLowerCase()).toBe(NEW?.toLowerCase());
  });
});
