import type { Clock } from '../../base/world.ts';
import type { InboxEvent } from '../inbox/events.ts';
import { type DueForward, type ForwardEnd, type Forwards, isTaken, transientProblemOf } from '../inbox/forwards.ts';
import { createPace, type PaceOptions, steadyMs } from './pace.ts';

/** Where events go: its name, and how one is handed over once. */
export interface ForwardTarget {
  /** The URL, or `exec:` and the command. */
  readonly name: string;
  send(event: InboxEvent, cutOff: AbortSignal, isLate: () => boolean): Promise<ForwardEnd>;
}

/** How a listener ends: it starts nothing new once `stopping` aborts, and what is still on its way is cut off when `cutOff` does. */
export interface Ending {
  readonly stopping: AbortSignal;
  readonly cutOff: AbortSignal;
}

interface ForwardOptions extends PaceOptions {
  readonly clock: Clock;
  onForwarded(forward: DueForward, end: ForwardEnd, tookMs: number): void;
  /** Shows that this process is alive before it claims anything. Rejects if another one forwards instead. */
  renew(): Promise<void>;
  /** Called with true once the target has taken nothing for an hour, and with false when it takes events again. */
  onFailing(isFailing: boolean): void;
  /** Called when it stops while events are on their way. */
  onDraining(count: number): void;
  /** Runs `flush` after the current turn of the event loop. */
  readonly gather: (flush: () => void) => void;
  /** Called when an attempt cannot be recorded for a while, such as on a full disk. */
  onUnrecorded(problem: string): void;
}

const IDLE_MS = 250;

/**
 * Forwards the events of an inbox to a target until it is to stop, and lets what is on its way end: at least once, in the order of each request, and never again
 * once the target has acknowledged it. A slow event holds up nothing but its own request.
 */
export async function forwardTo(
  target: ForwardTarget,
  forwards: Forwards,
  options: ForwardOptions,
  { stopping, cutOff }: Ending,
): Promise<void> {
  const sleep = (durationMs: number) => options.clock.sleep(durationMs, stopping).catch(() => {});
  const record = recorder(forwards, options.gather);
  const running = new Map<bigint, Promise<void>>();
  const pace = createPace(options.clock, options, options.onFailing);
  const start = async (forward: DueForward) => {
    pace.started();
    pace.ended(await attempt(target, forward, record, options, cutOff));
    running.delete(forward.id);
  };
  try {
    while (!stopping.aborted) {
      pace.look();
      const pauseMs = running.size === 0 ? pace.pauseMs() : 0;
      if (pauseMs > 0) await sleep(pauseMs);
      const room = pace.room(running.size);
      // What ends while the inbox is asked may be in its answer still.
      const before = new Set(running.keys());
      const due =
        room > 0 && !stopping.aborted ? await claimed(target.name, room + running.size, forwards, options) : [];
      for (const forward of due.filter(({ id }) => !before.has(id)).slice(0, Math.max(0, room)))
        if (forward.isOurs() && !stopping.aborted) running.set(forward.id, start(forward));
      await Promise.race([...running.values(), sleep(IDLE_MS)]);
    }
    if (running.size > 0 && !cutOff.aborted) options.onDraining(running.size);
  } finally {
    await Promise.allSettled(running.values());
  }
}

/** Returns what is due; nothing while the inbox cannot be written, because then nothing is sent that could not be recorded. */
async function claimed(
  target: string,
  most: number,
  forwards: Forwards,
  { renew, onUnrecorded }: ForwardOptions,
): Promise<readonly DueForward[]> {
  try {
    await renew();
    return await forwards.due(target, most);
  } catch (error) {
    onUnrecorded(transientProblemOf(error));
    return [];
  }
}

type RecordEnd = (forward: DueForward, end: ForwardEnd) => Promise<void>;

/**
 * Returns a function that records attempts; those that end in one turn of the event loop, or while others are recorded, share a transaction.
 */
function recorder(forwards: Forwards, gather: ForwardOptions['gather']): RecordEnd {
  const waiting: {
    readonly attempt: readonly [DueForward, ForwardEnd];
    readonly resolve: () => void;
    readonly reject: (error: unknown) => void;
  }[] = [];
  let isFlushing = false;
  const flush = async () => {
    isFlushing = true;
    const batch = waiting.splice(0);
    try {
      await forwards.ended(batch.map(({ attempt: one }) => one));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    isFlushing = false;
    if (waiting.length > 0) void flush();
  };
  return (forward, end) =>
    new Promise((resolve, reject) => {
      waiting.push({ attempt: [forward, end], resolve, reject });
      if (waiting.length === 1 && !isFlushing) gather(() => void flush());
    });
}

/** Makes one attempt and records it. Returns undefined if it was cut off, which says nothing about the target. */
async function attempt(
  target: ForwardTarget,
  forward: DueForward,
  record: RecordEnd,
  options: ForwardOptions,
  cutOff: AbortSignal,
): Promise<ForwardEnd | undefined> {
  const startMs = steadyMs(options.clock);
  const isLate = () => !forward.isOurs();
  const end = await target.send(forward.event, cutOff, isLate);
  const tookMs = steadyMs(options.clock) - startMs;
  if ((cutOff.aborted || isLate()) && !isTaken(end)) return undefined;
  if (!(await isRecorded(() => record(forward, end), options, cutOff))) return undefined;
  options.onForwarded(forward, end, tookMs);
  return end;
}

const RECORD_AGAIN_MS = 1_000;

/** Records an attempt as soon as the inbox can be written. Returns false once it is cut off. */
async function isRecorded(
  record: () => Promise<void>,
  { clock, onUnrecorded }: ForwardOptions,
  cutOff: AbortSignal,
): Promise<boolean> {
  for (;;) {
    try {
      await record();
      return true;
    } catch (error) {
      const problem = transientProblemOf(error);
      if (cutOff.aborted) return false;
      onUnrecorded(problem);
    }
    await clock.sleep(RECORD_AGAIN_MS, cutOff).catch(() => {});
  }
}
