import ky, { isHTTPError, isTimeoutError, type RetryOptions } from 'ky';
import { ExchangeError, TOO_LATE } from '../base/errors.ts';
import type { Clock, Exchange, HttpRequest, HttpResponse } from '../base/world.ts';
import type { Effect } from '../contract/endpoint.ts';
import { bareName } from '../contract/reading/values.ts';
import { isJsonObject } from '../money/decimal.ts';
import { isOnlyOnce } from './refusals.ts';

const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 5_000;
/** A read that hangs is abandoned after this long and retried within the total time limit. */
const READ_ATTEMPT_MS = 20_000;

/** The status that ky gets for every response that says that something broke. */
const BROKEN = 502;

/** Methods are all listed: the effect decides, never the HTTP verb. ky waits as long as a 429 says, else with backoff. */
const EVERY_REQUEST: RetryOptions = {
  limit: 4,
  methods: ['get', 'post', 'put', 'delete'],
  afterStatusCodes: [429],
  delay: (count) => FIRST_DELAY_MS * 2 ** (count - 1),
  backoffLimit: MAX_DELAY_MS,
  jitter: true,
};

/** ky sees every status of 500 or more as BROKEN, so a rule for one of them belongs in `shouldRetry`. */
const READ: RetryOptions = { ...EVERY_REQUEST, statusCodes: [429, BROKEN], retryOnTimeout: true };
/** After anything but a 429, a second request might do it twice. */
const CHANGE: RetryOptions = { ...EVERY_REQUEST, statusCodes: [429] };
/** It is sent once more, and only if the service itself said that nothing was done. */
const ONLY_ONCE: RetryOptions = { ...CHANGE, limit: 1 };

export interface SendOptions {
  readonly effect: Effect;
  /** Whether a response is the service's own answer to too many requests. Any other 429 may come from a server on the way. */
  readonly isRateLimited: (response: HttpResponse) => boolean;
  /** Called before a request that may be done only once leaves again; if it throws, it does not leave. */
  readonly beforeResend?: (() => Promise<void>) | undefined;
  /** Limit for all attempts and waits together. */
  readonly totalMs: number;
  readonly clock: Clock;
  readonly interrupted: AbortSignal;
  /** Called when a 429 makes the request wait, in milliseconds. */
  readonly onWait?: (waitMs: number) => void;
  /** Called before each attempt and after its response or error, for traces. */
  readonly onExchange?: (event: {
    readonly attempt: number;
    readonly request: HttpRequest;
    readonly response?: HttpResponse;
    readonly error?: unknown;
  }) => void;
}

/** The result of sending: a response, or why there is none and whether the service may have acted on the request. */
export type Sent =
  | { readonly response: HttpResponse }
  | { readonly noAnswer: 'network' | 'time' | 'interrupted'; readonly sent: boolean; readonly reason: string };

/** A body that says how long to wait is far shorter. A long one is not worth parsing for it. */
const MAX_WAIT_LENGTH = 64 * 1024;

/** Returns the seconds to wait, from the Retry-After header or from the body. Source: interface, public. */
export function retryAfterSeconds({ headers, body }: HttpResponse): number | undefined {
  const header = headers['retry-after'];
  if (header !== undefined && /^\d+$/.test(header)) return Number(header);
  if (body.length > MAX_WAIT_LENGTH) return undefined;
  try {
    return waitIn(JSON.parse(body));
  } catch {
    return undefined;
  }
}

/** The objects in which the wait may stand. Source: public, inferred. */
const WAIT_FIELDS: ReadonlySet<string> = new Set(['data', 'details', 'error', 'meta']);
/** Its names without case and separators, and how many of them make a second. */
const WAIT_NAMES: ReadonlyMap<string, number> = new Map([
  ['retryafter', 1],
  ['retryafterseconds', 1],
  ['retryafterms', 1000],
  ['retryaftermilliseconds', 1000],
]);

