import type { Secret } from '../base/secret.ts';
import { nodeCrypto } from './node-crypto.ts';

/** Returns the first 12 hexadecimal digits of a key's SHA-256, which identify the key without revealing it. */
export function fingerprint(key: Secret): string {
  return nodeCrypto().createHash('sha256').update(key.reveal()).digest('hex').slice(0, 12);
}
