/**
 * What a webhook handler needs, as the package's entry `fiatrail/webhooks`: read a request, verify it, decrypt it, and read its event.
 * Opening an encrypted body loads libsodium; a plain one loads nothing.
 */
import { Readable } from 'node:stream';
import type { ReadableStream as NodeWebStream } from 'node:stream/web';
import { Secret } from '../base/secret.ts';
import { readBody } from './body.ts';
import { WebhookError } from './error.ts';
import type { ReadEvent } from './event.ts';
import type { EventData } from './event-data.ts';
import type { GivenHeaders } from './verify.ts';
import { type Delivery, notEarly, type Verified, verifyDelivery } from './verify.ts';

export { WebhookError } from './error.ts';
export type { EventData } from './event-data.ts';

/**
 * How `receive` verifies a request, what it decrypts with, and how much it reads.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict';
 * import type { ReceiveOptions } from 'fiatrail/webhooks';
 *
 * const options: ReceiveOptions = {
 *   secret: [process.env.WEBHOOK_SECRET ?? 'new', process.env.WEBHOOK_SECRET_BEFORE ?? 'old'],
 *   privateKeys: process.env.PRIVATE_KEYS?.split(','),
 *   maxBytes: 100_000,
 *   timeoutMs: 5_000,
 * };
 * assert.equal(options.secret?.length, 2);
 * ```
 */
export interface ReceiveOptions {
  /** The webhook secret. Give the one before it too while deliveries signed with it may be under way. */
  readonly secret?: string | readonly string[] | undefined;
  /** The account's AES key, with which the service signs if no secret is set. */
  readonly aesKey?: string | undefined;
  /** The service's name in its header names; by default any single one. */
  readonly serviceName?: string | undefined;
  /** How old a delivery may be before it counts as late, in milliseconds (default 5 minutes). */
  readonly toleranceMs?: number | undefined;
  /** The time to judge its age by, in milliseconds since the epoch (default: now). */
  readonly nowMs?: number | undefined;
  /** The X25519 private keys of the account, 64 hexadecimal digits each, newest first. */
  readonly privateKeys?: readonly string[] | undefined;
  /** How long a body may be, in bytes (default 1 MiB, far above any event). Anyone can send one: nothing is verified yet. */
  readonly maxBytes?: number | undefined;
  /** How long a body may take to arrive, in milliseconds (default 10 seconds); then the connection is closed. */
  readonly timeoutMs?: number | undefined;
}

interface EventFields<Name, Data> extends Omit<ReadEvent, 'event' | 'data'> {
  /** The name of the event. */
  readonly event: Name;
  /** As documented. It is not checked: the signature proves who sent it, not that every field is there. */
  readonly data: Data;
}

/**
 * A documented event, by its name.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict';
 * import type { EventOf } from 'fiatrail/webhooks';
 *
 * const lineOf = ({ event, requestId }: Pick<EventOf<'swap.failed'>, 'event' | 'requestId'>) => `${event} ${requestId}`;
 * assert.equal(lineOf({ event: 'swap.failed', requestId: 'r-1' }), 'swap.failed r-1');
 * ```
 */
export type EventOf<Name extends keyof EventData> = { [N in Name]: EventFields<N, EventData[N]> }[Name];

/**
 * A name that is not documented, which may be any text. With an enum as its type, no documented name has that type, so comparing names
 * tells documented events from these.
 */
declare enum UndocumentedName {
  Any = 'any other name',
}

/**
 * An event. Comparing `event.event` with a name gives `event.data` its type. An event that is not documented, or not yet, has data of
 * any form.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict';
 * import { createHmac } from 'node:crypto';
 * import { type ReceivedEvent, receive } from 'fiatrail/webhooks';
 *
 * function lineOf(event: ReceivedEvent): string {
 *   if (event.event === 'swap.failed') return `failed: ${event.data.error.code}`;
 *   return `${event.event} of ${event.userId}`;
 * }
 *
 * const body = Buffer.from('{"event":"swap.failed","data":{"error":{"code":"INSUFFICIENT_LIQUIDITY"}}}');
 * const timestamp = new Date().toISOString();
 * const signature = createHmac('sha256', 'a-secret').update(`${timestamp}.`).update(body).digest('hex');
 * const headers = { 'x-acme-timestamp': timestamp, 'x-acme-signature': signature };
 * const { event } = await receive({ headers, body }, { secret: 'a-secret' });
 * assert.equal(lineOf(event), 'failed: INSUFFICIENT_LIQUIDITY');
 * ```
 */
