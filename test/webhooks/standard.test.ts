import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { Secret } from '../../src/base/secret.ts';
import { newKeyPair, seal } from '../../src/crypto/sealed-box.ts';
import { readBody } from '../../src/webhooks/body.ts';
import type { InboxEvent } from '../../src/webhooks/inbox/events.ts';
import { newEventOf } from '../../src/webhooks/listen/inbox-writer.ts';
import { sendSigned, sendTo, standardKey, standardSignature } from '../../src/webhooks/listen/sending.ts';
import { pairsIn, verifyDelivery } from '../../src/webhooks/verify.ts';
import { bodyOf, httpServer, testNetwork } from '../support/loopback.ts';
import { deliveryOf, NOW_MS, onboarded, SECRET, testInbox } from './support.ts';

/** The library of Standard Webhooks must accept our signatures in its format. */

const NEVER = new AbortController().signal;

interface Arrived {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A target, the requests that arrived at it, and a way to send to it. The library reads the real clock, so we do too. */
async function target() {
  const arrived: Arrived[] = [];
  const { port } = await httpServer(async (request, response) => {
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    const headers = Object.fromEntries(names.map((name) => [name, String(request.headers[name])]));
    arrived.push({ headers, body: await bodyOf(request) });
    response.writeHead(204).end();
  });
  const sending = { exchange: testNetwork(), clock: { now: Date.now, sleep: async () => {} } };
  return { url: `http://127.0.0.1:${port}/`, arrived, sending };
}

/** Keeps a delivery in an inbox, opened with the private key if it is encrypted. */
async function storedFrom(body: object | Uint8Array, privateKey?: Secret): Promise<InboxEvent> {
  const { inbox } = await testInbox();
  const bytes = body instanceof Uint8Array ? body : undefined;
  const delivery = deliveryOf(bytes ? {} : body, { id: 'w-1' });
  const verified = verifyDelivery(delivery, { secrets: [SECRET], nowMs: NOW_MS });
  const given = bytes ?? delivery.body;
  const signed = { verified, headers: pairsIn(delivery.headers), body: given };
  await inbox.add([newEventOf(signed, await readBody(given, privateKey ? [privateKey] : []))]);
  const [stored] = await inbox.list({ limit: 1 });
  await inbox.close();
  if (!stored) throw new Error('the inbox stored nothing');
  return stored;
}

/** Sends a stored event signed again, and returns what arrived. */
async function resigned(stored: InboxEvent, secret: string, isOpened = false): Promise<Arrived> {
  const { url, arrived, sending } = await target();
  const resign = { form: 'standard', secret } as const;
  expect(await sendTo(url, stored, { resign, isOpened, ...sending }, NEVER)).toEqual({ status: 204 });
  const [only, ...more] = arrived;
  if (!only || more.length > 0) throw new Error(`${arrived.length} requests arrived`);
  return only;
}

const ONBOARDED = { ...onboarded(1), data: { firstName: 'Adé', amount: '₦5,000' } };
const RANDOM = randomBytes(32);
const raw = (secret: string) => new Webhook(Buffer.from(secret), { format: 'raw' });

describe.each([
  ['with whsec_', `whsec_${RANDOM.toString('base64')}`, new Webhook(RANDOM, { format: 'raw' })],
  ['in base64', RANDOM.toString('base64'), new Webhook(RANDOM.toString('base64'))],
  ['in base64 without padding', RANDOM.toString('base64').replace('=', ''), new Webhook(RANDOM, { format: 'raw' })],
  ['of hexadecimal digits', RANDOM.toString('hex'), new Webhook(RANDOM.toString('hex'))],
  ['of letters alone', 'correcthorsebatterystaple', new Webhook('correcthorsebatterystaple')],
  ['that is not base64', 'not a base64 secret', raw('not a base64 secret')],
  ['beyond ASCII', 'naira ₦ secret', raw('naira ₦ secret')],
])('a secret %s', (_form, secret, webhook) => {
  test('makes a signature that the library accepts', async () => {
    const stored = await storedFrom(ONBOARDED);
    const { headers, body } = await resigned(stored, secret);
    expect(webhook.verify(body, headers)).toEqual(ONBOARDED);
    expect({ id: headers['webhook-id'], body }).toEqual({ id: 'w-1', body: JSON.stringify(ONBOARDED) });
  });

  test('makes a signature that the library rejects after any change', async () => {
    const { headers, body } = await resigned(await storedFrom(ONBOARDED), secret);
    const isTaken = (change: { body?: string; headers?: Record<string, string> }, by = webhook) => {
      try {
        by.verify(change.body ?? body, { ...headers, ...change.headers });
        return true;
      } catch {
        return false;
      }
    };
    const bytes = Buffer.from(body);
    const altered = Array.from(bytes, (_, at) => {
      const copy = Buffer.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ (1 << (at % 7));
      return copy.toString('utf8');
    });
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(altered.filter((each) => isTaken({ body: each }))).toEqual([]);
    expect({
      unchanged: isTaken({}),
      id: isTaken({ headers: { 'webhook-id': 'w-2' } }),
      time: isTaken({ headers: { 'webhook-timestamp': later } }),
      secret: isTaken({}, new Webhook(randomBytes(32), { format: 'raw' })),
    }).toEqual({ unchanged: true, id: false, time: false, secret: false });
  });
});

test('a secret of base64 digits means the same key as in the library', () => {
  const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const digits = fc.string({ unit: fc.constantFrom(...DIGITS), minLength: 4, maxLength: 50 });
  const secret = fc
    .tuple(fc.constantFrom('', 'whsec_'), digits, fc.constantFrom('', '=', '=='))
    .map((parts) => parts.join(''));
  const [id, body, timestampSeconds] = ['w-1', '{}', 1_767_323_045];
  fc.assert(
    fc.property(secret, (text) => {
      const theirs = new Webhook(text).sign(id, new Date(timestampSeconds * 1000), body);
      expect(standardSignature(standardKey(text), { id, timestampSeconds, body: Buffer.from(body) })).toBe(theirs);
    }),
  );
});

test('an encrypted event that was opened is signed as it is sent', async () => {
  const { publicKey, privateKey } = newKeyPair(randomBytes(32));
  const stored = await storedFrom({ payload: await seal(JSON.stringify(ONBOARDED), publicKey) }, privateKey);
  const webhook = new Webhook(RANDOM.toString('base64'));
  const [opened, sealed] = [
    await resigned(stored, RANDOM.toString('base64'), true),
    await resigned(stored, RANDOM.toString('base64')),
  ];
  expect(webhook.verify(opened.body, opened.headers)).toEqual(ONBOARDED);
  expect(webhook.verify(sealed.body, sealed.headers)).toEqual({ payload: expect.any(String) });
});

test('a made-up event is verified too', async () => {
  const { url, arrived, sending } = await target();
  const event = { event: 'user.onboarded', webhookId: 'w-7', body: Buffer.from(JSON.stringify(ONBOARDED)) };
  await sendSigned(url, event, { form: 'standard', secret: 'whsec_c2VjcmV0' }, sending, NEVER);
  expect(arrived.map(({ headers, body }) => new Webhook('c2VjcmV0').verify(body, headers))).toEqual([ONBOARDED]);
});

test('a body that is not UTF-8 arrives byte for byte', async () => {
  const { sending } = await target();
  const arrived: Buffer[] = [];
  const { port } = await httpServer(async (request, response) => {
    arrived.push(Buffer.concat(await request.toArray()));
    response.writeHead(204).end();
  });
  const body = Buffer.of(0x7b, 0xff, 0x7d);
  const stored = await storedFrom(body);
  expect(await sendTo(`http://127.0.0.1:${port}/`, stored, sending, NEVER)).toEqual({ status: 204 });
  expect(arrived).toEqual([body]);
});

test('what is too late to send does not leave', async () => {
  const { url, arrived, sending } = await target();
  const stored = await storedFrom(onboarded(1));
  expect(await sendTo(url, stored, { ...sending, isLate: () => true }, NEVER)).toEqual({ problem: expect.any(String) });
  expect(arrived).toEqual([]);
});
