import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { UTC } from '../../../src/base/zone.ts';
import type { Untied } from '../../../src/copy/questions/books/read.ts';
import { whyOpen } from '../../../src/copy/questions/books/why-open.ts';
import { TRIGGERS } from '../../../src/journal/sqlite/schema.ts';
import type { Queries } from '../../../src/journal/store.ts';
import {
  AUTUMN,
  accountAfter,
  accountThen,
  closeMonth,
  type Life,
  type PrintedClose,
  ran,
  refused,
  wordsOf,
} from '../../questions/books/life.ts';
import { HOUR_MS, json, must, pass, topUp } from '../../questions/reports.ts';
import { journalRows } from '../../support/journal.ts';
import type { FakeWorld } from '../../support/world.ts';

const DAY_MS = 24 * HOUR_MS;

const closes = (world: FakeWorld) =>
  journalRows(world.stateDir).filter(({ endpoint }) => endpoint.startsWith('report.'));

/** Changes a local copy as nobody should. */
function edited({ stateDir }: FakeWorld, file: string, sql: string): void {
  const database = new DatabaseSync(join(stateDir, file));
  database.exec(sql);
  database.close();
}

const COPY = 'copy-embedded.db';

/** Lets an account live until the start of January, and reads it then. */
async function intoJanuary(world: FakeWorld): Promise<void> {
  await pass(world, 30 * DAY_MS);
  await must(world, 'sync');
}

/** What was printed when the months of `afterNovember` were closed. */
const printed: PrintedClose[] = [];
/** Accounts with closed months: a close asks SQLite for much, so each is made once. */
const afterOctober = accountThen(AUTUMN, async (world) => {
  await closeMonth(world, '2025-10');
});
const afterNovember = accountThen(AUTUMN, async (world) => {
  for (const month of ['2025-10', '2025-11']) printed.push(await closeMonth(world, month));
});

describe('a close', () => {
  test('records what the books had, who closed them and the checkpoint, and changes nothing in a dry run', async () => {
    const world = await accountAfter(AUTUMN);
    const { hint } = await refused(world, 'report', 'close', '2025-10');
    const draft = await json(world, ...wordsOf(hint), '--dry-run');
    expect(draft).toMatchObject({ dryRun: true, month: '2025-10' });
    expect(draft).not.toHaveProperty('closedAt');
    expect([closes(world), (await refused(world, 'report', 'close', '2025-10')).code]).toEqual([[], 'NOT_CLOSABLE']);
    const head = await json(world, 'ops', 'journal', 'head');
    const close = await json(world, ...wordsOf(hint), '--yes');
    const { dryRun: _, ...rest } = draft;
    expect(close).toEqual({
      ...rest,
      closedBy: 'ada on web-1',
      closedAt: expect.stringMatching(/^2025-12-02T23:00/),
    });
    expect(close).toMatchObject({
      zone: 'Africa/Lagos',
      since: '2025-09-30T23:00:00.000Z',
      until: '2025-10-31T23:00:00.000Z',
      reason: 'statement of the bank',
      accepted: [
        {
          code: 'FEE_SCHEDULE_NOT_SEEN',
          sets: 6,
          amounts: [],
          accounts: ['assets:wallet', 'equity:conversion', 'expenses:platform:deposit'],
        },
      ],
      checkpoint: head.hash,
    });
    // What it began with and what moved is what it ended with.
    const sum = (balances: readonly { account: string; balance: { value: string; asset: string } }[], of: string) =>
      balances
        .filter(({ account, balance }) => `${account} ${balance.asset}` === of)
        .reduce((total, { balance }) => total + BigInt(balance.value.replace('.', '')), 0n);
    for (const { account, balance } of close.closing) {
      const name = `${account} ${balance.asset}`;
      expect([name, sum(close.opening, name) + sum(close.moved, name)]).toEqual([name, sum(close.closing, name)]);
    }
    const [row] = closes(world);
    expect(row).toMatchObject({ state: 'settled', endpoint: 'report.close', summary: 'close 2025-10' });
    expect(JSON.parse(row?.request ?? '')).toMatchObject({ month: '2025-10', digest: close.digest, sets: close.sets });
  });

  test('of each of two months follows the other, with every amount of the balances that were read', async () => {
    const world = await afterNovember();
    const [october, november] = printed;
    expect(november?.opening).toEqual(october?.closing);
    expect(november?.adjustments).toEqual([]);
    const report = await json(world, 'report', '2025-11');
    const cngn = report.assets.find(({ asset }: { asset: string }) => asset === 'CNGN');
    const wallet = november?.closing.find(
      (each: { account: string; balance: { asset: string } }) =>
        each.account === 'assets:wallet' && each.balance.asset === 'CNGN',
    );
    expect(wallet?.balance.value).toBe(cngn.closing.value);
  });

  test('of two at once: one', async () => {
    const world = await accountAfter(AUTUMN);
    const { hint } = await refused(world, 'report', 'close', '2025-10');
    const line = [...wordsOf(hint), '--yes'];
    const both = await Promise.all([ran(world, ...line), ran(world, ...line)]);
    expect(both.map(({ code }) => code).toSorted()).toEqual([0, expect.any(Number)]);
    expect(both.filter(({ code }) => code === 0).length).toBe(1);
    expect(closes(world).filter(({ state }) => state === 'settled').length).toBe(1);
    expect((await refused(world, ...line)).message).toContain('it is closed');
  });
});

