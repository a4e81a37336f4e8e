import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { installProgram, SOUND } from '../sandbox/program.ts';
import { newHome } from '../support/built.ts';
import * as inProcess from '../support/in-process.ts';

const DAY_MS = 86_400_000;

/** More than any machine simulates before it is killed. */
const DAYS = 3_650;

interface Clock {
  readonly now: string;
  readonly clockOffsetSeconds: number;
}

test('a simulation that is killed leaves whole days, and the days that are left can be simulated', async () => {
  const home = newHome(onTestFinished);
  const program = installProgram(home);
  const here = installProgram(home, {}, inProcess);
  const until = '2026-03-01T00:00:00Z';
  const simulate = ['sandbox', 'simulate', '--days', String(DAYS), '--users', '100', '--until', until, '-q'];
  const running = program.start(simulate);
  const clock = async () => (await here.json(['sandbox', 'clock'])) as unknown as Clock;
  const startMs = Date.parse(until) - DAYS * DAY_MS;
  // Until the first days are over.
  let now = 0;
  while (now < startMs + 2 * DAY_MS || now > Date.parse(until)) {
    await setTimeout(20);
    now = Date.parse((await clock()).now);
  }
  running.kill('SIGKILL');
  await running.end;
  const afterwards = Date.parse((await clock()).now);
  const done = Math.floor((afterwards - startMs) / DAY_MS);
  expect(done).toBeGreaterThanOrEqual(2);
  expect(done).toBeLessThan(DAYS);
  // A day ends within an hour of its 24.
  expect((afterwards - startMs) % DAY_MS).toBeLessThan(3_600_000);
  expect(await here.json(['sandbox', 'status'])).toMatchObject({ stuck: 0, ...SOUND });
  const { from, balanced } = await here.json(['sandbox', 'simulate', '--days', '1', '--users', '100']);
  expect(Date.parse(String(from))).toBeGreaterThanOrEqual(afterwards);
  expect(balanced).toBe(true);
});
