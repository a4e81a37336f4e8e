import { describe, expect, onTestFinished, test } from 'vitest';
import { rowsDigest, type StagedRow } from '../../src/journal/files.ts';
import type { Journal } from '../../src/journal/interface.ts';
import { INTENT, journals, oneProcess, prepared, testJournal } from '../support/journal-intent.ts';
import { fakeClock, temporaryFolder } from '../support/sandbox.ts';

const { account } = INTENT;
const OTHER = { ...account, keyFingerprint: 'ffff' };

const rowsOf = (count: number): readonly StagedRow[] =>
  Array.from({ length: count }, (_, at) => ({
    line: at + 2,
    reference: `INV-${at + 1}`,
    texts: { to: 'default', amount: String(1000 + at) },
  }));

async function* batches(...all: readonly (readonly StagedRow[])[]) {
  yield* all;
}

const fileOf = (rows: number, key = 'nov') => ({
  account,
  key,
  command: 'payout create',
  rows,
  sums: { CNGN: '5000' },
});

const stage = (journal: Journal, count: number, key?: string) =>
  journal.files.stage(fileOf(count, key), batches(rowsOf(count)));

async function opened(): Promise<Journal> {
  const journal = await testJournal();
  onTestFinished(() => journal.close());
  return journal;
}

describe('a staged file', () => {
  test('has its rows in their order, whatever parts they came in', async () => {
    const journal = await opened();
    const rows = rowsOf(1203);
    const { file, isNew } = await journal.files.stage(fileOf(1203), batches(rows.slice(0, 1), rows.slice(1)));
    expect([isNew, file.state, file.rows, file.stagedBy]).toEqual([true, 'open', 1203, 'ada on host-1']);
    const found = await journal.files.rows(file);
    expect(found).toEqual(rows.map((row, at) => ({ ...row, number: at + 1 })));
    const again = await journal.files.stage(fileOf(1203, 'dec'), batches(rows));
    expect(again.file.digest).toBe(file.digest);
    expect((await journal.verify()).problem).toBeUndefined();
  });

  test('is found by its key, and is that of one account', async () => {
    const journal = await opened();
    const { file } = await stage(journal, 2);
    expect(await journal.files.find(account, 'nov')).toEqual(file);
    expect(await journal.files.find(account, 'no')).toBeUndefined();
    expect(await journal.files.find(OTHER, 'nov')).toBeUndefined();
    expect(await journal.files.list(OTHER)).toEqual([]);
  });

  test('that was cancelled on a host is not opened on another, whose clock says that its plan has not expired', async () => {
    const journal = await opened();
    const planned = { ...fileOf(2), plan: { id: 'plan-1', entry: '{"plan":1}' } };
    const { file } = await journal.files.stage(planned, batches(rowsOf(2)));
    expect(file.state).toBe('planned');
    expect((await journal.files.setState(file, 'cancelled')).state).toBe('cancelled');
    const applied = { isOpen: () => true, struck: { references: [], sums: {} }, entry: '{"applied":1}' };
    expect((await journal.files.applyPlan(file, applied)).state).toBe('cancelled');
    expect((await journal.files.current(file)).state).toBe('cancelled');
  });

  test('is not staged twice under its key', async () => {
    const journal = await opened();
    const { file } = await stage(journal, 2);
    const second = await stage(journal, 3);
    expect([second.isNew, second.file]).toEqual([false, file]);
    expect(await journal.files.rows(file)).toHaveLength(2);
  });

  test('is staged whole, or not at all', async () => {
    const journal = await opened();
    async function* cut() {
      yield rowsOf(700);
      throw new Error('the file changed');
    }
    await expect(journal.files.stage(fileOf(700), cut())).rejects.toThrow('the file changed');
    await expect(journal.files.stage(fileOf(3), batches(rowsOf(2)))).rejects.toThrow('2 rows were staged');
    expect(await journal.files.list(account)).toEqual([]);
    expect(await journal.files.usedReferences(account, ['INV-1'])).toEqual(new Map());
    expect((await stage(journal, 2)).isNew).toBe(true);
  });

  test('says which references were used, and by which file', async () => {
    const journal = await opened();
    await stage(journal, 2);
    const used = await journal.files.usedReferences(account, ['INV-2', 'INV-3', 'inv-1']);
    expect([...used]).toEqual([['INV-2', 'nov']]);
    expect(await journal.files.usedReferences(OTHER, ['INV-2'])).toEqual(new Map());
  });

  test('is paused and opened again; a cancelled one stays so', async () => {
    const journal = await opened();
    const { file } = await stage(journal, 2);
    expect((await journal.files.setState(file, 'paused')).state).toBe('paused');
    expect((await journal.files.setState(file, 'open')).state).toBe('open');
    expect((await journal.files.setState(file, 'cancelled')).state).toBe('cancelled');
    expect((await journal.files.setState(file, 'open')).state).toBe('cancelled');
    expect((await journal.files.current(file)).state).toBe('cancelled');
    expect((await journal.verify()).problem).toBeUndefined();
  });

  test.each([
    [`UPDATE file_row SET texts = replace(texts, '1001', '9001') WHERE number = 2`],
    [`UPDATE file_row SET reference = 'INV-9' WHERE number = 2`],
    ['DELETE FROM file_row WHERE number = 3'],
    ['UPDATE file_row SET number = 9 WHERE number = 3'],
    [`INSERT INTO file_row SELECT file, 4, account, 'INV-4', 5, texts FROM file_row WHERE number = 3`],
  ])('whose rows were changed is not sent: %s', async (sql) => {
    const folder = temporaryFolder();
    onTestFinished(() => folder[Symbol.dispose]());
    const path = folder.file('journal.db');
    const journal = await testJournal({ path });
    onTestFinished(() => journal.close());
    const { file } = await stage(journal, 3);
    journals.edit(path, sql);
    await expect(journal.files.rows(file)).rejects.toThrow('the rows of the file nov is not what its entries say');
    expect((await journal.verify()).problem?.what).toContain('the rows of the files');
  });

  test('that was imported without its rows takes the same rows once more, and no others', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder[Symbol.dispose]());
    const path = folder.file('journal.db');
    const journal = await testJournal({ path });
    onTestFinished(() => journal.close());
    const { file } = await stage(journal, 3);
    journals.edit(path, 'DELETE FROM file_row');
    expect(await journal.files.rows(file)).toBeUndefined();
    const [first, second, third] = rowsOf(3);
    const other = batches([first, second, { ...third, reference: 'INV-9' }] as readonly StagedRow[]);
    await expect(journal.files.stage(fileOf(3), other)).rejects.toThrow('not what its entries say');
    expect(await journal.files.rows(file)).toBeUndefined();
    await stage(journal, 3);
    expect(await journal.files.rows(file)).toHaveLength(3);
  });
});

