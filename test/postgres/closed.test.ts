import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { openHost } from './support.ts';

// A connection that stays open keeps the process of a command from ending.

let server: TestServer;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

const connections = (url: string) =>
  Number(
    server.sql(url, `SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL`),
  );

test('a journal that was closed connects to the server no more, not even for work that began before', async () => {
  const url = server.newDatabase();
  const journal = await openHost(url);
  const during = journal.list({ limit: 1 });
  await journal.close();
  await during.catch(() => {});
  await expect(journal.list({ limit: 1 })).rejects.toThrow('has ended');
  expect(connections(url)).toBe(0);
});
