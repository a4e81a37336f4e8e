import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Journal } from '../../src/journal/interface.ts';
import { mergeSpool } from '../../src/journal/merge.ts';
import { openSqliteStore } from '../../src/journal/sqlite/store.ts';
import { DatabaseError } from '../../src/sqlite/errors.ts';
import { oneProcess, prepared, testJournal } from '../support/journal-intent.ts';
import { testQueryPlans } from '../support/query-plans.ts';
import { countingIds, fakeClock, START_MS, temporaryFolder } from '../support/sandbox.ts';

/** Takes the write lock of a journal on a connection of its own, as another process would, and returns how to release it. */
function locked(path: string): () => void {
  const holder = new DatabaseSync(path, { timeout: 10_000 });
  holder.exec('BEGIN IMMEDIATE');
  const release = () => {
    if (holder.isOpen) holder.close();
  };
  onTestFinished(release);
  return release;
}

/** A journal with operations that were sent, and outcomes spooled while another connection held its lock. */
async function withKept(
  outcomes: readonly Parameters<Journal['record']>[1][],
  appended: Parameters<Journal['record']>[2] = { requestId: 'r-1', result: '{"a":1}' },
) {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const path = folder.file('journal.db');
  const clock = fakeClock();
  const journal = await testJournal({ path, clock });
  onTestFinished(() => journal.close());
  const ids: string[] = [];
  for (const _ of outcomes) {
    const id = await prepared(journal);
    await journal.append(id, 'sent');
    ids.push(id);
  }
  const release = locked(path);
  clock.pass(700);
  for (const [index, state] of outcomes.entries())
    expect(await journal.record(ids[index] ?? '', state, appended)).toBe('spool');
  release();
  const kept = () => readdirSync(folder.path).filter((name) => name.includes('.outcome-'));
  const transitions = () => {
    const database = new DatabaseSync(path, { readOnly: true });
    const rows = database.prepare('SELECT state FROM entry WHERE subject IS NULL ORDER BY sequence').all();
    database.close();
    return rows.map(({ state }) => state);
  };
  const only = async () => (await journal.list({ limit: 10 })).map(({ state, requestId }) => [state, requestId]);
  return { folder, path, clock, journal, ids, kept, transitions, only };
}

describe('an outcome that the journal cannot take', () => {
  test('waits in a private file, and is merged with its time', async () => {
    const { folder, journal, kept, ids, clock } = await withKept(['accepted']);
    clock.pass(60_000);
    const [name = ''] = kept();
    expect((statSync(folder.file(name)).mode & 0o777).toString(8)).toBe('600');
    expect(await journal.list({ limit: 1 })).toMatchObject([{ state: 'sent' }]);
    expect(await journal.merge()).toEqual({ count: 1, warnings: [] });
    expect(await journal.list({ limit: 1 })).toMatchObject([
      {
        operationId: ids[0],
        state: 'accepted',
        requestId: 'r-1',
        result: '{"a":1}',
        updatedAt: new Date(START_MS + 700).toISOString(),
      },
    ]);
    expect(kept()).toEqual([]);
    expect((await journal.verify()).problem).toBeUndefined();
  });

  test('is merged with others in one transaction', async () => {
    const { journal, kept, only } = await withKept(['accepted', 'rejected', 'unknown'], { detail: 'why' });
    expect(kept()).toHaveLength(3);
    expect((await journal.merge()).count).toBe(3);
    expect((await only()).map(([state]) => state)).toEqual(['unknown', 'rejected', 'accepted']);
  });

  test('is appended once if the process was killed before it deleted the file', async () => {
    const { folder, journal, kept, transitions } = await withKept(['accepted', 'unknown']);
    const copies = kept().map((name) => [name, readFileSync(folder.file(name))] as const);
    await journal.merge();
    const before = transitions();
    for (const [name, bytes] of copies) writeFileSync(folder.file(name), bytes);
    expect(await journal.merge()).toEqual({ count: 2, warnings: [] });
    expect(transitions()).toEqual(before);
    expect(kept()).toEqual([]);
  });

  test('is merged once by two processes', async () => {
    const { path, journal, transitions, clock } = await withKept(['unknown']);
    const other = await testJournal({ path, clock, ids: countingIds(2) });
    await Promise.all([journal.merge(), other.merge()]);
    other.close();
    expect(transitions()).toEqual(['prepared', 'sent', 'unknown']);
  });

  test('stays where it is while the journal is still locked', async () => {
    const { path, journal, kept, only } = await withKept(['accepted']);
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    expect(await journal.merge()).toEqual({ count: 0, warnings: [] });
    other.close();
    expect(kept()).toHaveLength(1);
    expect((await journal.merge()).count).toBe(1);
    expect(await only()).toEqual([['accepted', 'r-1']]);
  }, 60_000);

  test('is neither written nor kept if the state does not allow it', async () => {
    const { journal, ids, kept } = await withKept(['accepted']);
    await journal.merge();
    expect(await journal.record(ids[0] ?? '', 'rejected', {})).toBe('contradicted');
    expect(kept()).toEqual([]);
  });

  test.each([
    ['found by its request id', 'accepted', { requestId: 'r-1' }],
    ['ended', 'failed', { requestId: 'r-1' }],
  ] as const)('is dropped when the operation was %s in the meantime', async (_what, state, appended) => {
    const { journal, ids, kept, only } = await withKept(['accepted']);
    await journal.append(ids[0] ?? '', state, appended);
    expect(await journal.merge()).toEqual({ count: 1, warnings: [] });
    expect(await only()).toEqual([[state, 'r-1']]);
    expect(kept()).toEqual([]);
  });
});

