import type { Baseline } from '../../journal/intent.ts';
import type { Account } from '../account.ts';
import { clockDifference, clockDistance } from '../service-time.ts';
import { SERVICE_SKEW_MS } from './listing.ts';

/** Clocks that differ by more than this prove nothing about what is missing from a list. */
const MAX_DISTANCE_MS = 5_000;

/** A clock, and how far it is from the service's. */
type Distance = readonly [clock: string, aheadMs: number | undefined];

/**
 * Returns why the clocks do not allow to conclude that a request is in no list: one of them was wrong when the request was sent or is wrong now, or the service's
 * own time contradicts itself. Undefined if they are right.
 */
export async function clockProblem(
  { time: { service }, journal }: Pick<Account, 'time' | 'journal'>,
  { serviceAtMs, hostAheadMs, journalAheadMs }: Baseline,
): Promise<string | undefined> {
  const nowMs = service.nowMs();
  const hostNowMs = service.hostAheadMs();
  if (nowMs === undefined || hostNowMs === undefined) return 'the service does not say its time';
  if (serviceAtMs === undefined) return 'the service’s time when the request was sent is not known';
  const jumpMs = service.jumpMs();
  if (jumpMs !== 0) return `the service’s clock was set ${jumpMs > 0 ? 'forward' : 'back'} by ${clockDistance(jumpMs)}`;
  const then = far([
    ['this machine’s', hostAheadMs],
    ['the journal’s', journalAheadMs],
  ]);
  if (then) return `when the request was sent, ${then[0]} clock was ${clockDifference(then[1])}`;
  const now = far([
    ['this machine’s', hostNowMs],
    ['the journal’s', hostNowMs + (await journal()).aheadMs()],
  ]);
  if (now) return `${now[0]} clock is ${clockDifference(now[1])}`;
  const aheadMs = serviceAtMs - nowMs;
  if (aheadMs <= SERVICE_SKEW_MS) return undefined;
  return `the request was sent ${clockDistance(aheadMs)} after the time that the service says it is now`;
}

function far(distances: readonly Distance[]): readonly [clock: string, aheadMs: number] | undefined {
  return distances
    .map(([clock, aheadMs = 0]) => [clock, aheadMs] as const)
    .find(([, aheadMs]) => Math.abs(aheadMs) > MAX_DISTANCE_MS);
}
