import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Secret } from '../base/secret.ts';

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

/** Returns the first 12 hexadecimal digits of a key's SHA-256, which identify the key without revealing it. */
export function fingerprint(key: Secret): string {
  return sha256Hex(key.reveal()).slice(0, 12);
}

/** Returns the SHA-256 of a text in hexadecimal digits. */
export function sha256Hex(text: string): string {
  return Buffer.from(shortSha256(text), 'base64url').toString('hex');
}

/** Returns the SHA-256 of a public key of 64 hexadecimal digits as OpenSSH writes it: `SHA256:` and unpadded base64. */
export function publicKeyFingerprint(keyHex: string): string {
  const digest = nodeCrypto().createHash('sha256').update(Buffer.from(keyHex, 'hex')).digest('base64');
  return `SHA256:${digest.replace(/=+$/, '')}`;
}

/** Returns node:crypto, loaded on first use because most commands do not need it. */
export function nodeCrypto(): typeof import('node:crypto') {
  return process.getBuiltinModule('node:crypto');
}

/** A SHA-256 of many texts, one after the other. */
interface RunningDigest {
  add(text: string): void;
  /** Returns it in base64url. Nothing can be added after that. */
  value(): string;
}

/** Characters that are hashed at once: a call for each short text takes longer than hashing it. */
const HASHED_AT_ONCE = 16_384;

export function runningSha256(): RunningDigest {
  const hash = nodeCrypto().createHash('sha256');
  let added = '';
  return {
    add: (text) => {
      added += text;
      if (added.length < HASHED_AT_ONCE) return;
      hash.update(added);
      added = '';
    },
    value: () => hash.update(added).digest('base64url'),
  };
}

/** The cost of scrypt: 64 MiB of memory, and at least 100 ms on the machines of 2026. */
const SLOW_HASH = { N: 2 ** 16, r: 8, p: 1 } as const;

/** scrypt needs 128 bytes for each unit of N and r, and a little more. */
const MAX_BYTES = 256 * SLOW_HASH.N * SLOW_HASH.r;

const HASH_BYTES = 32;

/**
 * Returns the scrypt hash, in base64url, of a text that could be guessed, such as a BVN. Nobody can test a guess without the key, and with
 * it, each guess is slow.
 */
export function slowHash(key: Secret, text: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  nodeCrypto().scrypt(text, key.reveal(), HASH_BYTES, { ...SLOW_HASH, maxmem: MAX_BYTES }, (error, hash) =>
    error ? reject(error) : resolve(hash.toString('base64url')),
  );
  return promise;
}
