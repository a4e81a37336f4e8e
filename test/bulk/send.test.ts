import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Home } from '../support/built.ts';
import { clockThatSkips, fiatrail, fiatrailJson, type HereOptions } from '../support/in-process.ts';
import { amountsOf, createWords, homeForRows, manyRows, paidIn, type Row, runIn, writeRows } from './payouts.ts';

/** The endpoint that starts a payout. */
const START = 'transactions.fintech-offramp';

let home: Home;

beforeEach(async () => {
  home = await homeForRows();
});

const fileOf = (rows: readonly Row[], name?: string) => writeRows(home, rows, name);
const run = (argv: readonly string[], options?: HereOptions) => runIn(home, argv, options);
const LOST = [
  'sandbox',
  'fault',
  'add',
  '--on',
  'transactions.fintech-offramp',
  '--fault',
  'lost-request',
  '--times',
  '1',
];
const paid = () => paidIn(home);
const create = (rows: readonly Row[], more: readonly string[] = [], options?: HereOptions) =>
  run([...createWords(fileOf(rows)), ...more], options);

describe('bulk create', () => {
  test('sends each row once, however often it is run', async () => {
    const rows = manyRows(4);
    const { code, data } = await create(rows);
    expect([code, data]).toEqual([
      0,
      expect.objectContaining({ status: 'finished', rows: 4, done: 4, waiting: 0, waitsFor: null }),
    ]);
    expect(data.sums).toEqual([{ value: '4006.000000', asset: 'CNGN' }]);
    expect(data.left).toEqual([{ value: '0.000000', asset: 'CNGN' }]);
    expect(await paid()).toEqual(amountsOf(rows));
    expect((await create(rows)).code).toBe(0);
    // In another order, it is the same file.
    expect((await create(rows.toReversed())).code).toBe(0);
    expect(await paid()).toEqual(amountsOf(rows));
  });

  test('sends one that never arrived again, also after a hundred others of the same moment', async () => {
    const rows = manyRows(110);
    const nowMs = Date.now();
    const still = { clock: { ...clockThatSkips(nowMs), now: () => nowMs } };
    await create(rows, ['--first', '105'], still);
    await fiatrail(home, [...LOST, '-q']);
    expect((await create(rows, [], still)).data).toMatchObject({ done: 109, unknown: 1 });
    await fiatrail(home, ['sandbox', 'advance', '20m', '-q']);
    await fiatrail(home, ['payout', 'create', '--amount', '7', '--to', 'default', '--yes', '-q']);
    // Its first look is the second one, and proves it before the rows are sent.
    expect((await create(rows)).data).toMatchObject({ done: 110, unknown: 0 });
    expect(await paid()).toEqual([...amountsOf(rows), '7.00'].toSorted());
  });

  test('sends no row while the list that would show it cannot be read, and the next run goes on', async () => {
    const fault = ['--on', 'transactions.list-payouts', '--fault', 'malformed-json', '--times', '100', '-q'];
    await fiatrail(home, ['sandbox', 'fault', 'add', ...fault]);
    const rows = manyRows(3);
    const { code, data, error } = await create(rows, ['--timeout', '1s']);
    expect([code, data]).toEqual([5, expect.objectContaining({ done: 0, unknown: 0, waiting: 3 })]);
    expect(error.message).toMatch(/^the list that would show it cannot be read: .*; nothing was sent$/);
    await fiatrail(home, ['sandbox', 'fault', 'clear', '-q']);
    expect(await paid()).toEqual([]);
    expect((await create(rows)).code).toBe(0);
    expect(await paid()).toEqual(amountsOf(rows));
  });

  test('asks once for all rows, and sends nothing without an answer', async () => {
    const words = createWords(fileOf(manyRows(2))).filter((word) => word !== '--yes');
    expect((await run(words)).error).toMatchObject({ code: 'CONFIRMATION_NEEDED' });
    expect(await paid()).toEqual([]);
    expect((await run(['bulk', 'status', '-q', '-o', 'json'])).data.files).toEqual([]);
  });

  test('a dry run checks, and stages nothing', async () => {
    const { code, data } = await create(manyRows(2), ['--dry-run']);
    expect([code, data]).toEqual([0, expect.objectContaining({ dryRun: true, rows: 2 })]);
    expect((await run(['bulk', 'status', '-q', '-o', 'json'])).data.files).toEqual([]);
  });

  test('sends nothing of a file with one bad row', async () => {
    const { code, data } = await create([...manyRows(2), ['INV-9', '1.234,56']]);
    expect([code, data.badRows]).toEqual([2, 1]);
    expect(await paid()).toEqual([]);
  });

  test.each<readonly [string, (rows: readonly Row[]) => readonly Row[], RegExp]>([
    [
      'a changed amount',
      ([one, , three]) => [one, ['INV-2', '5000'], three] as readonly Row[],
      /line 3: the row INV-2 is another one/,
    ],
    ['another row', (rows) => [...rows, ['INV-9', '7']], /line 5: the file .* has no row INV-9/],
    ['a missing row', (rows) => rows.slice(0, 2), /the row INV-3 is missing, which line 4 /],
  ])('%s under the same key is blocked with its line', async (_, changed, message) => {
    const rows = manyRows(3);
    await create(rows, ['--first', '1']);
    const { code, error } = await create(changed(rows));
    expect([code, error.code, error.message]).toEqual([2, 'FILE_KEY_TAKEN', expect.stringMatching(message)]);
    expect(await paid()).toEqual(['1000.00']);
  });

  test('another command under the key of a file', async () => {
    await create(manyRows(2));
    const path = join(home.path, 'other.csv');
    writeFileSync(path, 'reference,amount,to\nA,5,0x52908400098527886E0F7030069857D2E4169EE7\n');
    const { error } = await run([
      'bulk',
      'create',
      path,
      '--as',
      'transfers create',
      '--once',
      'nov',
      '--yes',
      '-q',
      '-o',
      'json',
    ]);
    expect(error).toMatchObject({
      code: 'FILE_KEY_TAKEN',
      message: expect.stringContaining('file for "payout create"'),
    });
  });

  test('a reference of an earlier file is an error by line', async () => {
    await create(manyRows(2));
    const { code, data } = await run(
      createWords(
        fileOf(
          [
            ['INV-2', '70'],
            ['INV-8', '80'],
          ],
          'other.csv',
        ),
        'dec',
      ),
    );
    expect(code).toBe(2);
    expect(data.problems).toEqual([expect.objectContaining({ line: 2, problem: 'was used before, in the file nov' })]);
    expect(await paid()).toEqual(['1000.00', '1001.00']);
  });

  test('a key with a slash, which could make two rows of two files one', async () => {
    const { code, stderr } = await run(createWords(fileOf(manyRows(1)), 'nov/INV'));
    expect([code, stderr]).toEqual([2, expect.stringContaining('has no \\"/\\"')]);
  });

  test('a reference with braces is no date', async () => {
    const { code } = await create([
      ['INV-{day}', '10'],
      ['INV-{', '11'],
    ]);
    expect(code).toBe(0);
    const { operations } = await fiatrailJson<{ operations: { idempotencyKey: string }[] }>(home, [
      'ops',
      'list',
      '-q',
    ]);
    expect(operations.map(({ idempotencyKey }) => idempotencyKey).toSorted()).toEqual(['nov/INV-{', 'nov/INV-{day}']);
  });

  test('--first sends a pilot, and a later run the rest', async () => {
    const rows = manyRows(4);
    const first = await create(rows, ['--first', '1']);
    expect([first.code, first.data]).toEqual([8, expect.objectContaining({ done: 1, waiting: 3 })]);
    expect(await paid()).toEqual(['1000.00']);
    expect((await create(rows)).code).toBe(0);
    expect(await paid()).toEqual(amountsOf(rows));
  });

  test('a sum above what one person may approve is blocked', async () => {
    const set = await fiatrail(home, ['profiles', 'approval-threshold', 'set', 'CNGN 1500', '--yes']);
    expect(set).toMatchObject({ code: 0 });
    const { code, error } = await create(manyRows(2));
    expect([code, error?.code]).toEqual([9, 'APPROVAL_REQUIRED']);
    expect(await paid()).toEqual([]);
  });
});

