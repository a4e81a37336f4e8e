import { Secret } from '../base/secret.ts';
import { x25519Public } from './x25519.ts';

/** A pair of X25519 keys for sealed boxes, each 64 hexadecimal digits. The public half follows from the private one. */
export interface KeyPair {
  readonly publicKey: string;
  readonly privateKey: Secret;
}

/** What was inside a payload, or in plain words why it does not open. No word of the keys is in the problem. */
export type Opened = { readonly text: string } | { readonly problem: string };

/** A new pair from 32 bytes of chance: every 32 bytes are a private key. */
export function newKeyPair(random: Uint8Array): KeyPair {
  const privateHex = Buffer.from(random).toString('hex');
  return { publicKey: x25519Public(privateHex), privateKey: new Secret(privateHex) };
}

/** The public half of a private key, 64 hexadecimal digits. Throws for a key that `privateKeyProblem` has a word about. */
export function publicHalf(privateKey: Secret): string {
  return x25519Public(privateKey.reveal());
}

/** What is wrong with a private key; undefined when nothing is. */
export function privateKeyProblem(privateKey: Secret): string | undefined {
  return isKeyText(privateKey.reveal()) ? undefined : 'a private key is not 64 hexadecimal digits';
}

/** Whether a text has the form of a key, public or private. */
export function isKeyText(text: string): boolean {
  return /^[0-9a-f]{64}$/i.test(text);
}

/** Loaded with the first box: 0.4 MB of code that most commands never need. */
async function loadSodium() {
  const { default: sodium } = await import('libsodium-wrappers');
  await sodium.ready;
  return sodium;
}

/**
 * A text sealed to a public key, in base64 of the URL-safe alphabet without padding. Source: public (crypto_box_seal),
 * the alphabet inferred. Rejects where the key is none, or one of the few that nothing can be sealed to.
 */
export async function seal(text: string, publicKeyHex: string): Promise<string> {
  if (!isKeyText(publicKeyHex)) throw new Error('a public key is not 64 hexadecimal digits');
  const sodium = await loadSodium();
  return Buffer.from(sodium.crypto_box_seal(text, Buffer.from(publicKeyHex, 'hex'))).toString('base64url');
}

/**
 * The payload of a sealed body: a text, beside no response code. A plain answer has such a code, and a plain event an
 * object for its payload. Source: public; that the type tells them apart is inferred.
 */
export function payloadIn(body: string): string | undefined {
  // Spares plain bodies, which are most, a second reading.
  if (!body.includes('"payload"')) return undefined;
  try {
    const { payload, response_code, responseCode } = JSON.parse(body) ?? {};
    return typeof payload === 'string' && (response_code ?? responseCode) === undefined ? payload : undefined;
  } catch {
    return undefined;
  }
}

/** An ephemeral key of 32 bytes and a tag of 16 stand before the ciphertext, which is as long as the text. */
const SEAL_BYTES = 48;

/**
 * Opens payloads with private keys, in the order given: the newest first, then older ones. Each key is prepared once,
 * so that many payloads cost one multiplication on the curve each.
 */
export async function openerOf(privateKeys: readonly Secret[]): Promise<(payload: string) => Opened> {
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
    return { problem: 'sealed for another key, or altered' };
  };
}

/** Either alphabet, padded or not; undefined for what is no base64 to the last bit. Source: inferred. */
function bytesOf(payload: string): Buffer | undefined {
  const digits = payload.replace(/={1,2}$/, '');
  if (digits.length < payload.length && payload.length % 4 !== 0) return undefined;
  // Reads both alphabets and passes over everything else, which writing it again brings out.
  const bytes = Buffer.from(digits, 'base64');
  return bytes.toString('base64url') === digits.replaceAll('+', '-').replaceAll('/', '_') ? bytes : undefined;
}

function textOf(bytes: Uint8Array): Opened {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { problem: 'not UTF-8 inside' };
  }
}
