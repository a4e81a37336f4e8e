import type { Secret } from '../base/secret.ts';
import { nodeCrypto } from './node-crypto.ts';

/** The first 12 digits of a key's SHA-256, hexadecimal: enough to tell two keys apart, and nothing of either. */
export function fingerprint(key: Secret): string {
  return nodeCrypto().createHash('sha256').update(key.reveal()).digest('hex').slice(0, 12);
}
