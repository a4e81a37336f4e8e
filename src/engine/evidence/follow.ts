import { advice, type Hint } from '../../base/advice.ts';
import { CliError, withDetails } from '../../base/errors.ts';
import { errorNameIn } from '../../client/refusals.ts';
import { failureIn } from '../../contract/compare.ts';
import type { Endpoint, RequestWithoutConsent, ResponseOf } from '../../contract/endpoint.ts';
import type { Column } from '../../present/result.ts';
import type { Account } from '../account.ts';
import { type Outcome, outcomeOf } from '../outcome.ts';

const MINUTE_MS = 60_000;
/** The minimum time-out of a status read, even when the wait is nearly over. */
export const SHORTEST_READ_MS = 1_000;
export const FIRST_POLL_MS = 120;
const SECOND_MS = 1_000;
const POLL_GROWTH = 1.6;
/** Polls use at most this share of the rate limit, which leaves room for other commands. */
const SHARE_OF_LIMIT = 0.75;

export interface Following<E extends Endpoint> {
  readonly endpoint: E;
  readonly input: RequestWithoutConsent<E>;
  readonly stateOf: (data: ResponseOf<E>) => string | undefined | null;
  readonly done: readonly string[];
  readonly failed: readonly string[];
  /** `the onramp`, for messages. */
  readonly what: string;
  /** The command that checks the status later. */
  readonly again: Hint;
  /** The command that retries it after it failed, if there is one. */
  readonly retry?: Hint | undefined;
  /** 0 reads the status once. */
  readonly waitMs: number;
  /** The status is read before a change, so that a dry run reads it too. */
  readonly isBeforehand?: boolean;
  readonly columns?: readonly Column[] | ((data: ResponseOf<E>) => readonly Column[]);
  /** The progress text, updated every second, such as a countdown. If omitted or undefined, it is the state after each read. */
  readonly shows?: (state: string, isLive: boolean) => string | undefined;
  /** Called once when the work has ended, before the outcome is returned. */
  readonly ended?: (outcome: 'settled' | 'failed', data: ResponseOf<E>) => Promise<void>;
  /** Opens a listener that notices the end of the work between two reads of its status; undefined if nothing receives its events. */
  readonly openEndListener?: () => Promise<EndListener | undefined>;
  /** Finds names of tokens that the status lacks; they are added to the request that it answers. */
  readonly namesFor?: (data: ResponseOf<E>) => Promise<object>;
  /** The service's reason for a failure. */
  readonly words?: (data: ResponseOf<E>) => string | undefined;
  /**
   * Reports what the status does not show, within about `leftMs`. Called after each read while the wait continues, and if the work
   * failed.
   */
  readonly meanwhile?: (data: ResponseOf<E>, leftMs: number) => Promise<Meanwhile>;
}

/** What happens during a wait. */
export interface Meanwhile {
  /** Notices to print at once, each once. */
  readonly notes: readonly string[];
  /** Why the work can no longer succeed; ends the wait as a failure. */
  readonly end?: string;
}

/** Listens for the end of work. */
export interface EndListener extends AsyncDisposable {
  hasEnded(): Promise<boolean>;
}

const QUIET: Meanwhile = { notes: [] };

/** How often the listener is asked, and how seldom the status is read meanwhile. */
const LISTEN_MS = 100;
const LISTENING_POLL_MS = 10_000;

/**
 * Polls a status until the work is finished or the time is up. The last status is always printed. The outcome has the error
 * `failed` if the work failed, and `pending` if it is still in progress when the wait ends.
 */
export async function followStatus<E extends Endpoint>(account: Account, following: Following<E>): Promise<Outcome> {
  const { endpoint, waitMs, isBeforehand = false, done, failed, what, columns } = following;
  const { clock, interrupted } = account.world;
  const deadlineMs = clock.now() + waitMs;
  const line = account.notices.progress.line(following.shows !== undefined);
  const show = (now: string) => line.show(following.shows?.(now, line.isLive) ?? progressText(following, now));
  await using listener = waitMs > 0 ? await following.openEndListener?.() : undefined;
  const stepMs = listener ? LISTEN_MS : following.shows ? SECOND_MS : Number.POSITIVE_INFINITY;
  let isEndReported = false;
  for (let pauseMs = FIRST_POLL_MS; ; pauseMs = longerPause(pauseMs, endpoint)) {
    const leftToRead = () => Math.max(SHORTEST_READ_MS, deadlineMs - clock.now());
    const totalMs = waitMs > 0 ? { totalMs: leftToRead() } : {};
    const reply = await account.call(endpoint, following.input, { ...totalMs, isBeforehand }).catch(async (error) => {
      await line.end();
      throw account.activity.changed ? statusUnreadable(account, following, error) : error;
    });
    const now = following.stateOf(reply.data) ?? 'unknown';
    const { notes, end }: Meanwhile =
      waitMs > 0 && !done.includes(now) ? ((await following.meanwhile?.(reply.data, leftToRead())) ?? QUIET) : QUIET;
    if (notes.length > 0) await line.clear();
    for (const note of notes) await account.notices.say(note);
    if (waitMs > 0) await show(now);
    // A payout may be called completed although the bank's part of it failed.
    const failedPart = done.includes(now) ? failureIn(endpoint, reply.data) : undefined;
    const isFailed = failed.includes(now) || failedPart !== undefined;
    const isEnded = failed.includes(now) || done.includes(now) || end !== undefined;
    const isFinished = isEnded || waitMs === 0 || clock.now() >= deadlineMs;
    if (isFinished) await line.end();
    const names = isFinished ? await following.namesFor?.(reply.data) : undefined;
    const answered = { ...reply, request: { ...(reply.request as object), ...names } };
    const shown = typeof columns === 'function' ? columns(reply.data) : columns;
    const outcome = await outcomeOf(account, endpoint, answered, shown && { columns: shown });
    if (isFailed) await following.ended?.('failed', reply.data);
    else if (done.includes(now)) await following.ended?.('settled', reply.data);
    if (isFailed)
      return {
        ...outcome,
        error: failure(account, following, following.words?.(reply.data) ?? failedPart, reply.data),
      };
    if (end !== undefined) return { ...outcome, error: hopeless(account, following, end) };
    if (done.includes(now) || waitMs === 0) return outcome;
    const leftMs = deadlineMs - clock.now();
    if (isFinished || leftMs <= 0) return { ...outcome, error: stillPending(account, following, now) };
    const untilMs = clock.now() + Math.min(listener && !isEndReported ? LISTENING_POLL_MS : pauseMs, leftMs);
    for (let restMs = untilMs - clock.now(); restMs > 0; restMs = untilMs - clock.now()) {
      // The status may be behind the event, so that it is read again as if no event had arrived.
      if (!isEndReported && (await listener?.hasEnded())) {
        isEndReported = true;
        break;
      }
      await clock.sleep(Math.min(restMs, stepMs), interrupted).catch(async () => {
        await line.end();
        throw interruptedWait(account, following, `while ${what} was in progress (status: ${now})`);
      });
      if (following.shows && clock.now() < untilMs) await show(now);
    }
  }
}

