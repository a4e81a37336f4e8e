import type { Profile } from '../account/profile.ts';
import type { World } from '../base/world.ts';
import { createServiceClock, type ServiceClock } from '../client/service-clock.ts';
import type { Journal } from '../journal/interface.ts';
import type { Notices } from './notices.ts';

/** The times that an account knows: the service's, and the one that all hosts agree on. */
export interface ServiceTime {
  /** The service's time, as its responses say it. */
  readonly service: ServiceClock;
  /** The time that all hosts agree on, in milliseconds since the epoch: that of a shared journal, else the service's. */
  nowMs(): Promise<number>;
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
  const time: ServiceTime = {
    service,
    nowMs: async () => {
      if (isShared()) {
        const shared = await journal();
        // Its last transaction has its server's time.
        await shared.count();
        return clock.now() + shared.aheadMs();
      }
      if (service.nowMs() === undefined) await read();
      return service.nowMs() ?? clock.now();
    },
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
