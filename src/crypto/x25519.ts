import { nodeCrypto } from './node-crypto.ts';

/** DER prefixes of a 32-byte X25519 key: PKCS #8 for a secret key, SPKI for a public key. Source: RFC 8410. */
const SECRET_DER = '302e020100300506032b656e04220420';
const PUBLIC_DER = '302a300506032b656e032100';

const secretKeyOf = (secretHex: string) =>
  nodeCrypto().createPrivateKey({ key: Buffer.from(SECRET_DER + secretHex, 'hex'), format: 'der', type: 'pkcs8' });

const publicKeyOf = (publicHex: string) =>
  nodeCrypto().createPublicKey({ key: Buffer.from(PUBLIC_DER + publicHex, 'hex'), format: 'der', type: 'spki' });

/** Returns the public key of an X25519 secret key; both are 64 hexadecimal digits. */
export function x25519Public(secretHex: string): string {
  const der = nodeCrypto().createPublicKey(secretKeyOf(secretHex)).export({ format: 'der', type: 'spki' });
  return der.subarray(-32).toString('hex');
}

/** Whether a public key can be used for encryption: a few low-order keys always produce an all-zero shared secret. */
export function isSealable(publicHex: string, secretHex: string): boolean {
  try {
    nodeCrypto().diffieHellman({ privateKey: secretKeyOf(secretHex), publicKey: publicKeyOf(publicHex) });
    return true;
  } catch {
    return false;
  }
}