/** Without syncs around the end of October. */
const GAP: Life = {
  ...AUTUMN,
  from: '10-28',
  until: '11-03',
  syncedFrom: '10-28',
  missed: ['10-30', '10-31', '11-01'],
};

describe('a month stays open', () => {
  test.each([
    ['that is not over', '2025-12', /^2025-12 cannot be closed: it is not over/, 'close it when it is'],
    [
      'before the copy',
      '2025-09',
      /no balance of it was read: the first sync was after it/,
      'the first month to close is 2025-10: fiatrail report close 2025-10',
    ],
  ])('%s', async (_, month, message, hint) => {
    const found = await refused(await accountAfter(AUTUMN), 'report', 'close', month);
    expect(found).toMatchObject({ exit: 9, code: 'NOT_CLOSABLE', message: expect.stringMatching(message), hint });
  });

  test('of which the copy does not have the end, until a sync that ended', async () => {
    const world = await accountAfter(AUTUMN);
    // The clock of this machine is behind that of the sandbox by as much.
    await pass(world, 70 * DAY_MS);
    const found = await refused(world, 'report', 'close', '2025-12');
    expect(found).toMatchObject({
      message: expect.stringContaining('the copy ends before the month does'),
      hint: 'run: fiatrail sync',
    });
    await must(world, ...wordsOf(found.hint));
    expect((await refused(world, 'report', 'close', '2025-12')).message).not.toContain('the copy ends');
    // The balances were read, and the sync was killed before the lists were.
    edited(world, COPY, `UPDATE setting SET value = '2025-12-31T22:59:59.999Z' WHERE name = 'known-until'`);
    expect((await refused(world, 'report', 'close', '2025-12')).message).toContain('the copy ends');
  });

  test('of which a list was not read to its end', async () => {
    const world = await accountAfter(AUTUMN);
    edited(
      world,
      COPY,
      `UPDATE setting SET value = json_set(value, '$.gap', 'unfinished') WHERE name = 'list payouts'`,
    );
    const found = await refused(world, 'report', 'close', '2025-10');
    expect(found).toMatchObject({
      message: expect.stringContaining('the copy of payouts has gaps'),
      hint: 'run: fiatrail sync --full',
    });
    await must(world, ...wordsOf(found.hint));
    expect((await refused(world, 'report', 'close', '2025-10')).message).not.toContain('gaps');
  });

  test('in which a balance changed by what no list shows, until someone accepts it', async () => {
    const world = await accountAfter(AUTUMN);
    await topUp(world, 25);
    await pass(world, HOUR_MS);
    await must(world, 'sync');
    await intoJanuary(world);
    const found = await refused(world, 'report', 'close', '2025-12');
    expect(found.message).toContain('25.00 USDC is in no list');
    expect(found.hint).toBe('fiatrail report accept USDC 2025-12 --reason "…"');
    await must(world, ...wordsOf(found.hint), '--yes');
    await closeMonth(world, '2025-12');
  });

  test('while an operation until its end has an unknown outcome, and not for one after it', async () => {
    const world = await accountAfter(AUTUMN);
    await must(world, 'sandbox', 'fault', 'add', '--on', 'fees.withdraw', '--fault', 'lost-response', '--times', '1');
    const { accounts } = await json(world, 'bank-accounts', 'list');
    const withdraw = ['fees', 'withdraw', '--amount', '100', '--to', accounts[0].accountId, '--yes', '-q'];
    expect((await ran(world, ...withdraw)).code).toBe(6);
    const found = await refused(world, 'report', 'close', '2025-10');
    expect(found.message).toMatch(/1 operation has an unknown outcome, such as [\da-f-]{36}/);
    expect((await ran(world, ...wordsOf(found.hint), '-q')).code).toBe(0);
    expect((await refused(world, 'report', 'close', '2025-10')).message).not.toContain('unknown outcome');
  });

  test('of which amounts are not known, until someone accepts what nobody can find out', async () => {
    const world = await afterOctober();
    edited(
      world,
      COPY,
      `UPDATE stored_deposits SET own_fee_minor = NULL, fee_known = 'FEE_SCHEDULE_NOT_SEEN' WHERE user_id IS NOT NULL AND created_at LIKE '2025-11-0%'`,
    );
    const found = await refused(world, 'report', 'close', '2025-11');
    expect(found.message).toMatch(/: 4 amounts are not known \(FEE_SCHEDULE_NOT_SEEN\), such as that of deposit /);
    expect(found.hint).toBe(
      'if this is right: fiatrail report close 2025-11 --accept FEE_SCHEDULE_NOT_SEEN --reason "…"',
    );
    const close = (...more: readonly string[]) => refused(world, 'report', 'close', '2025-11', ...more, '--yes');
    expect((await close('--accept', 'FEE_SCHEDULE_NOT_SEEN')).message).toContain('needs a reason');
    expect((await close('--accept', 'END_BETWEEN', '--reason', 'r')).message).toContain(
      'nothing can be accepted as END_BETWEEN',
    );
    expect(await json(world, ...wordsOf(found.hint), '--yes')).toMatchObject({
      accepted: [{ code: 'FEE_SCHEDULE_NOT_SEEN', sets: 4, amounts: expect.any(Array), accounts: expect.any(Array) }],
    });
    // The books of a month that was closed so are as complete as a person said.
    expect((await ran(world, 'report', 'books', '2025-11')).code).toBe(0);
    expect((await ran(world, 'report', 'books', '2025-12')).code).toBe(0);
  });

  test('of which a sync can find out more, which nobody accepts', async () => {
    const world = await accountAfter(AUTUMN);
    edited(
      world,
      COPY,
      `UPDATE stored_deposits SET own_fee_minor = NULL, fee_known = 'FEE_NOT_READ' WHERE user_id IS NOT NULL AND created_at LIKE '2025-11-0%'`,
    );
    const line = ['report', 'close', '2025-11', '--accept', 'FEE_NOT_READ', '--reason', 'r', '--yes'];
    const found = await refused(world, ...line);
    expect(found.message).toContain('nothing can be accepted as FEE_NOT_READ');
    expect(found.message).toMatch(/amounts are not known \(FEE_NOT_READ\)/);
    await must(world, 'sync');
    expect((await refused(world, 'report', 'close', '2025-11')).message).not.toContain('FEE_NOT_READ');
  });

  test('while work that began in it is open for longer than usual, until someone accepts that', async () => {
    const world = await accountAfter(AUTUMN);
    const reopened = (ids: string) =>
      edited(
        world,
        COPY,
        `UPDATE stored_payouts SET status = 'processing', is_open = 1, completed_at = NULL, ended_at = NULL WHERE id IN (${ids})`,
      );
    const of = (month: string, count: number) =>
      `SELECT id FROM stored_payouts WHERE type = 'fintech_offramp' AND status = 'completed' AND created_at LIKE '2025-${month}%' ORDER BY created_at LIMIT ${count}`;
    reopened(of('10', 2));
    reopened(of('11', 3));
    const found = await refused(world, 'report', 'close', '2025-10');
    // Those of November are open too, and not of this month.
    expect(found.message).toMatch(
      /: 2 rows are open for longer than usual \(OPEN_OVERDUE\), such as [\da-f-]{36} of the payouts of the account/,
    );
    expect(found.hint).toContain('--accept OPEN_OVERDUE');
    const close = await json(world, ...wordsOf(found.hint), '--yes');
    expect(close.accepted).toContainEqual({ code: 'OPEN_OVERDUE', sets: 2, amounts: [], accounts: [] });
    expect((await refused(world, 'report', 'close', '2025-11')).message).toContain('5 rows are open for longer');
  });

  test('if something may have been in it or in the next one, of which the next one then is sure', async () => {
    const world = await accountAfter(GAP);
    const found = await refused(world, 'report', 'close', '2025-10');
    expect(found.message).toMatch(
      /nothing says whether \d+ changes? (?:was|were) in it or not \(END_BETWEEN\), such as /,
    );
    expect((await refused(world, 'report', 'books', '2025-10')).message).toContain('(END_BETWEEN)');
    expect((await ran(world, 'report', 'books', '2025-11')).stderr).toContain('(END_BETWEEN)');
    expect((await closeMonth(world, '2025-10')).accepted).toEqual(
      expect.arrayContaining([
        { code: 'END_BETWEEN', sets: expect.any(Number), amounts: expect.any(Array), accounts: expect.any(Array) },
      ]),
    );
    expect((await ran(world, 'report', 'books', '2025-11')).stderr).not.toContain('(END_BETWEEN)');
  });

  test('whose balances at the start nobody read, until someone states what they were, and why', async () => {
    const world = await accountAfter(AUTUMN);
    const right = ['250,000.00 NGN', 'USDC 22000', '22,000.00 usdt', '5222883.5 CNGN'];
    const close = (opening: readonly string[], ...more: readonly string[]) =>
      refused(
        world,
        ...['report', 'close', '2025-10', '--accept', 'FEE_SCHEDULE_NOT_SEEN', '--yes'],
        ...opening.flatMap((each) => ['--opening', each]),
        ...more,
      );
    const found = await close([], '--reason', 'r');
    expect(found.message).toContain(
      'the balances at its start were not read; what was read later implies ₦250,000.00, 22,000.00 USDC, 22,000.00 USDT, 5,222,883.50 cNGN',
    );
    const [naira = '', ...tokens] = right;
    const wrong = await close(['250,000.01 NGN', ...tokens], '--reason', 'r');
    expect(wrong.message).toContain('implies ₦250,000.00');
    expect(wrong.message).not.toContain('22,000.00 USDC');
    expect((await close(right)).message).toContain('needs a reason');
    expect(await close([naira, 'many NGN'], '--reason', 'r')).toMatchObject({ exit: 2 });
    expect((await close(['5,000.00'], '--reason', 'r')).message).toContain(
      'expected an amount and its asset, not "5,000.00"',
    );
    expect(closes(world)).toEqual([]);
    await closeMonth(world, '2025-10');
    const stated = await refused(
      world,
      'report',
      'close',
      '2025-11',
      '--opening',
      '5 NGN',
      '--accept',
      'FEE_SCHEDULE_NOT_SEEN',
    );
    expect(stated.message).toContain('nothing needs to be stated in NGN');
  });

  test('unless it follows the month that was closed last, in the same time zone', async () => {
    const world = await afterOctober();
    await intoJanuary(world);
    const later = await refused(world, 'report', 'close', '2025-12');
    expect(later).toMatchObject({
      message: expect.stringContaining('the last closed month is 2025-10'),
      hint: 'begin with: fiatrail report close 2025-11',
    });
    const other = await refused(world, 'report', 'close', '2025-11', '--tz', 'UTC');
    expect(other).toMatchObject({
      message: expect.stringContaining('2025-10 was closed in the time zone Africa/Lagos'),
      hint: 'close it with: fiatrail report close 2025-11 --tz Africa/Lagos',
    });
    const again = await refused(world, 'report', 'close', '2025-10');
    expect(again.message).toContain('it is closed');
    expect((await ran(world, ...wordsOf(again.hint), '--yes')).code).toBe(0);
    await closeMonth(world, '2025-11');
    const before = await refused(world, 'report', 'close', '2025-10');
    expect(before).toMatchObject({ message: expect.stringContaining('2025-11, which follows it, is closed') });
  });

  test('as long as its entries do not balance', async () => {
    const queries = { engine: 'sqlite', all: async () => [], get: async () => undefined } as unknown as Queries;
    const month = { month: '2025-11', sinceMs: Date.UTC(2025, 10, 1), untilMs: Date.UTC(2025, 11, 1), isOver: true };
    const of = { month, zone: UTC, closes: [], unknown: [], accepted: [] };
    const tied: Untied = { unknown: [], across: [], unbalanced: [], off: [], contradicted: [] };
    const why = async (book: Untied) => (await whyOpen(queries, { ...of, book })).map(({ what }) => what);
    const others = await why(tied);
    expect(others).toEqual(['the copy ends before the month does']);
    const wrong = [...others, 'its entries do not balance'];
    expect(await why({ ...tied, unbalanced: [{ thing: 'payout', id: 'p-1', step: 'done', unknown: [] }] })).toEqual(
      wrong,
    );
    const off = { account: 'assets:wallet', asset: 'CNGN', minor: 5n, expected: 4n } as const;
    expect(await why({ ...tied, off: [off] })).toEqual(wrong);
  });

  test.each([
    ['a part of a month', ['report', 'close', 'yesterday'], 'invalid period "yesterday"'],
    ['a check with what closes', ['report', 'close', '--check', 'x.csv', '--reason', 'r'], '--check closes nothing'],
    ['a file that is not there', ['report', 'close', '--check', 'nothing.csv'], 'nothing.csv: the file does not exist'],
    ['a check of a folder', ['report', 'close', '--check', '/'], '/: it is not a regular file'],
    ['a reopening without a reason', ['report', 'reopen', '2025-10'], '--reason'],
    ['a reopening of what is open', ['report', 'reopen', '2025-10', '--reason', 'r'], '2025-10 is not closed'],
  ])('and %s is bad input', async (_, argv, message) => {
    const found = await refused(await accountAfter(AUTUMN), ...argv);
    expect(found).toMatchObject({ exit: expect.any(Number), message: expect.stringContaining(message) });
    expect([2, 3]).toContain(found.exit);
  });
});

