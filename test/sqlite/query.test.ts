import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openForQueries, type QueryDatabase } from '../../src/sqlite/query.ts';
import { temporaryFolder } from '../support/built.ts';

const LAYOUT = { version: 3, applicationId: 77 };

let path: string;
beforeEach(() => {
  path = join(temporaryFolder(onTestFinished), 'lists.db');
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, '', { mode: 0o600 });
  const database = new DatabaseSync(path);
  database.exec(`CREATE TABLE stored (id, secret); INSERT INTO stored VALUES (1, 'hidden');
    CREATE VIEW shown AS SELECT id FROM stored; PRAGMA user_version = 3; PRAGMA application_id = 77`);
  database.close();
});

const opened = async (): Promise<QueryDatabase> => {
  const database = await openForQueries(path, LAYOUT);
  onTestFinished(() => database.close());
  return database;
};

const rowsOf = (database: QueryDatabase, sql: string) => [...database.compile(sql).rows()];

test.each([
  [{ ...LAYOUT, version: 2 }, 'newer'],
  [{ ...LAYOUT, version: 4 }, 'older'],
  [{ ...LAYOUT, applicationId: 78 }, 'corrupt'],
])('a file with another layout is not read: %j', async (layout, problem) => {
  await expect(openForQueries(path, layout)).rejects.toMatchObject({ problem });
});

test('what is not a database is said so', async () => {
  writeFileSync(path, 'x'.repeat(5_000));
  await expect(openForQueries(path, LAYOUT)).rejects.toMatchObject({ problem: 'corrupt' });
});

test('rows come with their columns, and integers are exact', async () => {
  const database = await opened();
  const { columns, rows } = database.compile(`SELECT 9007199254740993 AS big, 'a' AS "", x'00ff' AS "", 0.5`);
  expect(columns).toEqual(['big', '', '', '0.5']);
  expect([...rows()]).toEqual([[9007199254740993n, 'a', new Uint8Array([0, 255]), 0.5]]);
});

describe('an encrypted connection', () => {
  const sealed = async () => {
    const database = await opened();
    async function* pages() {
      yield [['1', 'one']];
    }
    await database.addTable('added', ['id INTEGER', 'name TEXT'], pages());
    database.seal((table, column) => ['shown', 'stored', 'added'].includes(table) && column !== 'secret');
    return database;
  };

  test('reads views and what was added', async () => {
    expect(rowsOf(await sealed(), 'SELECT shown.id, name FROM shown JOIN added ON added.id = shown.id')).toEqual([
      [1n, 'one'],
    ]);
    expect(
      rowsOf(
        await sealed(),
        'WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c LIMIT 3) SELECT count(*) FROM c',
      ),
    ).toEqual([[3n]]);
  });

  test.each([
    'SELECT secret FROM stored',
    'WITH shown AS (SELECT * FROM stored) SELECT * FROM shown',
    'SELECT sql FROM sqlite_schema',
    "SELECT name FROM pragma_table_info('stored')",
    `SELECT load_extension('x')`,
    `SELECT fts3_tokenizer('simple')`,
    'INSERT INTO added VALUES (2, NULL)',
    'UPDATE stored SET id = 2',
    'CREATE TEMP TABLE more (id)',
    'DROP VIEW shown',
    'PRAGMA query_only = OFF',
    `ATTACH ':memory:' AS other`,
  ])('refuses %s', async (sql) => {
    const database = await sealed();
    expect(() => rowsOf(database, sql)).toThrow();
  });

  test('writes no copy of itself', async () => {
    const database = await sealed();
    expect(() => rowsOf(database, `VACUUM INTO '${path}.copy'`)).toThrow();
    expect(readdirSync(dirname(path)).filter((name) => name.endsWith('.copy'))).toEqual([]);
  });
});
