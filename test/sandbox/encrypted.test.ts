import { describe, expect, test } from 'vitest';
import type { HttpResponse } from '../../src/base/world.ts';
import { encryptedExchange } from '../../src/client/client.ts';
import { decodeAnswer } from '../../src/client/codec.ts';
import { sandboxFaultAdd, sandboxReset, sandboxStatus } from '../../src/contract/control.ts';
import { type Endpoint, fieldsSentIn } from '../../src/contract/endpoint.ts';
import { getFees } from '../../src/contract/endpoints/fees.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { getPlatformPublicKey, storePublicKey } from '../../src/contract/endpoints/management.ts';
import { rowsOf } from '../../src/contract/rows.ts';
import { type KeyPair, newKeyPair, openerOf, seal } from '../../src/crypto/sealed-box.ts';
import { serve } from '../../src/sandbox/serve.ts';
import { onboardUser, productionKey, secondKey } from '../service/steps.ts';
import { countingIds, fakeClock, openSandbox, replyOf, type TestSandbox, temporaryFolder } from '../support/sandbox.ts';

const pair = (byte: number) => newKeyPair(new Uint8Array(32).fill(byte));
const [FIRST, SECOND] = [pair(1), pair(2)];

type Bare = Pick<HttpResponse, 'status' | 'body'>;

/** The payload of a response, if that is all it contains. */
function payloadOf({ body }: Bare): string | undefined {
  const outer = JSON.parse(body) as { payload?: unknown };
  return Object.keys(outer).join() === 'payload' && typeof outer.payload === 'string' ? outer.payload : undefined;
}

/** Opens an encrypted response; undefined if it is plain or cannot be decrypted. */
async function inside(answer: Bare, { privateKey }: KeyPair) {
  const payload = payloadOf(answer);
  const opened = payload === undefined ? undefined : (await openerOf([privateKey]))(payload);
  return opened && 'text' in opened ? replyOf({ status: answer.status, body: opened.text }) : undefined;
}

const isPlain = ({ status, body }: Bare) => replyOf({ status, body }).envelope.response_code !== undefined;

/** Opens a sandbox whose seeded fintech has stored a key. */
async function openSealed(key = FIRST, options: Parameters<typeof openSandbox>[0] = {}): Promise<TestSandbox> {
  const box = await openSandbox(options);
  await box.ask(storePublicKey, { data: key.publicKey });
  return box;
}

const callerOf = (apiKey: string | undefined, address = '127.0.0.1') => ({ apiKey, address });

async function platformKeyOf(box: TestSandbox): Promise<string> {
  const { publicKey = '' } = await box.ask(getPlatformPublicKey, {}, await secondKey(box));
  return publicKey ?? '';
}

async function encryptedBody(box: TestSandbox, body: unknown): Promise<string> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return JSON.stringify({ payload: await seal(text, await platformKeyOf(box)) });
}

