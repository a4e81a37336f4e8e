import type { Secret } from '../base/secret.ts';
import { nodeCrypto } from './node-crypto.ts';

/** Returns the first 12 hexadecimal digits of a key's SHA-256, which identify the key without revealing it. */
export function fingerprint(key: Secret): string {
  return sha256Hex(key.reveal()).slice(0, 12);
}

/** Returns the SHA-256 of a text in hexadecimal digits. */
export function sha256Hex(text: string): string {
  return nodeCrypto().createHash('sha256').update(text).digest('hex');
}
