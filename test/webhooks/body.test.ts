import { describe, expect, test } from 'vitest';
import { Secret } from '../../src/base/secret.ts';
import { sealAesEnvelope } from '../../src/crypto/aes-envelope.ts';
import { newKeyPair, seal } from '../../src/crypto/sealed-box.ts';
import { openWith, readBody, readBodyWith } from '../../src/webhooks/body.ts';
import { bytes, documentedDeliveries, EXAMPLE } from './vectors.ts';

const OURS = newKeyPair(new Uint8Array(32).fill(1));
const OLDER = newKeyPair(new Uint8Array(32).fill(2));
const sealed = async (text: string, to = OURS) => bytes(JSON.stringify({ payload: await seal(text, to.publicKey) }));
const noKeys = async () => {
  throw new Error('a plain body asked for private keys');
};

test('every documented delivery is read as its event, without asking for a key', async () => {
  for (const { id, body, expect: expected } of documentedDeliveries('acme')) {
    const read = await readBody(bytes(body), noKeys);
    if (read.kind !== 'event') throw new Error(`${id}: ${read.problem}`);
    expect({ id, event: read.event.event }).toEqual({ id, event: expected['event'] });
    // The requestId of a deposit is its own; every other documented id is in the place that is read.
    if (typeof expected['userId'] === 'string') expect(read.event.userId).toBe(expected['userId']);
    expect(read.text).toBe(body);
  }
});

describe('an encrypted body', () => {
  test('opens with a key that is stored later, and the keys are read only then', async () => {
    const stored = [OLDER.privateKey];
    let reads = 0;
    const open = openWith(async () => {
      reads += 1;
      return [...stored];
    });
    const kindOf = async (to: typeof OURS) => (await readBodyWith(await sealed(EXAMPLE.body, to), open)).kind;
    const kinds = [await kindOf(OLDER), await kindOf(OLDER)];
    const readsBefore = reads;
    stored.unshift(OURS.privateKey);
    kinds.push(await kindOf(OURS), await kindOf(OLDER));
    expect({ kinds, readsBefore, reads }).toEqual({
      kinds: ['event', 'event', 'event', 'event'],
      readsBefore: 1,
      reads: 2,
    });
  });

  test.each([
    ['the newest key', OURS],
    ['an older key', OLDER],
  ])('is opened with %s', async (_which, pair) => {
    const read = await readBody(await sealed(EXAMPLE.body, pair), async () => [OURS.privateKey, OLDER.privateKey]);
    expect(read).toMatchObject({ kind: 'event', isEncrypted: true, text: EXAMPLE.body });
  });

  test.each([
    ['no private key', [], 'there is no private key'],
    ['another private key', [OLDER.privateKey], 'encrypted for another key'],
    ['a key that is none', [new Secret('short')], 'invalid private key'],
  ])('stays encrypted with %s', async (_which, keys, problem) => {
    expect(await readBody(await sealed(EXAMPLE.body), keys)).toEqual({
      kind: 'encrypted',
      isEncrypted: true,
      problem: expect.stringContaining(problem),
    });
  });

  test('may hold something that is no event', async () => {
    const read = await readBody(await sealed('[]'), [OURS.privateKey]);
    expect(read).toMatchObject({ kind: 'other', isEncrypted: true });
  });
});

describe('a body in the older envelope', () => {
  const KEY = new Secret('3f'.repeat(32));
  const envelope = sealAesEnvelope(EXAMPLE.body, KEY, new Uint8Array(16).fill(7));
  const body = bytes(JSON.stringify(envelope));

  test('is opened with the AES key', async () => {
    const read = await readBody(body, noKeys, async () => KEY);
    expect(read).toMatchObject({ kind: 'event', isEncrypted: true, text: EXAMPLE.body });
  });

  test.each([
    ['no AES key', undefined, 'which is not known here'],
    ['another AES key', new Secret('4f'.repeat(32)), 'encrypted with another AES key, or altered'],
    ['a key that is none', new Secret('short'), 'is not 64 hexadecimal digits'],
  ])('stays encrypted with %s', async (_which, key, problem) => {
    const read = await readBody(body, noKeys, async () => key);
    expect(read).toMatchObject({ kind: 'encrypted', isEncrypted: true, problem: expect.stringContaining(problem) });
  });

  test.each([
    ['that says it is not encrypted', { ...envelope, encrypted: false }],
    ['whose content is not hexadecimal', { ...envelope, data: 'zz' }],
    ['without its 16 bytes of start', { ...envelope, iv: '' }],
    ['around an event', { encrypted: true, event: 'a', data: { encrypted: 'x' } }],
  ])('is none if it is one %s', async (_what, other) => {
    const noKey = async () => {
      throw new Error('another body asked for the AES key');
    };
    expect(await readBody(bytes(JSON.stringify(other)), noKeys, noKey)).toMatchObject({ isEncrypted: false });
  });
});

test.each([
  ['nothing', new Uint8Array()],
  ['broken UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d)],
  ['text', bytes('hello')],
  ['a number', bytes('1')],
  ['a list', bytes('[{"event":"a","data":{}}]')],
  ['no name', bytes('{"data":{}}')],
  ['no content', bytes('{"event":"a"}')],
  ['a name that is a number', bytes('{"event":1,"data":{}}')],
  ['content that is a list', bytes('{"event":"a","data":[]}')],
  ['JSON nested too deeply', bytes(`{"event":"a","data":${'['.repeat(200)}${']'.repeat(200)}}`)],
])('a body of %s is no event', async (_what, body) => {
  expect(await readBody(body, noKeys)).toMatchObject({ kind: 'other', isEncrypted: false });
});

test('a body with the fields of both forms is read once', async () => {
  const body =
    '{"event":"a","data":{"x":1},"eventType":"a","payload":{"x":1},"requestId":"r","userId":"u","eventId":"e"}';
  expect(await readBody(bytes(body), noKeys)).toMatchObject({
    event: { event: 'a', data: { x: 1 }, requestId: 'r', userId: 'u', eventId: 'e' },
  });
});
