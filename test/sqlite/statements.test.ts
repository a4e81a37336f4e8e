import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../../src/sqlite/database.ts';
import { temporaryFolder } from '../support/built.ts';

const open = async (path = join(temporaryFolder(onTestFinished), 'numbers.db')) => {
  const create = (database: { exec(sql: string): void }) =>
    database.exec(
      "CREATE TABLE number (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO number (name) VALUES ('one'), ('two')",
    );
  const database = await openDatabase(path, {
    synchronous: 'OFF',
    layout: { version: 1, applicationId: 7, create },
  });
  onTestFinished(() => database.close());
  return { database, path };
};

test('rows are equal however often their statement was read', async () => {
  const { database } = await open();
  const one = () => database.get('SELECT id, name, id AS name2, 1 AS "2" FROM number WHERE id = ?', 1);
  const all = () => database.all('SELECT * FROM number ORDER BY id');
  for (let time = 0; time < 4; time++) {
    expect({ ...one() }).toEqual({ id: 1n, name: 'one', name2: 1n, 2: 1n });
    expect(all().map((row) => ({ ...row }))).toEqual([
      { id: 1n, name: 'one' },
      { id: 2n, name: 'two' },
    ]);
    expect(database.get('SELECT * FROM number WHERE id = ?', 9)).toBeUndefined();
  }
});

test('rows have the columns that another process added', async () => {
  const { database, path } = await open();
  const two = () => ({ ...database.get('SELECT * FROM number WHERE id = 2') });
  for (let time = 0; time < 3; time++) expect(two()).toEqual({ id: 2n, name: 'two' });
  const other = new DatabaseSync(path);
  other.exec('ALTER TABLE number ADD COLUMN note TEXT');
  other.close();
  for (let time = 0; time < 3; time++) expect(two()).toEqual({ id: 2n, name: 'two', note: null });
});

test.each(['LIMIT ?', 'LIMIT ?2', 'LIMIT ?2 OFFSET ?3', 'LIMIT ? OFFSET ?'])(
  'a statement that ends in %s is compiled once',
  async (end) => {
    let compiled = 0;
    const { prepare } = DatabaseSync.prototype;
    vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, sql) {
      // SQLite asks while it compiles.
      this.setAuthorizer(() => {
        compiled += 1;
        return 0;
      });
      return prepare.call(this, sql);
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const { database } = await open();
    const page = (limit: number) =>
      database.all(
        `SELECT name FROM number WHERE id > ? ORDER BY id ${end}`,
        0,
        limit,
        ...(end.includes('OFFSET') ? [0] : []),
      );
    expect(page(1)).toHaveLength(1);
    const before = compiled;
    expect([page(2), page(1), page(2)].map(({ length }) => length)).toEqual([2, 1, 2]);
    expect(compiled).toBe(before);
  },
);
