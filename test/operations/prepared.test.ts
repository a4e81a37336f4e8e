import { expect, onTestFinished, test } from 'vitest';
import type { Account } from '../../src/engine/account.ts';
import { reconcile } from '../../src/engine/evidence/reconcile.ts';
import { oneProcess, prepared, testJournal } from '../support/journal-intent.ts';

test.each([
  ['the disk is full', new Error('the disk is full')],
  ['the journal is busy', new Error('busy')],
])('an intent that was never sent is not said to have ended if that cannot be recorded: %s', async (_why, error) => {
  const journal = await testJournal({ host: { ...oneProcess(), isRunning: () => false } });
  onTestFinished(() => journal.close());
  const id = await prepared(journal);
  const [operation] = await journal.find(id);
  if (!operation) throw new Error('not found');
  const session = (append: typeof journal.append) =>
    ({ journal: async () => ({ ...journal, append }) }) as unknown as Account;
  await expect(
    reconcile(
      session(() => Promise.reject(error)),
      operation,
    ),
  ).rejects.toBe(error);
  expect((await journal.find(id))[0]?.state).toBe('prepared');
  expect(await reconcile(session(journal.append), operation)).toMatchObject({
    kind: 'ended',
    operation: { state: 'rejected', detail: 'never sent' },
  });
});
