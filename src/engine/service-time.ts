import type { Profile } from '../account/profile.ts';
import type { World } from '../base/world.ts';
import { createServiceClock, type ServiceClock } from '../client/service-clock.ts';
import type { Journal } from '../journal/journal.ts';
import { clockWarning } from './clock-distance.ts';
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

interface Sources {
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
export function createServiceTime({ world, profile, say, isShared, journal, read }: Sources) {
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
