import type { Clock } from '../base/world.ts';

/** Resolves when the events that are waiting have been handled. */
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function sleep(durationMs: number, signal: AbortSignal, isQuiet: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, durationMs);
    if (isQuiet) timer.unref();
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  // Node's `performance` is the same clock, and takes 2 ms to load.
  steadyMs: () => Number(process.hrtime.bigint() / 1_000_000n),
  sleep: (durationMs, signal) => sleep(durationMs, signal, false),
  every: (durationMs, run) => {
    const timer = setInterval(run, durationMs).unref();
    return { [Symbol.dispose]: () => clearInterval(timer) };
  },
};

/** The clock of this machine, without keeping the process alive: whoever waits may end. */
export const quietClock: Clock = {
  ...systemClock,
  sleep: (durationMs, signal) => sleep(durationMs, signal, true),
};
