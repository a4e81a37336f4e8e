import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WebhookError } from '../../src/webhooks/error.ts';
import {
  type GivenHeaders,
  isSignedBy,
  keysOfAesKey,
  notEarly,
  readHeaders,
  readTimestamp,
  signatureOf,
  type VerifyOptions,
  verifyDelivery,
} from '../../src/webhooks/verify.ts';
import { bytes, documentedDeliveries, EXAMPLE } from './vectors.ts';

const SENT_MS = Date.parse(EXAMPLE.timestamp);

const headersOf = (more: Readonly<Record<string, string | readonly string[] | undefined>> = {}): GivenHeaders => ({
  'X-Acme-Signature': EXAMPLE.signature,
  'X-Acme-Timestamp': EXAMPLE.timestamp,
  'X-Webhook-ID': '0197f2c8-0000-7000-8000-000000000001',
  'X-Acme-Event': 'user.onboarded',
  ...more,
});

const verified = (
  headers: GivenHeaders = headersOf(),
  options: Partial<VerifyOptions> = {},
  body: Uint8Array = bytes(EXAMPLE.body),
) => verifyDelivery({ headers, body }, { secrets: [EXAMPLE.secret], nowMs: SENT_MS + 1_000, ...options });

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof WebhookError) return error.code;
    throw error;
  }
  return 'none';
}

describe('the worked example of the contract', () => {
  test('is verified', () => {
    expect(verified()).toEqual({
      id: '0197f2c8-0000-7000-8000-000000000001',
      eventHeader: 'user.onboarded',
      serviceName: 'acme',
      signature: EXAMPLE.signature,
      timestamp: EXAMPLE.timestamp,
      sentAtMs: SENT_MS,
      isLate: false,
      isEarly: false,
    });
  });

  test('is rejected with any bit of the body changed', () => {
    const body = bytes(EXAMPLE.body);
    const codes = Array.from(body, (_, at) => {
      const changed = Uint8Array.from(body);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      return codeOf(() => verified(headersOf(), {}, changed));
    });
    expect(new Set(codes)).toEqual(new Set(['WRONG_SIGNATURE']));
  });

  test.each([
    ['another secret', headersOf(), ['Test-secret']],
    ['another timestamp', headersOf({ 'X-Acme-Timestamp': '2026-01-02T03:04:05.679Z' }), [EXAMPLE.secret]],
    ['the same time in another form', headersOf({ 'X-Acme-Timestamp': '1767323045' }), [EXAMPLE.secret]],
  ])('is rejected with %s', (_what, headers, secrets) => {
    expect(codeOf(() => verified(headers, { secrets, nowMs: SENT_MS }))).toBe('WRONG_SIGNATURE');
  });

  test('is verified by the secret before the current one', () => {
    expect(codeOf(() => verified(headersOf(), { secrets: ['the-new-one', EXAMPLE.secret] }))).toBe('none');
  });
});

test('every documented delivery is verified, and none with another secret', () => {
  const all = documentedDeliveries('acme');
  const check = (secretOf: (secret: string) => string) =>
    all.map(({ id, headers, body, request }) => [
      id,
      codeOf(() =>
        verifyDelivery(
          { headers, body: bytes(body) },
          { secrets: [secretOf(request.secret)], nowMs: Date.parse(headers['X-acme-Timestamp'] ?? '') },
        ),
      ),
    ]);
  expect(all.length).toBe(21);
  expect(check((secret) => secret)).toEqual(all.map(({ id }) => [id, 'none']));
  expect(check((secret) => `${secret}.`)).toEqual(all.map(({ id }) => [id, 'WRONG_SIGNATURE']));
});

describe('headers', () => {
  test.each([
    ['no signature', headersOf({ 'X-Acme-Signature': undefined }), 'MISSING_HEADER'],
    ['an empty signature', headersOf({ 'X-Acme-Signature': '' }), 'MISSING_HEADER'],
    ['no timestamp', headersOf({ 'X-Acme-Timestamp': undefined }), 'MISSING_HEADER'],
    ['no header at all', {}, 'MISSING_HEADER'],
    ['two signatures', headersOf({ 'X-Acme-Signature': [EXAMPLE.signature, EXAMPLE.signature] }), 'DOUBLED_HEADER'],
    [
      'two signatures that the server joined',
      headersOf({ 'X-Acme-Signature': `${EXAMPLE.signature}, ${EXAMPLE.signature}` }),
      'DOUBLED_HEADER',
    ],
    ['two spellings of one name', headersOf({ 'x-acme-timestamp': EXAMPLE.timestamp }), 'DOUBLED_HEADER'],
    [
      'two services',
      headersOf({ 'x-other-signature': EXAMPLE.signature, 'x-other-timestamp': EXAMPLE.timestamp }),
      'AMBIGUOUS_SERVICE',
    ],
    [
      'a signature with a prefix',
      headersOf({ 'X-Acme-Signature': `sha256=${EXAMPLE.signature}` }),
      'INVALID_SIGNATURE',
    ],
    [
      'an upper-case signature',
      headersOf({ 'X-Acme-Signature': EXAMPLE.signature.toUpperCase() }),
      'INVALID_SIGNATURE',
    ],
    ['a short signature', headersOf({ 'X-Acme-Signature': EXAMPLE.signature.slice(1) }), 'INVALID_SIGNATURE'],
    ['a multi-byte signature', headersOf({ 'X-Acme-Signature': '₦'.repeat(64) }), 'INVALID_SIGNATURE'],
    ['a date without a time', headersOf({ 'X-Acme-Timestamp': '2026-01-02' }), 'INVALID_TIMESTAMP'],
    ['words for a time', headersOf({ 'X-Acme-Timestamp': 'now' }), 'INVALID_TIMESTAMP'],
  ])('%s: rejected', (_what, headers, code) => {
    expect(codeOf(() => verified(headers))).toBe(code);
  });

  test('another service’s signature header alone does not hide ours', () => {
    expect(readHeaders(headersOf({ 'x-hub-signature': 'x' })).serviceName).toBe('acme');
  });

  test('a named service is the only one looked at', () => {
    const both = headersOf({ 'x-other-signature': 'x', 'x-other-timestamp': 'y' });
    expect(codeOf(() => verified(both, { serviceName: 'Acme' }))).toBe('none');
    expect(codeOf(() => verified(headersOf(), { serviceName: 'other' }))).toBe('MISSING_HEADER');
  });

  test.each([
    ['a Headers object', new Headers(headersOf() as Record<string, string>)],
    ['pairs', Object.entries(headersOf() as Record<string, string>)],
  ])('may be %s', (_form, headers) => {
    expect(verified(headers).id).toBe('0197f2c8-0000-7000-8000-000000000001');
  });
});

