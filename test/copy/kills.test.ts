import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { fiatrail, newHome, requireBuilt, startFiatrail } from '../support/built.ts';
import { expectCopied } from './copied.ts';
import { LISTS } from './moving-service.ts';
import { chances, servedMoving } from './served.ts';

beforeAll(requireBuilt);

const KILLS = Number(process.env['FIATRAIL_SOAK_COPY_KILLS'] ?? 6);
/** Fewer than a sync of these lists makes. */
const MOST_REQUESTS = 20;
/** Longer than it takes to write a page. */
const LONGEST_WRITE_MS = 15;

test('a copy that is killed again and again while the lists move ends up equal to the service', async () => {
  const chance = chances(7);
  let nowMs = Date.UTC(2026, 0, 5, 9);
  const { service, baseUrl } = await servedMoving(() => nowMs);
  const home = newHome(onTestFinished);
  const env = { ...home.env, FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: 'sandbox_test' };
  const lists = Object.keys(LISTS);
  for (const list of lists)
    for (let each = 0; each < 350; each++) {
      nowMs += 60_000;
      service.add(list);
      service.move(list, 0);
      service.move(list, 3);
    }
  const move = () => {
    const list = lists[Math.floor(chance() * lists.length)] ?? '';
    const at = Math.floor(chance() * 100);
    if (chance() < 0.3) service.add(list);
    if (chance() < 0.3) service.move(list, at);
    if (chance() < 0.05) service.remove(list, at);
    nowMs += 1_000;
  };
  for (let each = 0; each < KILLS; each++) {
    const running = startFiatrail({ ...home, env }, ['sync', '-q']);
    // Somewhere between this request and what is written of its answer.
    let left = 1 + Math.floor(chance() * MOST_REQUESTS);
    const waitMs = chance() * LONGEST_WRITE_MS;
    service.onRequest = () => {
      move();
      left -= 1;
      if (left === 0) setTimeout(() => running.kill('SIGKILL'), waitMs);
    };
    await running.end;
  }
  service.onRequest = undefined;
  const { code, stderr } = await fiatrail({ ...home, env }, ['sync', '--full', '-q']);
  expect(code, stderr).toBe(0);
  expectCopied(`${home.stateDir}/copy-environment.db`, service);
});
