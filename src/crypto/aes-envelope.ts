import type { Secret } from '../base/secret.ts';
import { excessIn } from '../money/json-text.ts';
import { nodeCrypto } from './digest.ts';

const TAG_BYTES = 16;

/** The older AES-256-GCM envelope, with hexadecimal fields. Source: public; the tag's position is inferred. */
export interface AesEnvelope {
  /** The ciphertext followed by its 16-byte tag. */
  readonly data: string;
  /** 16 bytes. */
  readonly iv: string;
}

/** Returns the envelope that a body is: `encrypted` is true, and both fields are hexadecimal; undefined if it is none. Source: public. */
export function aesEnvelopeIn(body: string): AesEnvelope | undefined {
  // Avoids parsing other bodies a second time.
  if (!body.includes('"encrypted"') || excessIn(body) !== undefined) return undefined;
  try {
    const { encrypted, data, iv } = JSON.parse(body) ?? {};
    const isHex = [data, iv].every((each) => typeof each === 'string' && /^(?:[0-9a-f]{2})+$/i.test(each));
    return encrypted === true && isHex ? { data, iv } : undefined;
  } catch {
    return undefined;
  }
}

/** Encrypts a text with a key of 64 hexadecimal digits. `iv` is 16 random bytes that must not be reused with the key. */
export function sealAesEnvelope(
  text: string,
  keyHex: Secret,
  iv: Uint8Array,
): AesEnvelope & { readonly encrypted: true } {
  const options = { authTagLength: TAG_BYTES };
  const cipher = nodeCrypto().createCipheriv('aes-256-gcm', Buffer.from(keyHex.reveal(), 'hex'), iv, options);
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return { encrypted: true, data: data.toString('hex'), iv: Buffer.from(iv).toString('hex') };
}

/** Decrypts an envelope with a key of 64 hexadecimal digits; returns undefined if decryption fails. */
export function openAesEnvelope({ data, iv }: AesEnvelope, keyHex: string): string | undefined {
  const bytes = Buffer.from(data, 'hex');
  if (bytes.length < TAG_BYTES) return undefined;
  const at = bytes.length - TAG_BYTES;
  const [key, nonce] = [Buffer.from(keyHex, 'hex'), Buffer.from(iv, 'hex')];
  const decipher = nodeCrypto().createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(at));
  try {
    return decipher.update(bytes.subarray(0, at), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}
