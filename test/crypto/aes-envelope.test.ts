import { createCipheriv, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../src/base/secret.ts';
import { openAesEnvelope, sealAesEnvelope } from '../../src/crypto/aes-envelope.ts';

const KEY = '3f'.repeat(32);
const IV = Uint8Array.from({ length: 16 }, (_, index) => index);

const flipped = (hex: string, at: number) =>
  `${hex.slice(0, at)}${(Number.parseInt(hex[at] ?? '', 16) ^ 1).toString(16)}${hex.slice(at + 1)}`;

describe('an AES envelope', () => {
  test('is AES-256-GCM with the tag after the ciphertext, in hexadecimal', () => {
    const cipher = createCipheriv('aes-256-gcm', Buffer.from(KEY, 'hex'), IV);
    const sealed = Buffer.concat([cipher.update('{"data": "₦"}', 'utf8'), cipher.final(), cipher.getAuthTag()]);
    expect(sealAesEnvelope('{"data": "₦"}', new Secret(KEY), IV)).toEqual({
      encrypted: true,
      data: sealed.toString('hex'),
      iv: '000102030405060708090a0b0c0d0e0f',
    });
  });

  test('round-trips any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const key = randomBytes(32).toString('hex');
        expect(openAesEnvelope(sealAesEnvelope(text, new Secret(key), randomBytes(16)), key)).toBe(text);
      }),
    );
  });

  test('does not open with a different key or iv, or after a change', () => {
    const envelope = sealAesEnvelope('{"data":"x"}', new Secret(KEY), IV);
    const { data } = envelope;
    expect(openAesEnvelope(envelope, KEY)).toBe('{"data":"x"}');
    expect(openAesEnvelope(envelope, flipped(KEY, 0))).toBeUndefined();
    expect(openAesEnvelope({ ...envelope, iv: flipped(envelope.iv, 31) }, KEY)).toBeUndefined();
    for (let at = 0; at < data.length; at++)
      expect(openAesEnvelope({ ...envelope, data: flipped(data, at) }, KEY)).toBeUndefined();
    expect(openAesEnvelope({ ...envelope, data: data.slice(0, 30) }, KEY)).toBeUndefined();
  });
});
