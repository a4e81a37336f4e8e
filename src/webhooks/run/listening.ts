import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Clock } from '../../base/world.ts';
import { createEventRecorder, type EventRecorder } from '../../copy/event-recorder.ts';
import type { Account } from '../../engine/account.ts';
import type { InboxEvent } from '../inbox/events.ts';
import { transientProblemOf } from '../inbox/forwards.ts';
import type { Inbox } from '../inbox/inbox.ts';
import { type Ending, type ForwardTarget, forwardTo } from '../listen/forwarder.ts';
import type { Metrics } from '../listen/metrics.ts';
import type { PaceOptions } from '../listen/pace.ts';
import { loggedTarget } from './log.ts';
import { createNoticed, type Noticed } from './noticed.ts';
import { serveHealth } from './operated.ts';
import { type Screen, type ScreenOptions, screenFor } from './screen.ts';
import { type ListenerOptions, serveUntil, writerFor } from './served.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';

/**
 * Receives, shows and forwards events until Ctrl-C. Then nothing more is taken, and what is on its way to a target ends; the next listener
 * forwards the rest. Rejects if one of these fails.
 */
export async function listenUntilStopped(
  account: Account,
  inbox: Inbox,
  { shown, direct, drainMs, retention: retentionMs, concurrency, rate: perSecond, ...options }: Listening,
  targets: readonly ForwardTarget[],
): Promise<void> {
  const { world, profile } = account;
  const [failing, ended] = [new AbortController(), new AbortController()];
  const stopping = AbortSignal.any([world.interrupted, failing.signal]);
  const tooLong = afterwards(stopping, () => world.clock.sleep(drainMs, ended.signal));
  const cutOff = AbortSignal.any([tooLong, failing.signal, world.abandoned]);
  const isEmbedded = profile.mode === 'embedded';
  const screen = screenFor(account, inbox, shown);
  const supervisor = createSupervisor(world, screen.say);
  // What arrived while nothing listened, before anything is received or forwarded: whatever arrives from now on is shown.
  const known = await inbox.list({ limit: AT_ONCE });
  const needsPort = !isEmbedded || Object.values(listenerOptions(options)).some((each) => each !== undefined);
  const writer = writerFor(account, inbox);
  const { metrics, ...operations } = await serveHealth(account, { inbox, writer }, options, targets, stopping);
  const serving = needsPort ? serveUntil(account, inbox, options, { screen, metrics, writer }, stopping) : undefined;
  const served = await serving?.catch(async (error: unknown) => {
    await operations.close();
    throw error;
  });
  const closed = once(stopping).then(() => Promise.all([served?.close(), supervisor.stopping()]));
  let works: readonly Promise<unknown>[] = [closed];
  try {
    if (isEmbedded) await direct();
    if (operations.address !== undefined) screen.note(`health and metrics at ${operations.address}`);
    screen.note(
      served
        ? `listening at ${served.address}; set it with: fiatrail webhooks set PUBLIC_URL. Press Ctrl-C to stop`
        : 'receiving the events of the embedded sandbox. Press Ctrl-C to stop',
    );
    const recorder = createEventRecorder(account);
    const noticed = createNoticed(account, inbox, screen.say);
    works = [
      closed,
      ...startWorks(
        account,
        inbox,
        { screen, recorder, metrics, targets, drainMs, retentionMs, pace: { concurrency, perSecond } },
        { stopping, cutOff },
      ),
    ];
    const all = Promise.all(works).finally(() => ended.abort());
    // It shows that the listener is alive as long as anything is on its way.
    const countNew = () => metrics?.received(false);
    const following = {
      known,
      screen,
      recorder,
      noticed,
      supervisor,
      learn: served?.learn,
      countNew: isEmbedded ? countNew : undefined,
    };
    works = [all, follow(account, inbox, following, AbortSignal.any([ended.signal, failing.signal]))];
    await supervisor.ready();
    await Promise.all(works);
  } finally {
    // Whatever ended the first of them, the others use the inbox until they have ended too.
    failing.abort();
    await Promise.allSettled([closed, ...works]);
    ended.abort();
    await Promise.all([operations.close(), screen.end()]);
  }
}

/** Sends the events of the embedded sandbox that are due; over the network, the service does. */
const deliver = async ({ connection }: Account, stopping: AbortSignal) => (await connection()).deliverDue?.(stopping);

