import { Secret } from '../base/secret.ts';
import { excessIn } from '../money/json-text.ts';
import { nodeCrypto } from './digest.ts';

/** An X25519 key pair for sealed boxes; each key is 64 hexadecimal digits. */
export interface KeyPair {
  readonly publicKey: string;
  readonly privateKey: Secret;
}

/** The text of a payload, or why it cannot be opened. The problem never contains key material. */
type OpenedPayload = { readonly text: string } | { readonly problem: string };

/** Creates a key pair from 32 random bytes. Any 32 bytes are a valid private key. */
export function newKeyPair(random: Uint8Array): KeyPair {
  const privateHex = Buffer.from(random).toString('hex');
  return { publicKey: x25519Public(privateHex), privateKey: new Secret(privateHex) };
}

/** Returns the public key of a private key as 64 hexadecimal digits. Throws if `privateKeyProblem` reports a problem. */
export function publicHalf(privateKey: Secret): string {
  return x25519Public(privateKey.reveal());
}

/** Returns what is wrong with a private key; undefined if it is valid. */
export function privateKeyProblem(privateKey: Secret): string | undefined {
  return isKeyText(privateKey.reveal()) ? undefined : 'invalid private key; expected 64 hexadecimal digits';
}

/** Whether a text has the format of a public or private key. */
export function isKeyText(text: string): boolean {
  return /^[0-9a-f]{64}$/i.test(text);
}

/**
 * Encrypts a text for a public key as a sealed box, in unpadded URL-safe base64. Source: public (crypto_box_seal); the
 * alphabet is inferred. Rejects if the key is malformed or one of the few that cannot be used.
 */
export async function seal(text: string, publicKeyHex: string): Promise<string> {
  if (!isKeyText(publicKeyHex)) throw new Error('invalid public key; expected 64 hexadecimal digits');
  const sodium = await loadSodium();
  return Buffer.from(sodium.crypto_box_seal(text, Buffer.from(publicKeyHex, 'hex'))).toString('base64url');
}

/**
 * Returns the payload of a sealed body: a string without a response code next to it. A plain response has a code, and the
 * payload of a plain event is an object. Source: public; distinguishing them by type is inferred.
 */
export function payloadIn(body: string): string | undefined {
  // Avoids parsing plain bodies, which are the majority, a second time.
  if (!body.includes('"payload"') || excessIn(body) !== undefined) return undefined;
  try {
    const { payload, response_code, responseCode } = JSON.parse(body.replace(/^\ufeff/, '')) ?? {};
    return typeof payload === 'string' && (response_code ?? responseCode) === undefined ? payload : undefined;
  } catch {
    return undefined;
  }
}

/** A sealed box adds a 32-byte ephemeral key and a 16-byte tag to the text. */
const SEAL_BYTES = 48;

/**
 * Returns a function that opens payloads with the first private key that fits; pass the newest key first. Each key is
 * prepared once, so that opening a payload takes one curve multiplication.
 */
export async function openerOf(privateKeys: readonly Secret[]): Promise<(payload: string) => OpenedPayload> {
  const problem = privateKeys.map(privateKeyProblem).find((each) => each !== undefined);
  if (problem) return () => ({ problem });
  const sodium = await loadSodium();
  const pairs = privateKeys.map((key) => {
    const secret = Buffer.from(key.reveal(), 'hex');
    return { secret, open: sodium.crypto_scalarmult_base(secret) };
  });
  const openWith = (bytes: Uint8Array, { secret, open }: (typeof pairs)[number]) => {
    try {
      return sodium.crypto_box_seal_open(bytes, open, secret);
    } catch {
      return undefined;
    }
  };
  return (payload) => {
    const bytes = bytesOf(payload);
    if (!bytes) return { problem: 'not base64' };
    if (bytes.length < SEAL_BYTES) return { problem: 'too short for a sealed box' };
    for (const pair of pairs) {
      const inside = openWith(bytes, pair);
      if (inside) return textOf(inside);
    }
    return { problem: 'encrypted for another key, or altered' };
  };
}

/** Decodes base64 in either alphabet, padded or not; undefined if it is not exactly base64. Source: inferred. */
function bytesOf(payload: string): Buffer | undefined {
  const digits = payload.replace(/={1,2}$/, '');
  if (digits.length < payload.length && payload.length % 4 !== 0) return undefined;
  // Buffer accepts both alphabets and ignores other characters; encoding again reveals those.
  const bytes = Buffer.from(digits, 'base64');
  return bytes.toString('base64url') === digits.replaceAll('+', '-').replaceAll('/', '_') ? bytes : undefined;
}

function textOf(bytes: Uint8Array): OpenedPayload {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { problem: 'the decrypted content is not UTF-8' };
  }
}

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

/** Loaded on first use: 0.4 MB of code that most commands never need. */
export async function loadSodium() {
  const { default: sodium } = await import('libsodium-wrappers');
  await sodium.ready;
  return sodium;
}
