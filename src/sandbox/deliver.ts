import { ExchangeError } from '../base/errors.ts';
import type { Exchange, HttpRequest } from '../base/world.ts';
import { nodeCrypto } from '../crypto/digest.ts';
import { seal } from '../crypto/sealed-box.ts';
import type { Context } from '../service/context.ts';
import {
  type Attempt,
  claimDeliveries,
  type DueDelivery,
  isDeliveryDue,
  recordAttempt,
} from '../service/events/deliveries.ts';
import { isPermitted, isPermittedAddress } from '../service/events/webhook-url.ts';
import type { Service } from '../service/service.ts';

/** How deliveries leave the sandbox. */
export interface DeliveryOptions {
  readonly exchange: Exchange;
  /** Whether loopback addresses are permitted; no other private address ever is. Source: inferred. */
  readonly allowsLoopback: boolean;
  /** Writes `eventType` and `payload`, as the newest public form does, instead of `event` and `data`. */
  readonly isPublicForm?: boolean;
  /** The service's name in the header names. */
  readonly serviceName?: string | undefined;
}

/** Delivers the events of a sandbox to the webhooks of its fintechs. */
export interface Deliverer {
  /** Sends everything that is due, until `signal` aborts. */
  deliverDue(signal: AbortSignal): Promise<void>;
  /** Whether anything answers at a URL. */
  reaches(url: string): Promise<boolean>;
}

/** How long a receiver may take. Source: public. */
const TIMEOUT_MS = 10_000;
/** Attempts under way at the same time. */
const AT_ONCE = 16;
/**
 * If two claims in a row wait this long for their turn, requests keep the sandbox busy. Deliveries then pause for many times as long, and
 * catch up later: requests come first.
 */
const BUSY_MS = 3;
const YIELDS = 32;
const MAX_PAUSE_MS = 200;
const SLOW_MS = 3_000;
/** The age of a delivery that a fault makes stale. */
const STALE_MS = 10 * 60_000;

export function createDeliverer(service: Service, options: DeliveryOptions): Deliverer {
  const { clock } = service;
  const takesAddress = (address: string) => isPermittedAddress(address, options);
  const exchange: Exchange = (request, ...how) => options.exchange({ ...request, takesAddress }, ...how);
  const guarded = { ...options, exchange };
  const inTransaction = <T>(work: (context: Context) => T) => service.submit('write', work);
  const deliver = async (due: DueDelivery, signal: AbortSignal) => {
    const attempt = await attemptOf(service, guarded, due, signal);
    await inTransaction((context) => recordAttempt(context, attempt));
  };
  return {
    deliverDue: async (signal) => {
      if (!(await service.submit('read', isDeliveryDue))) return;
      let earlierMs = 0;
      while (!signal.aborted) {
        const askedMs = clock.now();
        const due = await inTransaction((context) => claimDeliveries(context, AT_ONCE));
        if (due.length === 0) return;
        const waitedMs = clock.now() - askedMs;
        await Promise.all(due.map((each) => deliver(each, signal)));
        const busyMs = Math.min(waitedMs, earlierMs);
        if (busyMs >= BUSY_MS) await clock.sleep(Math.min(busyMs * YIELDS, MAX_PAUSE_MS), signal).catch(() => {});
        earlierMs = waitedMs;
      }
    },
    reaches: (url) => reaches(url, guarded),
  };
}

/** How long the probe of a URL may take; the request that sets it waits for it. */
const PROBE_MS = 3_000;

/** Any response counts, because a handler may refuse what is not signed. Source: inferred. */
async function reaches(url: string, options: DeliveryOptions): Promise<boolean> {
  if (!isPermitted(url, options)) return false;
  try {
    await options.exchange({ method: 'HEAD', url, headers: {}, body: undefined }, AbortSignal.timeout(PROBE_MS));
    return true;
  } catch (error) {
    if (error instanceof ExchangeError) return false;
    throw error;
  }
}

async function attemptOf(
  { clock }: Service,
  options: DeliveryOptions,
  due: DueDelivery,
  signal: AbortSignal,
): Promise<Attempt> {
  const request = await requestFor(options, due, clock.now());
  const { headers, body = '' } = request;
  const startMs = clock.now();
  const ended = (end: Partial<Attempt>): Attempt => ({
    delivery: due.id,
    headers,
    body,
    status: undefined,
    answer: undefined,
    problem: undefined,
    durationMs: clock.now() - startMs,
    ...end,
  });
  if (!isPermitted(due.url, options)) return ended({ problem: 'the address is not a public HTTPS URL' });
  if (due.fault === 'slow-webhook') await clock.sleep(SLOW_MS, signal).catch(() => {});
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    // Unlike a payment, a delivery may use a shared connection, because it is made again if that one is dead.
    const { status, body: answer } = await options.exchange(request, limit, true);
    const problem = status >= 300 && status <= 399 ? 'redirects are not followed' : undefined;
    return ended({ status, answer, problem });
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    const isLate = clock.now() - startMs >= TIMEOUT_MS;
    return ended({ problem: isLate ? `no response within ${TIMEOUT_MS / 1000} seconds` : error.message });
  }
}

/** Builds a signed request. Each attempt has a fresh timestamp, of the machine's clock, and so another signature. Source: inferred. */
async function requestFor(options: DeliveryOptions, due: DueDelivery, nowMs: number): Promise<HttpRequest> {
  const { serviceName = 'service' } = options;
  const text = bodyOf(due, options.isPublicForm ?? false);
  const body = due.publicKey === undefined ? text : JSON.stringify({ payload: await seal(text, due.publicKey) });
  const timestamp = new Date(due.fault === 'stale-webhook' ? nowMs - STALE_MS : nowMs).toISOString();
  const secret = due.fault === 'wrong-secret-webhook' ? `${due.secret}-of-another-account` : due.secret;
  const signature = nodeCrypto().createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return {
    method: 'POST',
    url: due.url,
    headers: {
      'content-type': 'application/json',
      [`x-${serviceName}-signature`]: due.fault === 'wrong-signature-webhook' ? flipped(signature) : signature,
      [`x-${serviceName}-timestamp`]: timestamp,
      [`x-${serviceName}-event`]: due.event,
      'x-webhook-id': due.webhookId,
    },
    body,
  };
}

/** Changes one digit. */
const flipped = (signature: string) => `${signature.startsWith('0') ? '1' : '0'}${signature.slice(1)}`;

/** The version of the event's form. Source: public. */
const VERSION = '1.0.0';

/** Writes an event: as the specification does, with the fields that only the newest form has beside it, or in that form. */
function bodyOf(due: DueDelivery, isPublicForm: boolean): string {
  const { eventId, event, requestId, fintechId, userId, happenedAt: timestamp, data } = due;
  const more = { eventId, timestamp, requestId, fintechId, version: VERSION, ...(userId ? { userId } : {}) };
  const [name, content] = isPublicForm ? ['eventType', 'payload'] : ['event', 'data'];
  // The payload is written as it was recorded, with every digit.
  const head = JSON.stringify(isPublicForm ? { ...more, [name]: event } : { [name]: event, ...more });
  return `${head.slice(0, -1)},"${content}":${data}}`;
}