describe('a transaction that does not commit', () => {
  test.each([
    ['with the disk full', new DatabaseError('full', 'journal.db', undefined)],
    ['with an internal error', new TypeError('a bug')],
  ])('leaves every spooled outcome where it is: %s', async (_what, error) => {
    const { folder, path, journal, clock, kept, only } = await withKept(['accepted', 'rejected']);
    const store = await openSqliteStore(path, { clock, ids: countingIds(3), host: oneProcess() });
    onTestFinished(() => store.close());
    const spool = { path, unique: () => 'unique', sign: journal.digest };
    const before = kept();
    const merging = mergeSpool(
      (work) =>
        store.write(async (queries) => {
          await work({ queries, host: store.host });
          throw error;
        }),
      spool,
      before.map((name) => folder.file(name)),
    );
    if (error instanceof DatabaseError) expect(await merging).toEqual({ count: 0, warnings: [] });
    else await expect(merging).rejects.toBe(error);
    expect(kept()).toEqual(before);
    expect((await only()).map(([state]) => state)).toEqual(['sent', 'sent']);
    // The next command records them.
    expect((await journal.merge()).count).toBe(2);
    expect((await only()).map(([state]) => state)).toEqual(['rejected', 'accepted']);
  });
});

describe('a spooled outcome decides nothing and is left, with a warning, if it', () => {
  const body = (text: string, change: (value: Record<string, unknown>) => object) => {
    const [signature, json = ''] = text.split('\n');
    return `${signature}\n${JSON.stringify(change(JSON.parse(json)))}\n`;
  };

  test.each([
    ['was changed', (text: string) => body(text, (value) => ({ ...value, requestId: 'r-2' }))],
    ['is signed with another key', (text: string) => text.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))],
    ['has no signature', (text: string) => text.slice(text.indexOf('\n'))],
    ['is empty', () => ''],
    ['is too long', (text: string) => text + ' '.repeat(5_000_000)],
  ])('%s', async (_what, change) => {
    const { folder, journal, kept, only } = await withKept(['accepted']);
    const path = folder.file(kept()[0] ?? '');
    writeFileSync(path, change(readFileSync(path, 'utf8')));
    expect(await journal.merge()).toEqual({
      count: 0,
      warnings: [`${path} was ignored: this journal did not write it, or it was changed`],
    });
    expect(await only()).toEqual([['sent', null]]);
    expect(kept()).toHaveLength(1);
  });

  test('is a link', async () => {
    const { folder, journal, kept, only } = await withKept(['accepted']);
    const path = folder.file(kept()[0] ?? '');
    writeFileSync(folder.file('elsewhere'), readFileSync(path));
    const link = path.replace('.json', '-link.json');
    symlinkSync(folder.file('elsewhere'), link);
    const { count, warnings } = await journal.merge();
    expect({ count, warnings }).toEqual({ count: 1, warnings: [expect.stringContaining('is a symbolic link')] });
    expect(kept()).toEqual([link.slice(folder.path.length + 1)]);
    expect(await only()).toEqual([['accepted', 'r-1']]);
  });

  test('is of another journal', async () => {
    const [ours, theirs] = [await withKept(['accepted']), await withKept(['accepted'])];
    const other = new DatabaseSync(theirs.path);
    other.exec(`UPDATE setting SET value = 'another' WHERE name = 'digest-key'`);
    other.close();
    const reopened = await testJournal({ path: theirs.path });
    const [name = ''] = ours.kept();
    for (const each of theirs.kept()) writeFileSync(theirs.folder.file(each), readFileSync(ours.folder.file(name)));
    expect((await reopened.merge()).count).toBe(0);
    reopened.close();
    expect(await theirs.only()).toEqual([['sent', null]]);
  });

  test('is about an operation that the journal does not have', async () => {
    const { path, journal, kept } = await withKept(['accepted']);
    const other = new DatabaseSync(path);
    other.exec('DROP TRIGGER entry_delete; DROP TRIGGER operation_delete; DELETE FROM entry; DELETE FROM operation');
    other.close();
    expect((await journal.merge()).warnings).toEqual([expect.stringContaining('this journal has no operation')]);
    expect(kept()).toHaveLength(1);
  });

  test.each(['r-1', undefined])('contradicts the verdict of a person, with the request id %s', async (requestId) => {
    const { journal, ids, kept, only } = await withKept(['accepted'], { requestId });
    await journal.append(ids[0] ?? '', 'resolved', { verdict: 'not-done' });
    expect((await journal.merge()).warnings).toEqual([
      expect.stringContaining(`was accepted (request id ${requestId ?? 'unknown'}), but the journal says not-done`),
    ]);
    expect(kept()).toHaveLength(1);
    expect(await only()).toEqual([['resolved', null]]);
  });
});

