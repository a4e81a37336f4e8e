import { nodeCrypto } from '../crypto/digest.ts';
import { WebhookError } from './error.ts';

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

/** Headers in any of the forms in which servers hand them over: a `Headers`, an object, or pairs with repetitions. */
export type GivenHeaders =
  | Iterable<readonly [name: string, value: string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The headers of a delivery. */
interface DeliveryHeaders {
  readonly signature: string;
  readonly timestamp: string;
  /** Equal for a retry of the same delivery. It is not signed. */
  readonly id: string | undefined;
  /** Not signed; the name in the body counts. */
  readonly event: string | undefined;
  /** The service's name as it stands in the header names, in lower case. */
  readonly serviceName: string;
}

/** `x-acme-signature` */
const SIGNATURE_NAME = /^x-(.+)-signature$/;

/** Reads the headers of a delivery; `serviceName` is the name that they contain. Throws WebhookError. */
export function readHeaders(given: GivenHeaders, serviceName?: string): DeliveryHeaders {
  const headers = lowerCased(given);
  const named = serviceName?.toLowerCase() ?? onlyServiceIn(headers);
  const signature = one(headers, `x-${named}-signature`);
  const timestamp = one(headers, `x-${named}-timestamp`);
  if (signature === undefined) throw missing(`x-${named}-signature`);
  if (timestamp === undefined) throw missing(`x-${named}-timestamp`);
  return {
    signature,
    timestamp,
    serviceName: named,
    id: one(headers, 'x-webhook-id'),
    event: one(headers, `x-${named}-event`),
  };
}

/** Returns headers as pairs, with a pair for each repetition. */
export function pairsIn(given: GivenHeaders): (readonly [name: string, value: string])[] {
  const pairs: [string, string][] = [];
  for (const [name, value] of Symbol.iterator in given ? given : Object.entries(given)) {
    if (typeof value === 'string') pairs.push([name, value]);
    else for (const each of value ?? []) pairs.push([name, each]);
  }
  return pairs;
}

function lowerCased(given: GivenHeaders): ReadonlyMap<string, readonly string[]> {
  const headers = new Map<string, string[]>();
  for (const [written, value] of pairsIn(given)) {
    const name = written.toLowerCase();
    const known = headers.get(name);
    if (known) known.push(value);
    else headers.set(name, [value]);
  }
  return headers;
}

/** Returns the only service whose signature and timestamp headers are there. */
function onlyServiceIn(headers: ReadonlyMap<string, unknown>): string {
  const names: string[] = [];
  for (const header of headers.keys()) {
    const name = SIGNATURE_NAME.exec(header)?.[1];
    if (name !== undefined) names.push(name);
  }
  const [only, ...others] = names.length > 1 ? names.filter((name) => headers.has(`x-${name}-timestamp`)) : names;
  if (only === undefined) throw missing('x-SERVICE-signature');
  if (others.length === 0) return only;
  throw new WebhookError(
    'AMBIGUOUS_SERVICE',
    'more than one service signed this request; say which one with the service name',
  );
}

function one(headers: ReadonlyMap<string, readonly string[]>, name: string): string | undefined {
  const [value, ...more] = headers.get(name) ?? [];
  // A Headers object joins the values of a repeated header.
  if (more.length > 0 || value?.includes(', '))
    throw new WebhookError('DOUBLED_HEADER', `the header ${name} was sent more than once`);
  return value?.trim() || undefined;
}

const missing = (name: string) => new WebhookError('MISSING_HEADER', `the header ${name} is missing`);

/** A request as it arrived. */
export interface Delivery {
  /** All headers, with each repetition. */
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
  /** The service's name in its header names, in lower case. */
  readonly serviceName: string;
  /** The signature header. */
  readonly signature: string;
  /** The timestamp header, as it was sent. */
  readonly timestamp: string;
  /** The same time, in milliseconds since the epoch. */
  readonly sentAtMs: number;
  /** Rightly signed, but older than the tolerance: a late retry, or a delivery that someone recorded and sends again. */
  readonly isLate: boolean;
}

/** A delivery that the service sent, for a receiver that also takes those from the future. */
export interface Judged extends Verified {
  /** Rightly signed, but sent in the future by this machine's clock, which may be behind. */
  readonly isEarly: boolean;
}

/** A signature as it stands in the header: 64 lower-case hexadecimal digits. Source: interface. */
const SIGNATURE = /^[0-9a-f]{64}$/;

/** What a webhook is signed with: the secret as text or as bytes. */
type SigningKey = string | Uint8Array;

/** Returns the signature of a delivery: the HMAC-SHA256 over the timestamp header, a dot and the exact body. Source: interface. */
export function signatureOf(key: SigningKey, timestamp: string, body: Uint8Array): string {
  return nodeCrypto().createHmac('sha256', key).update(timestamp).update('.').update(body).digest('hex');
}

/** Whether a text has the form of a signature. Anything else is refused before it is compared. */
function isSignatureText(text: string): boolean {
  return SIGNATURE.test(text);
}

/**
 * Whether one of the keys made the signature. Compares in constant time and tries every key, so that neither the time nor
 * the number of keys shows how much of a forgery was right.
 */
export function isSignedBy(
  keys: readonly SigningKey[],
  signature: string,
  timestamp: string,
  body: Uint8Array,
): boolean {
  if (!isSignatureText(signature)) return false;
  const given = Buffer.from(signature, 'latin1');
  const matches = keys.map((key) =>
    nodeCrypto().timingSafeEqual(Buffer.from(signatureOf(key, timestamp, body), 'latin1'), given),
  );
  return matches.includes(true);
}

/**
 * The keys that a fintech's AES key may stand for when no secret is set: its text, and its bytes if it is hexadecimal.
 * Source: which of the two is not documented; the text is inferred, and a receiver accepts both.
 */
export function keysOfAesKey(aesKey: string): readonly SigningKey[] {
  const isHex = aesKey.length % 2 === 0 && /^[0-9a-f]+$/i.test(aesKey);
  return isHex ? [aesKey, Buffer.from(aesKey, 'hex')] : [aesKey];
}

/**
 * Checks the signature of a delivery, then its age. A delivery that is too old is returned as late, and one from the future as early,
 * because only the receiver knows whether it has seen it before. Throws WebhookError.
 */
export function verifyDelivery({ headers, body }: Delivery, options: VerifyOptions): Judged {
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
  const [isLate, isEarly] = [sentAtMs < nowMs - toleranceMs, sentAtMs > nowMs + FUTURE_MS];
  return { id, eventHeader: event, serviceName: named, signature, timestamp, sentAtMs, isLate, isEarly };
}

/** Returns a delivery for a receiver that keeps nothing, and so cannot take one from the future. Throws WebhookError. */
export function notEarly({ isEarly, ...verified }: Judged): Verified {
  if (isEarly) throw new WebhookError('FROM_THE_FUTURE', 'the timestamp is in the future: compare the clocks');
  return verified;
}

function signingKeys({ secrets = [], aesKey }: VerifyOptions): readonly SigningKey[] {
  // An empty secret would verify what anyone signs with nothing.
  const given = secrets.filter((secret) => secret !== '');
  return aesKey ? [...given, ...keysOfAesKey(aesKey)] : given;
}
