import { afterAll, beforeAll, expect, test } from 'vitest';
import { simulatedAccount } from '../copy/ledger.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

test('a copy on a server has the same reports as one in a file', async () => {
  const url = server.newDatabase();
  const env: Record<string, string> = {};
  const account = await simulatedAccount({ seed: 17, users: 12, days: 3, env });
  const environment = account.world.env as Record<string, string | undefined>;
  /** Does something with the file, and then with the server. */
  const both = async <T>(work: () => Promise<T>): Promise<readonly [T, T]> => {
    const inFile = await work();
    environment['FIATRAIL_COPY_URL'] = url;
    const onServer = await work();
    delete environment['FIATRAIL_COPY_URL'];
    return [inFile, onServer];
  };
  await both(() => account.run('sync'));
  for (let day = 0; day < 3; day++) {
    await account.live();
    await both(() => account.run('sync'));
  }
  await both(() => account.run('report', 'owed'));
  const ask = async (words: readonly string[]) => {
    const {
      since: _since,
      until: _until,
      syncedAt: _synced,
      ...rest
    } = JSON.parse(await account.run(...words, '-o', 'json'));
    return rest;
  };
  const [{ owed }] = await both(() => ask(['report', 'owed', '--by', 'user']));
  const [first] = owed as { user: string }[];
  const questions = [
    ['report', 'statement', '--since', '10d'],
    ['report', 'statement', 'USDC', '--since', '3d'],
    ['report', 'statement', first?.user ?? '', '--since', '10d'],
    ...['kind', 'user', 'day'].map((by) => ['report', 'income', '--since', '10d', '--by', by]),
    ['report', 'owed', '--at', '2026-10-03T12:00:00Z', '--by', 'user'],
    ['report', 'owed', '--at', '2026-10-03T12:00:00Z'],
    ['report', 'profit', '--since', '10d'],
    ['report', 'pending'],
  ];
  let length = 0;
  for (const words of questions) {
    const [inFile, onServer] = await both(() => ask(words));
    expect(onServer, words.join(' ')).toEqual(inFile);
    length += JSON.stringify(inFile).length;
  }
  expect(length).toBeGreaterThan(10_000);
  // What is drawn is read by statements of its own. How fresh each copy is stands below.
  const drawn = await both(() => account.run('report', '--since', '10d', '--by', 'day', '--chart'));
  const [inFile, onServer] = drawn.map((text) => text.slice(0, text.indexOf('\nChecks')));
  expect(inFile).toMatch(/^Time to complete .*: Median$/m);
  expect(onServer).toBe(inFile);
});
