import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { AUTUMN, accountThen, closeMonth, ran } from '../../questions/books/life.ts';
import { must } from '../../questions/reports.ts';
import { type FakeWorld, fakeClock, fakeWorld } from '../../support/world.ts';

const COPY = 'copy-embedded.db';
const SANDBOX = 'sandbox.db';

function edited({ stateDir }: FakeWorld, file: string, sql: string): void {
  const database = new DatabaseSync(join(stateDir, file));
  try {
    expect(database.prepare(sql).run().changes, sql).toBe(1);
  } finally {
    database.close();
  }
}

const MONTHS = ['2025-10', '2025-11'];
const booksFile = ({ homeDir }: FakeWorld, month: string) => join(homeDir, `${month}.csv`);

const afterTwoCloses = accountThen(AUTUMN, async (world) => {
  for (const month of MONTHS) {
    await closeMonth(world, month);
    writeFileSync(booksFile(world, month), (await ran(world, 'report', 'books', month, '--format', 'csv')).stdout);
  }
});

/** An account whose October and November are closed, with the books of both as files. */
async function closedAccount() {
  const world = await afterTwoCloses();
  return { world, files: MONTHS.map((month) => booksFile(world, month)) };
}

interface PrintedBalance {
  readonly account: string;
  readonly balance: { readonly value: string; readonly asset: string };
}

const texts = (all: readonly PrintedBalance[]) =>
  all.map(({ account, balance: { value, asset } }) => `${account} ${value} ${asset}`);

/** How a report ends, and by what it says that its period differs from a close, or what it counts for closed months. */
async function reported(world: FakeWorld, month: string) {
  const { code, stdout, stderr } = await ran(world, 'report', month, '-o', 'json', '-q');
  const { closed, adjustments } = JSON.parse(stdout) as {
    closed: { late: readonly PrintedBalance[]; isCounted: boolean } | null;
    adjustments: readonly PrintedBalance[];
  };
  const error = stderr === '' ? null : (JSON.parse(stderr) as { error: { code: string } }).error.code;
  return { code, error, late: texts(closed?.late ?? []), adjustments: texts(adjustments) };
}

/** How each of the three months' books ends. */
async function booked(world: FakeWorld) {
  const ends: (string | null)[] = [];
  for (const month of ['2025-10', '2025-11', '2025-12']) {
    const { stderr } = await ran(world, 'report', 'books', month, '-o', 'json', '-q');
    ends.push(stderr === '' ? null : (JSON.parse(stderr) as { error: { code: string } }).error.code);
  }
  return ends;
}

/** Whether the files are what was closed. */
async function checked(world: FakeWorld, files: readonly string[]) {
  const codes: number[] = [];
  for (const file of files) codes.push((await ran(world, 'report', 'close', '--check', file, '-q')).code);
  return codes;
}

const AS_CLOSED = { code: 0, error: null, late: [], adjustments: [] };

test('a closed month says when and by whom, and is the same as long as nothing changes', async () => {
  const { world, files } = await closedAccount();
  for (const month of ['2025-10', '2025-11', '2025-12']) expect(await reported(world, month)).toEqual(AS_CLOSED);
  expect([await booked(world), await checked(world, files)]).toEqual([
    [null, null, null],
    [0, 0],
  ]);
  const { stdout } = await ran(world, 'report', '2025-10', '-o', 'json', '-q');
  expect(JSON.parse(stdout).closed).toMatchObject({
    by: 'ada on web-1',
    at: expect.stringMatching(/^2025-12-02T23:/),
    reason: 'statement of the bank',
    accepted: [{ code: 'FEE_SCHEDULE_NOT_SEEN', sets: 6, amounts: expect.any(Array), accounts: expect.any(Array) }],
    stated: expect.arrayContaining([{ value: '250000.00', asset: 'NGN' }]),
  });
  const shown = (await ran(world, 'report', '2025-10')).stdout;
  expect(shown).toMatch(/Closed +2025-12-03 00:00 \+01 by ada on web-1/);
  expect(shown).toMatch(/Opening, as stated +₦250,000\.00/);
  expect((await ran(world, 'report', '2025-12')).stdout).not.toContain('Close');
});

