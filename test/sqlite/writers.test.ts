import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../src/journal/sqlite/store.ts';
import { type Database, openDatabase } from '../../src/sqlite/database.ts';
import { temporaryFolder } from '../support/built.ts';
import { oneProcess } from '../support/journal-intent.ts';
import { countingIds, fakeClock } from '../support/sandbox.ts';

const NAME = 'count';
const READ = `SELECT value FROM setting WHERE name = '${NAME}'`;
const WRITE = 'INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value';

/** Two processes that have one journal open. */
async function twoJournals() {
  const path = join(temporaryFolder(onTestFinished), 'journal.db');
  const open = async (seed: number) => {
    const store = await openSqliteStore(path, { clock: fakeClock(), ids: countingIds(seed), host: oneProcess() });
    onTestFinished(() => store.close());
    return store;
  };
  return [await open(1), await open(2)] as const;
}

describe('a journal that one process writes', () => {
  test('is rejected to another one, even before anything is written', async () => {
    const [first, second] = await twoJournals();
    const [reading, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const written = first.write(async (queries) => {
      await queries.get(READ);
      reading.resolve();
      await going.promise;
      await queries.run(WRITE, NAME, 'first');
    });
    await reading.promise;
    const refused = second.write((queries) => queries.run(WRITE, NAME, 'second'), 60);
    await expect(refused).rejects.toMatchObject({ name: 'DatabaseError', problem: 'busy' });
    going.resolve();
    await written;
    expect(await second.read((queries) => queries.get(READ))).toEqual({ value: 'first' });
  });

  test('loses nothing that two processes count at once', async () => {
    const stores = await twoJournals();
    const count = (store: (typeof stores)[number]) =>
      store.write(async (queries) => {
        const row = await queries.get<{ value: string }>(READ);
        // The other one gets its turn here, if it can.
        await new Promise((resolve) => setImmediate(resolve));
        await queries.run(WRITE, NAME, String(Number(row?.value ?? 0) + 1));
      });
    await Promise.all([...stores, ...stores, ...stores].map(count));
    expect(await stores[0].read((queries) => queries.get(READ))).toEqual({ value: '6' });
  });
});

/** Two connections to one database, which wait for nothing. */
async function twoDatabases(): Promise<readonly [Database, Database]> {
  const path = join(temporaryFolder(onTestFinished), 'two.db');
  const create = (database: Database) => database.exec('CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT)');
  const open = async () => {
    const layout = { version: 1, applicationId: 7, create };
    const database = await openDatabase(path, { synchronous: 'OFF', busyTimeoutMs: 1, layout });
    onTestFinished(() => database.close());
    return database;
  };
  return [await open(), await open()];
}

describe('a transaction that writes', () => {
  test('is alone from its beginning, and another connection writes after it', async () => {
    const [first, second] = await twoDatabases();
    const write = () => second.run(WRITE, NAME, 'second');
    first.transaction('write', () => {
      first.get(READ);
      expect(write).toThrow(/^busy/);
    });
    write();
    expect(first.get(READ)).toEqual({ value: 'second' });
  });

  test('may write what it decided by what it read', async () => {
    const [first, second] = await twoDatabases();
    first.transaction('write', () => {
      const isFree = first.get(READ) === undefined;
      try {
        second.run(WRITE, NAME, 'second');
      } catch {
        // It came too late.
      }
      if (isFree) first.run(WRITE, NAME, 'first');
    });
    expect(second.get(READ)).toEqual({ value: 'first' });
  });
});
