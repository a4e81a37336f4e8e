import { copyFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import { appendFacts, subjects } from '../../src/journal/entries.ts';
import { TRIGGERS } from '../../src/journal/sqlite/schema.ts';
import { openSqliteStore } from '../../src/journal/sqlite/store.ts';
import { COLUMNS, edit, KEY_EDITS } from '../support/journal-edits.ts';
import { INTENT, oneProcess, prepared, testJournal } from '../support/journal-intent.ts';
import { countingIds, fakeClock, temporaryFolder } from '../support/sandbox.ts';

const KEYED = { ...INTENT, idempotencyKey: 'k', tag: '[fr-1]', moves: { asset: 'NGN', minor: 5_000n } } as const;
const CHANGED = { category: 'usage', code: 'JOURNAL_CHANGED', message: expect.stringContaining('nothing was sent') };

/** Edits a file with the triggers taken away meanwhile. */
function tamper(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  const drops = TRIGGERS.map((each) => `DROP TRIGGER ${each.split(' ')[2]}`);
  database.exec(['PRAGMA foreign_keys = OFF', ...drops, sql, ...TRIGGERS].join('; '));
  database.close();
}

/** How many entries the journal has that `edited` makes. */
const ENTRIES = 9;

/** Fills a journal, and edits its file. */
async function edited(path: string, sql: string) {
  const journal = await testJournal({ path });
  const id = await prepared(journal, KEYED);
  await journal.append(id, 'sent');
  await journal.append(id, 'accepted', { requestId: 'r', detail: 'd', result: '{}' });
  const rotation = { operationId: 'rotation-1', keyLocation: 'file', oldFingerprint: '0a1b', pushes: [] };
  await journal.prepareRotation({ ...INTENT, kind: 'destructive' }, rotation);
  await journal.learnFintech(INTENT.account, { id: 'f', isLive: true });
  journal.close();
  tamper(path, sql);
  return testJournal({ path, ids: countingIds(2) });
}

const IS_LONG = process.env['FIATRAIL_SOAK_RUNS'] !== undefined;

describe('an operation is not read if its row says what its entries do not', () => {
  const columns = COLUMNS['operation'] ?? [];
  test.each(columns.map((column) => edit('operation', column)))('%s', async (sets) => {
    using folder = temporaryFolder();
    const journal = await edited(folder.file('journal.db'), `UPDATE operation SET ${sets} WHERE once_key = 'k'`);
    await expect(journal.list({ limit: 9 })).rejects.toMatchObject(CHANGED);
    await expect(exportedAll(journal)).rejects.toMatchObject(CHANGED);
    journal.close();
  });

  test.each(['state', 'request_id', 'verdict', 'detail', 'result', 'at', 'busy_until', 'host'])(
    'nor if %s of an entry is another one',
    async (column) => {
      using folder = temporaryFolder();
      const sets = column === 'state' ? `state = 'unknown'` : edit('entry', column);
      const journal = await edited(folder.file('journal.db'), `UPDATE entry SET ${sets} WHERE request_id = 'r'`);
      await expect(journal.list({ limit: 9 })).rejects.toMatchObject(CHANGED);
      journal.close();
    },
  );
});

describe('the same idempotency key is not claimed again', () => {
  const files = { folder: undefined as ReturnType<typeof temporaryFolder> | undefined, whole: '' };
  beforeAll(async () => {
    files.folder = temporaryFolder();
    files.whole = files.folder.file('whole.db');
    (await edited(files.whole, 'PRAGMA journal_mode = DELETE')).close();
  });
  afterAll(() => files.folder?.[Symbol.dispose]());

  /** Edits a copy, and says what a second run under the key leads to. */
  async function claimedAfter(sql: string): Promise<string> {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    copyFileSync(files.whole, path);
    tamper(path, sql);
    const journal = await testJournal({ path, ids: countingIds(2) });
    try {
      return (await journal.claim(KEYED)).kind;
    } catch (error) {
      return error instanceof CliError && error.code === 'JOURNAL_CHANGED' ? 'changed' : String(error);
    } finally {
      journal.close();
    }
  }

  const ofKey = (sets: string) => `UPDATE operation SET ${sets} WHERE once_key = 'k'`;

  test('after no edit', async () => {
    expect(await claimedAfter('SELECT 1')).toBe('done');
  });

  test.each(KEY_EDITS)('after %s', async (sets) => {
    expect(await claimedAfter(ofKey(sets))).toBe('changed');
  });

  test('after two columns of its row were edited, or its row was deleted', async () => {
    const columns = COLUMNS['operation'] ?? [];
    // In the short form, each column with some others.
    const isTried = (one: number, two: number) => one < two && (IS_LONG || (one + two) % 4 === 0);
    const pairs = columns.flatMap((one, index) =>
      columns.filter((_, other) => isTried(index, other)).map((two) => [one, two] as const),
    );
    const found = new Set<string>();
    for (const [one, two] of pairs)
      found.add(await claimedAfter(ofKey(`${edit('operation', one)}, ${edit('operation', two)}`)));
    found.add(await claimedAfter(`DELETE FROM operation WHERE once_key = 'k'`));
    expect([...found]).toEqual(['changed']);
  }, 60_000);

  test.each(COLUMNS['entry'] ?? [])('after %s of an entry was edited, of whichever', async (column) => {
    const sequences = Array.from({ length: ENTRIES }, (_, index) => index + 1);
    for (const sequence of sequences) {
      const sets = edit('entry', column);
      expect(await claimedAfter(`UPDATE entry SET ${sets} WHERE sequence = ${sequence}`), `entry ${sequence}`).toMatch(
        /^(?:done|changed)$/,
      );
    }
  });

  test('after entries were deleted, of whichever', async () => {
    for (let sequence = 1; sequence <= ENTRIES; sequence++)
      expect(await claimedAfter(`DELETE FROM entry WHERE sequence = ${sequence}`)).toMatch(/^(?:done|changed)$/);
  });

  test('and verify finds it if both its row and the entry that has it were edited', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    copyFileSync(files.whole, path);
    tamper(path, `${ofKey(`once_key = 'other'`)}; UPDATE entry SET subject = subject || 'x' WHERE subject LIKE '% k'`);
    const journal = await testJournal({ path });
    expect((await journal.verify()).problem?.what).toContain('was changed');
    journal.close();
  });
});