/** `the onramp is in progress (status: processing)`. The service's state is quoted, because it may be any word. */
function progressText(
  { what, done, failed }: Pick<Following<Endpoint>, 'what' | 'done' | 'failed'>,
  state: string,
): string {
  if (done.includes(state)) return `${what} completed`;
  if (failed.includes(state)) return state === 'failed' ? `${what} failed` : `${what} failed (status: ${state})`;
  return `${what} is in progress (status: ${state})`;
}

/** Returns the next pause between polls: longer each time, up to the pace of the endpoint's rate limit. */
export function longerPause(pauseMs: number, { rateLimit }: Endpoint): number {
  const slowest = (rateLimit.windowSeconds * 1000) / (rateLimit.max * SHARE_OF_LIMIT);
  return Math.min(pauseMs * POLL_GROWTH, Math.max(slowest, FIRST_POLL_MS));
}

interface Followed {
  readonly what: string;
  readonly again: Hint;
}

/** The operation id of the work, if this command started it. */
function operationOf(account: Account): { readonly operationId: string | undefined } {
  return { operationId: account.activity.changed?.operationId };
}

/** The error code of work that failed: the name that the service gives for it in a field, if any. */
export const failureCode = (data: unknown): string => errorNameIn(data) ?? 'FAILED';

function failure(
  account: Account,
  { what, retry }: Pick<Following<Endpoint>, 'what' | 'retry'>,
  reason: string | undefined,
  data: unknown,
): CliError {
  return new CliError('failed', `${what} failed${reason ? `: ${reason}` : ''}`, {
    code: failureCode(data),
    hint: retry
      ? advice`correct the input, then start again with: ${retry}`
      : 'this is final; fix the cause, then start again',
    ...operationOf(account),
  });
}

/** The error for work that can no longer succeed, although the service has not ended it yet. */
function hopeless(account: Account, { what, again }: Followed, why: string): CliError {
  return new CliError('failed', `${what} cannot complete: ${why}`, {
    hint: advice`check it once more with: ${again}; then start a new one`,
    ...operationOf(account),
  });
}

function stillPending(
  account: Account,
  { what, again, waitMs }: Followed & { readonly waitMs: number },
  state: string,
): CliError {
  return new CliError('pending', `${what} is still in progress after ${durationText(waitMs)} (status: ${state})`, {
    hint: advice`check it later with: ${again}`,
    ...operationOf(account),
  });
}

/** `10 minutes`, `30 seconds`, `200 ms`. */
function durationText(durationMs: number): string {
  const counted = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`;
  if (durationMs % MINUTE_MS === 0) return counted(durationMs / MINUTE_MS, 'minute');
  return durationMs % SECOND_MS === 0 ? counted(durationMs / SECOND_MS, 'second') : `${durationMs} ms`;
}

/** The error of an interrupted wait; the work itself continues. */
export function interruptedWait(account: Account, { again }: Pick<Followed, 'again'>, when: string): CliError {
  return new CliError('interrupted', `interrupted ${when}; it continues without this command`, {
    hint: advice`check it later with: ${again}`,
    ...operationOf(account),
  });
}

/**
 * The error for work that was started but whose status cannot be read. Its category is `pending`, because any other could mean
 * that nothing was sent.
 */
export function statusUnreadable(account: Account, following: Followed, error: unknown): unknown {
  if (!(error instanceof CliError)) return error;
  const { what, again } = following;
  if (error.category === 'interrupted')
    return interruptedWait(account, following, `while reading the status of ${what}`);
  // The message of a rate limit, "nothing was done", would seem to be about the change.
  const why = error.category === 'rate-limited' ? "the service's rate limit was reached" : error.message;
  return withDetails(error, {
    category: 'pending',
    message: `cannot read the status of ${what}: ${why}`,
    ...operationOf(account),
    hint: advice`${what} may still be in progress; check it with: ${again}`,
  });
}
