import { ExchangeError } from '../../base/errors.ts';
import type { Clock, Exchange } from '../../base/world.ts';
import { nodeCrypto } from '../../crypto/digest.ts';
import type { InboxEvent } from '../inbox/events.ts';
import type { ForwardEnd } from '../inbox/forwards.ts';
import { signatureOf } from '../verify.ts';

/** How events are signed again for a target, which may know another secret than the service. */
export type Resigning =
  | { readonly form: 'service'; readonly secret: string; readonly serviceName: string }
  | { readonly form: 'standard'; readonly secret: string };

/** How long a target may take to acknowledge an event. */
const TIMEOUT_MS = 10_000;

interface Sending {
  readonly exchange: Exchange;
  readonly clock: Clock;
  /** Whether it is too late to send it, asked right before its first byte. */
  readonly isLate?: () => boolean;
}

interface SendingOptions extends Sending {
  readonly resign?: Resigning | undefined;
  /** Sends what was opened instead of the encrypted body; such a body needs a new signature. */
  readonly isOpened?: boolean | undefined;
  /** Tells the target in a header of ours if the event came late or early. */
  readonly isMarked?: boolean | undefined;
}

/** Sends an event of the inbox to a target once: as it arrived, or signed again. */
export async function sendTo(
  target: string,
  event: InboxEvent,
  { resign, isOpened = false, isMarked = false, ...sending }: SendingOptions,
  stopping: AbortSignal,
): Promise<ForwardEnd> {
  const body = isOpened && event.text !== null ? Buffer.from(event.text) : event.body;
  const timing = event.isLate ? 'late' : 'early';
  const mark = isMarked && (event.isLate || event.isEarly) ? { 'x-fiatrail-timing': timing } : {};
  if (!resign) return post(target, { ...passedOn(event.headers), ...mark }, body, sending, stopping);
  // The same id, so that the target recognizes a repetition.
  const webhookId = event.webhookId ?? `fiatrail-${event.id}`;
  const signed = signedHeaders(resign, { event: event.event, webhookId, body }, sending.clock.now());
  return post(target, { ...signed, ...mark }, body, sending, stopping);
}

/** The headers that a target needs to verify a delivery, as they arrived. Others were for this listener. */
function passedOn(headers: InboxEvent['headers']): Readonly<Record<string, string>> {
  const needed = headers.filter(([name]) =>
    /^(?:content-type|x-webhook-id|x-.+-(?:signature|timestamp|event))$/i.test(name),
  );
  return Object.fromEntries(needed.map(([name, value]) => [name.toLowerCase(), value]));
}

interface Signable {
  readonly event: string | null;
  readonly webhookId: string;
  readonly body: Uint8Array;
}

/** Signs an event with the current time, and sends it to a target once. */
export function sendSigned(
  target: string,
  event: Signable,
  resign: Resigning,
  sending: Sending,
  stopping: AbortSignal,
): Promise<ForwardEnd> {
  return post(target, signedHeaders(resign, event, sending.clock.now()), event.body, sending, stopping);
}

async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  { exchange, clock, isLate }: Sending,
  stopping: AbortSignal,
): Promise<ForwardEnd> {
  const text = Buffer.from(body).toString('utf8');
  const content = Buffer.from(text).equals(body) ? { body: text } : { body: undefined, bytes: body };
  const request = {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    ...content,
    ...(isLate ? { isLate } : {}),
  };
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const { status, headers: answered } = await exchange(request, AbortSignal.any([stopping, limit]));
    const retryAfterMs = status === 429 || status === 503 ? waitIn(answered['retry-after'], clock.now()) : undefined;
    return { status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    return { problem: limit.aborted ? `no response within ${TIMEOUT_MS / 1000} seconds` : error.message };
  }
}

/** The wait that Retry-After asks for, in seconds or until a date, in milliseconds; undefined if it asks for none. */
function waitIn(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  const waitMs = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return waitMs > 0 ? waitMs : undefined;
}

/** Signs in the form of the Standard Webhooks specification: `v1,` and base64 over `id.timestamp.body`. Source: public. */
export function standardSignature(
  key: Uint8Array,
  { id, timestampSeconds, body }: { readonly id: string; readonly timestampSeconds: number; readonly body: Uint8Array },
): string {
  const hmac = nodeCrypto().createHmac('sha256', key).update(`${id}.${timestampSeconds}.`).update(body);
  return `v1,${hmac.digest('base64')}`;
}

/** Base64 of at least four characters, padded or not. */
const STANDARD_SECRET = /^(?:whsec_)?((?=.{4})[A-Za-z0-9+/]+={0,2})$/;

/**
 * Returns the key of a Standard Webhooks secret. Base64, with or without `whsec_`, is decoded as leniently as the specification's
 * library does it. Any other text stands for its UTF-8 bytes. Source: public; other text is inferred.
 */
export function standardKey(secret: string): Uint8Array {
  const [, digits] = STANDARD_SECRET.exec(secret) ?? [];
  return digits === undefined ? Buffer.from(secret) : Buffer.from(digits, 'base64');
}

function signedHeaders(
  resign: Resigning,
  { event, webhookId, body }: Signable,
  nowMs: number,
): Readonly<Record<string, string>> {
  if (resign.form === 'standard') {
    const timestampSeconds = Math.floor(nowMs / 1000);
    const key = standardKey(resign.secret);
    return {
      'webhook-id': webhookId,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': standardSignature(key, { id: webhookId, timestampSeconds, body }),
    };
  }
  const timestamp = new Date(nowMs).toISOString();
  const { serviceName } = resign;
  return {
    [`x-${serviceName}-signature`]: signatureOf(resign.secret, timestamp, body),
    [`x-${serviceName}-timestamp`]: timestamp,
    ...(event === null ? {} : { [`x-${serviceName}-event`]: event }),
    'x-webhook-id': webhookId,
  };
}
