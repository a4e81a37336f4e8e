import { getFees } from '../../contract/endpoints/fees.ts';
import type { Account } from '../../engine/account.ts';
import { clockDifference, clockDistance } from '../../engine/connection/service-time.ts';
import type { InboxEvent } from '../inbox/events.ts';
import type { Inbox, InboxCounts } from '../inbox/inbox.ts';
import type { Say } from './log.ts';

/** Says what a person should look at. */
export interface Noticed {
  /** Takes the events that arrived, and says what is new about them. */
  look(events: readonly InboxEvent[]): Promise<void>;
}

/** How long a line about quarantined and dead events is not said again. */
const SAY_EVERY_MS = 10_000;
/** How often the service is asked for its time and for the account. */
const ASK_EVERY_MS = 10 * 60_000;
/** A clock that is off by less is not why events come late or early. */
const CLOCK_MS = 30_000;

/**
 * Events that came late or early, are quarantined or dead are counted in one line. A clock that makes them so is warned of once, with its distance from the
 * service's; where the service cannot be asked, with the least distance of an event that arrived for the first time. The read that tells the
 * service's time also tells which account this is, so that events of another one are known.
 */
export function createNoticed(account: Account, inbox: Inbox, say: Say): Noticed {
  const { clock } = account.world;
  const isAsked = account.profile.mode !== 'embedded';
  let counted = { late: 0, quarantined: 0, dead: 0 };
  let countedMs = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;
  let askedMs = Number.NEGATIVE_INFINITY;
  let knowsAccount = false;
  let clockWarning: 'none' | 'due' | 'said' = 'none';
  let leastMs = Number.POSITIVE_INFINITY;

  const ask = async () => {
    try {
      const { fintechId } = (await account.call(getFees, {})).data;
      await inbox.forwardTo({ fintechId });
      knowsAccount = true;
    } catch {
      // The listener works without the service; it is asked again later.
    }
  };
  /** Asks in the background: a slow service must not hold up the listener. */
  const askIfDue = () => {
    if (!isAsked || asking || Math.abs(clock.now() - askedMs) < ASK_EVERY_MS) return;
    askedMs = clock.now();
    asking = ask().finally(() => {
      asking = undefined;
    });
  };
  const warnOfClock = () => {
    if (clockWarning !== 'due' || asking) return;
    const text = warning(account.time.service.hostAheadMs(), leastMs);
    clockWarning = text === undefined ? 'none' : 'said';
    if (text !== undefined) say(text, { level: 'warning' });
  };
  const sayCounts = async () => {
    const { late, quarantined, dead } = await inbox.counts();
    const hasMore = late > counted.late || quarantined > counted.quarantined || dead > counted.dead;
    if (hasMore && Math.abs(clock.now() - countedMs) < SAY_EVERY_MS) return;
    if (hasMore) {
      countedMs = clock.now();
      say(lineOf({ late, quarantined, dead }));
    }
    counted = { late, quarantined, dead };
  };
  return {
    look: async (events) => {
      for (const { receivedAtMs, sentAtMs } of events) leastMs = Math.min(leastMs, receivedAtMs - sentAtMs);
      const isOffTime = events.some(({ isLate, isEarly }) => isLate || isEarly);
      if (isOffTime && clockWarning === 'none') clockWarning = 'due';
      if (isOffTime || !knowsAccount) askIfDue();
      warnOfClock();
      await sayCounts();
    },
  };
}

/** `2 events came late or early, 1 is quarantined, 0 are dead` */
function lineOf({ late, quarantined, dead }: Pick<InboxCounts, 'late' | 'quarantined' | 'dead'>): string {
  const are = (count: number) => `${count} ${count === 1 ? 'is' : 'are'}`;
  return `${late} ${late === 1 ? 'event' : 'events'} came late or early, ${are(quarantined)} quarantined, ${are(dead)} dead; see: fiatrail webhooks inbox list --status quarantined`;
}

/** How this machine's clock is wrong, by the service's time or else by the event that took least; undefined if it is right. */
function warning(aheadMs: number | undefined, leastMs: number): string | undefined {
  if (aheadMs !== undefined)
    return Math.abs(aheadMs) > CLOCK_MS
      ? `this machine’s clock is ${clockDifference(aheadMs)}, so events count as ${aheadMs > 0 ? 'late' : 'early'}`
      : undefined;
  if (!Number.isFinite(leastMs) || Math.abs(leastMs) <= CLOCK_MS) return undefined;
  return leastMs > 0
    ? `no event arrived less than ${clockDistance(leastMs)} after it was sent: they were delayed, or this machine’s clock is ahead`
    : `events arrive ${clockDistance(leastMs)} before they were sent: this machine’s clock is behind`;
}
