import type { Secret } from '../base/secret.ts';
import { nodeCrypto } from './node-crypto.ts';

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
