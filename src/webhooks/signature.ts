import { nodeCrypto } from '../crypto/digest.ts';

/** A signature as it stands in the header: 64 lower-case hexadecimal digits. Source: interface. */
const SIGNATURE = /^[0-9a-f]{64}$/;

/** What a webhook is signed with: the secret as text or as bytes. */
export type SigningKey = string | Uint8Array;

/** Returns the signature of a delivery: the HMAC-SHA256 over the timestamp header, a dot and the exact body. Source: interface. */
export function signatureOf(key: SigningKey, timestamp: string, body: Uint8Array): string {
  return nodeCrypto().createHmac('sha256', key).update(timestamp).update('.').update(body).digest('hex');
}

/** Whether a text has the form of a signature. Anything else is refused before it is compared. */
export function isSignatureText(text: string): boolean {
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
