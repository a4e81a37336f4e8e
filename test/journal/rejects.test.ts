import { describe, expect, test } from 'vitest';
import type { Journal } from '../../src/journal/interface.ts';
import { INTENT, testJournal } from '../support/journal-intent.ts';

describe('a journal that cannot be read or written', () => {
  const calls: Readonly<Record<string, (journal: Journal) => Promise<unknown>>> = {
    claim: (journal) => journal.claim(INTENT),
    findConflict: (journal) => journal.findConflict({ ...INTENT, idempotencyKey: 'k' }),
    count: (journal) => journal.count(),
    unknownOutcomes: (journal) => journal.unknownOutcomes('sandbox'),
    prepareRotation: (journal) =>
      journal.prepareRotation(INTENT, { operationId: 'r', keyLocation: 'f', oldFingerprint: '0a', pushes: [] }),
    moveRotation: (journal) => journal.moveRotation('r', 'prepared', 'sending'),
    'rotations.find': ({ rotations }) => rotations.find('r'),
    'rotations.openOf': ({ rotations }) => rotations.openOf(INTENT),
    'rotations.latestOf': ({ rotations }) => rotations.latestOf(INTENT),
    'rotations.pushed': ({ rotations }) => rotations.pushed('r', 1),
    'rotations.pushInstead': ({ rotations }) => rotations.pushInstead('r', []),
    learnFintech: (journal) => journal.learnFintech(INTENT.account, { id: 'e', isLive: true }),
    append: (journal) => journal.append('o', 'sent'),
    take: (journal) => journal.take('o', { requestId: 'r', detail: 'found' }),
    record: (journal) => journal.record('o', 'accepted', {}),
    ended: (journal) => journal.ended({ account: INTENT.account, endpoints: [], requestId: 'r' }, 'settled', {}),
    destroyed: (journal) => journal.destroyed({ mode: 'embedded', profile: 'sandbox' }, INTENT.account),
    list: (journal) => journal.list({ limit: 1 }),
    find: (journal) => journal.find('o'),
    accountIds: (journal) => journal.accountIds(INTENT.account),
    isClaimed: (journal) => journal.isClaimed('r', 'o'),
    verify: (journal) => journal.verify(),
    accept: (journal) => journal.accept(),
    importFrom: (journal) => journal.importFrom([], [INTENT.account]),
    backUp: (journal) => journal.backUp('/nowhere/copy.db'),
    head: (journal) => journal.head(),
    requireLastLink: (journal) => journal.requireLastLink(),
  };

  test.each(Object.entries(calls))(
    'rejects %s, and does not throw before it returns a promise',
    async (_name, call) => {
      const journal = await testJournal();
      journal.close();
      const called = call(journal);
      await expect(called).rejects.toThrow();
    },
  );
});