describe('a reopened month', () => {
  test('is the last one that was closed; the journal has the reason, and it can be closed again', async () => {
    const world = await afterNovember();
    const early = await refused(world, 'report', 'reopen', '2025-10', '--reason', 'r', '--yes');
    expect(early).toMatchObject({ exit: 2, message: '2025-11 was closed after 2025-10' });
    await must(world, 'report', 'reopen', '2025-11', '--reason', 'r', '--dry-run');
    expect((await refused(world, 'report', 'close', '2025-11')).message).toContain('it is closed');
    await must(world, 'report', 'reopen', '2025-11', '--reason', 'the bank corrected its statement', '--yes');
    const [, , reopened] = closes(world);
    expect(reopened).toMatchObject({ state: 'settled', endpoint: 'report.reopen', summary: 'reopen 2025-11' });
    expect(JSON.parse(reopened?.request ?? '')).toMatchObject({
      month: '2025-11',
      reason: 'the bank corrected its statement',
    });
    await closeMonth(world, '2025-11');
    expect(closes(world).map(({ summary }) => summary)).toEqual([
      'close 2025-10',
      'close 2025-11',
      'reopen 2025-11',
      'close 2025-11',
    ]);
    expect(await json(world, 'ops', 'journal', 'verify')).toMatchObject({ problem: null });
  });
});