/** How often the sandbox is looked at for events that are due, and the inbox for new ones. */
const LOOK_MS = 200;

async function deliverUntil(account: Account, screen: Screen, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    await deliver(account, stopping).catch((error: unknown) => screen.unwritable(transientProblemOf(error)));
    await account.world.clock.sleep(LOOK_MS, stopping).catch(() => {});
  }
}

/** How often unknown outcomes are looked for while events about such work arrive. */
const RECONCILE_EVERY_MS = 2_000;

/** Looks for unknown outcomes when events about such work arrive. Nothing that goes wrong here stops the listener. */
async function lookUntil(recorder: EventRecorder, screen: Screen, clock: Clock, stopping: AbortSignal): Promise<void> {
  let problem = '';
  while (!stopping.aborted) {
    await clock.sleep(RECONCILE_EVERY_MS, stopping).catch(() => {});
    try {
      const found = stopping.aborted ? 0 : await recorder.reconcileMentioned();
      if (found > 0)
        screen.say(
          `${found === 1 ? '1 unknown outcome' : `${found} unknown outcomes`} found by events; see: fiatrail ops list`,
        );
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== problem && !stopping.aborted)
        screen.say(`cannot look for unknown outcomes: ${message}`, { level: 'warning' });
      problem = message;
    }
  }
}

const PRUNE_EVERY_MS = 60 * 60_000;
/** Events deleted in one transaction, which holds up whoever writes meanwhile. */
const PRUNED_AT_ONCE = 500;

/** Deletes old events that need nothing more, now and every hour. */
async function pruneUntil(inbox: Inbox, retentionMs: number, screen: Screen, clock: Clock, stopping: AbortSignal) {
  while (!stopping.aborted) {
    let pruned = 0;
    try {
      for (let last = PRUNED_AT_ONCE; last === PRUNED_AT_ONCE && !stopping.aborted; pruned += last) {
        last = await inbox.prune(clock.now() - retentionMs, PRUNED_AT_ONCE);
        await clock.sleep(LOOK_MS, stopping).catch(() => {});
      }
    } catch (error) {
      screen.unwritable(transientProblemOf(error));
    }
    if (pruned > 0) screen.say(`${pruned} old ${pruned === 1 ? 'event' : 'events'} deleted`);
    await clock.sleep(PRUNE_EVERY_MS, stopping).catch(() => {});
  }
}

/** The options that only a listener with a port needs. */
const listenerOptions = ({ port, host, publicUrl, tlsCert, tlsKey }: ListenerOptions) => ({
  port,
  host,
  publicUrl,
  tlsCert,
  tlsKey,
});

/** How a listener runs. */
interface Listening extends ListenerOptions {
  readonly shown: ScreenOptions;
  /** Directs the events of the embedded sandbox to the inbox, once they can be received. */
  readonly direct: () => Promise<void>;
  /** How long events are kept that need nothing more, in milliseconds; for ever if left out. */
  readonly retention?: number | undefined;
  readonly concurrency?: number | undefined;
  /** The most events for a target in a second. */
  readonly rate?: number | undefined;
  /** How long forwards that are on their way may take when it stops, in milliseconds. */
  readonly drainMs: number;
}

/** Resolves when a signal aborts. */
const once = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Returns a signal that aborts when what begins with another one has resolved. */
function afterwards(signal: AbortSignal, begin: () => Promise<void>): AbortSignal {
  const later = new AbortController();
  once(signal)
    .then(begin)
    .then(() => later.abort())
    .catch(() => {});
  return later.signal;
}

interface Working {
  readonly screen: Screen;
  readonly recorder: EventRecorder;
  readonly metrics: Metrics | undefined;
  readonly targets: readonly ForwardTarget[];
  readonly drainMs: number;
  readonly retentionMs: number | undefined;
  readonly pace: PaceOptions;
}

