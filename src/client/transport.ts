import ky, { isHTTPError, isTimeoutError } from 'ky';
import { ExchangeError } from '../base/exchange-error.ts';
import type { Clock, Exchange, HttpRequest, HttpResponse } from '../base/world.ts';
import type { Effect } from '../contract/endpoint.ts';

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

/** The tries of one request, as they go. ky decides when there is another. */
interface Attempts {
  count: number;
  /** The last answer; undefined while a try is out, and when it ended without one. */
  last: HttpResponse | undefined;
  /** Whether anything may have been done: a try left, and no 429 said that nothing came of it. */
  sent: boolean;
}

/** One try, as the fetch that ky calls: what ky needs of an answer is its status and how long to wait. */
async function tryOnce(
  attempts: Attempts,
  exchange: () => Promise<HttpResponse>,
  tell: (more: Told) => void,
): Promise<Response> {
  attempts.count += 1;
  attempts.last = undefined;
  tell({});
  // Until it is known otherwise: a request that is out may have arrived.
  const before = attempts.sent;
  attempts.sent = true;
  let response: HttpResponse;
  try {
    response = await exchange();
  } catch (error) {
    if (error instanceof ExchangeError && !error.sent) attempts.sent = before;
    tell({ error });
    throw error;
  }
  attempts.last = response;
  // After a 429 nothing was done, so a later try that cannot leave leaves nothing in doubt.
  attempts.sent = response.status !== 429;
  tell({ response });
  const wait = response.status === 429 ? retryAfterSeconds(response) : undefined;
  const isStatus = response.status >= 200 && response.status <= 599;
  const status = isStatus && !breaksOff(response) ? response.status : 502;
  return new globalThis.Response(null, { status, headers: wait === undefined ? {} : { 'retry-after': String(wait) } });
}

/** A success whose body begins as an object and does not end as one: a part of an answer, as good as none. */
function breaksOff({ status, body }: HttpResponse): boolean {
  return status < 300 && body.startsWith('{') && !body.trimEnd().endsWith('}');
}

type Told = { readonly response?: HttpResponse; readonly error?: unknown };

/** For how long the service asked to wait, in milliseconds. */
function waitMsAfter({ last }: Attempts): number {
  return last?.status === 429 ? (retryAfterSeconds(last) ?? 0) * 1000 : 0;
}

/**
 * Sends one request under the policy of its effect. ky runs the tries and their waits; the texts of request and answer
 * pass beside it. Never throws for what the network or the service does; what the embedded sandbox's state file does
 * (DatabaseError) passes through.
 */
export async function send(request: HttpRequest, exchange: Exchange, options: SendOptions): Promise<Sent> {
  const policy = POLICIES[options.effect];
  const deadlineMs = options.clock.now() + options.totalMs;
  const attempts: Attempts = { count: 0, last: undefined, sent: false };
  const tell = (more: Told) => options.onExchange?.({ attempt: attempts.count, request, ...more });
  /** `undefined` leaves the decision to the table of statuses. */
  const shouldRetry = ({ error }: { error: Error }): boolean | undefined => {
    if (options.interrupted.aborted) return false;
    if (error instanceof ExchangeError) return policy.afterNoAnswer;
    if (!isHTTPError(error)) return undefined;
    return options.clock.now() + waitMsAfter(attempts) < deadlineMs ? undefined : false;
  };
  try {
    await ky(request.url, {
      method: request.method,
      fetch: (made) =>
        tryOnce(attempts, () => exchange(request, (made as Request).signal, options.effect === 'read'), tell),
      signal: options.interrupted,
      totalTimeout: options.totalMs,
      timeout: options.effect === 'read' ? Math.min(READ_TRY_MS, options.totalMs) : false,
      retry: { ...RETRY, ...retryOf(policy), maxRetryAfter: options.totalMs, shouldRetry },
    });
  } catch (error) {
    const { aborted } = options.interrupted;
    if (!(error instanceof ExchangeError || isTimeoutError(error) || isHTTPError(error) || aborted)) throw error;
    if (!attempts.last || aborted) return noAnswer(error, attempts.sent, options);
  }
  return attempts.last ? { response: attempts.last } : noAnswer(undefined, attempts.sent, options);
}

const RETRY = {
  methods: ['get', 'post', 'put', 'delete'] as ('get' | 'post' | 'put' | 'delete')[],
  afterStatusCodes: [429],
  delay: (count: number) => FIRST_DELAY_MS * 2 ** (count - 1),
  backoffLimit: LONGEST_DELAY_MS,
  jitter: true,
};

function retryOf({ tries, statusCodes, afterNoAnswer }: Policy) {
  return { limit: tries - 1, statusCodes: [...statusCodes], retryOnTimeout: afterNoAnswer };
}

function noAnswer(error: unknown, sent: boolean, { interrupted, totalMs }: SendOptions): Sent {
  if (interrupted.aborted) return { noAnswer: 'interrupted', sent, reason: 'interrupted' };
  if (isTimeoutError(error)) return { noAnswer: 'time', sent, reason: `no answer within ${totalMs / 1000} seconds` };
  return { noAnswer: 'network', sent, reason: reasonOf(error) };
}

function reasonOf(error: unknown): string {
  return error instanceof ExchangeError ? error.message : 'the connection failed';
}
