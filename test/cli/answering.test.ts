import { describe, expect, test } from 'vitest';
import type { World } from '../../src/base/world.ts';
import { createProgress } from '../../src/terminal/show/progress.ts';
import { fakeClock } from '../support/sandbox.ts';

/** Work that takes as many seconds as its ticks, on a terminal or elsewhere. */
async function working(
  seconds: number,
  { isTerminal = true, quiet = false, TERM = 'xterm', limitedMs = 0, fails = false } = {},
) {
  let text = '';
  let [tick, everyMs, isRunning] = [() => {}, 0, false];
  const clock = {
    ...fakeClock(),
    every: (durationMs: number, run: () => void) => {
      [tick, everyMs, isRunning] = [run, durationMs, true];
      return {
        [Symbol.dispose]: () => {
          isRunning = false;
        },
      };
    },
  };
  const stderr = {
    isTerminal,
    columns: 60,
    write: async (more: string) => {
      text += more;
    },
  };
  const world = { clock, env: { TERM }, stderr, stdout: stderr } as unknown as World;
  const progress = createProgress(world, { quiet, color: 'never' }, false);
  const done = progress.answering(async () => {
    if (limitedMs > 0) await progress.waits(limitedMs);
    for (let second = 1; second <= seconds; second++) {
      clock.pass(1000);
      if ((second * 1000) % everyMs === 0) tick();
      await new Promise(setImmediate);
    }
    if (fails) throw new Error('no answer');
    return 'answer';
  });
  const outcome = await done.catch((error: Error) => error.message);
  return { text, outcome, isRunning };
}

const [START, REST] = ['\r', '\u001b[K'];
const shown = (text: string) => START + text + REST;

describe('a service that has not answered', () => {
  test('is said on a terminal from the first second on, and removed with the answer', async () => {
    expect(await working(2)).toEqual({
      text: shown('waiting for the service · 1 s') + shown('waiting for the service · 2 s') + START + REST,
      outcome: 'answer',
      isRunning: false,
    });
  });

  test('is said once every 10 seconds on a terminal that cannot overwrite a line', async () => {
    expect((await working(25, { TERM: 'dumb' })).text).toBe('waiting for the service\n');
  });

  test.each([
    ['an answer within a second', 0, {}],
    ['--quiet', 5, { quiet: true }],
    ['a pipe', 5, { isTerminal: false }],
  ])('is not said with %s', async (_, seconds, options) => {
    expect(await working(seconds, options)).toEqual({ text: '', outcome: 'answer', isRunning: false });
  });

  test('gives way to a wait for the rate limit, which is counted down', async () => {
    expect((await working(3, { limitedMs: 2500 })).text).toBe(
      shown('rate limit: next request in 3 s') +
        shown('rate limit: next request in 2 s') +
        shown('rate limit: next request in 1 s') +
        shown('waiting for the service · 3 s') +
        START +
        REST,
    );
  });

  test('is removed from the terminal when the work fails', async () => {
    expect(await working(1, { fails: true })).toEqual({
      text: shown('waiting for the service · 1 s') + START + REST,
      outcome: 'no answer',
      isRunning: false,
    });
  });
});

test('a wait replaces the line of a command whose rows are on the terminal', async () => {
  let text = '';
  const write = async (more: string) => {
    text += more;
  };
  const terminal = { isTerminal: true, columns: 60, write };
  const world = { clock: fakeClock(), env: { TERM: 'xterm' }, stderr: terminal, stdout: terminal } as unknown as World;
  const progress = createProgress(world, { quiet: false, color: 'never' }, true);
  await progress.line(true).show('29 of 40 rows');
  await progress.waits(33_000);
  expect(text).toBe(`${shown('29 of 40 rows')}${START}${REST}rate limit: next request in 33 s\n`);
});