describe('a row that does not succeed', () => {
  async function failingAccount(number: string): Promise<string> {
    const added = await fiatrailJson<{ accountId: string }>(home, [
      'bank-accounts',
      'add',
      '--account-number',
      number,
      '--bank-code',
      '000013',
      '--yes',
      '-q',
    ]);
    return added.accountId;
  }

  test('is listed for a new reference once its file is cancelled, and no process may still send it', async () => {
    const rows: readonly Row[] = [
      ['A', '10'],
      ['B', '11'],
      ['C', '12'],
    ];
    await run([...createWords(fileOf(rows)), '--first', '1']);
    const report = ['bulk', 'report', 'nov', '--failed', '-q', '-o', 'json'];
    expect((await run(report)).data.rows).toEqual([]);
    await run(['bulk', 'cancel', 'nov', '--yes', '-q', '-o', 'json']);
    const listed = (await run(report)).data.rows.map((row: Record<string, string>) => [row['was'], row['amount']]);
    expect(listed).toEqual([
      ['B', '11'],
      ['C', '12'],
    ]);
    const journal = new DatabaseSync(join(home.stateDir, 'journal.db'));
    journal.exec(`UPDATE file_lease SET process = ${process.ppid}, busy_until = ${Date.now() + 60_000}`);
    journal.close();
    expect((await run(report)).error).toMatchObject({ code: 'FILE_BUSY' });
  });

  test('is never sent again under its reference, and can be reported for a new one', async () => {
    const bad = await failingAccount('0000000009');
    const rows: readonly Row[] = [
      ['A', '10'],
      ['B', '11', bad],
      ['C', '12'],
    ];
    const { code, data, error, stderr } = await create(rows);
    expect([code, data]).toEqual([3, expect.objectContaining({ done: 2, failed: 1, waiting: 0 })]);
    expect([error.message, stderr]).toEqual(['1 row failed', expect.stringMatching(/^B \(line 3\): failed$/m)]);
    const before = await paid();
    expect((await create(rows)).code).toBe(3);
    expect(await paid()).toEqual(before);
    const { stdout } = await fiatrail(home, ['bulk', 'report', 'nov', '--failed', '-q', '-o', 'csv']);
    const [header, row, ...others] = stdout.trimEnd().split('\n');
    expect([header, others]).toEqual(['reference,amount,to,was,reason', []]);
    expect(row).toMatch(new RegExp(`^,11,${bad},B,`));
    // Without a new reference, it cannot be sent.
    const again = await run(createWords(fileOf([], 'x.csv'), 'again').with(2, written('again.csv', stdout)));
    expect(again.data.problems[0]).toMatchObject({ column: 'reference', problem: 'is missing' });
    const renamed = await run(createWords('x', 'again').with(2, written('again.csv', stdout.replace(/^,/m, 'B2,'))));
    expect(renamed.data).toMatchObject({ rows: 1, failed: 1 });
  });

  const written = (name: string, text: string) => {
    writeFileSync(join(home.path, name), text);
    return join(home.path, name);
  };

  test('--stop-after ends the run, and the next one goes on', async () => {
    const bad = await failingAccount('0000000009');
    await fiatrail(home, ['sandbox', 'fault', 'add', '--on', START, '--fault', 'http-500', '--times', '1', '-q']);
    const rows: readonly Row[] = [
      ['A', '10'],
      ['B', '11', bad],
      ['C', '12'],
    ];
    const { code, error, data } = await create(rows, ['--stop-after', '1']);
    expect([code, error.code]).toEqual([3, 'TOO_MANY_ERRORS']);
    expect(data).toMatchObject({ waiting: 2 });
  });

  const fault = (name: string) =>
    fiatrail(home, ['sandbox', 'fault', 'add', '--on', START, '--fault', name, '--times', '1', '-q']);
  const resume = () => run(['bulk', 'resume', 'nov', '--yes', '-q', '-o', 'json']);

  test.each(['lost-response', 'http-500-after'])('%s: the list shows it, and an equal row follows it', async (name) => {
    await fault(name);
    const rows: readonly Row[] = [
      ['A', '10'],
      ['B', '10'],
      ['C', '12'],
    ];
    const { code, data } = await create(rows);
    expect([code, data]).toEqual([0, expect.objectContaining({ done: 3, unknown: 0, waiting: 0 })]);
    expect(await paid()).toEqual(['10.00', '10.00', '12.00']);
  });

  test('a request that was lost stays unknown until the list proves it, and an equal row waits', async () => {
    await fault('lost-request');
    const rows: readonly Row[] = [
      ['A', '10'],
      ['B', '10'],
      ['C', '12'],
    ];
    const { code, data } = await create(rows);
    expect([code, data]).toEqual([6, expect.objectContaining({ done: 1, unknown: 1, waiting: 1 })]);
    expect(await paid()).toEqual(['12.00']);
    // Again and again, nothing equal leaves before.
    const again = await create(rows);
    expect([again.code, again.error.message]).toEqual([6, 'the outcome of 1 row is unknown']);
    expect(again.stderr).toContain('A (line 2): the outcome is unknown');
    expect(await paid()).toEqual(['12.00']);
    // A later payout shows that the list is not late.
    await fiatrail(home, ['sandbox', 'advance', '20m', '-q']);
    await fiatrail(home, ['payout', 'create', '--amount', '99', '--to', 'default', '--yes', '-q']);
    await resume();
    expect((await resume()).data).toMatchObject({ done: 3, unknown: 0, waiting: 0 });
    expect(await paid()).toEqual(['10.00', '10.00', '12.00', '99.00']);
  });
});