/** The books of a month, written to a file. */
async function booksOf(world: FakeWorld, month: string): Promise<string> {
  const path = join(world.homeDir, `${month}.csv`);
  const { code, stdout, stderr } = await ran(world, 'report', 'books', month, '--format', 'csv');
  expect(code, stderr).toBe(0);
  writeFileSync(path, stdout);
  return path;
}

describe('an auditor who has the file and the journal', () => {
  test('sees that it is what was closed, and which part of another file is not', async () => {
    const world = await afterNovember();
    const [, november] = printed;
    const path = await booksOf(world, '2025-11');
    // They have no copy of the account.
    await must(world, 'sync', 'forget', '--yes');
    const check = (file: string, ...more: string[]) => ['report', 'close', ...more, '--check', file];
    expect(await json(world, ...check(path))).toEqual(november);
    expect(await json(world, ...check(path, '2025-11'))).toEqual(november);
    expect(await refused(world, ...check(path, '2025-10'))).toMatchObject({ exit: 9, code: 'NOT_AS_CLOSED' });
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    const isStated = (line: string) => /^[\d-]{10},,/.test(line);
    const places = [...lines.keys()].filter((index) => index > 0 && index % Math.ceil(lines.length / 30) === 1);
    const other = join(world.homeDir, 'other.csv');
    const kinds = [
      () => [],
      (line: string) => [line, line],
      (line: string) => [line.replace(/(\d)(,[A-Z]{3,4},)/, (_, d, rest) => `${(Number(d) + 1) % 10}${rest}`)],
    ];
    // Each part of the file has lines of each kind of change.
    const parts = Object.values(Object.groupBy(places, (index) => String(isStated(lines[index] ?? ''))));
    expect(parts.length).toBe(2);
    for (const part of parts)
      for (const [at, index] of (part ?? []).entries()) {
        const line = lines[index] ?? '';
        writeFileSync(other, `${lines.toSpliced(index, 1, ...(kinds[at % kinds.length]?.(line) ?? [])).join('\n')}\n`);
        expect(await refused(world, ...check(other)), line).toMatchObject({
          exit: 9,
          code: 'NOT_AS_CLOSED',
          message: expect.stringContaining(
            `the ${isStated(line) ? 'balances' : 'entries'} are not those with which 2025-11 was closed`,
          ),
        });
      }
    writeFileSync(other, 'name,amount\nada,5\n');
    expect(await refused(world, ...check(other))).toMatchObject({ exit: 2, code: 'UNUSABLE_FILE' });
    writeFileSync(other, '');
    expect(await refused(world, ...check(other))).toMatchObject({ exit: 2, code: 'UNUSABLE_FILE' });
  });

  test('sees that the journal was changed by hand', async () => {
    const world = await afterOctober();
    const path = await booksOf(world, '2025-10');
    const drops = TRIGGERS.map((each) => `DROP TRIGGER ${each.split(' ')[2]}`);
    const change = `UPDATE entry SET value = replace(value, 'ada on web-1', 'bob on web-1') WHERE subject LIKE 'shared closed %'`;
    edited(world, 'journal.db', [...drops, change, ...TRIGGERS].join('; '));
    for (const argv of [
      ['report', 'close', '--check', path],
      ['report', 'close', '2025-11'],
      ['report', 'books', '2025-10'],
      ['report', '2025-10'],
    ])
      expect(await refused(world, ...argv), argv.join(' ')).toMatchObject({ code: 'JOURNAL_CHANGED' });
  });

  test('sees that another part of the journal was changed by hand', async () => {
    const world = await afterOctober();
    const path = await booksOf(world, '2025-10');
    const drops = TRIGGERS.map((each) => `DROP TRIGGER ${each.split(' ')[2]}`);
    edited(world, 'journal.db', [...drops, `UPDATE operation SET summary = 'another'`, ...TRIGGERS].join('; '));
    const found = await refused(world, 'report', 'close', '--check', path);
    expect(found).toMatchObject({ exit: 2, code: 'JOURNAL_CHANGED' });
  });
});
