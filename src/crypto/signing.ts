import { Secret } from '../base/secret.ts';
import { isKeyText, loadSodium } from './sealed-box.ts';

/** An Ed25519 key pair. The private key is the seed; each key is 64 hexadecimal digits. */
export interface SigningPair {
  readonly publicKey: string;
  readonly privateKey: Secret;
}

/** A text is no private key. Never contains it. */
export class PrivateKeyError extends Error {
  override name = 'PrivateKeyError';
}

/** Creates a key pair from 32 random bytes. */
export async function newSigningPair(random: Uint8Array): Promise<SigningPair> {
  return signingPairOf(new Secret(Buffer.from(random).toString('hex')));
}

/** Returns the pair of a private key. Rejects with PrivateKeyError if it is not 64 hexadecimal digits. */
export async function signingPairOf(privateKey: Secret): Promise<SigningPair> {
  const { publicKey } = await expanded(privateKey);
  return { publicKey: Buffer.from(publicKey).toString('hex'), privateKey };
}

/** Signs a text; returns 128 hexadecimal digits. */
export async function signText(text: string, { privateKey }: Pick<SigningPair, 'privateKey'>): Promise<string> {
  const sodium = await loadSodium();
  const { privateKey: expandedKey } = await expanded(privateKey);
  return Buffer.from(sodium.crypto_sign_detached(text, expandedKey)).toString('hex');
}

/** Whether a text has this signature of this public key. Malformed keys and signatures, and keys of small order, are not valid. */
export async function isSignedBy(text: string, signature: string, publicKey: string): Promise<boolean> {
  if (!isKeyText(publicKey) || !/^[0-9a-f]{128}$/.test(signature)) return false;
  const sodium = await loadSodium();
  return sodium.crypto_sign_verify_detached(Buffer.from(signature, 'hex'), text, Buffer.from(publicKey, 'hex'));
}

async function expanded(privateKey: Secret) {
  const sodium = await loadSodium();
  const seed = privateKey.reveal();
  if (!isKeyText(seed)) throw new PrivateKeyError(`expected 64 hexadecimal digits, got ${seed.length} characters`);
  return sodium.crypto_sign_seed_keypair(Buffer.from(seed, 'hex'));
}

const P = 2n ** 255n - 19n;

/** The y of two points of order 8; that of the other two is `P - Y8`. */
const Y8 = 2707385501144840649318225287225658788936804267575313519463743609750303402022n;

/** y of the points of small order, whose signatures anyone can make. P and P + 1 are 0 and 1, written in another way. Source: libsodium. */
const SMALL: readonly bigint[] = [0n, 1n, P - 1n, P, P + 1n, Y8, P - Y8];

/** The highest bit of a key is the sign of x. */
const SIGN = 2n ** 255n;

/** Whether an Ed25519 public key of 64 hexadecimal digits is a point of small order. */
export function hasSmallOrder(keyHex: string): boolean {
  const y = BigInt(`0x${Buffer.from(keyHex, 'hex').reverse().toString('hex')}`) % SIGN;
  return SMALL.includes(y);
}
