import type { Clock } from '../../base/world.ts';
import { type ForwardEnd, isTaken } from '../inbox/forwards.ts';

/** How fast a target gets events. */
export interface PaceOptions {
  /** The most events that are on their way to it at once. */
  readonly concurrency?: number | undefined;
  /** The most events that it gets in a second. */
  readonly perSecond?: number | undefined;
}

const CONCURRENCY = 32;
/**
 * After this many failures in a row, for this long, a target is left alone for a while, and then tried with one event; each time for
 * longer. Their number alone says little: a target may refuse many events at once and take them a second later.
 */
const FAILURES = 24;
const FAILING_MS = 2_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** The longest rest that a target can ask for. */
const LONGEST_REST_MS = 5 * 60_000;
/** Of a target that has taken nothing for this long, a person should know. */
const WARN_AFTER_MS = 60 * 60_000;

/** Decides how many events a target gets, by what it was told and by how it takes them. */
interface Pace {
  /** How many more events may start while some are on their way. */
  room(running: number): number;
  started(): void;
  /** Notes how an attempt ended; undefined if it says nothing about the target. */
  ended(end: ForwardEnd | undefined): void;
  /** How long the target is left alone now that nothing is on its way, in milliseconds; it is longer each time. */
  pauseMs(): number;
  /** Tells once of a target that has failed for long. */
  look(): void;
}

export const steadyMs = (clock: Clock): number => clock.steadyMs?.() ?? clock.now();

/** `tell` is called with true once a target has failed for an hour, and with false when it takes events again. */
export function createPace(
  clock: Clock,
  { concurrency = CONCURRENCY, perSecond = Number.POSITIVE_INFINITY }: PaceOptions,
  tell: (isFailing: boolean) => void,
): Pace {
  let [failures, pauses, failingMs, restMs] = [0, 0, 0, Number.NEGATIVE_INFINITY];
  let isWarned = false;
  const most = Math.max(1, perSecond);
  let [tokens, filledMs] = [most, steadyMs(clock)];
  // The clock of the machine may be set back.
  const failsSince = (durationMs: number) => failures > 0 && Math.abs(clock.now() - failingMs) >= durationMs;
  const isLeftAlone = () => failures >= FAILURES && failsSince(FAILING_MS);
  return {
    room: (running) => {
      const nowMs = steadyMs(clock);
      if (nowMs < restMs) return 0;
      tokens =
        perSecond === Number.POSITIVE_INFINITY
          ? most
          : Math.min(most, tokens + ((nowMs - filledMs) * perSecond) / 1_000);
      filledMs = nowMs;
      return Math.min((isLeftAlone() ? 1 : concurrency) - running, Math.floor(tokens));
    },
    started: () => {
      tokens -= 1;
    },
    ended: (end) => {
      if (end?.retryAfterMs !== undefined) restMs = steadyMs(clock) + Math.min(end.retryAfterMs, LONGEST_REST_MS);
      if (end && isTaken(end)) {
        [failures, pauses] = [0, 0];
        if (isWarned) tell(false);
        isWarned = false;
        return;
      }
      if (failures === 0) failingMs = clock.now();
      failures += 1;
    },
    pauseMs: () => {
      if (!isLeftAlone()) return 0;
      pauses += 1;
      return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(pauses - 1, 10));
    },
    look: () => {
      if (isWarned || !failsSince(WARN_AFTER_MS)) return;
      isWarned = true;
      tell(true);
    },
  };
}
