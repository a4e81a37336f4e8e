import { setImmediate as turn } from 'node:timers/promises';
import { main } from '../../src/main.ts';
import type { FakeWorld } from './world.ts';

const MOST_LOOKS = 2_000;

/** Runs a listener until `isEnough`, or until it has looked often enough. */
export async function listenUntil(
  world: FakeWorld,
  isEnough: () => boolean | Promise<boolean>,
  ...more: readonly string[]
): Promise<number> {
  const stop = new AbortController();
  let looks = 0;
  const clock = {
    ...world.clock,
    sleep: async (durationMs: number, signal: AbortSignal) => {
      await world.clock.sleep(durationMs, signal);
      looks += 1;
      if ((await isEnough()) || looks > MOST_LOOKS) stop.abort();
      await turn();
    },
  };
  return main(['webhooks', 'listen', '-q', '-o', 'ndjson', ...more], { ...world, clock, interrupted: stop.signal });
}