describe('bulk report', () => {
  test('has a row for each row, and sums that tie with the file', async () => {
    await create(manyRows(3), ['--first', '2']);
    const { data } = await run(['bulk', 'report', 'nov', '-q', '-o', 'json']);
    expect(
      data.rows.map((row: Record<string, unknown>) => [row['reference'], row['line'], row['amount'], row['status']]),
    ).toEqual([
      ['INV-1', 2, '1000', 'done'],
      ['INV-2', 3, '1001', 'done'],
      ['INV-3', 4, '1002', 'waiting'],
    ]);
    expect(data.rows[0]).toMatchObject({
      to: 'default',
      requestId: expect.any(String),
      operationId: expect.any(String),
    });
    expect(data.sums).toEqual([
      { status: 'waiting', rows: 1, sum: { value: '1002.000000', asset: 'CNGN' } },
      { status: 'done', rows: 2, sum: { value: '2001.000000', asset: 'CNGN' } },
    ]);
    const { stdout } = await fiatrail(home, ['bulk', 'report', 'nov', '-q', '-o', 'csv']);
    expect(stdout.split('\n')).toHaveLength(5);
  });

  test('of a key that no file has', async () => {
    expect((await run(['bulk', 'report', 'dec', '-q', '-o', 'json'])).error).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('what a row costs', () => {
  test('at most 1.05 requests besides its own', async () => {
    const rows = manyRows(60);
    const { stderr } = await fiatrail(home, [...createWords(fileOf(rows)).filter((word) => word !== '-q'), '-v']);
    const asked = stderr.split('\n').flatMap((line) => /^> \w+ http:\/\/[^/]+\/v1(\/[^ ?]+)/.exec(line)?.[1] ?? []);
    const ofRows = asked.slice(asked.indexOf('/initiateofframp'));
    expect(ofRows.filter((path) => path === '/initiateofframp')).toHaveLength(60);
    expect(ofRows.length - 60).toBeLessThanOrEqual(63);
    // The list before each one is evidence, and never an earlier answer.
    expect(asked.filter((path) => path === '/payouts').length).toBeGreaterThanOrEqual(60);
  });

  test('a balance that something else took is noticed before a row is sent', async () => {
    const rows: readonly Row[] = [
      ['A', '10'],
      ['B', '5000000'],
      ['C', '12'],
    ];
    expect((await create(rows, ['--first', '1'])).code).toBe(8);
    await fiatrail(home, ['payout', 'create', '--amount', '1000000', '--to', 'default', '--yes', '-q']);
    const { code, error, data } = await run(['bulk', 'resume', 'nov', '--yes', '-q', '-o', 'json']);
    expect([code, error.code, data]).toEqual([9, 'BALANCE_TOO_LOW', expect.objectContaining({ done: 1, waiting: 2 })]);
    expect(await paid()).toEqual(['10.00', '1000000.00']);
  });

  test('a rule that a later row breaks stops the run before it', async () => {
    const rows = manyRows(3);
    await create(rows, ['--first', '1']);
    await fiatrail(home, ['profiles', 'rules', 'set', 'sandbox', '--max-per-day', 'CNGN 2500', '--yes', '-q']);
    const { code, error } = await run(['bulk', 'resume', 'nov', '--yes', '-q', '-o', 'json']);
    expect([code, error.code]).toEqual([9, 'RULE_AMOUNT']);
    expect(await paid()).toEqual(['1000.00', '1001.00']);
  });
});

test('a list that cannot be read does not hide what was sent', async () => {
  await fiatrail(home, ['sandbox', 'fault', 'add', '--on', START, '--fault', 'lost-response', '--times', '1', '-q']);
  const breakList = () => {
    const database = new DatabaseSync(join(home.stateDir, 'sandbox.db'));
    const sql = 'INSERT INTO fault_rule (endpoint, kind, times, created_at) VALUES (?, ?, 100, 0)';
    database.prepare(sql).run('transactions.list-payouts', 'malformed-json');
    database.close();
  };
  const heard = (_stream: string, text: string) => {
    if (text.includes('the outcome is unknown')) breakList();
  };
  const { code, data } = await create([['A', '10']], ['--timeout', '1s'], { heard });
  expect([code, data]).toEqual([6, expect.objectContaining({ unknown: 1 })]);
});