export type ReceivedEvent = EventOf<keyof EventData> | EventFields<UndocumentedName, ReadEvent['data']>;

/**
 * A delivery that the service sent, with its event.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict';
 * import type { Received } from 'fiatrail/webhooks';
 *
 * const seen = new Set<string>(); // In production: a table.
 *
 * // The id of a delivery is not signed, so it counts only for an event without an id of its own.
 * function isNew({ event, id, isLate }: Pick<Received, 'id' | 'isLate'> & { event: { eventId: string | undefined } }): boolean {
 *   const key = event.eventId ?? id;
 *   if (key === undefined) return !isLate;
 *   const wasSeen = seen.has(key);
 *   seen.add(key);
 *   return !wasSeen;
 * }
 * const delivery = { event: { eventId: 'e-1' }, id: 'd-1', isLate: false };
 * assert.equal(isNew(delivery), true);
 * assert.equal(isNew({ ...delivery, id: 'd-2' }), false);
 * ```
 */
export interface Received extends Verified {
  /** What happened. */
  readonly event: ReceivedEvent;
  /** Whether the body was encrypted. */
  readonly isEncrypted: boolean;
}

/** Checks that the service sent a delivery. Throws WebhookError. */
function verify(delivery: Delivery, options: ReceiveOptions): Verified {
  const { secret = [], aesKey, serviceName, toleranceMs, nowMs = Date.now() } = options;
  const secrets = typeof secret === 'string' ? [secret] : secret;
  return notEarly(verifyDelivery(delivery, { secrets, aesKey, serviceName, toleranceMs, nowMs }));
}

/** Decrypts the body of a verified delivery and reads its event. Throws WebhookError. */
async function open(
  body: Uint8Array,
  { privateKeys = [] }: ReceiveOptions,
): Promise<{ readonly event: ReceivedEvent; readonly isEncrypted: boolean }> {
  const read = await readBody(
    body,
    privateKeys.map((key) => new Secret(key)),
  );
  if (read.kind === 'event') return { event: read.event as ReceivedEvent, isEncrypted: read.isEncrypted };
  throw new WebhookError(read.kind === 'encrypted' ? 'CANNOT_BE_DECRYPTED' : 'NOT_AN_EVENT', read.problem);
}

/** A request of node:http, or of a server on top of it such as Express. */
interface NodeRequest {
  /** The headers by name. */
  readonly headers: GivenHeaders;
  /** Names and values in turn, as they arrived: only these show that a header was repeated. */
  readonly rawHeaders: readonly string[];
  /** The bytes of the body, if they were read before. */
  readonly body?: unknown;
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array>;
}

/** A request of a server that uses the Fetch API. */
interface FetchRequest {
  /** The headers. */
  readonly headers: Headers;
  /** The body, not read yet. */
  readonly body: ReadableStream<Uint8Array> | null;
  /** Tells such a request from others. */
  arrayBuffer(): Promise<ArrayBuffer>;
}

/**
 * A request as a server hands it over: one of node:http or of the Fetch API that was not read yet, or its headers with the exact bytes of
 * its body.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict';
 * import { bodyOf, type WebhookRequest } from 'fiatrail/webhooks';
 *
 * const requests: readonly WebhookRequest[] = [
 *   { headers: { 'x-acme-signature': 'ab' }, body: Buffer.from('{}') },
 *   new Request('http://localhost/', { method: 'POST', body: '{}' }),
 * ];
 * for (const request of requests) assert.equal((await bodyOf(request)).length, 2);
 * ```
 */
