import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Journal } from '../../src/journal/interface.ts';
import { temporaryFolder } from '../support/built.ts';
import { INTENT, prepared, testJournal } from '../support/journal-intent.ts';
import { countingIds } from '../support/sandbox.ts';

test('of two processes that replace a shared text at once, one does', async () => {
  const path = join(temporaryFolder(onTestFinished), 'journal.db');
  const [one, other] = [await testJournal({ path }), await testJournal({ path, ids: countingIds(2) })];
  onTestFinished(async () => {
    await one.close();
    await other.close();
  });
  const done = await Promise.all([
    one.setShared('approvers account-1', 'a', undefined),
    other.setShared('approvers account-1', 'b', undefined),
  ]);
  expect(done.filter(Boolean)).toHaveLength(1);
  const kept = await one.shared('approvers account-1');
  expect(['a', 'b']).toContain(kept);
  expect(await other.setShared('approvers account-1', 'c', 'another')).toBe(false);
  expect(await other.setShared('approvers account-1', undefined, kept)).toBe(true);
  expect([await one.shared('approvers account-1'), await one.shared('rules')]).toEqual([undefined, undefined]);
});

test('the lists of approvers are those that were stored last, by account, without what was removed', async () => {
  const journal = await testJournal();
  expect(await journal.approverLists()).toEqual(new Map());
  for (const [id, text, before] of [
    ['b', '1', undefined],
    ['a', '2', undefined],
    ['b', '3', '1'],
    ['c', '4', undefined],
    ['c', undefined, '4'],
  ] as const)
    expect(await journal.setShared(`approvers ${id}`, text, before)).toBe(true);
  await journal.setShared('rules', '5', undefined);
  expect(await journal.approverLists()).toEqual(
    new Map([
      ['a', '2'],
      ['b', '3'],
    ]),
  );
});

describe('shared texts that change together', () => {
  const [first, second, third] = [
    'accepted live a CNGN 1',
    'accepted live a USDC 2',
    'accepted live ab USDC 2',
  ] as const;

  test('change all or not at all, and are read by what their names begin with', async () => {
    const journal = await testJournal();
    expect(await journal.sharedUnder('accepted live a ')).toEqual(new Map());
    const both = [first, second].map((name) => ({ name, text: `of ${name}`, before: undefined }));
    expect(await journal.changeShared([...both, { name: third, text: 'of another', before: undefined }])).toBe(true);
    const kept = new Map([first, second].map((name) => [name.slice('accepted live a '.length), `of ${name}`]));
    expect(await journal.sharedUnder('accepted live a ')).toEqual(kept);
    // The second of them is not what it was when it was read.
    expect(
      await journal.changeShared([
        { name: first, text: undefined, before: `of ${first}` },
        { name: second, text: undefined, before: 'something else' },
      ]),
    ).toBe(false);
    expect(await journal.sharedUnder('accepted live a ')).toEqual(kept);
    expect(await journal.changeShared([{ name: first, text: undefined, before: `of ${first}` }])).toBe(true);
    expect([...(await journal.sharedUnder('accepted live a ')).keys()]).toEqual(['USDC 2']);
    expect((await journal.verify()).problem).toBeUndefined();
  });

  test('go with the journal to another machine', async () => {
    const journal = await testJournal();
    await prepared(journal);
    await journal.changeShared([{ name: first, text: 'kept', before: undefined }]);
    const lines: string[] = [];
    for await (const page of journal.exported(true)) lines.push(...page.map((line) => JSON.stringify(line)));
    const other = await testJournal({ ids: countingIds(500) });
    await other.importFrom(lines, [INTENT.account]);
    expect(await other.sharedUnder('accepted live a ')).toEqual(new Map([['CNGN 1', 'kept']]));
    expect((await other.verify()).problem).toBeUndefined();
  });
});

const FINTECH = 'e1080560-02a0-424a-ace1-28385ea1c5e5';
const [ONE, OTHER] = [INTENT.account, { ...INTENT.account, keyFingerprint: 'another' }];

test.each<[string, (journal: Journal) => Promise<unknown>, boolean]>([
  ['nothing', async () => {}, false],
  ['an operation of a sandbox', (journal) => prepared(journal, { mode: 'sandbox' }), false],
  ['an operation of a live account', (journal) => prepared(journal, { mode: 'live' }), true],
  ['the fintech of a sandbox', (journal) => journal.learnFintech(ONE, { id: FINTECH, isLive: false }), false],
  ['the fintech of a live account', (journal) => journal.learnFintech(ONE, { id: FINTECH, isLive: true }), true],
  [
    'an operation of an account that turned out to be another one',
    async (journal) => {
      await prepared(journal, { mode: 'live', account: ONE });
      await journal.learnFintech(OTHER, { id: FINTECH, isLive: false });
      await journal.learnFintech(ONE, { id: FINTECH, isLive: false });
      expect(await journal.accountIds(ONE)).toHaveLength(2);
    },
    true,
  ],
])('a journal with %s knows whether it has a live account', async (_what, write, isKnown) => {
  const journal = await testJournal();
  await write(journal);
  expect(await journal.knowsLive()).toBe(isKnown);
});
