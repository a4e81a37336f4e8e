import { expect, onTestFinished, test } from 'vitest';
import { journalIn } from '../../src/journal/journal.ts';
import { openSqliteStore } from '../../src/journal/sqlite/store.ts';
import type { Store } from '../../src/journal/store.ts';
import { oneProcess, prepared, testJournal } from '../support/journal-intent.ts';
import { countingIds, fakeClock, temporaryFolder } from '../support/sandbox.ts';

test('an entry that another process adds and saves while the journal is read is not missing', async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const path = folder.file('journal.db');
  const world = { clock: fakeClock(), ids: countingIds(1), host: oneProcess() };
  const other = await testJournal({ path, ids: countingIds(2) });
  onTestFinished(() => other.close());
  await prepared(other);
  const store = await openSqliteStore(path, world);
  let adds = false;
  const busy: Store = {
    ...store,
    read: (work) =>
      store.read(async (queries) => {
        // From here on, this transaction sees no later entry.
        await queries.get('SELECT 1 AS found FROM entry LIMIT 1');
        if (adds) await prepared(other);
        return work(queries);
      }),
  };
  const journal = journalIn(busy, world);
  onTestFinished(() => journal.close());
  adds = true;
  await journal.requireLastLink();
  expect((await journal.verify()).problem).toBeUndefined();
});
