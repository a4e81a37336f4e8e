import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/sqlite/database.ts';
import { newHome, ROOT, startProgram, temporaryFolder } from '../support/built.ts';
import { type Layout, NEXT, PRESENT } from './next-version.ts';

const OPENER = join(ROOT, 'test', 'sqlite', 'next-version.ts');

const open = (path: string, layout: Layout) => openDatabase(path, { synchronous: 'FULL', layout });

/** Makes a file of the present version with three payments. */
async function present(): Promise<string> {
  const path = join(temporaryFolder(onTestFinished), 'payments.db');
  const database = await open(path, PRESENT);
  for (let id = 1; id <= 3; id++) database.run('INSERT INTO payment VALUES (?, ?)', id, 100);
  database.close();
  return path;
}

function contentOf(path: string) {
  const database = new DatabaseSync(path, { readOnly: true });
  const first = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0];
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`).all();
  const content = {
    version: first('PRAGMA user_version'),
    tables: tables.map(({ name }) => name),
    payments: first('SELECT count(*) FROM payment'),
    check: first('PRAGMA integrity_check'),
  };
  database.close();
  return content;
}

const BEFORE = { version: 1, tables: ['payment'], payments: 3, check: 'ok' };
const AFTER = { version: 2, tables: ['payment', 'tag'], payments: 3, check: 'ok' };
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const remains = (path: string) => readdirSync(dirname(path)).filter((name) => /\.v\d/.test(name));

describe('the next version of a file', () => {
  test('keeps its rows, and leaves a private copy of the file as it was', async () => {
    const path = await present();
    const database = await open(path, NEXT);
    expect(database.all('SELECT payment, text FROM tag WHERE payment = 3')).toEqual([{ payment: 3n, text: 'kept' }]);
    database.close();
    expect([contentOf(path), contentOf(`${path}.v1`), modeOf(`${path}.v1`)]).toEqual([AFTER, BEFORE, '600']);
    expect(remains(path)).toEqual(['payments.db.v1']);
    // Once more, there is nothing to do.
    (await open(path, NEXT)).close();
    expect([contentOf(path), remains(path)]).toEqual([AFTER, ['payments.db.v1']]);
  });

  test('is made despite the remains of an upgrade that was killed', async () => {
    const path = await present();
    writeFileSync(`${path}.v1.part`, 'half a copy', { mode: 0o644 });
    (await open(path, NEXT)).close();
    expect([contentOf(`${path}.v1`), modeOf(`${path}.v1`), remains(path)]).toEqual([BEFORE, '600', ['payments.db.v1']]);
  });

  test('does not replace a copy that is there', async () => {
    const path = await present();
    writeFileSync(`${path}.v1`, 'mine');
    (await open(path, NEXT)).close();
    expect([readFileSync(`${path}.v1`, 'utf8'), contentOf(path)]).toEqual(['mine', AFTER]);
  });

  test('is not made if no copy can be written', async () => {
    const path = await present();
    mkdirSync(`${path}.v1.part`);
    await expect(open(path, NEXT)).rejects.toThrow();
    expect([contentOf(path), existsSync(`${path}.v1`)]).toEqual([BEFORE, false]);
  });

  test('is not made in part', async () => {
    const path = await present();
    const broken = { ...NEXT, upgrades: { 1: `${NEXT.upgrades?.[1]}; INSERT INTO nothing VALUES (1)` } };
    await expect(open(path, broken)).rejects.toThrow('nothing');
    expect(contentOf(path)).toEqual(BEFORE);
  });

  test('has no copy where a copy would keep what is personal', async () => {
    const path = await present();
    (await open(path, { ...NEXT, isCopied: false })).close();
    expect([contentOf(path), remains(path)]).toEqual([AFTER, []]);
  });

  test('is made once by processes that open it at once', async () => {
    const path = await present();
    const running = Array.from({ length: 4 }, () =>
      startProgram(newHome(onTestFinished), process.execPath, [OPENER, path]),
    );
    expect((await Promise.all(running.map(({ end }) => end))).map(({ code, stdout }) => [code, stdout])).toEqual(
      running.map(() => [0, '3 tags\n']),
    );
    expect([contentOf(path), contentOf(`${path}.v1`), remains(path)]).toEqual([AFTER, BEFORE, ['payments.db.v1']]);
  });

  test('must be as it is made', async () => {
    const path = await present();
    const odd: Layout = { ...NEXT, upgrades: { 1: 'CREATE TABLE other (id INTEGER) STRICT' } };
    await expect(open(path, odd)).rejects.toMatchObject({ problem: 'changed' });
  });
});

test.each([
  ['a newer version', NEXT, PRESENT, 'newer'],
  ['an older version that this one cannot upgrade', PRESENT, { ...NEXT, upgrades: {} }, 'older'],
])('a file of %s is rejected and left as it is', async (_what, made, opened, problem) => {
  const path = join(temporaryFolder(onTestFinished), 'payments.db');
  (await open(path, made)).close();
  const before = readFileSync(path);
  await expect(open(path, opened)).rejects.toMatchObject({ name: 'DatabaseError', problem, path });
  expect([readFileSync(path).equals(before), remains(path)]).toEqual([true, []]);
});
