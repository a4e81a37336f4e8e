import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { prepared, testJournal } from '../support/journal-intent.ts';
import { countingIds, temporaryFolder } from '../support/sandbox.ts';

const OPERATIONS = 5;

/** Fills a journal with operations that were accepted, and returns its head. */
async function fill(path: string, seed = 1): Promise<string> {
  const journal = await testJournal({ path, ids: countingIds(seed) });
  for (let count = 0; count < OPERATIONS; count++) {
    const id = await prepared(journal);
    await journal.append(id, 'sent');
    await journal.append(id, 'accepted', { requestId: `r-${count}`, result: '{"endpoint":"fees.withdraw","data":{}}' });
  }
  const head = await journal.head();
  journal.close();
  return head;
}

/** Changes a journal file behind its back, with the triggers that protect it taken away. */
function tamper(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(`DROP TRIGGER transition_update; DROP TRIGGER transition_delete; PRAGMA foreign_keys = OFF; ${sql}`);
  database.close();
}

async function verified(path: string, head?: string) {
  const journal = await testJournal({ path });
  const result = await journal.verify(head);
  journal.close();
  return result;
}

/** Fills a journal, changes its file and verifies it. */
async function afterTampering(sql: string) {
  using folder = temporaryFolder();
  const path = folder.file('journal.db');
  await fill(path);
  tamper(path, sql);
  return (await verified(path)).problem;
}

describe('an untouched journal', () => {
  test('verifies, with its head', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    const head = await fill(path);
    expect(await verified(path, head)).toEqual({
      transitions: 3 * OPERATIONS,
      operations: OPERATIONS,
      heads: { 'host-1': head },
      problem: undefined,
    });
  });

  test('verifies when it is empty', async () => {
    const journal = await testJournal();
    expect(await journal.verify()).toEqual({ transitions: 0, operations: 0, heads: {}, problem: undefined });
    journal.close();
  });

  test('verifies with every character that JSON may escape in more than one way', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    const journal = await testJournal({ path });
    const text = Array.from({ length: 0x180 }, (_, code) => String.fromCharCode(code)).join('');
    const odd = `${text}\u2028\u2029\ufeff\uffff\u{10ffff}"'\\/`;
    const id = await prepared(journal, { summary: odd, request: odd });
    await journal.append(id, 'sent');
    await journal.append(id, 'accepted', { requestId: odd, detail: odd, result: odd });
    expect(await journal.verify()).toMatchObject({ transitions: 3, problem: undefined });
    journal.close();
    tamper(path, `UPDATE operation SET summary = summary || ' '`);
    expect((await verified(path)).problem?.what).toContain('transition 1 was changed');
  });

  test('contains every earlier head', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    const earlier = await fill(path);
    await fill(path, 2);
    expect((await verified(path, earlier)).problem).toBeUndefined();
  });
});

describe('verify names', () => {
  const byte = `substr(result, 1, 20) || 'X' || substr(result, 22)`;
  test.each([
    [
      'one changed byte',
      `UPDATE transition SET result = ${byte} WHERE sequence = 6`,
      'transition 6 was changed, or is out of order',
    ],
    [
      'a changed state',
      `UPDATE transition SET state = 'refused' WHERE sequence = 9`,
      'transition 9 was changed, or is out of order',
    ],
    [
      'a changed amount in an intent',
      `UPDATE operation SET request = '{"amount":1}' WHERE id = (SELECT operation_id FROM transition WHERE sequence = 4)`,
      'transition 4 was changed, or is out of order',
    ],
    ['a removed first row', 'DELETE FROM transition WHERE sequence = 1', 'transition 1 is missing before transition 2'],
    ['a removed row', 'DELETE FROM transition WHERE sequence = 7', 'transition 7 is missing before transition 8'],
    [
      'two swapped rows',
      'UPDATE transition SET sequence = -4 WHERE sequence = 4; UPDATE transition SET sequence = 4 WHERE sequence = 5; UPDATE transition SET sequence = 5 WHERE sequence = -4',
      'transition 4 was changed, or is out of order',
    ],
    [
      'an operation set back',
      `UPDATE operation SET state = 'refused' WHERE id = (SELECT operation_id FROM transition WHERE sequence = 3)`,
      'is not in its last state',
    ],
  ])('%s', async (_what, sql, expected) => {
    expect((await afterTampering(sql))?.what).toContain(expected);
  });

  const cut = `DELETE FROM transition WHERE sequence > ${3 * OPERATIONS - 3}; DELETE FROM operation WHERE id NOT IN (SELECT operation_id FROM transition)`;

  test('transitions cut from the end, by the head that is kept beside the journal', async () => {
    expect(await afterTampering(cut)).toMatchObject({
      sequence: 3 * OPERATIONS,
      what: expect.stringContaining('is missing or another one'),
    });
  });

  test('transitions cut from the end together with the kept head, by a head that was kept elsewhere', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    const head = await fill(path);
    tamper(path, cut);
    rmSync(`${path}.head`);
    expect((await verified(path)).problem).toBeUndefined();
    expect((await verified(path, head)).problem?.what).toContain('does not contain this head');
  });
});

describe('the last link', () => {
  test.each([
    ['is changed', `UPDATE transition SET detail = 'x' WHERE sequence = ${3 * OPERATIONS}`, true],
    ['lost the one before it', `DELETE FROM transition WHERE sequence = ${3 * OPERATIONS - 1}`, true],
    ['is untouched, and an early one is changed', `UPDATE transition SET detail = 'x' WHERE sequence = 1`, false],
  ])('%s', async (_what, sql, stops) => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    await fill(path);
    tamper(path, sql);
    const journal = await testJournal({ path });
    const check = () => journal.requireLastLink();
    if (stops) await expect(check()).rejects.toThrow('was changed by something else; nothing was sent');
    else await expect(check()).resolves.toBeUndefined();
    journal.close();
  });

  test('of another host is not checked', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    await fill(path);
    const journal = await testJournal({
      path,
      host: { name: 'host-2', user: 'b', processId: 1, isRunning: () => false },
    });
    await journal.requireLastLink();
    await prepared(journal);
    expect(Object.keys((await journal.verify()).heads)).toEqual(['host-1', 'host-2']);
    expect((await journal.verify()).problem).toBeUndefined();
    journal.close();
  });
});

test('a transition cannot be changed or deleted through the file’s own triggers', async () => {
  using folder = temporaryFolder();
  const path = folder.file('journal.db');
  await fill(path);
  const database = new DatabaseSync(path);
  expect(() => database.exec(`UPDATE transition SET state = 'refused'`)).toThrow('never changes');
  expect(() => database.exec('DELETE FROM transition')).toThrow('never deleted');
  database.close();
});
