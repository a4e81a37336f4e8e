import { describe, expect, test } from 'vitest';
import { Secret } from '../../src/base/secret.ts';
import { isSignedBy, newSigningPair, signingPairOf, signText } from '../../src/crypto/signing.ts';

describe('Ed25519', () => {
  // RFC 8032, section 7.1, tests 1 and 2.
  test.each([
    [
      '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      '',
    ],
    [
      '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
      '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
      'r',
    ],
  ])('has the keys and the signature of RFC 8032: %s', async (seed, publicKey, text) => {
    const pair = await signingPairOf(new Secret(seed));
    expect(pair.publicKey).toBe(publicKey);
    const signature = await signText(text, pair);
    expect(signature.slice(0, 16)).toBe(text ? '92a009a9f0d4cab8' : 'e5564300c360ac72');
    expect(await isSignedBy(text, signature, publicKey)).toBe(true);
    expect(await isSignedBy(`${text} `, signature, publicKey)).toBe(false);
    expect(await isSignedBy(text, signature, '00'.repeat(32))).toBe(false);
    expect(await isSignedBy(text, signature.slice(2), publicKey)).toBe(false);
    expect(await isSignedBy(text, signature, publicKey.slice(2))).toBe(false);
  });

  test('an identity key signs nothing', async () => {
    const identity = `01${'00'.repeat(31)}`;
    expect(await isSignedBy('anything', identity + '00'.repeat(32), identity)).toBe(false);
  });

  test('rejects a private key of another form without repeating it', async () => {
    await expect(signingPairOf(new Secret('short'))).rejects.toThrow(
      /^expected 64 hexadecimal digits, got 5 characters$/,
    );
  });

  test('takes every random seed', async () => {
    const { publicKey } = await newSigningPair(new Uint8Array(32).fill(7));
    expect(publicKey).toMatch(/^[0-9a-f]{64}$/);
  });
});
