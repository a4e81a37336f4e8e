import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { otherJournalOf } from '../../src/journal/moved.ts';
import type { Queries } from '../../src/journal/store.ts';
import { temporaryFolder } from '../support/built.ts';
import { INTENT, prepared, testJournal } from '../support/journal-intent.ts';
import { countingIds, fakeClock } from '../support/sandbox.ts';

/** The journal of this host with three operations, of which a journal on a server has some. */
async function partlyMoved(moved: (ids: readonly string[]) => readonly string[], passMs: number) {
  const dir = temporaryFolder(onTestFinished);
  const localPath = join(dir, 'journal.db');
  const clock = fakeClock();
  const journal = await testJournal({ path: localPath, ids: countingIds(), clock });
  const ids: string[] = [];
  for (const input of ['a', 'b', 'c']) {
    ids.push(await prepared(journal, { input }));
    clock.pass(passMs);
  }
  await journal.close();
  const onServer = new DatabaseSync(':memory:');
  onTestFinished(() => onServer.close());
  onServer.exec('CREATE TABLE operation (id TEXT PRIMARY KEY)');
  for (const id of moved(ids)) onServer.prepare('INSERT INTO operation VALUES (?)').run(id);
  const queries = {
    get: async (sql: string, ...values: string[]) => onServer.prepare(sql).get(...values),
  } as unknown as Queries;
  const store = {
    path: join(dir, 'journal-server'),
    server: { name: 'db.test', localPath },
    read: <T>(work: (queries: Queries) => Promise<T>) => work(queries),
  };
  return { localPath, other: await otherJournalOf(store, INTENT.account) };
}

describe.each([
  ['of different times', 1],
  ['of one moment', 0],
])('a journal on a server, beside this host’s with operations %s,', (_what, passMs) => {
  test('is used when it has them all', async () => {
    expect((await partlyMoved((ids) => ids, passMs)).other).toBeUndefined();
  });

  test.each([
    ['none of them', () => []],
    ['the oldest alone', (ids: readonly string[]) => ids.slice(0, 1)],
    ['all but the newest', (ids: readonly string[]) => ids.slice(0, -1)],
  ])('is not used when it has %s', async (_which, moved) => {
    const { localPath, other } = await partlyMoved(moved, passMs);
    expect(other).toMatchObject({ kind: 'file', location: localPath });
  });
});
