import { afterAll, beforeAll, expect, test } from 'vitest';
import { simulatedAccount } from '../copy/ledger.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

/** The reports of an account that lived for some days, as its copy has them. */
async function reportsOf(env: Readonly<Record<string, string>>): Promise<Readonly<Record<string, unknown>>> {
  const account = await simulatedAccount({ seed: 17, users: 16, days: 4, env });
  await account.run('sync');
  for (let day = 0; day < 4; day++) {
    await account.live();
    await account.run('sync');
  }
  await account.run('report', 'owed');
  const ask = async (...words: string[]) => JSON.parse(await account.run(...words, '-o', 'json'));
  const { users } = await ask('users', 'list', '--all');
  const [first] = (await ask('report', 'owed', '--by', 'user')).owed as { user: string }[];
  const questions = [
    ['report', 'statement', '--since', '10d'],
    ['report', 'statement', 'USDC', '--since', '3d'],
    ['report', 'statement', first?.user ?? users[0].userId, '--since', '10d'],
    ...['kind', 'user', 'day'].map((by) => ['report', 'income', '--since', '10d', '--by', by]),
    ['report', 'owed', '--at', '2026-10-03T12:00:00Z', '--by', 'user'],
    ['report', 'owed', '--by', 'user'],
    ['report', 'profit', '--since', '10d'],
    ['report', 'pending'],
    ['report', 'changes', '--since', '10d', '--limit', '100'],
  ];
  const all: Record<string, unknown> = {};
  for (const words of questions) {
    const { since: _, until: _until, syncedAt: _synced, ...rest } = await ask(...words);
    all[words.join(' ')] = rest;
  }
  return all;
}

test('a copy on a server has the same reports as one in a file', async () => {
  const file = await reportsOf({});
  const shared = await reportsOf({ FIATRAIL_COPY_URL: server.newDatabase() });
  expect(Object.keys(shared)).toEqual(Object.keys(file));
  for (const [words, report] of Object.entries(file)) expect(shared[words], words).toEqual(report);
  expect(JSON.stringify(file).length).toBeGreaterThan(10_000);
});
