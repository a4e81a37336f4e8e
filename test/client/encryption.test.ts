import { describe, expect, test, vi } from 'vitest';
import { CATEGORIES, CliError } from '../../src/base/errors.ts';
import { Secret } from '../../src/base/secret.ts';
import type { HttpRequest, HttpResponse } from '../../src/base/world.ts';
import { createClient, type EncryptionKeys, encryptedExchange } from '../../src/client/client.ts';
import { validRequest } from '../../src/client/request.ts';
import { sandboxReset } from '../../src/contract/control.ts';
import type { Endpoint, RequestOf } from '../../src/contract/endpoint.ts';
import { addBankAccount } from '../../src/contract/endpoints/banks.ts';
import { getFees } from '../../src/contract/endpoints/fees.ts';
import { storePublicKey } from '../../src/contract/endpoints/management.ts';
import { startOnramp } from '../../src/contract/endpoints/onramp.ts';
import { type KeyPair, newKeyPair, openerOf, seal } from '../../src/crypto/sealed-box.ts';
import { json, refusal, scripted, success, type Turn, tooMany } from '../support/exchange.ts';
import { fakeClock } from '../support/sandbox.ts';

const pair = (byte: number) => newKeyPair(new Uint8Array(32).fill(byte));

const [OWN, OLDER, PLATFORM, OTHER] = [pair(1), pair(2), pair(3), pair(4)];

const KEYS = [OWN, OLDER, PLATFORM, OTHER];

const encryptionKeys = (keys: readonly KeyPair[], platformKeyHex?: string): EncryptionKeys => ({
  platformKeyHex,
  privateKeys: async () => keys.map(({ privateKey }) => privateKey),
});

const encryptedTo = async ({ publicKey }: KeyPair, { status, headers, body }: HttpResponse): Promise<HttpResponse> => ({
  status,
  headers,
  body: JSON.stringify({ payload: await seal(body, publicKey) }),
});

const REQUEST: HttpRequest = { method: 'GET', url: 'https://service.test/v1/x', headers: { a: 'b' }, body: undefined };

const never = new AbortController().signal;

/** Returns the response after encryption is removed. */
const passed = (turn: Turn, how: EncryptionKeys | undefined) =>
  encryptedExchange(scripted(turn).exchange, how)(REQUEST, never);

describe('a response', () => {
  const PLAIN: [what: string, answer: HttpResponse][] = [
    ['an envelope', success({ a: 1 })],
    ['an envelope with a string in payload', json(200, '{"response_code":"00","payload":"x"}')],
    ['an envelope in camel case with a string in payload', json(200, '{"responseCode":"00","payload":"x"}')],
    ['an object in payload', json(200, '{"payload":{"a":1}}')],
    ['a number in payload', json(200, '{"payload":1}')],
    ['null in payload', json(200, '{"payload":null}')],
    ['a nested payload', json(200, '{"response_code":"00","data":{"payload":"x"}}')],
    ['a list', json(200, '[{"payload":"x"}]')],
    ['null', json(200, 'null')],
    ['a string', json(200, '"\\"payload\\""')],
    ['incomplete JSON', json(200, '{"payload":"x')],
    ['an empty body', json(200, '')],
  ];

  test.each(PLAIN)('with %s is returned unchanged, without loading a key', async (_what, answer) => {
    const privateKeys = vi.fn(async () => []);
    expect(await passed(answer, { platformKeyHex: undefined, privateKeys })).toBe(answer);
    expect(privateKeys).not.toHaveBeenCalled();
  });

  test.each([
    ['a success', success({ a: '₦' })],
    ['a rejection', refusal(400, '01', 'no')],
    ['a failure', json(500, 'whatever')],
  ])('is opened when it is encrypted: %s', async (_what, answer) => {
    expect(await passed(await encryptedTo(OWN, answer), encryptionKeys([OWN]))).toEqual(answer);
  });

  test('is opened with an older key', async () => {
    const answer = success({ a: 1 });
    expect(await passed(await encryptedTo(OLDER, answer), encryptionKeys([OWN, OLDER]))).toEqual(answer);
  });

  const locked = (error: Error): EncryptionKeys => ({
    platformKeyHex: undefined,
    privateKeys: async () => {
      throw error;
    },
  });
  const UNREADABLE: [reason: string, how: EncryptionKeys | undefined, body?: string][] = [
    ['this profile has no private key', undefined],
    ['this profile has no private key', encryptionKeys([])],
    ['it cannot be decrypted: encrypted for another key, or altered', encryptionKeys([OTHER, OLDER])],
    ['it cannot be decrypted: not base64', encryptionKeys([OWN]), '{"payload":"?"}'],
    ['it cannot be decrypted: too short for a sealed box', encryptionKeys([OWN]), '{"payload":""}'],
    [
      'it cannot be decrypted: invalid private key; expected 64 hexadecimal digits',
      { platformKeyHex: undefined, privateKeys: async () => [new Secret('0101')] },
    ],
    ['this profile’s private key could not be read', locked(new Error(OWN.privateKey.reveal()))],
    [
      'this profile’s private key could not be read: the keyring is locked',
      locked(new CliError('usage', 'the keyring is locked')),
    ],
  ];

  test.each(UNREADABLE)('reports why it cannot be decrypted: %s', async (reason, how, body) => {
    const answer = await encryptedTo(OWN, success({ a: 1 }));
    const sent = body === undefined ? answer : { ...answer, body };
    const lacksKey = reason === 'this profile has no private key';
    expect(await passed(sent, how)).toEqual({ ...sent, unreadable: { why: reason, lacksKey } });
  });
});

