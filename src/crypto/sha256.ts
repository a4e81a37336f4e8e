import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';

/**
 * SHA-256 and its HMAC for a few short texts, in base64url. Loading node:crypto takes longer than everything that a payment hashes;
 * for many texts, node:crypto is faster.
 */
export function shortSha256(text: string): string {
  return Buffer.from(sha256(Buffer.from(text))).toString('base64url');
}

/** Returns the HMAC-SHA256 of a text. Equal texts have equal digests, which do not reveal the text. */
export function shortHmac(key: string, text: string): string {
  return Buffer.from(hmac(sha256, Buffer.from(key), Buffer.from(text))).toString('base64url');
}
