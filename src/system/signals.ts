/** A terminal and npm both pass on a Ctrl-C, so a signal that follows at once is the same one. Nobody presses keys so fast. */
const SAME_SIGNAL_MS = 100;
/** How long the last words may take. */
const LAST_WORDS_MS = 1_000;

const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Handles the signals that ask a program to end: on the second one it gives up waiting, on the third also its last words. */
export function watchSignals() {
  const interrupted = new AbortController();
  const abandoned = new AbortController();
  let lastMs = -SAME_SIGNAL_MS;
  const handle = () => {
    // Monotonic: a clock that is set back must not make the next signal look like this one.
    const nowMs = process.uptime() * 1000;
    if (nowMs - lastMs < SAME_SIGNAL_MS) return;
    lastMs = nowMs;
    if (!interrupted.signal.aborted) return interrupted.abort();
    abandoned.abort();
    setTimeout(() => {
      for (const signal of ENDING_SIGNALS) process.off(signal, handle);
    }, LAST_WORDS_MS).unref();
  };
  for (const signal of ENDING_SIGNALS) process.on(signal, handle);
  return { interrupted, abandoned };
}
