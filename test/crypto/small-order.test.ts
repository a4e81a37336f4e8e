import { expect, test } from 'vitest';
import { loadSodium } from '../../src/crypto/sealed-box.ts';
import { hasSmallOrder } from '../../src/crypto/signing.ts';

/** Reverses the bytes of a number, least significant first. */
const littleEndian = (value: bigint) =>
  Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse().toString('hex');

const P = 2n ** 255n - 19n;
const ORDER_8 = ['JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/AU=', 'xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA3o='].map(
  (key) => Buffer.from(key, 'base64').toString('hex'),
);
const SMALL = [...[0n, 1n, P - 1n, P, P + 1n].map(littleEndian), ...ORDER_8];

/** The same point with the other sign. */
const withSign = (key: string) => `${key.slice(0, -2)}${(Number.parseInt(key.slice(-2), 16) | 0x80).toString(16)}`;

test.each([...SMALL, ...SMALL.map(withSign)])('%s is of small order, as libsodium says', async (key) => {
  const sodium = await loadSodium();
  expect(() => sodium.crypto_sign_ed25519_pk_to_curve25519(Buffer.from(key, 'hex'))).toThrow();
  expect([hasSmallOrder(key), hasSmallOrder(key.toUpperCase())]).toEqual([true, true]);
});

test('no other key is of small order', async () => {
  const sodium = await loadSodium();
  for (let seed = 0; seed < 50; seed++) {
    const { publicKey } = sodium.crypto_sign_seed_keypair(Buffer.alloc(32, seed));
    expect(hasSmallOrder(Buffer.from(publicKey).toString('hex'))).toBe(false);
  }
});
