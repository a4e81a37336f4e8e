import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { acquireLock } from '../../src/sqlite/lock.ts';
import { newHome, ROOT, startProgram, temporaryFolder } from '../support/built.ts';

const HOLDER = join(ROOT, 'test', 'sqlite', 'hold-lock.ts');
/** A generous limit that a passing test never reaches. */
const LONG_MS = 60_000;

const newPath = () => join(temporaryFolder(onTestFinished), 'state', 'locks', 'rotate.lock');
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** Starts another process that tries to take the lock without waiting, and checks whether it got it. */
async function elsewhere(path: string, outcome: 'held' | 'busy') {
  const running = startProgram(newHome(onTestFinished), process.execPath, [HOLDER, path]);
  onTestFinished(async () => {
    running.kill('SIGKILL');
    await running.end;
  });
  expect(await running.firstLine()).toBe(outcome);
  return running;
}

describe('the lock', () => {
  test('has one holder at a time', async () => {
    const path = newPath();
    const first = await acquireLock(path, 0);
    expect([await acquireLock(path, 0), await acquireLock(path, 0)]).toEqual([undefined, undefined]);
    first?.release();
    first?.release();
    const second = await acquireLock(path, 0);
    expect(second).toBeDefined();
    second?.release();
  });

  test('is kept when its holder tries to take it again', async () => {
    const path = newPath();
    const lock = await acquireLock(path, 0);
    expect(await acquireLock(path, 0)).toBeUndefined();
    await elsewhere(path, 'busy');
    lock?.release();
    await elsewhere(path, 'held');
  });

  test('is unavailable while another process holds it, and available after that process is killed', async () => {
    const path = newPath();
    const running = await elsewhere(path, 'held');
    expect(await acquireLock(path, 0)).toBeUndefined();
    running.kill('SIGKILL');
    const lock = await acquireLock(path, LONG_MS);
    expect(lock).toBeDefined();
    lock?.release();
  });

  test('is private and leaves only an empty file, even after a kill', async () => {
    const path = newPath();
    const running = await elsewhere(path, 'held');
    running.kill('SIGKILL');
    await running.end;
    (await acquireLock(path, 0))?.release();
    const folder = join(path, '..');
    expect({ pathMode: modeOf(path), folderMode: modeOf(folder), joinMode: modeOf(join(folder, '..')) }).toEqual({
      pathMode: '600',
      folderMode: '700',
      joinMode: '700',
    });
    expect({ names: readdirSync(folder), size: statSync(path).size }).toEqual({ names: ['rotate.lock'], size: 0 });
  });

  test('is separate for each path', async () => {
    const path = newPath();
    const locks = [await acquireLock(path, 0), await acquireLock(`${path}2`, 0)];
    expect(locks.map(Boolean)).toEqual([true, true]);
    for (const lock of locks) lock?.release();
  });
});

describe('an unusable lock path throws DatabaseError', () => {
  test.each([
    ['a folder that cannot be created', '/proc/fiatrail/lock', 'unwritable'],
    ['a file in place of the folder', 'file/lock', 'unwritable'],
    ['a file in place of the parent folder', 'file/folder/lock', 'unwritable'],
    ['a folder in place of the file', 'folder', 'unwritable'],
    ['a foreign file', 'theirs', 'corrupt'],
  ])('%s', async (_what, name, problem) => {
    const folder = temporaryFolder(onTestFinished);
    writeFileSync(join(folder, 'file'), '');
    writeFileSync(join(folder, 'theirs'), 'not a lock file, but long enough to be inspected'.repeat(20));
    mkdirSync(join(folder, 'folder'));
    const path = resolve(folder, name);
    await expect(acquireLock(path, 0)).rejects.toMatchObject({ name: 'DatabaseError', problem, path });
    expect(readdirSync(folder).toSorted()).toEqual(['file', 'folder', 'theirs']);
  });
});
