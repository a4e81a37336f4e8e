import { copyFileSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TRIGGERS } from '../../src/journal/sqlite/schema.ts';
import { COLUMNS, edit, KEYS } from '../support/journal-edits.ts';
import { INTENT, prepared, testJournal } from '../support/journal-intent.ts';
import { countingIds, temporaryFolder } from '../support/sandbox.ts';

const OPERATIONS = 5;
/** The key of the digests, and the account’s key. */
const BEGINNING = 2;

/** Fills a journal with operations that were accepted, and returns its checkpoint. */
async function fill(path: string, seed = 1): Promise<string> {
  const journal = await testJournal({ path, ids: countingIds(seed) });
  for (let count = 0; count < OPERATIONS; count++) {
    const id = await prepared(journal);
    await journal.append(id, 'sent');
    await journal.append(id, 'accepted', { requestId: `r-${count}`, result: '{"endpoint":"fees.withdraw","data":{}}' });
  }
  const head = (await journal.head())?.hash ?? '';
  journal.close();
  return head;
}

/** Changes a journal file behind its back: takes away the triggers that protect it, and puts them back. */
function tamper(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  const drops = TRIGGERS.map((each) => `DROP TRIGGER ${each.split(' ')[2]}`);
  database.exec(['PRAGMA foreign_keys = OFF', ...drops, sql, ...TRIGGERS].join('; '));
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
  test('verifies, with its checkpoint', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    const head = await fill(path);
    expect(await verified(path, head)).toEqual({
      entries: BEGINNING + 3 * OPERATIONS,
      operations: OPERATIONS,
      head: { sequence: BigInt(BEGINNING + 3 * OPERATIONS), hash: head },
      problem: undefined,
    });
  });

  test('verifies when it is empty', async () => {
    const journal = await testJournal();
    expect(await journal.verify()).toMatchObject({ entries: 1, operations: 0, problem: undefined });
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
    expect(await journal.verify()).toMatchObject({ entries: BEGINNING + 3, problem: undefined });
    journal.close();
    tamper(path, `UPDATE operation SET summary = summary || ' '`);
    expect((await verified(path)).problem?.what).toContain('entry 3, was changed');
  });

  test('contains every earlier checkpoint', async () => {
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
      `UPDATE entry SET result = ${byte} WHERE sequence = 8`,
      'entry 8, was changed, or is out of order',
    ],
    [
      'a changed state',
      `UPDATE entry SET state = 'rejected' WHERE sequence = 8`,
      'entry 8, was changed, or is out of order',
    ],
    [
      'a changed amount in an intent',
      `UPDATE operation SET request = '{"amount":1}' WHERE id = (SELECT operation_id FROM entry WHERE sequence = 6)`,
      'entry 6, was changed, or is out of order',
    ],
    ['a removed first row', 'DELETE FROM entry WHERE sequence = 1', 'entry 2, follows entry 0'],
    [
      'a removed row',
      'DELETE FROM entry WHERE sequence = 6',
      'entry 7, follows entry 5: what was between them is missing',
    ],
    [
      'two swapped rows',
      'UPDATE entry SET sequence = -3 WHERE sequence = 3; UPDATE entry SET sequence = 3 WHERE sequence = 4; UPDATE entry SET sequence = 4 WHERE sequence = -3',
      'entry 3, was changed, or is out of order',
    ],
    [
      'an operation set back',
      `UPDATE operation SET state = 'rejected' WHERE id = (SELECT operation_id FROM entry WHERE sequence = 5)`,
      'does not say what its entries say',
    ],
  ])('%s', async (_what, sql, expected) => {
    expect((await afterTampering(sql))?.what).toContain(expected);
  });

  const last = BEGINNING + 3 * OPERATIONS;
  const cut = `DELETE FROM entry WHERE sequence > ${last - 3};
    DELETE FROM operation WHERE id NOT IN (SELECT operation_id FROM entry WHERE operation_id IS NOT NULL);
    UPDATE tally SET count = count - 1`;

  test('transitions cut from the end, by the checkpoint that is kept beside the journal', async () => {
    expect(await afterTampering(cut)).toMatchObject({
      sequence: last,
      what: expect.stringContaining('is missing or another one'),
    });
  });

  test('transitions cut from the end together with the kept checkpoint, by a checkpoint that was kept elsewhere', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    const head = await fill(path);
    tamper(path, cut);
    rmSync(`${path}.head`);
    expect((await verified(path)).problem).toBeUndefined();
    expect((await verified(path, head)).problem?.what).toContain('does not contain this checkpoint');
  });
});

