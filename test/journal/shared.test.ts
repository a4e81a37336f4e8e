import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openJournal } from '../../src/journal/open.ts';
import { temporaryFolder } from '../support/built.ts';
import { fakeWorld } from '../support/world.ts';

test('of two processes that replace a shared text at once, one does', async () => {
  const path = join(temporaryFolder(onTestFinished), 'journal.db');
  const [one, other] = [await openJournal(path, fakeWorld()), await openJournal(path, fakeWorld())];
  onTestFinished(async () => {
    await one.close();
    await other.close();
  });
  const done = await Promise.all([
    one.setShared('operators account-1', 'a', undefined),
    other.setShared('operators account-1', 'b', undefined),
  ]);
  expect(done.filter(Boolean)).toHaveLength(1);
  const kept = await one.shared('operators account-1');
  expect(['a', 'b']).toContain(kept);
  expect(await other.setShared('operators account-1', 'c', 'another')).toBe(false);
  expect(await other.setShared('operators account-1', undefined, kept)).toBe(true);
  expect([await one.shared('operators account-1'), await one.shared('rules')]).toEqual([undefined, undefined]);
});