export type WebhookRequest = NodeRequest | FetchRequest | (Delivery & Partial<Pick<NodeRequest, 'rawHeaders'>>);

/**
 * Reads a request, verifies its signature, decrypts it and reads its event. A delivery with a valid signature that is older than the
 * tolerance has `isLate`: process it only if you can tell that you have not seen it before. Throws WebhookError, whose `status` is the
 * HTTP status to respond with.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict';
 * import { createHmac } from 'node:crypto';
 * import { receive } from 'fiatrail/webhooks';
 *
 * // In a test: what the service would send, signed as it signs.
 * const body = Buffer.from('{"event":"user.onboarded","data":{"userId":"u-1"}}');
 * const timestamp = new Date().toISOString();
 * const signature = createHmac('sha256', 'a-secret').update(`${timestamp}.`).update(body).digest('hex');
 * const request = { headers: { 'x-acme-timestamp': timestamp, 'x-acme-signature': signature }, body };
 *
 * const { event, isLate } = await receive(request, { secret: 'a-secret' });
 * assert.equal(event.event, 'user.onboarded');
 * assert.equal(isLate, false);
 * ```
 */
export async function receive(request: WebhookRequest, options: ReceiveOptions): Promise<Received> {
  const delivery = { headers: headersOf(request), body: await bodyOf(request, options) };
  const verified = verify(delivery, options);
  return { ...verified, ...(await open(delivery.body, options)) };
}

/** Node joins the values of a repeated header; only its raw headers show the repetition. */
function headersOf(request: WebhookRequest): GivenHeaders {
  const rawHeaders = 'rawHeaders' in request ? request.rawHeaders : undefined;
  if (!rawHeaders) return request.headers;
  return rawHeaders.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : []));
}

/**
 * Reads the body of a request within `maxBytes` and `timeoutMs`, for another library that verifies it. Throws WebhookError `TOO_LARGE`,
 * `TOO_SLOW` or `INCOMPLETE`; the rest of a body that is too large is read and dropped, so that the sender gets the response.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict';
 * import { bodyOf, WebhookError } from 'fiatrail/webhooks';
 *
 * const request = new Request('http://localhost/', { method: 'POST', body: 'x'.repeat(1_000) });
 * try {
 *   await bodyOf(request, { maxBytes: 100 });
 * } catch (error) {
 *   if (error instanceof WebhookError) {
 *     assert.equal(error.code, 'TOO_LARGE');
 *     assert.equal(error.status, 413);
 *   }
 * }
 * ```
 */
export async function bodyOf(
  request: WebhookRequest,
  options: Pick<ReceiveOptions, 'maxBytes' | 'timeoutMs'> = {},
): Promise<Uint8Array> {
  if ('arrayBuffer' in request) {
    if (request.body === null) return Buffer.alloc(0);
    return bytesOf(Readable.fromWeb(request.body as NodeWebStream), options);
  }
  // An object that a parser made is refused later, by its type.
  if (request.body !== undefined) return request.body as Uint8Array;
  return bytesOf(request as unknown as Readable, options);
}

const MAX_BYTES = 1024 * 1024;
const TIMEOUT_MS = 10_000;

async function bytesOf(
  stream: Readable,
  { maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS }: ReceiveOptions,
): Promise<Buffer> {
  if (stream.readableDidRead) throw new TypeError('the body was read before; pass its bytes as `body`');
  const limit = AbortSignal.timeout(timeoutMs);
  const stop = () => stream.destroy(new WebhookError('TOO_SLOW', `the body took longer than ${timeoutMs} ms`));
  limit.addEventListener('abort', stop, { once: true });
  stream.once('close', () => limit.removeEventListener('abort', stop));
  // The sender of a body that is too large may leave while nobody waits for the rest of it.
  stream.on('error', () => {});
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > maxBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof WebhookError) throw error;
    throw new WebhookError('INCOMPLETE', 'the connection was lost before the end of the body');
  }
  if (size <= maxBytes) return Buffer.concat(chunks);
  stream.resume();
  throw new WebhookError('TOO_LARGE', `the body is longer than ${maxBytes} bytes`);
}
