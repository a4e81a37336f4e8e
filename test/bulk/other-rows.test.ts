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
    await fault('banks.add', 'http-500');
    const { code, data } = await create(file, 'bank-accounts add');
    expect([code, data.done]).toEqual([expect.any(Number), 1]);
    expect((await create(file, 'bank-accounts add')).data).toMatchObject({ done: 2 });
    expect(await labels()).toEqual(['one', 'two']);
  });
});
