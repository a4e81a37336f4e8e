import { WebhookError } from './error.ts';
import { type GivenHeaders, readHeaders } from './headers.ts';
import { isSignatureText, isSignedBy, keysOfAesKey, type SigningKey } from './signature.ts';

/** ISO 8601 with a date, a time and a zone; fractions of a second are optional. */
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;
/** Unix time: 9 or 10 digits are seconds (years 1973 to 2286), 12 or 13 are milliseconds. */
const SECONDS = /^\d{9,10}$/;
const MILLISECONDS = /^\d{12,13}$/;

/**
 * Reads the time of a delivery in milliseconds since the epoch; undefined if it is in no documented form. Source: interface for
 * ISO 8601, public for Unix seconds, inferred for milliseconds.
 */
export function readTimestamp(text: string): number | undefined {
  if (SECONDS.test(text)) return Number(text) * 1000;
  if (MILLISECONDS.test(text)) return Number(text);
  const timeMs = ISO.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

/** How old a delivery may be. Source: interface. */
const TOLERANCE_MS = 5 * 60_000;
/** How far the sender's clock may be ahead. Source: public (one client). */
const FUTURE_MS = 60_000;

/** A request as it arrived. */
export interface Delivery {
  readonly headers: GivenHeaders;
  /** The exact bytes of the body. A body that was parsed and written again has another signature. */
  readonly body: Uint8Array;
}

export interface VerifyOptions {
  /** The webhook secret; also the ones that it replaced, while deliveries signed with them may be under way. */
  readonly secrets?: readonly string[];
  /** The AES key, with which the service signs if no secret is set. */
  readonly aesKey?: string | undefined;
  /** The service's name in the header names, such as `acme` in `x-acme-signature`; by default any single one. */
  readonly serviceName?: string | undefined;
  /** How old a delivery may be, in milliseconds (5 minutes). */
  readonly toleranceMs?: number | undefined;
  /** The time to judge its age by, in milliseconds since the epoch. */
  readonly nowMs: number;
}

/** A delivery that the service sent. */
export interface Verified {
  /** Equal for a retry. It is not signed: whoever saw a delivery can send it again under another id. */
  readonly id: string | undefined;
  /** The event header, which is not signed either; the name in the body counts. */
  readonly eventHeader: string | undefined;
  readonly serviceName: string;
  readonly signature: string;
  readonly timestamp: string;
  readonly sentAtMs: number;
  /** Rightly signed, but older than the tolerance: a late retry, or a delivery that somebody recorded and sends again. */
  readonly isLate: boolean;
}

/**
 * Checks the signature of a delivery, then its age. A delivery that is too old is returned as late, because only the receiver
 * knows whether it has seen it before. Throws WebhookError.
 */
export function verifyDelivery({ headers, body }: Delivery, options: VerifyOptions): Verified {
  const { nowMs, toleranceMs = TOLERANCE_MS, serviceName } = options;
  // NaN would make every comparison below false, and so every age right.
  if (!(toleranceMs >= 0) || !Number.isFinite(nowMs))
    throw new RangeError('the tolerance and the time must be numbers');
  const keys = signingKeys(options);
  if (keys.length === 0) throw new RangeError('no webhook secret and no AES key was given');
  const { signature, timestamp, id, event, serviceName: named } = readHeaders(headers, serviceName);
  // JavaScript callers may pass a parsed body, or none at all.
  if (!ArrayBuffer.isView(body))
    throw new TypeError('invalid body; expected the raw bytes of the request, not a parsed or decoded body');
  const sentAtMs = readTimestamp(timestamp);
  if (sentAtMs === undefined)
    throw new WebhookError('INVALID_TIMESTAMP', 'the timestamp header is neither ISO 8601 nor Unix time');
  if (!isSignatureText(signature))
    throw new WebhookError('INVALID_SIGNATURE', 'the signature header is not 64 lower-case hexadecimal digits');
  if (!isSignedBy(keys, signature, timestamp, body))
    throw new WebhookError('WRONG_SIGNATURE', 'the signature does not match the body, the timestamp and the secret');
  if (sentAtMs > nowMs + FUTURE_MS)
    throw new WebhookError('FROM_THE_FUTURE', 'the timestamp is in the future: compare the clocks');
  const isLate = sentAtMs < nowMs - toleranceMs;
  return { id, eventHeader: event, serviceName: named, signature, timestamp, sentAtMs, isLate };
}

function signingKeys({ secrets = [], aesKey }: VerifyOptions): readonly SigningKey[] {
  // An empty secret would verify what anybody signs with nothing.
  const given = secrets.filter((secret) => secret !== '');
  return aesKey ? [...given, ...keysOfAesKey(aesKey)] : given;
}