test('a row that the service changes later is an adjustment in the open month, until that is closed, in books that balance', async () => {
  const { world, files } = await closedAccount();
  // A platform fee of ₦1 more.
  edited(
    world,
    SANDBOX,
    `UPDATE payout SET platform_fee_kobo = platform_fee_kobo + 100 WHERE id = (SELECT max(id) FROM payout
       WHERE state = 'completed' AND completed_at BETWEEN ${Date.UTC(2025, 10, 5)} AND ${Date.UTC(2025, 10, 25)})`,
  );
  await must(world, 'sync', '--full');
  expect(await reported(world, '2025-11')).toMatchObject({ code: 9, error: 'UNEXPLAINED' });
  await must(world, 'report', 'accept', 'CNGN', '2025-11', '--reason', 'the fee was corrected', '--yes');
  const found = await reported(world, '2025-11');
  expect(found).toMatchObject({ code: 9, error: 'CHANGED_AFTER_CLOSE' });
  // The balances did not change, so that something in no list brought it back.
  expect(found.late).toEqual([
    'equity:conversion 1.000000 CNGN',
    'equity:conversion -1.00 NGN',
    'equity:unlisted -1.000000 CNGN',
    'expenses:platform:payout 1.00 NGN',
  ]);
  expect(await reported(world, '2025-10')).toEqual(AS_CLOSED);
  expect((await reported(world, '2025-12')).adjustments).toEqual(found.late);
  expect([await booked(world), await checked(world, files)]).toEqual([
    [null, 'CHANGED_AFTER_CLOSE', null],
    [0, 0],
  ]);
  const shown = (await ran(world, 'report', '2025-12')).stdout;
  expect(shown).toContain('Came late for months until 2025-11, and counts in this one');
  expect((await ran(world, 'report', 'books', '2025-12')).stdout).toMatch(
    /2025-12-01 adjustment adjustment\n {4}; id:2025-11\n/,
  );
  // In the close of the next month it is settled.
  await world.clock.sleep(40 * 86_400_000, new AbortController().signal);
  await must(world, 'sync');
  const december = await closeMonth(world, '2025-12');
  expect(texts(december.adjustments)).toEqual(found.late);
  expect(await reported(world, '2025-11')).toEqual({ ...found, code: 0, error: null });
  expect((await reported(world, '2026-01')).adjustments).toEqual([]);
});

test('a row that comes late is an adjustment, too', async () => {
  const { world } = await closedAccount();
  const database = new DatabaseSync(join(world.stateDir, SANDBOX));
  const columns = database
    .prepare(`SELECT name FROM pragma_table_info('deposit')`)
    .all()
    .map(({ name }) => String(name));
  const values = columns.map((name) => {
    if (name === 'id') return '1000000';
    if (name === 'deposit_id') return `'019a7777-0000-7000-8000-000000000001'`;
    if (name === 'reference' || name === 'tx_hash') return `${name} || '1'`;
    return name;
  });
  database.close();
  edited(
    world,
    SANDBOX,
    `INSERT INTO deposit (${columns.join(', ')}) SELECT ${values.join(', ')} FROM deposit WHERE user IS NULL AND state = 'completed'
       AND created_at > ${Date.UTC(2025, 10, 5)} ORDER BY id LIMIT 1`,
  );
  await must(world, 'sync', '--full');
  // No balance changed by it, which no list explains.
  expect(await reported(world, '2025-11')).toMatchObject({ code: 9, error: 'UNEXPLAINED' });
  await must(world, 'report', 'accept', 'CNGN', '2025-11', '--reason', 'the row came late', '--yes');
  const found = await reported(world, '2025-11');
  expect(found).toMatchObject({ code: 9, error: 'CHANGED_AFTER_CLOSE' });
  expect(found.late).toEqual(expect.arrayContaining([expect.stringMatching(/^equity:outside -\d+\.00 NGN$/)]));
  expect((await reported(world, '2025-12')).adjustments).toEqual(found.late);
});

