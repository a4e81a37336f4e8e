import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { SCHEMA } from '../../src/copy/schema.ts';
import { LISTS } from '../copy/moving-service.ts';
import { chances, servedMoving } from '../copy/served.ts';
import { newHome, type Ran, requireBuilt, startFiatrail } from '../support/built.ts';
import { fiatrail } from '../support/in-process.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { expectCopiedTo } from './copied.ts';
import { withEnv } from './hosts.ts';

beforeAll(requireBuilt);

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

const KILLS = Number(process.env['FIATRAIL_SOAK_COPY_KILLS'] ?? 4);
/** Fewer than a sync of these lists makes. */
const MOST_REQUESTS = 20;
/** Longer than it takes to write a page. */
const LONGEST_WRITE_MS = 15;

test('of two hosts whose syncs are killed at random moments, each goes on at once where it was killed itself', async () => {
  const chance = chances(11);
  let nowMs = Date.UTC(2026, 0, 5, 9);
  const { service, baseUrl } = await servedMoving(() => nowMs);
  const url = server.newDatabase();
  const env = { FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: 'sandbox_test', FIATRAIL_COPY_URL: url };
  const hosts = [1, 2].map(() => withEnv(newHome(onTestFinished), env));
  const lists = Object.keys(LISTS);
  for (const list of lists)
    for (let each = 0; each < 120; each++) {
      nowMs += 60_000;
      service.add(list);
      service.move(list, 0);
    }
  const running = ({ stdout }: Ran) => (JSON.parse(stdout) as { running: unknown }).running;
  const fillers = () => Number(server.sql(url, `SELECT count(*) FROM ${SCHEMA}.filler`));
  const tally = { killed: 0, ownAtOnce: 0, otherTold: 0 };
  for (let each = 0; each < KILLS; each++) {
    const [own, other] = chance() < 0.5 ? [hosts[0], hosts[1]] : [hosts[1], hosts[0]];
    if (!own || !other) throw new Error('two hosts');
    const sync = startFiatrail(own, ['sync', '-q']);
    // Somewhere between this request and what is written of its answer.
    let left = 1 + Math.floor(chance() * MOST_REQUESTS);
    const waitMs = chance() * LONGEST_WRITE_MS;
    service.onRequest = () => {
      const list = lists[Math.floor(chance() * lists.length)] ?? '';
      service.move(list, Math.floor(chance() * 100));
      nowMs += 1_000;
      left -= 1;
      if (left === 0) setTimeout(() => sync.kill('SIGKILL'), waitMs);
    };
    await sync.end;
    service.onRequest = undefined;
    if (fillers() === 0) continue;
    tally.killed += 1;
    const told = await fiatrail(other, ['sync', '--timeout', '1s', '-o', 'json', '-q']);
    expect(told.code, told.stderr).toBe(0);
    expect(running(told)).toMatchObject({ process: sync.pid });
    tally.otherTold += 1;
    // Whether the process has ended is asked as the program asks it.
    const after = await startFiatrail(own, ['sync', '--timeout', '1s', '-o', 'json', '-q']).end;
    expect(after.code, after.stderr).toBe(0);
    expect(running(after)).toBeNull();
    tally.ownAtOnce += 1;
  }
  expect(tally.killed).toBeGreaterThan(0);
  expect(tally).toEqual({ killed: tally.killed, ownAtOnce: tally.killed, otherTold: tally.killed });
  const [, two] = hosts;
  const { code, stderr } = await fiatrail(two ?? newHome(onTestFinished), ['sync', '--full', '-q']);
  expect(code, stderr).toBe(0);
  expectCopiedTo(server, url, service);
});