describe('a request', () => {
  async function sent(request: Partial<HttpRequest>, platformKeyHex: string | undefined = PLATFORM.publicKey) {
    const { exchange, requests } = scripted(success({}));
    await encryptedExchange(exchange, encryptionKeys([], platformKeyHex))({ ...REQUEST, ...request }, never);
    return requests[0];
  }

  test.each(['POST', 'PUT', 'DELETE'])('with a body is encrypted: %s', async (method) => {
    const request = { ...REQUEST, method, body: '{"name":"Adé"}' };
    const out = await sent(request);
    expect(out).toEqual({ ...request, body: expect.stringMatching(/^\{"payload":"[\w-]+"\}$/) });
    const { payload } = JSON.parse(out?.body ?? '') as { payload: string };
    expect((await openerOf([PLATFORM.privateKey]))(payload)).toEqual({ text: request.body });
  });

  test.each([
    ['https://service.test/v1/_sandbox/x', true],
    ['https://service.test/base/v1/x', true],
    ['https://service.test/x', true],
    ['https://service.test/_sandbox/deposit', false],
    ['https://service.test/base/_sandbox/deposit', false],
  ])('to %s is encrypted: %s', async (url, isEncrypted) => {
    const out = await sent({ method: 'POST', url, body: '{}' });
    expect(out?.body === '{}').toBe(!isEncrypted);
  });

  test('without a body or a platform key is not changed', async () => {
    expect(await sent({})).toEqual(REQUEST);
    const { exchange, requests } = scripted(success({}), success({}));
    const request = { ...REQUEST, method: 'POST', body: '{}' };
    for (const how of [undefined, encryptionKeys([OWN])]) await encryptedExchange(exchange, how)(request, never);
    expect(requests).toEqual([request, request]);
  });

  test('passes on the signal and whether it is a read', async () => {
    const exchange = vi.fn(async () => success({}));
    await encryptedExchange(exchange, undefined)(REQUEST, never, true);
    expect(exchange).toHaveBeenCalledExactlyOnceWith(REQUEST, never, true);
  });

  test.each(['', 'ab', 'xy'.repeat(32)])('rejects the platform key %j at once', (key) => {
    expect(() => encryptedExchange(scripted().exchange, encryptionKeys([], key))).toThrow(
      expect.objectContaining({ category: 'usage', hint: expect.stringContaining('fiatrail keys encryption show') }),
    );
  });

  test('is not sent when it cannot be encrypted with the key', async () => {
    const request = { ...REQUEST, method: 'POST', body: '{}' };
    const going = encryptedExchange(scripted().exchange, encryptionKeys([], '00'.repeat(32)))(request, never);
    await expect(going).rejects.toMatchObject({ name: 'ExchangeError', sent: false });
  });
});

