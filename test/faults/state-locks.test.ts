import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Exchange, ProgramEnd } from '../../src/base/world.ts';
import { requireLockable, requireLocks } from '../../src/engine/connection/state-locks.ts';
import { main } from '../../src/main.ts';
import { acquireLock } from '../../src/sqlite/lock.ts';
import { newHome, requireBuilt, startFiatrail } from '../support/built.ts';
import { success } from '../support/exchange.ts';
import { withdraw } from '../support/fee-withdrawal.ts';
import { ACCOUNT, fakeWorld } from '../support/world.ts';

/** A state folder, and a world in which the process that tries the lock ends as a test says; by default it is refused, as in a process. */
function stateFolder(end?: ProgramEnd) {
  const made = fakeWorld();
  const started: (readonly string[])[] = [];
  mkdirSync(made.stateDir, { mode: 0o700 });
  const runProgram: typeof made.runProgram = (words, options) => {
    started.push(words);
    return end ? Promise.resolve(end) : made.runProgram(words, options);
  };
  const folder = { dir: made.stateDir, path: join(made.stateDir, 'journal.db') };
  return { world: { ...made, runProgram }, folder, started };
}

const ended = (code: number): ProgramEnd => ({ kind: 'ended', code, stdout: '' });

test('a second process that gets the same lock stops the first one, each time', async () => {
  const { world, folder, started } = stateFolder(ended(0));
  for (const _ of [1, 2])
    await expect(requireLocks(world, folder)).rejects.toMatchObject({
      category: 'usage',
      code: 'STATE_UNLOCKED',
      message: expect.stringContaining('whose locks do nothing'),
    });
  expect(started).toHaveLength(2);
  expect(readdirSync(folder.dir)).toEqual([]);
});

test('a state folder whose locks work is tested once, and another one in its place again', async () => {
  const { world, folder, started } = stateFolder();
  for (const _ of [1, 2]) await requireLocks(world, folder);
  expect(started).toHaveLength(1);
  expect(readdirSync(folder.dir)).toEqual(['locks.tested']);
  const other = stateFolder();
  await requireLocks(world, { ...folder, dir: other.folder.dir });
  expect(started).toHaveLength(2);
});

test.each<ProgramEnd>([{ kind: 'late' }, { kind: 'missing' }, ended(1)])(
  'a test that could not be made is made again: %j',
  async (end) => {
    const { world, folder, started } = stateFolder(end);
    for (const _ of [1, 2]) await requireLocks(world, folder);
    expect(started).toHaveLength(2);
  },
);

test('a lock that nobody else can have and that is rejected is not another command’s', async () => {
  const { world, folder } = stateFolder();
  await requireLockable(world, folder);
  // The name of the next test's file.
  const uuid = world.ids.uuid();
  const taken = await acquireLock(join(folder.dir, `lock-test-${uuid}.db`), 0);
  const ids = { ...world.ids, uuid: () => uuid };
  await expect(requireLockable({ ...world, ids }, folder)).rejects.toMatchObject({
    category: 'usage',
    code: 'STATE_UNLOCKED',
    message: expect.stringContaining('rejects every lock'),
  });
  taken?.release();
});

test('the lock process is rejected a lock that another process has, and gets one that nobody has', async () => {
  requireBuilt();
  const home = newHome(onTestFinished);
  const path = join(home.path, 'lock.db');
  const lock = await acquireLock(path, 0);
  expect((await startFiatrail(home, ['__lock', path]).end).code).toBe(5);
  lock?.release();
  expect((await startFiatrail(home, ['__lock', path]).end).code).toBe(0);
  expect(existsSync(path)).toBe(true);
});

test('a command for an account over the network sends nothing from such a folder, and an embedded sandbox works there', async () => {
  const asked: string[] = [];
  const network: Exchange = async ({ url }) => {
    asked.push(url);
    return success({ publicKey: 'ab'.repeat(32) });
  };
  const argv = [...withdraw('500', '--once', 'k'), '--yes', '-q', '-o', 'json'];
  const live = fakeWorld({ env: ACCOUNT, network });
  expect(await main(argv, { ...live, runProgram: async () => ended(0) })).toBe(2);
  expect(live.stderr.text()).toContain('"code":"STATE_UNLOCKED"');
  expect(asked.filter((each) => each.endsWith('/feewithdrawal'))).toEqual([]);
  const embedded = fakeWorld();
  expect(await main(argv, { ...embedded, runProgram: async () => ended(0) })).toBe(0);
});
