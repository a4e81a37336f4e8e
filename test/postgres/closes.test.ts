import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountAfter, closeMonth, type Life, ran } from '../questions/books/life.ts';
import { json, must } from '../questions/reports.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { type FakeWorld, fakeClock, fakeHost, fakeWorld } from '../support/world.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

/** Days in the middle of November, whose syncs would show nothing more than later ones. */
const MISSED = Array.from({ length: 27 }, (_, index) => `11-${String(index + 3).padStart(2, '0')}`);
const SHORT: Life = { seed: 3, users: 6, from: '10-29', until: '12-01', syncedFrom: '10-30', missed: MISSED };

test('a month that one host closes in a journal and a copy on a server is closed for another, with the same books', async () => {
  const env = {
    FIATRAIL_JOURNAL_URL: server.newDatabase(),
    FIATRAIL_COPY_URL: server.newDatabase(),
  };
  const world = await accountAfter(SHORT, { env });
  await closeMonth(world, '2025-10');
  const november = await closeMonth(world, '2025-11');
  const other: FakeWorld = fakeWorld({
    clock: fakeClock(world.clock.now()),
    env,
    host: { ...fakeHost(200, 'web-2'), user: 'bayo' },
  });
  await must(other, 'sandbox', 'status');
  copyFileSync(join(world.stateDir, 'sandbox.db'), join(other.stateDir, 'sandbox.db'));
  expect(await json(other, 'report', '2025-10')).toMatchObject({ closed: { by: 'ada on web-1', late: [] } });
  const both = [];
  for (const each of [world, other]) both.push(await ran(each, 'report', 'books', '2025-11', '--format', 'csv', '-q'));
  const [one, two] = both;
  expect(one?.code, one?.stderr).toBe(0);
  expect(two?.stdout).toBe(one?.stdout);
  const path = join(other.homeDir, 'books.csv');
  writeFileSync(path, two?.stdout ?? '');
  expect(await json(other, 'report', 'close', '--check', path)).toEqual(november);
  expect((await ran(other, 'report', 'reopen', '2025-10', '--reason', 'r', '--yes', '-q')).stderr).toContain(
    '2025-11 was closed after 2025-10',
  );
  // Of two hosts that reopen it at once: one.
  const line = ['report', 'reopen', '2025-11', '--reason', 'r', '--yes', '-q'];
  const codes = (await Promise.all([world, other].map((each) => ran(each, ...line)))).map(({ code }) => code);
  expect(codes.filter((code) => code === 0).length).toBe(1);
  expect(await json(world, 'report', '2025-11')).toMatchObject({ closed: null });
});
