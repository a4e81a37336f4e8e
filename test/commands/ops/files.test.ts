import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { journalPath } from '../../../src/account/paths.ts';
import { main } from '../../../src/main.ts';
import { withdraw } from '../../support/fee-withdrawal.ts';
import { prepared, testJournal } from '../../support/journal-intent.ts';
import { countingIds } from '../../support/sandbox.ts';
import { type FakeWorld, fakeWorld } from '../../support/world.ts';
import { worldAfter } from '../../support/world-after.ts';

const afterWithdrawals = worldAfter(async (first) => {
  for (let count = 0; count < 3; count++) await run(withdraw(String(500 + count), '--once', `k-${count}`), first);
  await run(['sandbox', 'fault', 'add', '--on', 'fees.withdraw', '--fault', 'lost-response'], first);
  await run(withdraw('600', '--once', 'lost'), first);
});

let world: FakeWorld;
beforeEach(async () => {
  ({ world } = await afterWithdrawals());
});

async function run(argv: readonly string[], given: FakeWorld = world) {
  const [out, err] = [given.stdout.text().length, given.stderr.text().length];
  const code = await main([...argv, '-q'], given);
  return { code, stdout: given.stdout.text().slice(out), stderr: given.stderr.text().slice(err) };
}

const path = () => journalPath(world);
const file = (name: string) => join(world.homeDir, name);

/** Exports the journal to a file, and puts it away, so that the next command finds an empty one. */
async function exported(...flags: string[]) {
  const { code, stdout } = await run(['ops', 'journal', 'export', ...flags]);
  expect(code).toBe(0);
  writeFileSync(file('journal.ndjson'), stdout);
  putAway();
  return stdout.trimEnd().split('\n');
}

function putAway() {
  for (const name of readdirSync(world.stateDir))
    if (name.startsWith('journal.db')) renameSync(join(world.stateDir, name), join(world.homeDir, `old-${name}`));
}

const imported = () => run(['ops', 'journal', 'import', file('journal.ndjson')]);
const list = async () => JSON.parse((await run(['ops', 'list', '--all', '-o', 'json'])).stdout);
const rewrite = (lines: readonly string[]) => writeFileSync(file('journal.ndjson'), `${lines.join('\n')}\n`);
const count = () => {
  const database = new DatabaseSync(path());
  try {
    return database
      .prepare(
        'SELECT (SELECT count(*) FROM operation) + (SELECT count(*) FROM entry WHERE operation_id IS NOT NULL) AS n',
      )
      .get();
  } finally {
    database.close();
  }
};

