import type { Secret } from '../base/secret.ts';
import { type AesEnvelope, aesEnvelopeIn, openAesEnvelope } from '../crypto/aes-envelope.ts';
import { isKeyText, openerOf, payloadIn } from '../crypto/sealed-box.ts';
import { excessIn } from '../money/json-text.ts';
import { eventIn, type ReadEvent } from './event.ts';

/**
 * What a body holds. `event`: an event, perhaps one that the contract does not know. `encrypted`: it is encrypted with a key that we do not
 * have. `other`: anything else, such as broken UTF-8 or JSON that is no event.
 */
export type ReadBody =
  | { readonly kind: 'event'; readonly event: ReadEvent; readonly text: string; readonly isEncrypted: boolean }
  | { readonly kind: 'encrypted' | 'other'; readonly problem: string; readonly isEncrypted: boolean };

/** Opens the payload of an encrypted body, or the older envelope, or says why that failed. */
export type Open = (sealed: string | AesEnvelope) => Promise<{ readonly text: string } | { readonly problem: string }>;

type AesKey = () => Promise<Secret | undefined>;

/**
 * Reads the body of a delivery. `privateKeys` are the keys that may decrypt it, newest first; a function is asked only for an encrypted body. `aesKey`
 * is asked only for a body in the older envelope.
 */
export function readBody(
  body: Uint8Array,
  privateKeys: readonly Secret[] | (() => Promise<readonly Secret[]>),
  aesKey?: AesKey,
): Promise<ReadBody> {
  const keys = typeof privateKeys === 'function' ? privateKeys : async () => privateKeys;
  return readBodyWith(body, openWith(keys, aesKey));
}

/**
 * Returns a function that decrypts payloads with an account's private keys, newest first. Preparing the keys takes about as long as
 * opening a payload, so it prepares them once, and again only for a payload that they do not open: there may be a new key.
 */
export function openWith(privateKeys: () => Promise<readonly Secret[]>, aesKey: AesKey = async () => undefined): Open {
  let open: Awaited<ReturnType<typeof openerOf>> | undefined;
  return async (payload) => {
    if (typeof payload !== 'string') return openEnvelope(payload, await aesKey());
    const known = open?.(payload);
    if (known && 'text' in known) return known;
    const keys = await privateKeys();
    if (keys.length === 0) return { problem: 'it is encrypted, and there is no private key' };
    open = await openerOf(keys);
    const opened = open(payload);
    return 'text' in opened ? opened : { problem: `it cannot be decrypted: ${opened.problem}` };
  };
}

function openEnvelope(envelope: AesEnvelope, aesKey: Secret | undefined) {
  if (!aesKey) return { problem: 'it is encrypted with the AES key of the account, which is not known here' };
  if (!isKeyText(aesKey.reveal()))
    return { problem: 'it is encrypted with an AES key, and the account’s is not 64 hexadecimal digits' };
  const text = openAesEnvelope(envelope, aesKey.reveal());
  return text === undefined
    ? { problem: 'it cannot be decrypted: encrypted with another AES key, or altered' }
    : { text };
}

/** Reads the body of a delivery. `open` decrypts it if it is encrypted. */
export async function readBodyWith(body: Uint8Array, open: Open): Promise<ReadBody> {
  const text = utf8(body);
  if (text === undefined) return { kind: 'other', problem: 'the body is not UTF-8', isEncrypted: false };
  const payload = payloadIn(text) ?? aesEnvelopeIn(text);
  if (payload === undefined) return eventFrom(text, false);
  const opened = await open(payload);
  return 'text' in opened
    ? eventFrom(opened.text, true)
    : { kind: 'encrypted', problem: opened.problem, isEncrypted: true };
}

function eventFrom(text: string, isEncrypted: boolean): ReadBody {
  const excess = excessIn(text);
  if (excess !== undefined) return { kind: 'other', problem: excess, isEncrypted };
  try {
    const event = eventIn(JSON.parse(text));
    return event
      ? { kind: 'event', event, text, isEncrypted }
      : { kind: 'other', problem: 'the body has no event name or no content', isEncrypted };
  } catch {
    return { kind: 'other', problem: 'the body is not JSON', isEncrypted };
  }
}

function utf8(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}