test('a copy that was made anew knows less than the closes, and says so in place of an adjustment', async () => {
  const { world, files } = await closedAccount();
  await must(world, 'sync', 'forget', '--yes');
  await must(world, 'sync');
  for (const month of ['2025-10', '2025-11', '2025-12'])
    expect(await reported(world, month)).toMatchObject({ code: 9, error: 'LESS_THAN_CLOSED', adjustments: [] });
  expect([await booked(world), await checked(world, files)]).toEqual([
    ['LESS_THAN_CLOSED', 'LESS_THAN_CLOSED', 'BOOKS_INCOMPLETE'],
    [0, 0],
  ]);
  // What the open month begins with is what the last close ended with.
  const opening = (text: string) => [
    ...text.matchAll(/^2025-12-01,,(assets:(?:wallet|vault|bank|fees),.*?,opening)/gm),
  ];
  const { stdout } = await ran(world, 'report', 'books', '2025-12', '--format', 'csv');
  const { world: older } = await closedAccount();
  const other = await ran(older, 'report', 'books', '2025-12', '--format', 'csv');
  expect(opening(stdout).map(([, line]) => line)).toEqual(opening(other.stdout).map(([, line]) => line));
  expect(opening(stdout).length).toBeGreaterThan(5);
});

test('so does another machine that has the journal and a copy of its own', async () => {
  const { world, files } = await closedAccount();
  const stdin = await must(world, 'ops', 'journal', 'export', '--with-digest-key');
  const other = fakeWorld({ clock: fakeClock(world.clock.now()), stdin });
  await must(other, 'sandbox', 'clock');
  copyFileSync(join(world.stateDir, SANDBOX), join(other.stateDir, SANDBOX));
  await must(other, 'ops', 'journal', 'import', '-');
  await must(other, 'sync');
  expect(await reported(other, '2025-11')).toMatchObject({ code: 9, error: 'LESS_THAN_CLOSED' });
  expect(await booked(other)).toEqual(['LESS_THAN_CLOSED', 'LESS_THAN_CLOSED', 'BOOKS_INCOMPLETE']);
  expect(await checked(other, files)).toEqual([0, 0]);
  // It cannot close the next month with less, nor close one anew.
  expect((await ran(other, 'report', 'close', '2025-10', '--yes', '-q')).code).toBe(9);
});

const LAST_PAYOUT = `id = (SELECT max(id) FROM stored_payouts WHERE type = 'fintech_offramp' AND status = 'completed' AND created_at LIKE '2025-11-2%')`;

test.each([
  [
    'an amount',
    `UPDATE stored_payouts SET amount_minor = amount_minor + 100 WHERE ${LAST_PAYOUT}`,
    ['assets:bank 1.00 NGN', 'equity:conversion -1.00 NGN'],
    'CHANGED_AFTER_CLOSE',
  ],
  [
    'a time within the month',
    `UPDATE stored_payouts SET ended_at = replace(ended_at, 'Z', 'Z') WHERE ${LAST_PAYOUT}`,
    [],
    null,
  ],
  [
    'a moment of the same day',
    `UPDATE stored_payouts SET ended_at = substr(ended_at, 1, 17) || '59.999Z' WHERE ${LAST_PAYOUT}`,
    [],
    'CHANGED_AFTER_CLOSE',
  ],
  ['a row that is gone', `DELETE FROM stored_payouts WHERE ${LAST_PAYOUT}`, undefined, 'CHANGED_AFTER_CLOSE'],
])('%s that someone edits in the copy is noticed by the books', async (_, sql, late, error) => {
  const { world, files } = await closedAccount();
  edited(world, COPY, sql);
  const found = await reported(world, '2025-11');
  if (late) expect(found.late).toEqual(late);
  else expect(found.late.length).toBeGreaterThan(0);
  expect(found.code).toBe(found.late.length > 0 ? 9 : 0);
  expect([await booked(world), await checked(world, files)]).toEqual([
    [null, error, null],
    [0, 0],
  ]);
  // The adjustment is there to be seen, and no figure changed silently.
  expect((await reported(world, '2025-12')).adjustments).toEqual(found.late);
});