describe('an exported journal', () => {
  test('is imported with every operation, state and hash', async () => {
    const verified = async (...more: readonly string[]) =>
      JSON.parse((await run(['ops', 'journal', 'verify', ...more, '-o', 'json'])).stdout) as Record<string, unknown> & {
        checkpoint: { hash: string };
      };
    const before = { list: await list(), hash: (await verified()).checkpoint.hash };
    const lines = await exported();
    expect(JSON.parse(lines[0] ?? '')).toEqual({ type: 'journal', version: 1, operations: 4, entries: 18 });
    expect((await imported()).code).toBe(0);
    expect(await list()).toEqual(before.list);
    // Without the digest key, it is another journal, and an entry says so.
    expect(await verified('--checkpoint', before.hash)).toMatchObject({ entries: 19, operations: 4, problem: null });
  });

  test.each([
    [['ops', 'journal', 'export'], 'interrupted; the export is incomplete'],
    [['ops', 'journal', 'export', '-o', 'csv'], 'interrupted; the export is incomplete'],
    [['ops', 'journal', 'verify'], 'interrupted; nothing was changed'],
  ])('stops when %j is interrupted, also while it waits for nothing', async (argv, said) => {
    const controller = new AbortController();
    // A signal is heard in a turn of the event loop.
    const stopping = {
      ...world,
      interrupted: controller.signal,
      turn: async () => controller.abort(new Error('interrupted')),
    };
    const { code, stderr } = await run(argv, stopping);
    expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining(said) });
  });

  test('keeps idempotency keys usable with the digest key, and rejects them for every input without it', async () => {
    await exported('--with-digest-key');
    await imported();
    expect((await run(withdraw('500', '--once', 'k-0'))).code).toBe(0);
    expect((await run(withdraw('501', '--once', 'k-0'))).code).toBe(2);
    await exported();
    await imported();
    expect(await run(withdraw('500', '--once', 'k-0'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('was used for something else'),
    });
    expect(
      JSON.parse((await run(['fees', 'withdrawals', 'list', '--all', '-o', 'json'])).stdout).withdrawals,
    ).toHaveLength(4);
  });

  test('is rejected with another digest key, with which no idempotency key would know its input', async () => {
    const [first = '', ...rest] = await exported('--with-digest-key');
    rewrite([JSON.stringify({ ...JSON.parse(first), digestKey: 'x'.repeat(43) }), ...rest]);
    expect(await imported()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('its digest key is not the one that its entries know'),
    });
    expect(count()).toEqual({ n: 0 });
    rewrite([first, ...rest]);
    expect((await imported()).code).toBe(0);
    expect((await run(withdraw('500', '--once', 'k-0'))).code).toBe(0);
  });

  test('contains the digest key only if asked', async () => {
    const database = new DatabaseSync(path());
    const key = String(database.prepare(`SELECT value FROM setting`).get()?.['value']);
    database.close();
    expect((await run(['ops', 'journal', 'export'])).stdout).not.toContain(key);
    expect((await run(['ops', 'journal', 'export', '-o', 'csv'])).stdout).not.toContain(key);
    expect((await run(['ops', 'journal', 'export', '--with-digest-key'])).stdout).toContain(key);
  });

  test('continues its chain, and its unknown outcomes can be reconciled', async () => {
    await exported();
    await imported();
    expect((await run(['ops', 'reconcile'])).code).toBe(0);
    expect((await run(withdraw('700', '--once', 'new'))).code).toBe(0);
    expect((await run(['ops', 'journal', 'verify'])).code).toBe(0);
  });

  test('may be long, and is read in pages', async () => {
    const journal = await testJournal({ path: path(), ids: countingIds(9) });
    for (let each = 0; each < 1_500; each++)
      await prepared(journal, { input: String(each), summary: `"\u0000 ₦ ${each}\n` });
    journal.close();
    const before = await list();
    const lines = await exported();
    expect(lines.length).toBeGreaterThan(1 + 1_504 + 1_512);
    expect((await imported()).code).toBe(0);
    expect(await list()).toEqual(before);
  });

  test('as CSV has a row for each operation', async () => {
    const { stdout } = await run(['ops', 'journal', 'export', '-o', 'csv']);
    const rows = stdout.trimEnd().split(/\r?\n/);
    expect(rows[0]).toContain('operationId,kind,state,verdict');
    expect(rows).toHaveLength(5);
  });

  test.each([
    [['-o', 'json'], 'cannot be exported as json'],
    [['-o', 'csv', '--with-digest-key'], 'applies only to NDJSON'],
  ])('cannot be made with %j', async (flags, says) => {
    expect(await run(['ops', 'journal', 'export', ...flags])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(says),
    });
  });
});

const edit =
  (change: (line: Record<string, unknown>) => object, type: string, at = 0) =>
  (lines: readonly string[]) => {
    const indexes = lines.flatMap((line, index) => (JSON.parse(line).type === type ? [index] : []));
    return lines.map((line, index) => (index === indexes.at(at) ? JSON.stringify(change(JSON.parse(line))) : line));
  };
const withoutLine = (at: number) => (lines: readonly string[]) =>
  lines.filter((_, index) => index !== (at + lines.length) % lines.length);