/** Starts what goes on beside receiving. */
function startWorks(
  account: Account,
  inbox: Inbox,
  { screen, recorder, metrics, targets, drainMs, retentionMs, pace }: Working,
  ending: Ending,
): readonly Promise<void>[] {
  const { world, profile } = account;
  const forwarding = {
    clock: world.clock,
    gather: (flush: () => void) => void world.turn().then(flush),
    onUnrecorded: screen.unwritable,
    renew: async () => {
      if (!(await inbox.holds())) throw takenOver();
    },
    ...pace,
  };
  return [
    lookUntil(recorder, screen, world.clock, ending.stopping),
    ...targets.map((target) =>
      forwardTo(
        target,
        inbox.forwards,
        {
          ...forwarding,
          onForwarded: ({ event }, end, tookMs) => {
            metrics?.forwarded(target.name, end, tookMs);
            screen.forwarded(event, target.name, end);
          },
          onFailing: (isFailing) => {
            const name = loggedTarget(target.name);
            if (isFailing) screen.say(`${name} has taken no event for an hour`, { level: 'warning' });
            else screen.say(`${name} takes events again`);
          },
          onDraining: (count) =>
            screen.say(
              `stopping: ${count} ${count === 1 ? 'event is' : 'events are'} on their way to ${loggedTarget(target.name)}; waiting up to ${Math.ceil(drainMs / 1_000)} seconds`,
            ),
        },
        ending,
      ),
    ),
    ...(retentionMs === undefined ? [] : [pruneUntil(inbox, retentionMs, screen, world.clock, ending.stopping)]),
    ...(profile.mode === 'embedded' ? [deliverUntil(account, screen, ending.stopping)] : []),
  ];
}

/** Events printed at once. */
const AT_ONCE = 500;
/** How often the listener shows that it is alive. */
const TOUCH_EVERY = 50;

interface Following {
  /** What arrived before the listener began, newest first. */
  readonly known: readonly InboxEvent[];
  readonly screen: Screen;
  readonly recorder: EventRecorder;
  readonly noticed: Noticed;
  readonly supervisor: Supervisor;
  /** Learns the secret that a rotation wants the listener to know. */
  readonly learn: (() => Promise<void>) | undefined;
  /** Counts an event that shows in the inbox, where not all of them come by a request to this listener. */
  readonly countNew: (() => void) | undefined;
}

/** Shows the events that arrive, and records them in the journal, until `stopping` aborts. Throws CliError if another process takes the inbox. */
async function follow(
  account: Account,
  inbox: Inbox,
  { known, screen, recorder, noticed, supervisor, learn, countNew }: Following,
  stopping: AbortSignal,
): Promise<void> {
  const { clock } = account.world;
  await record(recorder, screen, known);
  let last = known[0]?.id ?? 0n;
  for (let round = 1; !stopping.aborted; round += 1) {
    const fresh = await arrivedIn(inbox, last, screen);
    last = fresh.at(-1)?.id ?? last;
    if (countNew) for (const _event of fresh) countNew();
    await screen.arrived(fresh);
    await record(recorder, screen, fresh);
    await noticed.look(fresh).catch((error: unknown) => screen.unwritable(transientProblemOf(error)));
    await learn?.().catch((error: unknown) => screen.unwritable(transientProblemOf(error)));
    await screen.refresh().catch((error: unknown) => screen.unwritable(transientProblemOf(error)));
    supervisor.alive();
    if (round % TOUCH_EVERY === 0 && !(await isOurs(inbox, screen))) throw takenOver();
    if (fresh.length < AT_ONCE) await clock.sleep(LOOK_MS, stopping).catch(() => {});
  }
}

/** The events after one that was shown last; none while the server of the inbox is away. */
async function arrivedIn(inbox: Inbox, last: bigint, screen: Screen): Promise<readonly InboxEvent[]> {
  try {
    return await inbox.list({ limit: AT_ONCE, after: last });
  } catch (error) {
    screen.unwritable(transientProblemOf(error));
    return [];
  }
}

/** Shows that the listener is alive. While the inbox cannot be written, nobody else can take it either. */
async function isOurs(inbox: Inbox, screen: Screen): Promise<boolean> {
  try {
    return await inbox.touch();
  } catch (error) {
    screen.unwritable(transientProblemOf(error));
    return true;
  }
}

async function record(recorder: EventRecorder, screen: Screen, events: readonly InboxEvent[]): Promise<void> {
  try {
    await recorder.record(events);
  } catch (error) {
    screen.say(`the journal cannot learn from events: ${messageOf(error)}`, { level: 'warning' });
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const takenOver = () =>
  new CliError('declined', 'another listener has taken this inbox, because this one was silent for too long', {
    code: 'INBOX_IN_USE',
    hint: advice`nothing that was acknowledged is lost; look at it with: [fiatrail webhooks inbox list]`,
  });
