import type { Clock, HttpResponse } from '../base/world.ts';
import { SANDBOX_CLOCK } from '../contract/sandbox.ts';

/** The service's time, as its responses say it, and how far this machine's clock is from it. */
export interface ServiceClock {
  /**
   * The service's time is at least this, in milliseconds since the epoch: what its last response said, and what has passed since by a clock that
   * nobody sets. Undefined before the first response that says its time.
   */
  nowMs(): number | undefined;
  /** How far this machine's clock is ahead of the service's, as little as the last response allows; negative if it is behind. */
  hostAheadMs(): number | undefined;
  /** By how much the service's clock was set during this command, as far as two responses show it; 0 if it was not. */
  jumpMs(): number;
}

/** A clock that takes note of each request. */
interface RecordingClock extends ServiceClock {
  /** Notes that a request is sent; the result takes its response. */
  ask(): (answer: Pick<HttpResponse, 'headers'>) => void;
}

/** When something happened by this machine's clock, and by a clock that nobody sets. */
interface ClockMoment {
  readonly nowMs: number;
  readonly steadyMs: number;
}

interface ClockReading {
  readonly atMs: number;
  /** By how much the clock of a sandbox was moved on purpose. */
  readonly movedMs: number;
  readonly sent: ClockMoment;
  readonly received: ClockMoment;
  readonly hostAheadMs: number;
}

/** A `Date` header has whole seconds. */
const SECOND_MS = 1_000;
const IMF_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const MAX_JUMP_MS = 5_000;

/**
 * Returns a clock that is set by responses. The `Date` of a response counts if it is one as HTTP defines it (RFC 9110) and the response did not
 * come from a cache. `isLive`: only a sandbox may say that its clock was moved.
 */
export function createServiceClock(clock: Pick<Clock, 'now' | 'steadyMs'>, isLive: boolean): RecordingClock {
  let latest: ClockReading | undefined;
  let jumpMs = 0;
  const steadyMs = () => clock.steadyMs?.() ?? clock.now();
  const moment = (): ClockMoment => ({ nowMs: clock.now(), steadyMs: steadyMs() });
  return {
    ask: () => {
      const sent = moment();
      return (answer: Pick<HttpResponse, 'headers'>): void => {
        const stated = timeIn(answer, isLive);
        if (!stated) return;
        const received = moment();
        const hostAheadMs = leastDistance(
          sent.nowMs - stated.untilMs + stated.movedMs,
          received.nowMs - stated.atMs + stated.movedMs,
        );
        if (latest) jumpMs = furthest(jumpMs, jumpBetween(latest, { ...stated, sent, received }));
        latest = { ...stated, sent, received, hostAheadMs };
      };
    },
    nowMs: () => latest && latest.atMs + Math.max(0, steadyMs() - latest.received.steadyMs),
    hostAheadMs: () => latest?.hostAheadMs,
    jumpMs: () => (Math.abs(jumpMs) > MAX_JUMP_MS ? jumpMs : 0),
  };
}

interface StatedTime {
  readonly atMs: number;
  /** The latest time that it may mean. */
  readonly untilMs: number;
  readonly movedMs: number;
}

function timeIn({ headers }: Pick<HttpResponse, 'headers'>, isLive: boolean): StatedTime | undefined {
  const [, exact, moved] = (isLive ? null : /^(\d{1,15}) (-?\d{1,15})$/.exec(headers[SANDBOX_CLOCK] ?? '')) ?? [];
  if (exact !== undefined) return { atMs: Number(exact), untilMs: Number(exact), movedMs: Number(moved) };
  const { date = '', age = '0' } = headers;
  const atMs = IMF_DATE.test(date) && /^0*$/.test(age.trim()) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : { atMs, untilMs: atMs + SECOND_MS, movedMs: 0 };
}

/** The number between two that is nearest to zero. */
const leastDistance = (low: number, high: number): number => (low > 0 ? low : high < 0 ? high : 0);

const furthest = (one: number, other: number): number => (Math.abs(other) > Math.abs(one) ? other : one);

/**
 * By how much more the service's clock went on between two responses than this machine's clocks. A machine that slept has one that stood still,
 * so the clock counts that agrees more with the service's.
 */
function jumpBetween(
  before: ClockReading,
  latest: StatedTime & { readonly sent: ClockMoment; readonly received: ClockMoment },
): number {
  const minimumMs = latest.atMs - latest.movedMs - (before.atMs - before.movedMs) - SECOND_MS;
  const maximumMs = latest.untilMs - latest.movedMs - (before.atMs - before.movedMs);
  const jumps = (['steadyMs', 'nowMs'] as const).map((clock) =>
    leastDistance(
      // A service says its time at some moment between a request and its response.
      minimumMs - (latest.received[clock] - before.sent[clock]),
      maximumMs - (latest.sent[clock] - before.received[clock]),
    ),
  );
  return jumps.reduce((least, jump) => (Math.abs(jump) < Math.abs(least) ? jump : least));
}
