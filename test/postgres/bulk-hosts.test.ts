import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { amountsOf, createWords, manyRows, paidIn, printed, writeRows } from '../bulk/payouts.ts';
import { requireBuilt, startFiatrail } from '../support/built.ts';
import { fiatrail, serveSandbox } from '../support/in-process.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { hostOf } from './hosts.ts';

let server: TestServer;

beforeAll(async () => {
  requireBuilt();
  server = await startPostgres();
});
afterAll(() => server?.stop());

test('another host goes on with a file whose host was killed, without the file', async () => {
  const served = await serveSandbox(onTestFinished);
  const url = server.newDatabase();
  const [one, two] = [hostOf(served, url, onTestFinished), hostOf(served, url, onTestFinished)];
  await fiatrail(one, ['sandbox', 'seed', '--users', '0', '--rate-limits', 'off', '--pace', 'instant', '-q']);
  const rows = manyRows(60);
  const words = createWords(writeRows(one, rows));
  for (const count of [5, 25]) {
    const running = startFiatrail(one, words);
    for (let tries = 0; (await paidIn(two)).length < count; tries++) {
      if (tries > 1000) throw new Error('no row was sent');
      await sleep(20);
    }
    running.kill('SIGKILL');
    await running.end;
  }
  const resume = ['bulk', 'resume', 'nov', '--yes', '-q', '-o', 'json'];
  // From here, nobody can see that the process has ended.
  expect(printed(await fiatrail(two, resume)).error).toMatchObject({ code: 'FILE_BUSY' });
  server.sql(url, 'UPDATE fiatrail.file_lease SET busy_until = busy_until - 300000');
  const resumed = printed(await fiatrail(two, resume));
  // Each kill left at most one row in the air, whose outcome stays unknown until something proves it.
  const { done, unknown, waiting } = resumed.data;
  expect([done + unknown, unknown <= 2, waiting]).toEqual([60, true, 0]);
  // The first host sees what the other one did, and sends nothing twice.
  const again = printed(await fiatrail(one, words)).data;
  expect([again.done + again.unknown, again.done >= done, again.waiting]).toEqual([60, true, 0]);
  const paid = await paidIn(one);
  expect(new Set(paid).size).toBe(paid.length);
  expect(paid.length).toBeGreaterThanOrEqual(done);
  expect(amountsOf(rows)).toEqual(expect.arrayContaining([...paid]));
  expect((await fiatrail(one, ['ops', 'journal', 'verify', '-q'])).code).toBe(0);
});

test('two hosts that start one file at the same instant pay each row once', async () => {
  const served = await serveSandbox(onTestFinished);
  const url = server.newDatabase();
  const hosts = [hostOf(served, url, onTestFinished), hostOf(served, url, onTestFinished)] as const;
  await fiatrail(hosts[0], ['sandbox', 'seed', '--users', '0', '--rate-limits', 'off', '--pace', 'instant', '-q']);
  const rows = manyRows(20);
  const path = writeRows(hosts[0], rows);
  const ran = (await Promise.all(hosts.map((host) => fiatrail(host, createWords(path))))).map(printed);
  const ends = ran.map(({ code, error }) => (code === 0 ? 'done' : error?.code)).toSorted();
  // One may find the file done when it comes to it.
  expect([
    ['FILE_BUSY', 'done'],
    ['done', 'done'],
  ]).toContainEqual(ends);
  expect(await paidIn(hosts[0])).toEqual(amountsOf(rows));
});
