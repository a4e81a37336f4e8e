import type { Secret } from '../base/secret.ts';
import { nodeCrypto } from './node-crypto.ts';
import { shortSha256 } from './sha256.ts';

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
