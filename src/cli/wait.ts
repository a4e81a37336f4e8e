import { CliError, withDetails } from '../base/errors.ts';
import type { Endpoint, RequestOf, ResponseOf } from '../contract/endpoint.ts';
import type { Column } from '../present/result.ts';
import { liveLine } from './live.ts';
import type { Outcome } from './outcome.ts';
import { duration, type Parameter } from './parameters.ts';
import { outcomeOf, type Session } from './session.ts';

/** How long is waited where nobody says. */
const MINUTE_MS = 60_000;
export const DEFAULT_WAIT_MS = 10 * MINUTE_MS;
/** A read is given this long even when the wait is nearly over. */
export const SHORTEST_READ_MS = 1_000;
export const FIRST_POLL_MS = 120;
const SECOND_MS = 1_000;
const POLL_GROWTH = 1.6;
/** Polls use at most this share of the rate limit, so that other commands find room. */
const SHARE_OF_LIMIT = 0.75;

/** `--wait [duration]`, in milliseconds; undefined when not given. */
export function waitOption(until: string): Parameter<number | undefined> {
  return {
    kind: 'option',
    name: '--wait [duration]',
    help: `wait ${until}, at most this long (default 10m)`,
    required: false,
    parse: (text) => (text === undefined ? DEFAULT_WAIT_MS : duration(text)),
  };
}

/** The words of `--wait` for so long, in milliseconds: whole minutes, where they are. */
export const waitWords = (waitMs: number): readonly string[] => [
  '--wait',
  ...(waitMs === DEFAULT_WAIT_MS ? [] : [waitMs % MINUTE_MS === 0 ? `${waitMs / MINUTE_MS}m` : `${waitMs}ms`]),
];

export interface Following<E extends Endpoint> {
  readonly endpoint: E;
  readonly input: RequestOf<E>;
  readonly stateOf: (data: ResponseOf<E>) => string | undefined | null;
  readonly done: readonly string[];
  readonly failed: readonly string[];
  /** `the onramp`, for messages. */
  readonly what: string;
  /** The command that asks again: what a person needs when the wait ends early. */
  readonly again: string;
  /** 0 looks once. */
  readonly waitMs: number;
  readonly columns?: readonly Column[];
  /** What is shown meanwhile, each second anew: a countdown. Otherwise the state, whenever it was read. */
  readonly shows?: (state: string, isLive: boolean) => string;
  /** The service's own words for why it failed. */
  readonly words?: (data: ResponseOf<E>) => string | undefined;
}

/**
 * Reads a status until the work has ended or the time is up. What was read last is printed in every case; failed work
 * is error `failed`, and work that still goes on when a wait ends is `pending`.
 */
export async function followStatus<E extends Endpoint>(session: Session, following: Following<E>): Promise<Outcome> {
  const { endpoint, waitMs, done, failed, what, columns } = following;
  const { clock, interrupted } = session.world;
  const deadlineMs = clock.now() + waitMs;
  const line = liveLine(session.world, session.globals.quiet, following.shows !== undefined);
  const show = (now: string) => line.show(following.shows?.(now, line.isLive) ?? `${what} is ${now}`);
  for (let pauseMs = FIRST_POLL_MS; ; pauseMs = longerPause(pauseMs, endpoint)) {
    const totalMs = waitMs > 0 ? { totalMs: Math.max(SHORTEST_READ_MS, deadlineMs - clock.now()) } : {};
    const reply = await session.call(endpoint, following.input, totalMs).catch(async (error) => {
      await line.end();
      throw session.changed() ? statusUnreadable(session, following, error) : error;
    });
    const now = following.stateOf(reply.data) ?? 'unknown';
    if (waitMs > 0) await show(now);
    const isOver = failed.includes(now) || done.includes(now) || waitMs === 0 || clock.now() >= deadlineMs;
    if (isOver) await line.end();
    const outcome = await outcomeOf(session, endpoint, reply, columns && { columns });
    if (failed.includes(now)) return { ...outcome, error: failure(session, what, following.words?.(reply.data)) };
    if (done.includes(now) || waitMs === 0) return outcome;
    const leftMs = deadlineMs - clock.now();
    if (isOver || leftMs <= 0) return { ...outcome, error: stillPending(session, following, now) };
    const untilMs = clock.now() + Math.min(pauseMs, leftMs);
    for (let restMs = untilMs - clock.now(); restMs > 0; restMs = untilMs - clock.now()) {
      await clock.sleep(following.shows ? Math.min(restMs, SECOND_MS) : restMs, interrupted).catch(async () => {
        await line.end();
        throw interruptedWait(session, following, `while ${what} was ${now}`);
      });
      if (following.shows && clock.now() < untilMs) await show(now);
    }
  }
}

/** The next pause between two polls of an endpoint: longer, but never longer than its rate limit asks for. */
export function longerPause(pauseMs: number, { rateLimit }: Endpoint): number {
  const slowest = (rateLimit.windowSeconds * 1000) / (rateLimit.max * SHARE_OF_LIMIT);
  return Math.min(pauseMs * POLL_GROWTH, Math.max(slowest, FIRST_POLL_MS));
}

interface Followed {
  readonly what: string;
  readonly again: string;
}

/** The journal's id of what is followed, where this command started it. */
function operationOf(session: Session): { readonly operationId: string | undefined } {
  return { operationId: session.changed()?.operationId };
}

function failure(session: Session, what: string, words: string | undefined): CliError {
  return new CliError('failed', `${what} failed${words ? `: ${words}` : ''}`, {
    hint: 'it has ended; start a new one when the reason is gone',
    ...operationOf(session),
  });
}

function stillPending(session: Session, { what, again }: Followed, state: string): CliError {
  return new CliError('pending', `${what} is still ${state}`, {
    hint: `ask again later with: ${again}`,
    ...operationOf(session),
  });
}

/** The error of somebody who leaves what goes on. */
export function interruptedWait(session: Session, { again }: Pick<Followed, 'again'>, when: string): CliError {
  return new CliError('interrupted', `interrupted ${when}; it goes on without this command`, {
    hint: `ask again with: ${again}`,
    ...operationOf(session),
  });
}

/**
 * What was started goes on although its status could not be read. It is `pending`, whatever stopped the reading: any
 * other code would say that nothing was sent.
 */
export function statusUnreadable(session: Session, following: Followed, error: unknown): unknown {
  if (!(error instanceof CliError)) return error;
  const { what, again } = following;
  if (error.category === 'interrupted')
    return interruptedWait(session, following, `while the status of ${what} was read`);
  // "Nothing was done" would be read as said of the change.
  const why = error.category === 'rate-limited' ? 'the rate limit of the service is reached' : error.message;
  return withDetails(error, {
    category: 'pending',
    message: `the status of ${what} could not be read: ${why}`,
    ...operationOf(session),
    hint: `${what} may go on; ask again with: ${again}`,
  });
}
