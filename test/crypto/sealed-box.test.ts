import { generateKeyPairSync, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import sodium from 'libsodium-wrappers';
import { beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../src/base/secret.ts';
import { newKeyPair, openerOf, privateKeyProblem, publicHalf, seal } from '../../src/crypto/sealed-box.ts';

beforeAll(() => sodium.ready);

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const fresh = () => newKeyPair(randomBytes(32));

/** A box by its definition: the ephemeral key, then crypto_box under the hash of both public keys. */
function sealedByHand(text: string | Uint8Array, publicKey: string): Uint8Array {
  const to = sodium.from_hex(publicKey);
  const ephemeral = sodium.crypto_box_keypair();
  const nonce = sodium.crypto_generichash(24, Buffer.concat([ephemeral.publicKey, to]), null);
  return Buffer.concat([ephemeral.publicKey, sodium.crypto_box_easy(text, nonce, to, ephemeral.privateKey)]);
}

const base64 = (bytes: Uint8Array) => sodium.to_base64(bytes, sodium.base64_variants.URLSAFE_NO_PADDING);

async function open(payload: string, ...keys: readonly Secret[]) {
  return (await openerOf(keys))(payload);
}

/** Made once with libsodium's own functions. */
const KEPT = {
  privateKey: new Secret('77076d0a7318a57d3c16c17251b26645c6c85f3b4c7dd6f0f5b1d6b8f0e2a1c4'),
  publicKey: '358011c71b4dce0343b9f3d0a8dafa8bd80188fd93435ff83c31b66c073c9b2d',
  payload:
    'iGeraxra1oLyvcmTW3kOcNuFxhlN8FTcHfVsYsvJR0fsrDyH_IHru_w8r1KQet8X-0WGcBWy3zClu0G94wsVYz8Sfh1i7K2TAp_87c9pjTYZ-q5rWQ0EtY1EU-3tKQ',
  text: '{"status":"Success","name":"Adé Ọlá ₦5"}',
};

describe('a key pair', () => {
  test('has the public half that libsodium gives the private one', () => {
    for (let count = 0; count < 20; count++) {
      const { publicKey, privateKey } = fresh();
      expect(privateKey.reveal()).toMatch(/^[0-9a-f]{64}$/);
      expect(publicKey).toBe(hex(sodium.crypto_scalarmult_base(sodium.from_hex(privateKey.reveal()))));
      expect(publicHalf(privateKey)).toBe(publicKey);
    }
    expect(publicHalf(KEPT.privateKey)).toBe(KEPT.publicKey);
  });

  test('shows its private half to nobody', () => {
    const { privateKey } = fresh();
    expect([`${privateKey}`, JSON.stringify({ privateKey })]).toEqual(['[redacted]', '{"privateKey":"[redacted]"}']);
  });

  test.each([
    '',
    'ab'.repeat(31),
    'ab'.repeat(33),
    `${'ab'.repeat(31)}a`,
    `${'ab'.repeat(31)}xy`,
    ` ${'ab'.repeat(32)}`,
  ])('of the private key %j is none, which is said before anything is opened', async (text) => {
    const key = new Secret(text);
    const problem = 'a private key is not 64 hexadecimal digits';
    expect(privateKeyProblem(key)).toBe(problem);
    expect(await open(KEPT.payload, key)).toEqual({ problem });
    expect(await open(KEPT.payload, KEPT.privateKey, key)).toEqual({ problem });
  });

  test('may be written in capitals', async () => {
    const key = new Secret(KEPT.privateKey.reveal().toUpperCase());
    expect(privateKeyProblem(key)).toBeUndefined();
    expect(await open(KEPT.payload, key)).toEqual({ text: KEPT.text });
  });
});

describe('sealing', () => {
  test('makes what libsodium opens, in URL-safe base64 without padding', async () => {
    const { publicKey, privateKey } = fresh();
    for (const text of ['', 'a', 'ab', '{"name":"Adé ₦"}']) {
      const payload = await seal(text, publicKey);
      expect(payload).toMatch(/^[\w-]+$/);
      const bytes = sodium.from_base64(payload, sodium.base64_variants.URLSAFE_NO_PADDING);
      expect(bytes.length).toBe(Buffer.byteLength(text) + 48);
      const secret = sodium.from_hex(privateKey.reveal());
      expect(sodium.to_string(sodium.crypto_box_seal_open(bytes, sodium.from_hex(publicKey), secret))).toBe(text);
    }
  });

  test('gives another payload each time', async () => {
    expect(await seal('a', KEPT.publicKey)).not.toBe(await seal('a', KEPT.publicKey));
  });

  test.each(['', 'ab'.repeat(31), 'xy'.repeat(32), `${KEPT.publicKey}zz`, '00'.repeat(32), `01${'00'.repeat(31)}`])(
    'to the key %j is refused',
    async (key) => {
      await expect(seal('a', key)).rejects.toThrow();
    },
  );
});

describe('opening', () => {
  test('reads a payload that was made elsewhere, and kept', async () => {
    expect(await open(KEPT.payload, KEPT.privateKey)).toEqual({ text: KEPT.text });
  });

  test('reads a box made by its definition', async () => {
    const { publicKey, privateKey } = fresh();
    expect(await open(base64(sealedByHand('{"a":1}', publicKey)), privateKey)).toEqual({ text: '{"a":1}' });
  });

  test('reads a box for a key made elsewhere', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('x25519');
    const [secret, open_] = [
      privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32),
      publicKey.export({ format: 'der', type: 'spki' }).subarray(-32),
    ];
    expect(await open(base64(sealedByHand('there', hex(open_))), new Secret(hex(secret)))).toEqual({ text: 'there' });
  });

  const forms = ['ORIGINAL', 'ORIGINAL_NO_PADDING', 'URLSAFE', 'URLSAFE_NO_PADDING'] as const;

  test.each(forms)('reads base64 of the form %s, whatever the padding', async (form) => {
    const { publicKey, privateKey } = fresh();
    const seen = new Set<string>();
    for (let length = 0; length < 60; length++) {
      const text = 'x'.repeat(length);
      const payload = sodium.to_base64(sealedByHand(text, publicKey), sodium.base64_variants[form]);
      for (const [mark] of payload.matchAll(/[+/_=-]/g)) seen.add(mark);
      expect(await open(payload, privateKey)).toEqual({ text });
    }
    const marks = form.startsWith('URLSAFE') ? ['-', '_'] : ['+', '/'];
    expect([...seen].sort()).toEqual([...marks, ...(form.endsWith('PADDING') ? [] : ['='])].sort());
  });

  const NOT_BASE64 = [
    ...['', ' '].map((blank) => `${KEPT.payload.slice(0, 40)}${blank}!${KEPT.payload.slice(40)}`),
    ...[`${KEPT.payload}\n`, ` ${KEPT.payload}`, `${KEPT.payload}=`, `${KEPT.payload}===`],
    ...['{}', 'é'.repeat(80), 'A'.repeat(101), `${'A'.repeat(100)}==`, `${'A'.repeat(102)}=`, `${'A'.repeat(101)}B`],
  ];

  test.each(NOT_BASE64)('says that %j is not base64', async (payload) => {
    expect(await open(payload, KEPT.privateKey)).toEqual({ problem: 'not base64' });
  });

  test.each([0, 1, 32, 47])('says that %d bytes are too short', async (length) => {
    expect(await open(base64(randomBytes(length)), KEPT.privateKey)).toEqual({ problem: 'too short for a sealed box' });
  });

  const NOT_OURS = { problem: 'sealed for another key, or altered' };

  test('says that it was sealed for another key', async () => {
    expect(await open(KEPT.payload, fresh().privateKey)).toEqual(NOT_OURS);
    expect(await open(KEPT.payload)).toEqual(NOT_OURS);
    expect(await open(base64(randomBytes(48)), KEPT.privateKey)).toEqual(NOT_OURS);
  });

  test('says so of every bit that was altered', async () => {
    const { publicKey, privateKey } = fresh();
    const opener = await openerOf([privateKey]);
    const bytes = sealedByHand('{}', publicKey);
    expect(opener(base64(bytes))).toEqual({ text: '{}' });
    // The highest bit of an X25519 key, here the ephemeral one, counts for nothing on the curve, but in the nonce it does.
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const altered = Uint8Array.from(bytes);
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(opener(base64(altered))).toEqual(NOT_OURS);
    }
    expect(opener(base64(bytes.subarray(0, -1)))).toEqual(NOT_OURS);
  });

  test('says that what is inside is no text', async () => {
    const { publicKey, privateKey } = fresh();
    for (const bytes of [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]])
      expect(await open(base64(sealedByHand(Uint8Array.from(bytes), publicKey)), privateKey)).toEqual({
        problem: 'not UTF-8 inside',
      });
  });

  test('tries the newest key, then older ones', async () => {
    const [older, newer] = [fresh(), fresh()];
    const opener = await openerOf([newer.privateKey, older.privateKey]);
    expect(opener(await seal('old', older.publicKey))).toEqual({ text: 'old' });
    expect(opener(await seal('new', newer.publicKey))).toEqual({ text: 'new' });
    expect(opener(await seal('else', fresh().publicKey))).toEqual(NOT_OURS);
  });

  test('gives back any JSON text, and any other', async () => {
    const { publicKey, privateKey } = fresh();
    const opener = await openerOf([privateKey]);
    const text = fc.oneof(fc.json(), fc.string({ unit: 'binary' }), fc.constant('\ufeff{}'));
    await fc.assert(
      fc.asyncProperty(text, async (each) => {
        expect(opener(await seal(each, publicKey))).toEqual({ text: each });
      }),
    );
  });
});