describe('a call', () => {
  const clientFor = (turns: readonly Turn[], how: EncryptionKeys | undefined) => {
    const { exchange, requests } = scripted(...turns);
    const client = createClient({
      exchange: encryptedExchange(exchange, how),
      target: { baseUrl: 'https://service.test/v1', apiKey: new Secret('the-key') },
      clock: fakeClock(),
      totalMs: 60_000,
      interrupted: never,
    });
    return { client, requests };
  };

  async function errorOf<E extends Endpoint>(
    turns: readonly Turn[],
    how: EncryptionKeys | undefined,
    endpoint: E,
    input: RequestOf<E>,
  ) {
    const { client } = clientFor(turns, how);
    const error = await client.call(validRequest(endpoint, input)).catch((thrown: unknown) => thrown);
    if (!(error instanceof CliError)) throw new Error(`no CliError: ${error}`);
    expect(KEYS.filter(({ privateKey }) => `${error.message} ${error.hint}`.includes(privateKey.reveal()))).toEqual([]);
    return error;
  }

  test('encrypts its request and opens the response', async () => {
    const answer = success({ updatedAt: '2026-01-05T09:00:00.000Z' });
    const { client, requests } = clientFor([await encryptedTo(OWN, answer)], encryptionKeys([OWN], PLATFORM.publicKey));
    const reply = await client.call(validRequest(storePublicKey, { data: OWN.publicKey }));
    expect(reply).toEqual({ data: { updatedAt: '2026-01-05T09:00:00.000Z' }, body: answer.body, problems: [] });
    expect(requests[0]?.body).not.toContain(OWN.publicKey);
  });

  test('with an encrypted rejection is rejected', async () => {
    const answer = await encryptedTo(OWN, refusal(400, '01', 'Invalid request', { error: 'a reason' }));
    const error = await errorOf([answer], encryptionKeys([OWN]), getFees, {});
    expect({ category: error.category, message: error.message }).toEqual({
      category: 'rejected',
      message: 'the service rejected the request: Invalid request: a reason',
    });
  });

  const HINT = 'check the encryption settings of this profile with: fiatrail keys encryption show';
  const ONRAMP = { userId: 'u', amount: 500 };
  const BANK = { accountNumber: '0123456789', bankCode: '058' };

  test('that cannot decrypt the response of a read exits with 2, without a retry', async () => {
    const error = await errorOf([await encryptedTo(OTHER, success({}))], encryptionKeys([OWN]), getFees, {});
    expect(CATEGORIES[error.category].exit).toBe(2);
    expect({ message: error.message, hint: error.hint }).toEqual({
      message: 'the service’s response is encrypted, and it cannot be decrypted: encrypted for another key, or altered',
      hint: HINT,
    });
  });

  test('that cannot decrypt the response of a change exits with 6, whatever its status', async () => {
    for (const status of [200, 400, 500]) {
      const answer = await encryptedTo(OTHER, { ...success({}), status });
      for (const error of [
        await errorOf([answer], undefined, startOnramp, ONRAMP),
        await errorOf([answer], encryptionKeys([OWN]), addBankAccount, BANK),
        await errorOf([answer], encryptionKeys([OWN]), sandboxReset, {}),
      ]) {
        expect(CATEGORIES[error.category].exit).toBe(6);
        expect(error.hint).toBe(`${HINT}`);
      }
    }
  });

  const WAIT = { retry_after: 3 };

  test.each(['plain', 'encrypted'] as const)('waits as long as a %s 429 says', async (form) => {
    const limited = tooMany({}, WAIT);
    const clock = fakeClock();
    const { exchange } = scripted(form === 'plain' ? limited : await encryptedTo(OWN, limited));
    const client = createClient({
      exchange: encryptedExchange(exchange, encryptionKeys([OWN])),
      target: { baseUrl: 'https://service.test/v1', apiKey: new Secret('the-key') },
      clock,
      totalMs: 1_000,
      interrupted: never,
    });
    await expect(client.call(validRequest(getFees, {}))).rejects.toMatchObject({
      category: 'rate-limited',
      message: expect.stringContaining('try again in 3 seconds'),
    });
  });

  test('retries when the encrypted body is truncated', async () => {
    const half = await encryptedTo(OWN, json(200, success({ a: 1 }).body.slice(0, 30)));
    const whole = await encryptedTo(OWN, refusal(404, '02', 'gone'));
    const error = await errorOf([half, whole], encryptionKeys([OWN]), getFees, {});
    expect(error.category).toBe('rejected');
  });
});
