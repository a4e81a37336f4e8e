import ky, { isHTTPError, isTimeoutError } from 'ky';
import type { Effect } from '../contract/endpoint.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Clock, Exchange, HttpRequest, HttpResponse } from '../world.ts';

/** What may be sent again, and when. Derived from the effect, never from the HTTP verb. */
interface Policy {
  readonly tries: number;
  /** Statuses after which the request is sent again. */
  readonly statusCodes: readonly number[];
  /** Whether a request without an answer is sent again. */
  readonly afterNoAnswer: boolean;
}

const SERVER_ERRORS = Array.from({ length: 100 }, (_, index) => 500 + index);

/** 429 means nothing was done, so every effect may try again after it; only a read may after anything else. */
const POLICIES: Readonly<Record<Effect, Policy>> = {
  read: { tries: 5, statusCodes: [429, ...SERVER_ERRORS], afterNoAnswer: true },
  write: { tries: 5, statusCodes: [429], afterNoAnswer: false },
  money: { tries: 5, statusCodes: [429], afterNoAnswer: false },
  destructive: { tries: 5, statusCodes: [429], afterNoAnswer: false },
};

const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 5_000;
/** A read that hangs is given up and sent again within the total time. */
const READ_TRY_MS = 20_000;

export interface SendOptions {
  readonly effect: Effect;
  /** For all tries and waits together. */
  readonly totalMs: number;
  readonly clock: Clock;
  readonly interrupted: AbortSignal;
  /** Told of each try before it leaves and each answer as it comes, for traces. */
  readonly onExchange?: (what: {
    readonly attempt: number;
    readonly request: HttpRequest;
    readonly response?: HttpResponse;
    readonly error?: unknown;
  }) => void;
}

/** How a request went: an answer, or none and whether anything may have been done. */
export type Sent =
  | { readonly response: HttpResponse }
  | { readonly noAnswer: 'network' | 'time' | 'interrupted'; readonly sent: boolean; readonly reason: string };

/** Seconds to wait as the service says: in the header, or in `data.retry_after` of the body. Source: interface, public. */
export function retryAfterSeconds({ headers, body }: HttpResponse): number | undefined {
  const header = headers['retry-after'];
  if (header !== undefined && /^\d+$/.test(header)) return Number(header);
  try {
    const seconds = (JSON.parse(body) as { data?: { retry_after?: unknown } } | null)?.data?.retry_after;
    return typeof seconds === 'number' && seconds >= 0 ? Math.ceil(seconds) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Sends one request under the policy of its effect. ky runs the tries and their waits; the texts of request and answer
 * pass beside it, in this closure. Never throws for what the network or the service does; what the embedded sandbox's
 * state file does (DatabaseError) passes through.
 */
export async function send(request: HttpRequest, exchange: Exchange, options: SendOptions): Promise<Sent> {
  const policy = POLICIES[options.effect];
  const deadlineMs = options.clock.now() + options.totalMs;
  let attempt = 0;
  let last: HttpResponse | undefined;
  let sent = false;
  const tryOnce = async (signal: AbortSignal): Promise<Response> => {
    attempt += 1;
    last = undefined;
    options.onExchange?.({ attempt, request });
    // Until it is known otherwise: a request that is out may have arrived.
    const before = sent;
    sent = true;
    try {
      last = await exchange(request, signal);
      // After a 429 nothing was done, so a later try that cannot leave leaves nothing in doubt.
      sent = last.status !== 429;
    } catch (error) {
      if (error instanceof ExchangeError && !error.sent) sent = before;
      options.onExchange?.({ attempt, request, error });
      throw error;
    }
    options.onExchange?.({ attempt, request, response: last });
    const wait = last.status === 429 ? retryAfterSeconds(last) : undefined;
    const status = last.status >= 200 && last.status <= 599 ? last.status : 502;
    return new globalThis.Response(null, {
      status,
      headers: wait === undefined ? {} : { 'retry-after': String(wait) },
    });
  };
  /** `undefined` leaves the decision to the table of statuses. */
  const shouldRetry = ({ error }: { error: Error }): boolean | undefined => {
    if (options.interrupted.aborted) return false;
    if (error instanceof ExchangeError) return policy.afterNoAnswer;
    if (!isHTTPError(error)) return undefined;
    const waitMs = last?.status === 429 ? (retryAfterSeconds(last) ?? 0) * 1000 : 0;
    return options.clock.now() + waitMs < deadlineMs ? undefined : false;
  };
  try {
    await ky(request.url, {
      method: request.method,
      fetch: (made) => tryOnce((made as Request).signal),
      signal: options.interrupted,
      totalTimeout: options.totalMs,
      timeout: options.effect === 'read' ? Math.min(READ_TRY_MS, options.totalMs) : false,
      retry: {
        limit: policy.tries - 1,
        methods: ['get', 'post', 'put', 'delete'],
        statusCodes: [...policy.statusCodes],
        afterStatusCodes: [429],
        maxRetryAfter: options.totalMs,
        delay: (count) => FIRST_DELAY_MS * 2 ** (count - 1),
        backoffLimit: LONGEST_DELAY_MS,
        jitter: true,
        retryOnTimeout: policy.afterNoAnswer,
        shouldRetry,
      },
    });
  } catch (error) {
    const isExpected =
      error instanceof ExchangeError || isTimeoutError(error) || isHTTPError(error) || options.interrupted.aborted;
    if (!isExpected) throw error;
    if (!last || options.interrupted.aborted) return noAnswer(error, sent, options);
  }
  return last ? { response: last } : noAnswer(undefined, sent, options);
}

function noAnswer(error: unknown, sent: boolean, { interrupted, totalMs }: SendOptions): Sent {
  if (interrupted.aborted) return { noAnswer: 'interrupted', sent, reason: 'interrupted' };
  if (isTimeoutError(error)) return { noAnswer: 'time', sent, reason: `no answer within ${totalMs / 1000} seconds` };
  return { noAnswer: 'network', sent, reason: reasonOf(error) };
}

function reasonOf(error: unknown): string {
  return error instanceof ExchangeError ? error.message : 'the connection failed';
}