function waitIn(value: unknown, depth = 0): number | undefined {
  if (!isJsonObject(value) || depth > 2) return undefined;
  for (const [name, each] of Object.entries(value)) {
    const perSecond = WAIT_NAMES.get(bareName(name));
    const count = typeof each === 'string' && /^\d{1,9}(\.\d+)?$/.test(each) ? Number(each) : each;
    if (perSecond !== undefined && typeof count === 'number' && count >= 0) return Math.ceil(count / perSecond);
  }
  for (const [name, each] of Object.entries(value)) {
    const found = WAIT_FIELDS.has(bareName(name)) ? waitIn(each, depth + 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The attempts to send one request so far. */
interface Attempts {
  count: number;
  /** The last response; undefined while an attempt is running and after one that failed. */
  last: HttpResponse | undefined;
  /** Whether the service may have acted: an attempt left, and no 429 said that nothing was done. */
  sent: boolean;
}

type AttemptOutcome = { readonly response?: HttpResponse; readonly error?: unknown };

/** Makes one attempt, as the `fetch` that ky calls. The response for ky has only what ky decides by. */
async function attemptOnce(
  attempts: Attempts,
  exchange: () => Promise<HttpResponse>,
  isUndone: (response: HttpResponse) => boolean,
  report: (outcome: AttemptOutcome) => void,
): Promise<Response> {
  attempts.count += 1;
  attempts.last = undefined;
  report({});
  const sentBefore = attempts.sent;
  // A request that is on its way may have arrived, until an error proves that it never left.
  attempts.sent = true;
  let response: HttpResponse;
  try {
    response = await exchange();
  } catch (error) {
    if (error instanceof ExchangeError && !error.sent) attempts.sent = sentBefore;
    report({ error });
    throw error;
  }
  attempts.last = response;
  attempts.sent = !isUndone(response);
  report({ response });
  return responseForKy(response);
}

/** Returns the status and the wait for ky. The service writes the wait into the body, which ky does not see. */
function responseForKy(response: HttpResponse): Response {
  const { status, headers } = response;
  const isUsable = status >= 200 && status <= 499 && !isTruncated(response);
  const wait = status === 429 ? (retryAfterSeconds(response) ?? headers['retry-after']) : undefined;
  return new globalThis.Response(null, {
    status: isUsable ? status : BROKEN,
    headers: wait === undefined ? {} : { 'retry-after': String(wait) },
  });
}

/** A success whose body starts as an object but does not end as one. */
function isTruncated({ status, body }: HttpResponse): boolean {
  return status < 300 && body.startsWith('{') && !body.trimEnd().endsWith('}');
}

/** Returns how long a 429 asks to wait, in milliseconds. The header may be a date, which ky understands too. */
function waitMsAfter(response: HttpResponse, nowMs: number): number {
  const seconds = retryAfterSeconds(response);
  if (seconds !== undefined) return seconds * 1000;
  return Date.parse(response.headers['retry-after'] ?? '') - nowMs || 0;
}

/**
 * Sends one request. ky decides about retries, waits and time limits by the options of the request's effect; bodies
 * bypass ky, so that numbers keep every digit. Network and service failures become a `Sent`; a DatabaseError of the
 * embedded sandbox is thrown.
 */
export async function send(request: HttpRequest, exchange: Exchange, options: SendOptions): Promise<Sent> {
  const { effect, totalMs, clock, interrupted } = options;
  const isRead = effect === 'read';
  const deadlineMs = clock.now() + totalMs;
  const attempts: Attempts = { count: 0, last: undefined, sent: false };
  const isUndone = (response: HttpResponse) =>
    response.status === 429 && (!isOnlyOnce(effect) || options.isRateLimited(response));
  const report = (outcome: AttemptOutcome) => options.onExchange?.({ attempt: attempts.count, request, ...outcome });
  /** Returns undefined to leave the decision to ky's options. */
  const shouldRetry: RetryOptions['shouldRetry'] = ({ error }) => {
    if (error instanceof ExchangeError) return isRead;
    if (attempts.last?.status !== 429) return undefined;
    if (!isUndone(attempts.last)) return false;
    // ky would wait until the time is up and then give up. Fail now, so that the user learns how long to wait.
    const waitMs = waitMsAfter(attempts.last, clock.now());
    if (clock.now() + waitMs >= deadlineMs) return false;
    options.onWait?.(waitMs);
    return undefined;
  };
  try {
    await ky(request.url, {
      method: request.method,
      fetch: (made) => {
        const exchangeInTime = async () => {
          if (attempts.count > 1 && isOnlyOnce(effect)) await options.beforeResend?.();
          if (request.isLate?.()) throw new ExchangeError(TOO_LATE, false);
          return exchange(request, (made as Request).signal, isRead);
        };
        return attemptOnce(attempts, exchangeInTime, isUndone, report);
      },
      signal: interrupted,
      totalTimeout: totalMs,
      timeout: isRead ? Math.min(READ_ATTEMPT_MS, totalMs) : false,
      retry: { ...(isRead ? READ : isOnlyOnce(effect) ? ONLY_ONCE : CHANGE), shouldRetry },
    });
  } catch (error) {
    const isExpected = error instanceof ExchangeError || isTimeoutError(error) || isHTTPError(error);
    if (!isExpected && !interrupted.aborted) throw error;
    if (!attempts.last || interrupted.aborted) return noAnswer(error, attempts.sent, options);
  }
  return attempts.last ? { response: attempts.last } : noAnswer(undefined, attempts.sent, options);
}

function noAnswer(error: unknown, sent: boolean, { interrupted, totalMs }: SendOptions): Sent {
  if (interrupted.aborted) return { noAnswer: 'interrupted', sent, reason: 'interrupted' };
  if (isTimeoutError(error)) return { noAnswer: 'time', sent, reason: `no response within ${totalMs / 1000} seconds` };
  return {
    noAnswer: 'network',
    sent,
    reason: error instanceof ExchangeError ? error.message : 'the connection failed',
  };
}