test.each([[undefined], [{}], [EXAMPLE.body]])('the body %j is rejected, because it is not bytes', (body) => {
  const delivery = { headers: headersOf(), body: body as unknown as Uint8Array };
  const verify = () => verifyDelivery(delivery, { secrets: [EXAMPLE.secret], nowMs: SENT_MS });
  expect(verify).toThrow(TypeError);
  expect(verify).toThrow('expected the raw bytes');
});

describe('age', () => {
  test.each([
    [5 * 60_000, false],
    [5 * 60_000 + 1, true],
    [365 * 86_400_000, true],
    [-60_000, false],
  ])('a delivery of %i ms ago is late: %s', (ageMs, isLate) => {
    expect(verified(headersOf(), { nowMs: SENT_MS + ageMs }).isLate).toBe(isLate);
  });

  test.each([
    [60_000, false, 'none'],
    [60_001, true, 'FROM_THE_FUTURE'],
  ])('a delivery from %i ms in the future is early: %s, which only an inbox takes', (aheadMs, isEarly, code) => {
    const delivery = verified(headersOf(), { nowMs: SENT_MS - aheadMs });
    expect([delivery.isEarly, codeOf(() => notEarly(delivery))]).toEqual([isEarly, code]);
  });

  test('a forgery is called a forgery, however old it is', () => {
    expect(codeOf(() => verified(headersOf(), { secrets: ['x'], nowMs: SENT_MS + 1e10 }))).toBe('WRONG_SIGNATURE');
  });

  test.each([Number.NaN, -1])('a tolerance of %d does not turn the check off', (toleranceMs) => {
    expect(() => verified(headersOf(), { toleranceMs })).toThrow(RangeError);
  });

  test.each([[[]], [['']]])('the secrets %j verify nothing', (secrets) => {
    expect(() => verified(headersOf(), { secrets })).toThrow(RangeError);
  });

  test.each([
    ['2026-01-02T03:04:05.678Z', SENT_MS],
    ['2026-01-02T03:04:05Z', SENT_MS - 678],
    ['2026-01-02T04:04:05.678+01:00', SENT_MS],
    ['2026-01-02T03:04:05.678123456Z', SENT_MS],
    ['1767323045', 1_767_323_045_000],
    ['1767323045678', 1_767_323_045_678],
    ['2026-13-02T03:04:05Z', undefined],
    ['2026-01-02T03:04:05', undefined],
    ['17673230456', undefined],
    ['1e12', undefined],
    ['-1767323045', undefined],
    ['', undefined],
    ['NaN', undefined],
  ])('the timestamp %j is %s', (text, timeMs) => {
    expect(readTimestamp(text)).toBe(timeMs);
  });

  test('no text is read as NaN', () => {
    fc.assert(fc.property(fc.string(), (text) => !Number.isNaN(readTimestamp(text) ?? 0)));
  });
});

describe('the AES key', () => {
  const AES = 'ab'.repeat(32);

  test.each([
    ['its text', AES],
    ['its bytes', Buffer.from(AES, 'hex')],
  ])('signs as %s', (_form, key) => {
    const signature = createHmac('sha256', key).update(`${EXAMPLE.timestamp}.${EXAMPLE.body}`).digest('hex');
    const headers = headersOf({ 'X-Acme-Signature': signature });
    expect(codeOf(() => verified(headers, { secrets: [], aesKey: AES }))).toBe('none');
    expect(codeOf(() => verified(headers))).toBe('WRONG_SIGNATURE');
  });

  test('that is not hexadecimal has only its text', () => {
    expect(keysOfAesKey('not hex')).toEqual(['not hex']);
  });
});

test('a signature verifies under its own key, timestamp and body alone', () => {
  const text = fc.string({ minLength: 1 });
  const run = (key: string, timestamp: string, body: Uint8Array, other: string) => {
    const signature = signatureOf(key, timestamp, body);
    expect(isSignedBy([key], signature, timestamp, body)).toBe(true);
    expect(isSignedBy([`${key}${other}`], signature, timestamp, body)).toBe(false);
    expect(isSignedBy([key], signature, timestamp + other, body)).toBe(false);
    expect(isSignedBy([], signature, timestamp, body)).toBe(false);
  };
  fc.assert(fc.property(text, text, fc.uint8Array(), text, run));
});
