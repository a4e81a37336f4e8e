import type { Profile } from '../../account/profile.ts';
import type { Clock, HttpResponse, World } from '../../base/world.ts';
import { SANDBOX_CLOCK, SANDBOX_LIMITS } from '../../contract/sandbox.ts';
import type { Journal } from '../../journal/interface.ts';
import type { Notices } from './notices.ts';

/** The times that an account knows: the service's, and the one that all hosts agree on. */
export interface ServiceTime {
  /** The service's time, as its responses say it. */
  readonly service: ServiceClock;
  /** The time that all hosts agree on, in milliseconds since the epoch: that of a shared journal, else the service's. */
  nowMs(): Promise<number>;
  /** The same, but never by this machine's clock, which its user can set: undefined if the service does not say its time. */
  statedMs(): Promise<number | undefined>;
  /** Warns once of a clock that is far from the service's. */
  warn(): Promise<void>;
}

interface TimeSources {
  readonly world: World;
  readonly profile: Pick<Profile, 'mode'>;
  readonly say: Notices['say'];
  /** Whether the journal is on a server, which then has a clock of its own. */
  isShared(): boolean;
  journal(): Promise<Journal>;
  /** Makes a small read. */
  read(): Promise<unknown>;
}

/** `ask` is called for each request; its result takes the response. */
export function createServiceTime({ world, profile, say, isShared, journal, read }: TimeSources) {
  const { clock } = world;
  const { ask, ...service } = createServiceClock(clock, profile.mode === 'live');
  let isWarned = false;
  const statedMs = async () => {
    if (isShared()) {
      const shared = await journal();
      // Its last transaction has its server's time.
      await shared.count();
      return clock.now() + shared.aheadMs();
    }
    if (service.nowMs() === undefined) await read();
    return service.nowMs();
  };
  const time: ServiceTime = {
    service,
    nowMs: async () => (await statedMs()) ?? clock.now(),
    statedMs,
    warn: async () => {
      // A request that is never sent leaves no journal.
      if (isWarned || service.hostAheadMs() === undefined) return;
      const warning = clockWarning(service, await journal());
      if (warning === undefined) return;
      isWarned = true;
      await say(`warning: ${warning}`);
    },
  };
  return { ask, ...time };
}

/** A clock that is off by more than this is worth a warning: hours of rules, days of limits and events depend on it. */
const WARNING_MS = 30_000;

/** `5 min 10 s`: how far two clocks are apart, whatever the direction. */
export function clockDistance(distanceMs: number): string {
  const seconds = Math.round(Math.abs(distanceMs) / 1_000);
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  const parts = [
    [days, 'd'],
    [hours, 'h'],
    [minutes, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  const shown = parts
    .slice(first === -1 ? 3 : first)
    .slice(0, 2)
    .filter(([count], index) => count > 0 || index === 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ');
}

/** `5 min 10 s ahead of the service’s`. */
export const clockDifference = (aheadMs: number): string =>
  `${clockDistance(aheadMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} the service’s`;

/** Returns a warning about a clock that is far from the service's; undefined if there is none, or the service did not say its time. */
function clockWarning(
  serviceClock: Pick<ServiceClock, 'hostAheadMs'>,
  journal: Pick<Journal, 'aheadMs'> | undefined,
): string | undefined {
  const hostAheadMs = serviceClock.hostAheadMs();
  if (hostAheadMs === undefined) return undefined;
  const journalAheadMs = hostAheadMs + (journal?.aheadMs() ?? 0);
  const [whose, aheadMs] =
    Math.abs(journalAheadMs) > Math.abs(hostAheadMs)
      ? ['the journal’s', journalAheadMs]
      : ['this machine’s', hostAheadMs];
  if (Math.abs(aheadMs) <= WARNING_MS) return undefined;
  return `${whose} clock is ${clockDifference(aheadMs)}; until it is right, no request is found to be not done, and days and hours may be wrong`;
}

/** The service's time, as its responses say it, and how far this machine's clock is from it. */
interface ServiceClock {
  /**
   * The service's time is at least this, in milliseconds since the epoch: what its last response said, and what has passed since by a clock that
   * nobody sets. Undefined before the first response that says its time.
   */
  nowMs(): number | undefined;
  /** How far this machine's clock is ahead of the service's, as little as the last response allows; negative if it is behind. */
  hostAheadMs(): number | undefined;
  /** By how much the service's clock was set during this command, as far as two responses show it; 0 if it was not. */
  jumpMs(): number;
  /** Whether the service said that it enforces no rate limits, as only a sandbox may. */
  isUnlimited(): boolean;
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
  let isUnlimited = false;
  const steadyMs = () => clock.steadyMs?.() ?? clock.now();
  const moment = (): ClockMoment => ({ nowMs: clock.now(), steadyMs: steadyMs() });
  return {
    ask: () => {
      const sent = moment();
      return (answer: Pick<HttpResponse, 'headers'>): void => {
        isUnlimited = !isLive && answer.headers[SANDBOX_LIMITS] === 'off';
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
    isUnlimited: () => isUnlimited,
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
