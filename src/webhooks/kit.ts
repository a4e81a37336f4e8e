/**
 * What a webhook handler needs, as the package's entry `fiatrail/webhooks`: verify a delivery, open it, and read its event. Opening a
 * sealed body loads libsodium; a plain one loads nothing.
 */
import { Secret } from '../base/secret.ts';
import { readBody } from './body.ts';
import { WebhookError } from './error.ts';
import type { ReadEvent } from './event.ts';
import type { GivenHeaders } from './verify.ts';
import { type Delivery, notEarly, type Verified, verifyDelivery } from './verify.ts';

export { WebhookError, type WebhookProblem } from './error.ts';
export type { ReadEvent } from './event.ts';
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

/** A verified delivery with its event. */
export interface Received extends Verified {
  readonly event: ReadEvent;
  readonly isSealed: boolean;
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
): Promise<{ readonly event: ReadEvent; readonly isSealed: boolean }> {
  const read = await readBody(
    body,
    privateKeys.map((key) => new Secret(key)),
  );
  if (read.kind === 'event') return { event: read.event, isSealed: read.isSealed };
  throw new WebhookError(read.kind === 'sealed' ? 'CANNOT_BE_OPENED' : 'NOT_AN_EVENT', read.problem);
}

/** A request as a Fetch API server or a Node server hands it over, with the raw body. */
export type WebhookRequest =
  | Delivery
  | { readonly headers: Headers; arrayBuffer(): Promise<ArrayBuffer> }
  | { readonly headers: GivenHeaders; readonly rawHeaders?: readonly string[]; readonly body: Uint8Array };

/** Verifies a request, opens it and reads its event. Throws WebhookError. */
export async function receive(request: WebhookRequest, options: VerifyWith & OpenWith): Promise<Received> {
  const delivery =
    'arrayBuffer' in request
      ? { headers: request.headers, body: new Uint8Array(await request.arrayBuffer()) }
      : { headers: pairsOf(request), body: request.body };
  const verified = verify(delivery, options);
  return { ...verified, ...(await open(delivery.body, options)) };
}

/** Node joins the values of a repeated header; only its raw headers show the repetition. */
function pairsOf(request: { readonly headers: GivenHeaders; readonly rawHeaders?: readonly string[] }): GivenHeaders {
  const { rawHeaders } = request;
  if (!rawHeaders) return request.headers;
  return rawHeaders.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : []));
}