describe('a spooled outcome of another request id than the journal’s decides nothing and is left, with a warning', () => {
  test.each([
    ['accepted', 'accepted', ['accepted']],
    ['settled', 'settled', ['accepted', 'settled']],
    ['failed', 'failed', ['accepted', 'failed']],
  ] as const)('if the operation is %s', async (_what, last, states) => {
    const { journal, ids, kept, only } = await withKept(['accepted'], { requestId: 'r-1' });
    for (const state of states) await journal.append(ids[0] ?? '', state, { requestId: 'r-2' });
    const { count, warnings } = await journal.merge();
    expect({ count, warnings }).toEqual({
      count: 0,
      warnings: [expect.stringContaining(`was accepted (request id r-1), but the journal says ${last}`)],
    });
    expect(kept()).toHaveLength(1);
    expect(await only()).toEqual([[last, 'r-2']]);
  });
});

describe('a kept rejection of what the journal knows to be accepted decides nothing and is left, with a warning', () => {
  test.each([
    ['accepted', ['accepted']],
    ['settled', ['accepted', 'settled']],
  ] as const)('when it is %s', async (last, states) => {
    const { journal, ids, kept, only } = await withKept(['rejected'], { detail: 'no' });
    for (const state of states) await journal.append(ids[0] ?? '', state, { requestId: 'r-1' });
    expect((await journal.merge()).warnings).toEqual([
      expect.stringContaining(`was rejected, but the journal says ${last}`),
    ]);
    expect(kept()).toHaveLength(1);
    expect(await only()).toEqual([[last, 'r-1']]);
  });
});

test.each([5_000_000, 4 * 1024 * 1024])('an outcome of %d characters is kept without the data', async (length) => {
  const { folder, journal, kept } = await withKept(['accepted'], { requestId: 'r-1', result: 'x'.repeat(length) });
  expect(statSync(folder.file(kept()[0] ?? '')).size).toBeLessThan(1_000);
  expect(await journal.merge()).toEqual({ count: 1, warnings: [] });
  expect(await journal.list({ limit: 1 })).toMatchObject([{ state: 'accepted', requestId: 'r-1', result: null }]);
});

test('the mode of a spooled outcome is restricted again before it is read', async () => {
  const { folder, journal, kept } = await withKept(['accepted']);
  chmodSync(folder.file(kept()[0] ?? ''), 0o644);
  expect((await journal.merge()).count).toBe(1);
});

testQueryPlans();
