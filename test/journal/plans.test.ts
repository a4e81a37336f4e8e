import { expect, onTestFinished, test } from 'vitest';
import { oneProcess, testJournal } from '../support/journal-intent.ts';
import { countingIds, temporaryFolder } from '../support/sandbox.ts';

async function openPlans() {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const path = folder.file('journal.db');
  const open = async (seed: number) => {
    const journal = await testJournal({ path, ids: countingIds(seed), host: oneProcess() });
    onTestFinished(() => journal.close());
    return journal;
  };
  return [await open(1), await open(2)] as const;
}

test('something about a plan is recorded only if nothing was since it was read', async () => {
  const [one, other] = await openPlans();
  expect(await one.plans.add('a', 'written', 0)).toBe(true);
  expect(await other.plans.add('a', 'written again', 0)).toBe(false);
  expect(await one.plans.add('a', 'approved', 1)).toBe(true);
  expect(await other.plans.add('a', 'rejected', 1)).toBe(false);
  expect(await other.plans.add('a', 'rejected', 3)).toBe(false);
  expect(await one.plans.entriesOf('a')).toEqual(['written', 'approved']);
  expect((await one.verify()).problem).toBeUndefined();
});

test('the entries of a plan are its own, in their order', async () => {
  const [one, other] = await openPlans();
  for (const [id, entry, count] of [
    ['a', '1', 0],
    ['ab', '2', 0],
    ['a', '3', 1],
    ['b', '4', 0],
  ] as const)
    expect(await one.plans.add(id, entry, count)).toBe(true);
  expect(await other.plans.entriesOf('a')).toEqual(['1', '3']);
  expect(await other.plans.entriesOf('c')).toEqual([]);
  expect([...(await other.plans.since(0))]).toEqual([
    ['a', ['1', '3']],
    ['ab', ['2']],
    ['b', ['4']],
  ]);
  expect([...(await other.plans.since(Number.MAX_SAFE_INTEGER))]).toEqual([]);
});

test('of two hosts that record something at once, one does', async () => {
  const [one, other] = await openPlans();
  await one.plans.add('a', 'written', 0);
  const both = await Promise.all([one.plans.add('a', 'approved', 1), other.plans.add('a', 'rejected', 1)]);
  expect(both.filter(Boolean)).toHaveLength(1);
  expect(await one.plans.entriesOf('a')).toHaveLength(2);
});
