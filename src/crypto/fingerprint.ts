import { nodeCrypto } from './node-crypto.ts';

/** The first 12 digits of a text's SHA-256, hexadecimal: enough to tell two keys apart, and nothing of either. */
export function fingerprint(text: string): string {
  return nodeCrypto().createHash('sha256').update(text).digest('hex').slice(0, 12);
}