async function exportedAll(journal: Awaited<ReturnType<typeof testJournal>>): Promise<void> {
  for await (const _ of journal.exported(false));
}

const ACCOUNT = 'SELECT account FROM account_name';

describe('money is not claimed if the keys of the account are not what the entries say', () => {
  test.each([
    ['another account', `UPDATE account_name SET account = 'another'`],
    ['no account', 'DELETE FROM account_name'],
    ['another key', `UPDATE account_name SET name = 'key:ffff' WHERE name LIKE 'key:%'`],
    ['one name more', `INSERT INTO account_name SELECT 'fintech:live x 1', account FROM account_name LIMIT 1`],
    ['one name less, as the entries do not say', `DELETE FROM account_name WHERE name LIKE 'fintech:%'`],
    [
      'the entry of a name edited with it',
      `UPDATE entry SET value = 'b' WHERE value IN (${ACCOUNT}); UPDATE account_name SET account = 'b'`,
    ],
  ])('%s', async (_what, sql) => {
    using folder = temporaryFolder();
    const journal = await edited(folder.file('journal.db'), sql);
    await expect(journal.claim(KEYED)).rejects.toMatchObject(CHANGED);
    expect(await journal.count()).toBe(2);
    journal.close();
  });
});

test.each(['profile', 'base_url', 'stage', 'key_place', 'old_fingerprint', 'pushes', 'pushed'])(
  'a rotation is not read if %s is not what its entry says',
  async (column) => {
    using folder = temporaryFolder();
    const value = column === 'pushes' ? `pushes = '["push"]'` : edit('rotation', column);
    const journal = await edited(folder.file('journal.db'), `UPDATE rotation SET ${value}`);
    await expect(journal.rotations.find('rotation-1')).rejects.toMatchObject(CHANGED);
    journal.close();
  },
);

