import { ExchangeError } from '../../base/errors.ts';
import type { Clock, Exchange } from '../../base/world.ts';

const EVERY_MS = 60_000;
const TIMEOUT_MS = 10_000;

interface Watching {
  readonly clock: Clock;
  readonly network: Exchange;
  /** Told whenever it changes whether events can arrive; without a problem, they can. */
  report(problem: string | undefined): void;
}

/**
 * Calls the public URL every minute, and reports when this listener is not behind it, and when it is again: a listener that nobody can
 * reach looks exactly like one without events.
 */
export async function watchHeartbeat(
  url: string,
  heartbeat: string,
  { clock, network, report }: Watching,
  stopping: AbortSignal,
): Promise<void> {
  let before: string | null | undefined = null;
  while (!stopping.aborted) {
    const problem = await problemOf(url, heartbeat, network, stopping);
    if (stopping.aborted) return;
    if (problem !== before) report(problem);
    before = problem;
    await clock.sleep(EVERY_MS, stopping).catch(() => {});
  }
}

async function problemOf(
  url: string,
  heartbeat: string,
  network: Exchange,
  stopping: AbortSignal,
): Promise<string | undefined> {
  const limit = AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const { status, body } = await network({ method: 'GET', url, headers: {}, body: undefined }, limit, true);
    if (status === 200 && body.trim() === heartbeat) return undefined;
    return `${url} is answered by something else (HTTP ${status})`;
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    return `${url} cannot be reached: ${error.message}`;
  }
}
