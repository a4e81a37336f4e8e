import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { acquireLock } from '../../src/sqlite/lock.ts';
import { newHome, ROOT, startProgram, temporaryFolder } from '../support/built.ts';

const HOLDER = join(ROOT, 'test', 'sqlite', 'hold-lock.ts');
/** Longer than any machine needs; a test that works never waits for it. */
const LONG_MS = 60_000;

const newPath = () => join(temporaryFolder(onTestFinished), 'state', 'locks', 'rotate.lock');
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** Another process that tries for the lock without waiting, and what it is to say. */
async function elsewhere(path: string, says: 'held' | 'busy') {
  const running = startProgram(newHome(onTestFinished), process.execPath, [HOLDER, path]);
  onTestFinished(async () => {
    running.kill('SIGKILL');
    await running.end;
  });
  await running.says(says);
  return running;
}

describe('the lock', () => {
  test('is had by one at a time', async () => {
    const path = newPath();
    const first = await acquireLock(path, 0);
    expect([await acquireLock(path, 0), await acquireLock(path, 0)]).toEqual([undefined, undefined]);
    first?.release();
    first?.release();
    const second = await acquireLock(path, 0);
    expect(second).toBeDefined();
    second?.release();
  });

  test('is not lost when the process that has it tries for it again', async () => {
    const path = newPath();
    const lock = await acquireLock(path, 0);
    await acquireLock(path, 0);
    await elsewhere(path, 'busy');
    lock?.release();
  });

  test('is not had while another process has it, and is had when that one is killed', async () => {
    const path = newPath();
    const running = await elsewhere(path, 'held');
    expect(await acquireLock(path, 0)).toBeUndefined();
    running.kill('SIGKILL');
    const lock = await acquireLock(path, LONG_MS);
    expect(lock).toBeDefined();
    lock?.release();
  });

  test('is private, and leaves one empty file, also after a kill', async () => {
    const path = newPath();
    const running = await elsewhere(path, 'held');
    running.kill('SIGKILL');
    await running.end;
    (await acquireLock(path, 0))?.release();
    const folder = join(path, '..');
    expect([modeOf(path), modeOf(folder), modeOf(join(folder, '..'))]).toEqual(['600', '700', '700']);
    expect([readdirSync(folder), statSync(path).size]).toEqual([['rotate.lock'], 0]);
  });

  test('of one path is not the lock of another', async () => {
    const path = newPath();
    const locks = [await acquireLock(path, 0), await acquireLock(`${path}2`, 0)];
    expect(locks.map(Boolean)).toEqual([true, true]);
    for (const lock of locks) lock?.release();
  });
});

describe('a place that takes no lock', () => {
  test.each([
    ['a folder that cannot be made', '/proc/fiatrail/lock', 'unwritable'],
    ['a file where the folder is to be', 'file/lock', 'unwritable'],
    ['a file above where the folder is to be', 'file/folder/lock', 'unwritable'],
    ['a folder where the file is to be', 'folder', 'unwritable'],
    ['a file of somebody else', 'theirs', 'corrupt'],
  ])('%s', async (_what, name, problem) => {
    const folder = temporaryFolder(onTestFinished);
    writeFileSync(join(folder, 'file'), '');
    writeFileSync(join(folder, 'theirs'), 'no lock of ours, and long enough to be looked at'.repeat(20));
    mkdirSync(join(folder, 'folder'));
    const path = resolve(folder, name);
    await expect(acquireLock(path, 0)).rejects.toMatchObject({ name: 'DatabaseError', problem, path });
    expect(readdirSync(folder).toSorted()).toEqual(['file', 'folder', 'theirs']);
  });
});
