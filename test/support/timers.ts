import { vi } from 'vitest';

/** Lets a promise come to its end under vitest's fake timers: time jumps from one timer to the next. */
export async function settled<T>(promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const watched = promise.finally(() => {
    isSettled = true;
  });
  // A rejection is the caller's to see, not an unhandled one.
  watched.catch(() => {});
  for (let step = 0; !isSettled; step++) {
    if (step > 10_000) throw new Error('it never ends');
    await vi.advanceTimersToNextTimerAsync();
  }
  return watched;
}

/** The clock of the fake timers. */
export const timerClock = { now: () => Date.now(), sleep: () => Promise.reject(new Error('nobody sleeps here')) };
