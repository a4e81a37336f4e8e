import type { Profile } from '../account/profile.ts';
import type { World } from '../base/world.ts';
import { createServiceClock, type ServiceClock } from '../client/service-clock.ts';
import type { Journal } from '../journal/journal.ts';
import type { Dialog } from '../terminal/show/dialog.ts';
import { clockWarning } from './clock-distance.ts';

/** The times that a session knows: the service's, and the one that all hosts agree on. */
interface SessionTime {
  readonly serviceClock: ServiceClock;
  /** Told of each request; the result takes its response. */
  readonly ask: ReturnType<typeof createServiceClock>['ask'];
  /** The time that all hosts agree on, in milliseconds since the epoch: that of a shared journal, else the service's. */
  timeMs(): Promise<number>;
  /** Warns once of a clock that is far from the service's. */
  warn(): Promise<void>;
}

interface Sources {
  readonly world: World;
  readonly profile: Pick<Profile, 'mode'>;
  readonly say: Dialog['say'];
  /** Whether the journal is on a server, which then has a clock of its own. */
  isShared(): boolean;
  journal(): Promise<Journal>;
  /** Makes a small read. */
  read(): Promise<unknown>;
}

export function createSessionTime({ world, profile, say, isShared, journal, read }: Sources): SessionTime {
  const { clock } = world;
  const { ask, ...serviceClock } = createServiceClock(clock, profile.mode === 'live');
  let isWarned = false;
  return {
    ask,
    serviceClock,
    timeMs: async () => {
      if (isShared()) {
        const shared = await journal();
        // Its last transaction tells its server's time.
        await shared.count();
        return clock.now() + shared.aheadMs();
      }
      if (serviceClock.nowMs() === undefined) await read();
      return serviceClock.nowMs() ?? clock.now();
    },
    warn: async () => {
      // A request that is never sent leaves no journal.
      if (isWarned || serviceClock.hostAheadMs() === undefined) return;
      const warning = clockWarning(serviceClock, await journal());
      if (warning === undefined) return;
      isWarned = true;
      await say(`warning: ${warning}`);
    },
  };
}