describe('a response', () => {
  test('is plain until a key is stored, and so is the response to storing it', async () => {
    await using box = await openSandbox();
    const body = JSON.stringify({ data: FIRST.publicKey });
    const answers = [await box.fetch('GET', '/v1/getfees'), await box.fetch('POST', '/v1/storepublickey', body)];
    expect(answers.map(isPlain)).toEqual([true, true]);
    expect(payloadOf(await box.fetch('GET', '/v1/getfees'))).toBeDefined();
  });

  test('is then encrypted completely, with status and headers in plain text', async () => {
    await using box = await openSandbox();
    const plain = await box.fetch('GET', '/v1/getfees');
    await box.ask(storePublicKey, { data: FIRST.publicKey });
    const answer = await box.fetch('GET', '/v1/getfees');
    expect({ status: answer.status, headers: answer.headers }).toEqual({ status: 200, headers: plain.headers });
    expect(await inside(answer, FIRST)).toEqual(replyOf(plain));
    expect(await inside(answer, SECOND)).toBeUndefined();
  });

  test.each([
    ['an invalid field', 'POST', '/v1/onboarduser', '{"bvn":"1"}', 400, '01'],
    ['a body that is not JSON', 'POST', '/v1/onboarduser', '{', 400, '01'],
    ['an unknown id', 'POST', '/v1/getuserdetails', `{"userId":"${'0'.repeat(64)}"}`, 404, '02'],
  ])('to a rejected request is encrypted: %s', async (_what, method, url, body, status, code) => {
    await using box = await openSealed();
    const answer = await box.fetch(method, url, body);
    const found = await inside(answer, FIRST);
    expect({ status: found?.status, code: found?.envelope.response_code }).toEqual({ status, code });
  });

  test.each([
    ['without a key', 'GET', '/v1/getfees', callerOf(undefined), 401],
    ['with a wrong key', 'GET', '/v1/getfees', callerOf('sandbox_000000000000000000000'), 401],
    ['on an unknown route', 'GET', '/v1/nothing', undefined, 404],
    ['from a control', 'GET', '/_sandbox/status', undefined, 200],
    ['from a control that rejects', 'POST', '/_sandbox/advance', undefined, 400],
  ])('stays plain %s', async (_what, method, url, caller, status) => {
    await using box = await openSealed();
    const answer = await box.fetch(method, url, '{}', caller ?? callerOf(box.apiKey));
    expect({ status: answer.status, isPlain: isPlain(answer) }).toEqual({ status, isPlain: true });
  });

  test('to a blocked address stays plain', async () => {
    await using box = await openSealed();
    const add = '{"action":"add","ipAddress":"203.0.113.7"}';
    expect(await inside(await box.fetch('POST', '/v1/manageipallowlist', add), FIRST)).toMatchObject({ status: 200 });
    box.clock.pass(120_000);
    const answer = await box.fetch('GET', '/v1/getfees');
    expect({ status: answer.status, isPlain: isPlain(answer) }).toEqual({ status: 403, isPlain: true });
  });

  test('about a rate limit stays plain, so that the wait is readable', async () => {
    await using box = await openSealed(FIRST, { rateLimits: true });
    const answers = await Promise.all(Array.from({ length: 200 }, () => box.fetch('GET', '/v1/getaeskey')));
    const limited = answers.find(({ status }) => status === 429);
    expect(replyOf(limited ?? (answers[0] as Bare)).envelope.data).toMatchObject({ retry_after: expect.any(Number) });
    expect(payloadOf(answers[0] as Bare)).toBeDefined();
  });

  test('to storing a key is plain, even if it is rejected', async () => {
    await using box = await openSealed();
    for (const data of ['ab', SECOND.publicKey])
      expect(isPlain(await box.fetch('POST', '/v1/storepublickey', JSON.stringify({ data })))).toBe(true);
  });

  test('with a new API key is encrypted', async () => {
    await using box = await openSealed();
    const answer = await box.fetch('GET', '/v1/regenerateapikey');
    const apiKey = (await inside(answer, FIRST))?.envelope.data?.['apiKey'];
    expect(apiKey).toBe(box.sandbox.apiKey());
    expect(answer.body).not.toContain(apiKey);
    expect(isPlain(await box.fetch('GET', '/v1/regenerateapikey'))).toBe(true);
  });

  test('to a production key is encrypted witho', async () => {
    await using box = await openSealed();
    const caller = callerOf(await productionKey(box));
    expect(await inside(await box.fetch('POST', '/v1/createsandboxapikey', '{}', caller), FIRST)).toMatchObject({
      status: 200,
    });
  });

  test('to another fintech is plain', async () => {
    await using box = await openSealed();
    expect(isPlain(await box.fetch('GET', '/v1/getfees', undefined, callerOf(await secondKey(box))))).toBe(true);
  });

  test('can be opened only with the last stored key', async () => {
    await using box = await openSealed();
    const before = await box.fetch('GET', '/v1/getfees');
    await box.ask(storePublicKey, { data: SECOND.publicKey });
    const after = await box.fetch('GET', '/v1/getfees');
    const opened = [];
    for (const answer of [before, after])
      for (const key of [FIRST, SECOND]) opened.push((await inside(answer, key))?.status);
    expect(opened).toEqual([200, undefined, undefined, 200]);
  });

  test('is plain again after a reset', async () => {
    await using box = await openSealed();
    await box.ask(sandboxReset, {});
    expect(isPlain(await box.fetch('GET', '/v1/getfees'))).toBe(true);
  });

  test('in a batch is encrypted from the request on that stored the key', async () => {
    await using box = await openSandbox();
    const answers = await Promise.all([
      box.fetch('GET', '/v1/getfees'),
      box.fetch('POST', '/v1/storepublickey', JSON.stringify({ data: FIRST.publicKey })),
      box.fetch('GET', '/v1/getfees'),
    ]);
    expect(answers.map((answer) => payloadOf(answer) !== undefined)).toEqual([false, false, true]);
  });

  test('is altered by an injected fault after encryption', async () => {
    await using box = await openSealed();
    const spoiled = async (kind: 'truncated' | 'malformed-json' | 'http-500' | 'slow') => {
      await box.ask(sandboxFaultAdd, { endpoint: getFees.id, kind });
      return (await box.fetch('GET', '/v1/getfees')).body;
    };
    expect(await spoiled('truncated')).toMatch(/^\{"payload":"[\w-]+$/);
    expect(await spoiled('malformed-json')).toMatch(/^\{"payload":"[\w-]+",$/);
    expect(await spoiled('http-500')).toContain('"response_code":"05"');
    expect(await spoiled('slow')).toMatch(/^\{"payload":"[\w-]+"\}$/);
  });
});

describe('an encrypted request', () => {
  test('works like a plain one, before and after a key is stored', async () => {
    await using box = await openSandbox();
    const before = await box.fetch('POST', '/v1/onboarduser', await encryptedBody(box, { bvn: '22222222222' }));
    expect(replyOf(before).envelope).toMatchObject({ response_code: '00' });
    await box.ask(storePublicKey, { data: FIRST.publicKey });
    const sealed = await box.fetch('POST', '/v1/onboarduser', await encryptedBody(box, { bvn: '33333333333' }));
    const plain = await box.fetch('POST', '/v1/onboarduser', '{"bvn":"44444444444"}');
    for (const answer of [sealed, plain])
      expect((await inside(answer, FIRST))?.envelope).toMatchObject({ response_code: '00' });
    expect((await box.ask(sandboxStatus, {})).users).toBe(0);
    box.clock.pass(10_000);
    expect((await box.ask(sandboxStatus, {})).users).toBe(3);
  });

  test('can store the key, and can be a DELETE', async () => {
    await using box = await openSandbox();
    const body = await encryptedBody(box, { data: FIRST.publicKey });
    expect((await box.fetch('POST', '/v1/storepublickey', body)).status).toBe(200);
    const deletes = (endpoints as readonly Endpoint[]).find(
      (each) => each.method === 'DELETE' && fieldsSentIn(each) === 'body' && !each.path.includes(':'),
    );
    const answer = await box.fetch('DELETE', `/v1${deletes?.path}`, '{"payload":"?"}');
    expect((await inside(answer, FIRST))?.envelope.error).toContain('payload');
  });

  const REFUSED: [what: string, body: (box: TestSandbox) => Promise<string>, problem: string][] = [
    [
      'not base64',
      async () => '{"payload":"no base64!"}',
      'payload: the encrypted body cannot be decrypted: not base64',
    ],
    [
      'too short',
      async () => '{"payload":"AAAA"}',
      'payload: the encrypted body cannot be decrypted: too short for a sealed box',
    ],
    [
      'encrypted for another key',
      async () => JSON.stringify({ payload: await seal('{"bvn":"22222222222"}', SECOND.publicKey) }),
      'payload: the encrypted body cannot be decrypted: encrypted for another key, or altered',
    ],
    ['no JSON inside', (box) => encryptedBody(box, 'bvn=22222222222'), 'body: expected one JSON object'],
    ['a list inside', (box) => encryptedBody(box, '["22222222222"]'), 'body: expected one JSON object'],
  ];

  test.each(REFUSED)('is rejected: %s', async (_what, body, problem) => {
    await using box = await openSandbox();
    const { status, envelope } = replyOf(await box.fetch('POST', '/v1/onboarduser', await body(box)));
    expect({ status, response_code: envelope.response_code, error: envelope.error }).toEqual({
      status: 400,
      response_code: '01',
      error: problem,
    });
  });

  test('that cannot be decrypted is rejected for its API key first', async () => {
    await using box = await openSandbox();
    const answer = await box.fetch('POST', '/v1/onboarduser', '{"payload":"?"}', callerOf('sandbox_none'));
    expect(answer.status).toBe(401);
  });

  test('is plain if its payload is not text', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    const body = JSON.stringify({ userId: user.userId, payload: { a: 1 } });
    expect((await box.call('POST', '/getuserdetails', body)).status).toBe(200);
  });

  test('is not accepted by a control', async () => {
    await using box = await openSandbox();
    const { envelope } = await box.call('POST', '/_sandbox/advance', await encryptedBody(box, { seconds: 1 }));
    expect(envelope.error).toContain('payload: unknown field');
  });

  test("does not shadow an endpoint's field: none is called payload", () => {
    const named = endpoints.filter((each) => rowsOf(each.request()).some(({ name }) => name === 'payload'));
    expect(named).toEqual([]);
  });
});

describe('over HTTP', () => {
  test('encrypts requests and responses', async () => {
    using folder = temporaryFolder();
    const path = folder.file('sandbox.db');
    const served = await serve({ clock: fakeClock(), ids: countingIds() }, { path, port: 0, rateLimits: false });
    const ask = async (method: string, name: string, body?: object, apiKey = served.apiKey): Promise<HttpResponse> => {
      const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
      const response = await fetch(served.url + name, {
        method,
        headers,
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
    };
    try {
      const { publicKey } = replyOf(await ask('GET', '/getplatformpublickey')).envelope.data as { publicKey: string };
      expect(isPlain(await ask('POST', '/storepublickey', { data: FIRST.publicKey }))).toBe(true);
      const payload = await seal('{"bvn":"22222222222"}', publicKey);
      const answer = await ask('POST', '/onboarduser', { payload });
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect((await inside(answer, FIRST))?.envelope).toMatchObject({ status: 'Success', response_code: '00' });
      const refused = await ask('POST', '/onboarduser', { payload: `${payload}A` });
      expect((await inside(refused, FIRST))?.envelope.error).toContain('cannot be decrypted');
      const unknown = await ask('GET', '/getfees', undefined, 'sandbox_none');
      expect({ status: unknown.status, isPlain: isPlain(unknown) }).toEqual({ status: 401, isPlain: true });
    } finally {
      await served.close();
    }
  });
});

test("the client's and the service's encryption are compatible", async () => {
  await using box = await openSealed();
  const bodies: string[] = [];
  const exchange = encryptedExchange(
    async (request) => {
      bodies.push(request.body ?? '');
      const answer = await box.sandbox.fetch(request, callerOf(box.apiKey));
      bodies.push(answer.body);
      return answer;
    },
    { platformKeyHex: await platformKeyOf(box), privateKeys: async () => [SECOND.privateKey, FIRST.privateKey] },
  );
  const request = {
    method: 'POST',
    url: 'http://sandbox.invalid/v1/onboarduser',
    headers: {},
    body: '{"bvn":"22222222222"}',
  };
  const answer = await exchange(request, new AbortController().signal);
  expect(replyOf(answer).envelope.response_code).toBe('00');
  for (const body of bodies) expect(body).toMatch(/^\{"payload":"[\w-]+"\}$/);
  const fees = await exchange(
    { ...request, method: 'GET', url: 'http://sandbox.invalid/v1/getfees', body: undefined },
    new AbortController().signal,
  );
  expect(decodeAnswer(getFees, fees).kind).toBe('success');
});