describe('the last link', () => {
  test.each([
    ['is changed', `UPDATE entry SET detail = 'x' WHERE sequence = ${BEGINNING + 3 * OPERATIONS}`, true],
    ['lost the one before it', `DELETE FROM entry WHERE sequence = ${BEGINNING + 3 * OPERATIONS - 1}`, true],
    ['is untouched, and an early one is changed', `UPDATE entry SET detail = 'x' WHERE sequence = 1`, false],
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

  test('may be another host’s', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    await fill(path);
    const journal = await testJournal({
      path,
      host: { name: 'host-2', user: 'b', processId: 1, isRunning: () => false },
    });
    await journal.requireLastLink();
    await prepared(journal);
    expect((await journal.verify()).problem).toBeUndefined();
    journal.close();
  });
});

test('a transition cannot be changed or deleted through the file’s own triggers', async () => {
  using folder = temporaryFolder();
  const path = folder.file('journal.db');
  await fill(path);
  const database = new DatabaseSync(path);
  expect(() => database.exec(`UPDATE entry SET state = 'rejected'`)).toThrow('never changes');
  expect(() => database.exec('DELETE FROM entry')).toThrow('never deleted');
  database.close();
});

const EDITS = Object.entries(COLUMNS).flatMap(([table, columns]) => columns.map((column) => ({ table, column })));
const ALL_PAIRS = EDITS.flatMap((one, index) =>
  EDITS.slice(index + 1).flatMap((other) => (one.table === other.table ? [{ ...one, and: other.column }] : [])),
);
/** Every pair in the long form; else as many as take a few seconds. */
const PAIRS = process.env['FIATRAIL_SOAK_RUNS'] ? ALL_PAIRS : ALL_PAIRS.filter((_, index) => index % 8 === 0);

describe('every column is covered', () => {
  /** A journal with everything that one can have: unknownOutcomes, ends, a rotation, keys of an account, sums. */
  async function everything(path: string): Promise<void> {
    const journal = await testJournal({ path });
    const moves = { asset: 'NGN', minor: 50_000n } as const;
    const authority = { plan: 'p', author: { user: 'u', host: 'h', approver: null }, signers: [] };
    const id = await prepared(journal, { idempotencyKey: 'k', tag: '[fr-1]', moves, authority });
    await journal.append(id, 'sent');
    await journal.append(id, 'accepted', { requestId: 'r', result: '{}' });
    await journal.append(id, 'settled', { detail: 'd' });
    const resolved = await prepared(journal, { idempotencyKey: 'l' });
    await journal.append(resolved, 'sent');
    await journal.append(resolved, 'resolved', { verdict: 'completed', detail: 'a person' });
    const rotation = { operationId: 'rotation-1', keyLocation: 'file', oldFingerprint: '0a1b', pushes: ['push'] };
    await journal.prepareRotation({ ...INTENT, kind: 'destructive', endpoint: 'keys.regenerate' }, rotation);
    await journal.moveRotation('rotation-1', 'prepared', 'sending');
    const row = (line: number) => ({ line, reference: `INV-${line}`, texts: { amount: '5' } });
    async function* rows() {
      yield [row(2), row(3)];
    }
    await journal.files.stage(
      { account: INTENT.account, key: 'pay', command: 'payout create', rows: 2, sums: {} },
      rows(),
    );
    journal.close();
  }

  /** What an edit leads to: `verify` finds it, or the journal cannot even be opened. */
  async function found(path: string): Promise<string | undefined> {
    try {
      return (await verified(path)).problem?.what;
    } catch (error) {
      return String(error);
    }
  }

  const copies = { whole: '', folder: undefined as ReturnType<typeof temporaryFolder> | undefined };
  beforeAll(async () => {
    copies.folder = temporaryFolder();
    copies.whole = copies.folder.file('whole.db');
    await everything(copies.whole);
    const database = new DatabaseSync(copies.whole);
    database.exec('PRAGMA journal_mode = DELETE');
    database.close();
  });
  afterAll(() => copies.folder?.[Symbol.dispose]());

  /** Edits each row of a table by itself in a copy, and returns those edits that nobody notices. */
  async function unnoticed(table: string, sets: string): Promise<string[]> {
    using folder = temporaryFolder();
    const rows = new DatabaseSync(copies.whole, { readOnly: true });
    const { count } = rows.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number };
    rows.close();
    const left: string[] = [];
    for (let row = 0; row < count; row++) {
      const path = folder.file(`${row}.db`);
      copyFileSync(copies.whole, path);
      const key = KEYS[table] ?? 'rowid';
      const one = `SELECT ${key} FROM ${table} ORDER BY ${key} LIMIT 1 OFFSET ${row}`;
      const before = contentOf(path, table);
      tamper(path, `UPDATE ${table} SET ${sets} WHERE (${key}) IN (${one})`);
      // An edit that changes nothing is none.
      if (contentOf(path, table) !== before && (await found(path)) === undefined) left.push(`row ${row}: ${sets}`);
    }
    return left;
  }

  test('an untouched copy verifies', async () => {
    using folder = temporaryFolder();
    const path = folder.file('copy.db');
    copyFileSync(copies.whole, path);
    tamper(path, 'SELECT 1');
    expect(await found(path)).toBeUndefined();
  });

  test('and every column of the tables is edited here', () => {
    const database = new DatabaseSync(copies.whole, { readOnly: true });
    const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all() as { name: string }[];
    const columns = tables.map(({ name }) => [
      name,
      (database.prepare(`PRAGMA table_info(${name})`).all() as { name: string }[]).map((each) => each.name).toSorted(),
    ]);
    database.close();
    expect(Object.fromEntries(columns)).toEqual(
      Object.fromEntries(Object.entries(COLUMNS).map(([table, names]) => [table, names.toSorted()])),
    );
  });

  test.each(EDITS)('$column of $table', async ({ table, column }) => {
    expect(await unnoticed(table, edit(table, column))).toEqual([]);
  });

  test.each(EDITS)('$column of $table, with the triggers gone, stops money', async ({ table, column }) => {
    using folder = temporaryFolder();
    const path = folder.file('copy.db');
    copyFileSync(copies.whole, path);
    const database = new DatabaseSync(path);
    const drops = TRIGGERS.map((each) => `DROP TRIGGER ${each.split(' ')[2]}`);
    database.exec(
      ['PRAGMA foreign_keys = OFF', ...drops, `UPDATE OR REPLACE ${table} SET ${edit(table, column)}`].join('; '),
    );
    database.close();
    await expect(
      (async () => {
        const journal = await testJournal({ path });
        await journal.requireLastLink().finally(() => journal.close());
      })(),
    ).rejects.toThrow();
  });

  test('two columns of a row at once', async () => {
    const left: string[] = [];
    for (const { table, column, and } of PAIRS) {
      const sets = `${edit(table, column)}, ${edit(table, and)}`;
      left.push(...(await unnoticedAtOnce(table, sets)));
    }
    expect(left).toEqual([]);
  }, 120_000);

  /** Edits the last row of a table that the edit changes. */
  async function unnoticedAtOnce(table: string, sets: string): Promise<string[]> {
    using folder = temporaryFolder();
    const path = folder.file('pair.db');
    copyFileSync(copies.whole, path);
    const before = contentOf(path, table);
    const key = KEYS[table] ?? 'rowid';
    tamper(
      path,
      `UPDATE ${table} SET ${sets} WHERE (${key}) IN (SELECT ${key} FROM ${table} ORDER BY ${key} DESC LIMIT 1)`,
    );
    return contentOf(path, table) !== before && (await found(path)) === undefined ? [`${table}: ${sets}`] : [];
  }

  // A lease says who is at work, and nothing that was sent depends on it.
  test.each(Object.keys(COLUMNS).filter((table) => table !== 'file_lease'))('a removed row of %s', async (table) => {
    using folder = temporaryFolder();
    const path = folder.file('copy.db');
    copyFileSync(copies.whole, path);
    const key = KEYS[table] ?? 'rowid';
    tamper(path, `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} ORDER BY ${key} LIMIT 1)`);
    expect(await found(path)).toBeDefined();
  });
});

function contentOf(path: string, table: string): string {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return JSON.stringify(database.prepare(`SELECT * FROM ${table}`).all());
  } finally {
    database.close();
  }
}