describe('the database rejects', () => {
  test.each([
    ['an operation in a state that no entry has', `UPDATE operation SET state = 'settled'`],
    ['an operation with another request', `UPDATE operation SET request = '{}'`],
    ['an operation that is busy for longer', 'UPDATE operation SET busy_until = busy_until + 1'],
    ['an operation that is gone', 'DELETE FROM operation'],
    ['another account of a key', `UPDATE account_name SET account = 'another'`],
    ['a key that no entry knows', `INSERT INTO account_name VALUES ('key:ffff', 'another')`],
    ['a key that is gone', 'DELETE FROM account_name'],
  ])('%s', async (_what, sql) => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    (await edited(path, 'SELECT 1')).close();
    const database = new DatabaseSync(path);
    expect(() => database.exec(`PRAGMA foreign_keys = OFF; ${sql}`)).toThrow(/says what its entries say|never deleted/);
    database.close();
  });
});

test('no money moves if the operation of the last entry says anything else', async () => {
  using folder = temporaryFolder();
  const path = folder.file('journal.db');
  const journal = await testJournal({ path });
  await prepared(journal, KEYED);
  await journal.requireLastLink();
  tamper(path, `UPDATE operation SET state = 'rejected'`);
  await expect(journal.requireLastLink()).rejects.toMatchObject(CHANGED);
  journal.close();
});

test('an entry that gives a key to an operation which has another one is found by verify', async () => {
  using folder = temporaryFolder();
  const path = folder.file('journal.db');
  const before = await testJournal({ path });
  const id = await prepared(before, KEYED);
  const [account = ''] = await before.accountIds(KEYED.account);
  before.close();
  const store = await openSqliteStore(path, { clock: fakeClock(), ids: countingIds(), host: oneProcess() });
  const subject = subjects.idempotencyKey(account, 'another');
  await store.write((queries) => appendFacts({ queries, host: 'host-1' }, [{ subject, value: id }]));
  await store.close();
  const journal = await testJournal({ path });
  expect((await journal.verify()).problem?.what).toContain('the idempotency keys of the operations are not');
  await expect(journal.claim({ ...KEYED, idempotencyKey: 'another' })).rejects.toMatchObject(CHANGED);
  journal.close();
});

test('a table, an index or a trigger more or less stops money, and verify names it', async () => {
  for (const [sql, named] of [
    ['CREATE TABLE copies (id TEXT)', 'table copies was added to it'],
    ['CREATE TRIGGER copy AFTER INSERT ON operation BEGIN SELECT 1; END', 'trigger copy was added to it'],
    ['DROP INDEX held_once_key', 'index held_once_key is missing or another one'],
    ['DROP TRIGGER entry_delete', 'trigger entry_delete is missing or another one'],
  ] as const) {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    (await edited(path, 'SELECT 1')).close();
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    const journal = await testJournal({ path });
    await expect(journal.requireLastLink()).rejects.toThrow(named);
    expect((await journal.verify()).problem?.what).toContain(named);
    journal.close();
  }
});

test('shared texts are what the last entry about them says', async () => {
  using folder = temporaryFolder();
  const path = folder.file('journal.db');
  const store = await openSqliteStore(path, { clock: fakeClock(), ids: countingIds(), host: oneProcess() });
  for (const value of ['one', 'two', null])
    await store.write((queries) =>
      appendFacts({ queries, host: 'host-1' }, [{ subject: subjects.shared('rules'), value }]),
    );
  await store.close();
  const journal = await testJournal({ path });
  expect((await journal.verify()).problem).toBeUndefined();
  journal.close();
});
