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

export { WebhookError, type WebhookProblem } from './error.ts';
export type { EventData } from './event-data.ts';
export type { Delivery, GivenHeaders, Verified } from './verify.ts';

export interface VerifyWith {
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
}

export interface OpenWith {
  /** The X25519 private keys of the account, 64 hexadecimal digits each, newest first. */
  readonly privateKeys?: readonly string[] | undefined;
}

/** Limits of a request that is read here. Whoever calls your server can reach them: nothing is verified yet. */
export interface ReadWith {
  /** How long a body may be, in bytes (default 1 MiB, far above any event). */
  readonly maxBytes?: number | undefined;
  /** How long it may take to arrive, in milliseconds (default 10 seconds); then the connection is closed. */
  readonly timeoutMs?: number | undefined;
}

interface EventFields<Name, Data> extends Omit<ReadEvent, 'event' | 'data'> {
  readonly event: Name;
  /** As documented. It is not checked: the signature proves who sent it, not that every field is there. */
  readonly data: Data;
}

/** A documented event: `EventOf<'swap.completed'>`. */
export type EventOf<Name extends keyof EventData> = { [N in Name]: EventFields<N, EventData[N]> }[Name];

/**
 * A name that is not documented, which may be any text. With an enum as its type, no documented name has that type, so comparing names
 * tells documented events from these.
 */
declare enum UndocumentedName {
  Any = 'any other name',
}

/** An event that is not documented, or not yet. */
export type UndocumentedEvent = EventFields<UndocumentedName, ReadEvent['data']>;

/** An event. Comparing `event.event` with a name gives `event.data` its type. */
export type ReceivedEvent = EventOf<keyof EventData> | UndocumentedEvent;

/** A verified delivery with its event. */
export interface Received extends Verified {
  readonly event: ReceivedEvent;
  readonly isEncrypted: boolean;
}

/**
 * Checks that the service sent a delivery. One with a valid signature that is older than the tolerance has `isLate`: process it only if you
 * can tell that you have not seen it before. Throws WebhookError, whose `status` is the HTTP status to answer with.
 */
export function verify(delivery: Delivery, options: VerifyWith): Verified {
  const { secret = [], aesKey, serviceName, toleranceMs, nowMs = Date.now() } = options;
  const secrets = typeof secret === 'string' ? [secret] : secret;
  return notEarly(verifyDelivery(delivery, { secrets, aesKey, serviceName, toleranceMs, nowMs }));
}

/** Opens the body of a verified delivery and reads its event. Throws WebhookError. */
export async function open(
  body: Uint8Array,
  { privateKeys = [] }: OpenWith = {},
): Promise<{ readonly event: ReceivedEvent; readonly isEncrypted: boolean }> {
  const read = await readBody(
    body,
    privateKeys.map((key) => new Secret(key)),
  );
  if (read.kind === 'event') return { event: read.event as ReceivedEvent, isEncrypted: read.isEncrypted };
  throw new WebhookError(read.kind === 'encrypted' ? 'CANNOT_BE_DECRYPTED' : 'NOT_AN_EVENT', read.problem);
}

/** A request of node:http, or of a server on top of it such as Express. */
export interface NodeRequest {
  readonly headers: GivenHeaders;
  readonly rawHeaders: readonly string[];
  /** The bytes of the body, if they were read before. */
  readonly body?: unknown;
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array>;
}

/** A request of a server that uses the Fetch API. */
export interface FetchRequest {
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array> | null;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A request as a server hands it over: not read yet, or with the raw bytes of its body. */
export type WebhookRequest = NodeRequest | FetchRequest | (Delivery & { readonly rawHeaders?: readonly string[] });

/** Reads a request, verifies it, opens it and reads its event. Throws WebhookError. */
export async function receive(request: WebhookRequest, options: VerifyWith & OpenWith & ReadWith): Promise<Received> {
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
 * Reads the body of a request, within limits that a stranger cannot exceed. Throws WebhookError `TOO_LARGE`, `TOO_SLOW` or `INCOMPLETE`;
 * the rest of a body that is too large is read without being kept, so that the sender gets the answer.
 */
export async function bodyOf(request: WebhookRequest, options: ReadWith = {}): Promise<Uint8Array> {
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

async function bytesOf(stream: Readable, { maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS }: ReadWith): Promise<Buffer> {
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
