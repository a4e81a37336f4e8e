import { vi } from 'vitest';

/** Waits for a promise under vitest's fake timers by advancing time from one timer to the next. */
export async function settled<T>(promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const watched = promise.finally(() => {
    isSettled = true;
  });
  // The caller handles a rejection; it is not unhandled.
  watched.catch(() => {});
  for (let step = 0; !isSettled; step++) {
    if (step > 10_000) throw new Error('the promise does not settle');
    await vi.advanceTimersToNextTimerAsync();
  }
  return watched;
}

/** The clock of the fake timers. */
export const timerClock = { now: () => Date.now(), sleep: () => Promise.reject(new Error('unexpected sleep')) };