describe('an import changes nothing and says why in one sentence', () => {
  test.each<[string, (lines: string[]) => readonly string[], string]>([
    [
      'a changed amount',
      edit((line) => ({ ...line, request: '{"amount":1}' }), 'operation'),
      'was changed, or is out of order',
    ],
    [
      'a changed state',
      edit((line) => ({ ...line, state: 'rejected' }), 'entry', -1),
      'was changed, or is out of order',
    ],
    ['a changed detail', edit((line) => ({ ...line, detail: 'x' }), 'entry', 5), 'was changed, or is out of order'],
    ['two swapped entries', (lines) => [...lines.slice(0, -2), lines.at(-1) ?? '', lines.at(-2) ?? ''], 'is missing'],
    ['a removed entry', withoutLine(-2), 'entry 17 is missing'],
    ['a cut end', withoutLine(-1), 'the file is not whole'],
    [
      'a removed operation',
      (lines) => lines.filter((line, index) => !(line.includes('"operation"') && index < 4)),
      'there is no operation',
    ],
    ['a removed first line', withoutLine(0), 'it is not a line of an export'],
    [
      'a line that is not JSON',
      (lines) => [...lines.slice(0, 3), 'x', ...lines.slice(3)],
      'line 4: it is not valid JSON',
    ],
    ['an unknown state', edit((line) => ({ ...line, state: 'done' }), 'entry'), '(state)'],
    ['an unknown field', edit((line) => ({ ...line, more: 1 }), 'entry'), 'it is not a line of an export'],
    ['a newer form', edit((line) => ({ ...line, version: 2 }), 'journal'), '(version)'],
    [
      'an idempotency key that is too long',
      edit((line) => ({ ...line, once_key: 'x'.repeat(3_000) }), 'operation'),
      '(once_key)',
    ],
    ['no operation and no entry that it announces', (lines) => lines.slice(0, 2), 'the file is not whole'],
    ['nothing', () => [], 'it is not valid JSON'],
  ])('%s', async (_what, change, says) => {
    const lines = await exported();
    rewrite(change(lines));
    const { code, stderr } = await imported();
    expect({ code, lines: stderr.split('\n').length, stderr }).toEqual({
      code: 2,
      lines: 4,
      stderr: expect.stringContaining(says),
    });
    expect(stderr).toContain('nothing was imported');
    expect(count()).toEqual({ n: 0 });
  });

  test('the journal of another account', async () => {
    await exported();
    const other = { ...fakeWorld(), ids: countingIds(7) };
    await run(['users', 'list'], other);
    const { code, stderr } = await run(['ops', 'journal', 'import', file('journal.ndjson')], other);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('it is the journal of another account'),
    });
  });

  test('the journal here is not empty', async () => {
    await exported();
    await run(withdraw('900', '--once', 'new'));
    expect(await imported()).toMatchObject({ code: 2, stderr: expect.stringContaining('is not empty') });
    expect((await list()).operations).toHaveLength(1);
  });

  test.each([
    ['is missing', (at: string) => rmSync(at), 'the file does not exist'],
    [
      'is a FIFO',
      (at: string) => void execFileSync('sh', ['-c', 'rm "$0"; mkfifo "$0"', at]),
      'it is not a regular file',
    ],
  ])('the file %s', async (_what, change, says) => {
    await exported();
    change(file('journal.ndjson'));
    expect(await imported()).toMatchObject({ code: 2, stderr: expect.stringContaining(says) });
  });
});

describe('a backup', () => {
  test('is a private copy of a journal that is in use, and can be restored', async () => {
    const writer = new DatabaseSync(path());
    writer.exec('BEGIN IMMEDIATE');
    const before = await list();
    expect((await run(['ops', 'journal', 'backup', file('copy.db')])).code).toBe(0);
    writer.close();
    expect((statSync(file('copy.db')).mode & 0o777).toString(8)).toBe('600');
    putAway();
    renameSync(file('copy.db'), path());
    expect(await list()).toEqual(before);
    expect((await run(['ops', 'journal', 'verify'])).code).toBe(0);
    expect((await run(withdraw('700', '--once', 'new'))).code).toBe(0);
  });

  test('never overwrites a file', async () => {
    writeFileSync(file('copy.db'), 'mine');
    expect(await run(['ops', 'journal', 'backup', file('copy.db')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the file already exists'),
    });
    expect(readFileSync(file('copy.db'), 'utf8')).toBe('mine');
  });

  test('is not written by a dry run', async () => {
    expect((await run(['ops', 'journal', 'backup', file('copy.db'), '--dry-run'])).code).toBe(0);
    expect(existsSync(file('copy.db'))).toBe(false);
  });

  test('needs an existing folder', async () => {
    expect(await run(['ops', 'journal', 'backup', file('no/copy.db')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the folder does not exist'),
    });
    expect(existsSync(file('no'))).toBe(false);
  });
});
