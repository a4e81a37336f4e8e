import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createWords, manyRows, writeRows } from '../bulk/payouts.ts';
import { fiatrail, requireBuilt, startFiatrail } from '../support/built.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { hostOf } from './hosts.ts';
import { openHost } from './support.ts';

// A connection that stays open keeps the process of a command from ending.

let server: TestServer;

beforeAll(async () => {
  requireBuilt();
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

test('a command whose service is away ends, whatever it looks up in the journal meanwhile', async () => {
  const url = server.newDatabase();
  const host = hostOf({ url: 'http://127.0.0.1:9/v1', apiKey: 'sandbox_key' } as never, url, onTestFinished);
  const words = createWords(writeRows(host, manyRows(2)));
  expect((await fiatrail(host, ['ops', 'list', '-q'])).code).toBe(0);
  for (let run = 0; run < 5; run++) {
    const running = startFiatrail(host, words);
    const end = await Promise.race([running.end, sleep(60_000).then(() => 'does not end')]);
    running.kill('SIGKILL');
    expect(end).toMatchObject({ code: 5 });
  }
});
