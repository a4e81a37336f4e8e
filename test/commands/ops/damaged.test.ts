import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { TRIGGERS } from '../../../src/journal/sqlite/schema.ts';
import { main } from '../../../src/main.ts';
import { withdraw } from '../../support/fee-withdrawal.ts';
import { type FakeWorld, fakeWorld } from '../../support/world.ts';
import { worldAfter } from '../../support/world-after.ts';

let world: FakeWorld;
beforeEach(() => {
  world = fakeWorld();
});

const path = () => join(world.stateDir, 'journal.db');
const saved = () => readdirSync(world.stateDir).filter((name) => name.startsWith('unknown-outcomes-'));
const savedRows = () =>
  saved().flatMap((name) =>
    readFileSync(join(world.stateDir, name), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );

/** Runs a command and returns its exit code and the lines of its error, which must be a sentence, a hint and which run it is of. */
async function run(argv: readonly string[]) {
  const before = world.stderr.text().length;
  const code = await main([...argv, '-q'], world);
  const stderr = world.stderr.text().slice(before);
  expect(stderr).not.toMatch(/^\s+at /m);
  return { code, stderr, lines: stderr.split('\n').length - 1 };
}

const withdrawals = async () => {
  const before = world.stdout.text().length;
  await main(['fees', 'withdrawals', 'list', '--all', '-o', 'json'], world);
  return JSON.parse(world.stdout.text().slice(before)).withdrawals.length;
};

/** Makes a journal with many accepted operations and three uncertain: at the start, in the middle and at the end. */
const afterWithdrawals = worldAfter(async (first) => {
  world = first;
  const unknownOutcome = async (amount: number) => {
    await run(['sandbox', 'fault', 'add', '--on', 'fees.withdraw', '--fault', 'lost-response']);
    expect((await run(withdraw(String(amount), '--once', `k-${amount}`))).code).toBe(6);
  };
  await unknownOutcome(501);
  for (let amount = 510; amount < 525; amount++) await run(withdraw(String(amount)));
  await unknownOutcome(502);
  for (let amount = 530; amount < 545; amount++) await run(withdraw(String(amount)));
  await unknownOutcome(503);
});

async function fill() {
  ({ world } = await afterWithdrawals());
}

/** Overwrites pages of the journal, chosen among those of its operations, in order. */
function damage(choose: (pages: readonly number[]) => readonly number[], kind = '') {
  const database = new DatabaseSync(path());
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const sql = `SELECT pageno FROM dbstat WHERE name = 'operation' ${kind} ORDER BY path`;
  const pages = database
    .prepare(sql)
    .all()
    .map(({ pageno }) => Number(pageno));
  database.close();
  const file = openSync(path(), 'r+');
  for (const page of choose(pages)) writeSync(file, Buffer.alloc(4096, 0xee), 0, 4096, (page - 1) * 4096);
  closeSync(file);
}

describe('a damaged journal', () => {
  test('stops a payment with one sentence, and its unknown outcomes are saved once, in a private file', async () => {
    await fill();
    const before = await withdrawals();
    damage((leaves) => leaves.slice(1, -1), `AND pagetype = 'leaf'`);
    for (const argv of [
      withdraw('502', '--once', 'k-502'),
      ['ops', 'list'],
      ['ops', 'journal', 'verify'],
      ['ops', 'reconcile'],
    ]) {
      await world.clock.sleep(60_000, world.interrupted);
      const { code, stderr, lines } = await run(argv);
      const [name = ''] = saved();
      expect({ argv: argv[1], code, lines }).toEqual({ argv: argv[1], code: 2, lines: 3 });
      expect(stderr).toContain(`unknown outcomes are saved in ${join(world.stateDir, name)}`);
    }
    expect(saved()).toHaveLength(1);
    expect((statSync(join(world.stateDir, saved()[0] ?? '')).mode & 0o777).toString(8)).toBe('600');
    const keys = savedRows().map(({ once_key }) => once_key);
    expect({ first: keys[0], last: keys.at(-1), count: keys.length }).toEqual({
      first: 'k-501',
      last: 'k-503',
      count: 3,
    });
    expect(await withdrawals()).toBe(before);
  });

  test('keeps the ids of the unknown outcomes whose rows cannot be read', async () => {
    await fill();
    const database = new DatabaseSync(path());
    const ids = database.prepare(`SELECT id FROM operation WHERE state = 'unknown' ORDER BY id`).all();
    database.close();
    damage((pages) => pages.slice(1));
    await run(['ops', 'list']);
    expect(savedRows().map(({ id }) => ({ id }))).toEqual(ids);
  });

  test.each([
    ['whose first page is lost', () => damage(() => [1])],
    ['of which nothing is left', () => writeFileSync(path(), Buffer.alloc(20_000, 0xee))],
    ['that was cut short', () => writeFileSync(path(), readFileSync(path()).subarray(0, 3_000))],
  ])('%s says that nothing can be read', async (_what, act) => {
    await fill();
    for (const name of ['-wal', '-shm']) rmSync(path() + name, { force: true });
    act();
    const { code, stderr, lines } = await run(withdraw('999'));
    expect({ code, lines, saved: saved() }).toEqual({ code: 2, lines: 3, saved: [] });
    expect(stderr).toContain('no unknown outcome can be read from it');
  });

  test('whose last transition was changed stops a payment; its unknown outcomes are saved', async () => {
    await fill();
    const before = await withdrawals();
    const database = new DatabaseSync(path());
    database.exec(
      `DROP TRIGGER entry_update; UPDATE entry SET detail = 'x' WHERE sequence = (SELECT max(sequence) FROM entry); ${TRIGGERS[0]}`,
    );
    database.close();
    const { code, stderr, lines } = await run(withdraw('999'));
    expect({ code, lines }).toEqual({ code: 2, lines: 3 });
    expect(stderr).toContain('was changed by something else; nothing was sent; its 3 unknown outcomes are saved in');
    expect(savedRows().map(({ once_key }) => once_key)).toEqual(['k-501', 'k-502', 'k-503']);
    expect(await withdrawals()).toBe(before);
  });
});

describe('instead of a journal,', () => {
  test.each([
    ['a folder', () => mkdirSync(path(), { recursive: true }), 'cannot be opened for writing'],
    ['a link', () => symlinkSync('/nowhere', path()), 'is a symbolic link'],
    ['a FIFO', () => execFileSync('mkfifo', [path()]), 'is not a file'],
    ['another database', () => new DatabaseSync(path()).exec('CREATE TABLE t (a)'), 'is damaged or not a journal'],
    [
      'a journal of a newer version',
      () =>
        new DatabaseSync(path()).exec(
          `PRAGMA application_id = ${0x66726a72}; PRAGMA user_version = 99; CREATE TABLE t (a)`,
        ),
      'was created by a newer version of fiatrail',
    ],
  ])('%s stops a payment with one sentence', async (_what, put, says) => {
    mkdirSync(world.stateDir, { mode: 0o700 });
    put();
    const { code, stderr, lines } = await run(withdraw('500'));
    expect({ code, lines, stderr }).toEqual({ code: 2, lines: 3, stderr: expect.stringContaining(says) });
    rmSync(path(), { recursive: true });
    expect(await withdrawals()).toBe(0);
  });
});