test('the operations of a file are those whose keys begin with its key', async () => {
  const journal = await opened();
  const keys = ['nov/A', 'nov/B/C', 'nova/A', 'nov', 'no/A'];
  for (const [at, idempotencyKey] of keys.entries())
    await prepared(journal, { idempotencyKey, input: `["${at}"]`, request: `{"amount":${at + 1}}` });
  const found = await journal.list({ account: await journal.accountIds(account), keyStart: 'nov/', limit: 9 });
  expect(found.map(({ idempotencyKey }) => idempotencyKey).toSorted()).toEqual(['nov/A', 'nov/B/C']);
});

describe('the lease of a file', () => {
  async function hosts() {
    const folder = temporaryFolder();
    onTestFinished(() => folder[Symbol.dispose]());
    const [path, clock] = [folder.file('journal.db'), fakeClock()];
    const one = await testJournal({ path, clock, host: oneProcess(100, 'host-1') });
    const two = await testJournal({ path, clock, host: oneProcess(100, 'host-2') });
    onTestFinished(() => one.close());
    onTestFinished(() => two.close());
    const { file } = await stage(one, 1);
    return { one: one.files, two: two.files, file, clock, path };
  }

  test('is that of one process until it gives it back', async () => {
    const { one, two, file } = await hosts();
    expect(await one.lease(file, 'a', 60_000)).toBeUndefined();
    expect(await one.lease(file, 'a', 60_000)).toBeUndefined();
    expect(await two.lease(file, 'b', 60_000)).toMatchObject({
      holder: 'a',
      host: expect.stringMatching(/^host-1/),
      process: 100,
    });
    // Only its holder can.
    await two.release(file, 'b');
    expect(await two.leaseOf(file)).toMatchObject({ holder: 'a' });
    await one.release(file, 'a');
    expect(await two.lease(file, 'b', 60_000)).toBeUndefined();
    expect(await one.lease(file, 'a', 60_000)).toMatchObject({
      holder: 'b',
      host: expect.stringMatching(/^host-2/),
    });
  });

  test('is over after its time, for another host', async () => {
    const { one, two, file, clock } = await hosts();
    await one.lease(file, 'a', 60_000);
    clock.pass(59_999);
    expect(await two.lease(file, 'b', 60_000)).toMatchObject({ holder: 'a' });
    clock.pass(2);
    expect(await two.lease(file, 'b', 60_000)).toBeUndefined();
    expect(await one.lease(file, 'a', 60_000)).toMatchObject({ holder: 'b' });
  });

  test('of a process of this machine that has ended is over at once', async () => {
    const { one, file, clock, path } = await hosts();
    await one.lease(file, 'a', 60_000);
    const next = await testJournal({ path, clock, host: oneProcess(101, 'host-1') });
    onTestFinished(() => next.close());
    expect(await next.files.lease(file, 'b', 60_000)).toBeUndefined();
  });
});

describe('the digest of rows', () => {
  const digestOf = (...rows: readonly Readonly<Record<string, string>>[]) => {
    const digest = rowsDigest();
    for (const texts of rows) digest.add({ line: 2, reference: 'A', texts });
    return digest.value();
  };

  test('is that of their texts, in whatever order a row has them', () => {
    expect(digestOf({ to: 'default', amount: '5' })).toBe(digestOf({ amount: '5', to: 'default' }));
    expect(digestOf({ amount: 'default', to: '5' })).not.toBe(digestOf({ amount: '5', to: 'default' }));
  });

  test.each<Readonly<Record<string, string>>>([
    { amount: '5', note: 'y' },
    { amount: '5' },
    { amount: '5', note: 'x', to: 'z' },
  ])('has all texts of a row with other names than the one before: %o', (other) => {
    const first = { amount: '5', to: 'default' };
    expect(digestOf(first, other)).not.toBe(digestOf(first, { amount: '5', note: 'x' }));
  });
});
