import { describe, expect, test } from 'vitest';
import { problemsOf } from '../../src/contract/check.ts';
import { controls } from '../../src/contract/control.ts';
import { type Endpoint, pathParameters } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { onboardUser } from '../service/steps.ts';
import { openSandbox, type Reply, replyOf, type TestSandbox } from '../support/sandbox.ts';

async function ask(box: TestSandbox, method: string, url: string, body?: string): Promise<Reply> {
  return replyOf(await box.fetch(method, url, body));
}

const nowhere: [what: string, method: string, url: string][] = [
  ['an unknown path', 'GET', '/v1/nothing'],
  ['the root', 'GET', '/'],
  ['the version alone', 'GET', '/v1'],
  ['a path without its version', 'GET', '/getfees'],
  ['a path of the next version', 'GET', '/v2/getfees'],
  ['the version twice', 'GET', '/v1/v1/getfees'],
  ['a trailing slash', 'GET', '/v1/getfees/'],
  ['two slashes', 'GET', '/v1//getfees'],
  ['capitals', 'GET', '/v1/GetFees'],
  ['an encoded letter', 'GET', '/v1/%67etfees'],
  ['POST instead of GET', 'POST', '/v1/getfees'],
  ['GET instead of POST', 'GET', '/v1/onboarduser'],
  ['DELETE', 'DELETE', '/v1/getfees'],
  ['HEAD where there is nothing', 'HEAD', '/v1/getfee'],
  ['a lower-case method', 'get', '/v1/getfees'],
  ['too many segments for a parameter', 'GET', '/v1/balance/user/a/b'],
  ['no segment for a parameter', 'GET', '/v1/balance/user'],
  ['a control under the version', 'GET', '/v1/_sandbox/clock'],
  ['an endpoint under the controls', 'GET', '/_sandbox/getfees'],
  ['an inherited property name', 'GET', '/v1/__proto__'],
];

describe('there is no endpoint at', () => {
  test.each(nowhere)('%s', async (_what, method, url) => {
    await using box = await openSandbox();
    const { status, envelope } = await ask(box, method, url);
    expect({ status, response_code: envelope.response_code, envelopeStatus: envelope.status }).toEqual({
      status: 404,
      response_code: '02',
      envelopeStatus: 'Error',
    });
  });
});

const all = [...endpoints, ...controls] as readonly Endpoint[];

describe('every endpoint of the contract is reachable', () => {
  test.each(all)('$method $path', async ({ method, path, area, request }) => {
    await using box = await openSandbox();
    const filled = pathParameters(path).reduce((so, name) => so.replace(`:${name}`, 'x'), path);
    const { status } = await ask(box, method, `${area === 'control' ? '' : '/v1'}${filled}`, '[]');
    // A list is not a valid body, and a POST that is routed says so. A 404 would mean an unknown user or endpoint.
    const refused = path === '/createsandboxapikey' ? 401 : 400;
    const read = path.includes(':') ? 404 : problemsOf(request(), {}).length > 0 ? 400 : 200;
    expect(status).toBe(method === 'GET' ? read : refused);
  });

  test.each(['http://sandbox.invalid', 'https://host:8787', ''])('below %s', async (origin) => {
    await using box = await openSandbox();
    expect((await ask(box, 'GET', `${origin}/v1/getfees`)).status).toBe(200);
    expect((await ask(box, 'GET', `${origin}/v1/balance/multi?token=USDC`)).envelope.data).toMatchObject({
      token: 'USDC',
    });
  });
});

const bodies: [what: string, body: string, detail: RegExp][] = [
  ['broken JSON', '{"bvn":', /one JSON object/],
  ['half a string', '{"bvn":"222', /one JSON object/],
  ['a list', '[{"bvn":"22222222222"}]', /one JSON object/],
  ['a string', '"22222222222"', /one JSON object/],
  ['null', 'null', /one JSON object/],
  ['true', 'true', /one JSON object/],
  ['a number', '5', /one JSON object/],
  ['two objects', '{}{}', /one JSON object/],
  ['a form', 'bvn=22222222222', /one JSON object/],
  ['no body', '', /^bvn: missing; expected exactly 11 digits/],
  ['an empty object', '{}', /^bvn: missing; expected exactly 11 digits/],
  ['a number for a BVN', '{"bvn":22222222222}', /^bvn: expected .*exactly 11 digits/],
  ['an unknown field', '{"bvn":"22222222222","email":"a@b.c"}', /^email: unknown field/],
  ['an inherited property name', '{"bvn":"22222222222","__proto__":{}}', /^__proto__: unknown field/],
];

describe('a body that is', () => {
  test.each(bodies)('%s', async (_what, body, detail) => {
    await using box = await openSandbox();
    const { status, envelope } = await ask(box, 'POST', '/v1/onboarduser', body);
    expect({ status, response_code: envelope.response_code }).toEqual({ status: 400, response_code: '01' });
    expect(envelope.error).toMatch(detail);
  });

  test('a long number', async () => {
    await using box = await openSandbox();
    expect((await ask(box, 'POST', '/v1/listfintechusers', '12345678901234567890')).status).toBe(400);
  });

  test('ignored for GET', async () => {
    await using box = await openSandbox();
    expect((await ask(box, 'GET', '/v1/getfees', '{"broken')).status).toBe(200);
  });
});

const olderPaths: [what: string, method: string, url: string, detail: string][] = [
  ['no version', 'GET', '/getfees', 'the current path is GET /v1/getfees'],
  ['another version', 'GET', '/v2/getfees', 'the current path is GET /v1/getfees'],
  ['the version twice', 'GET', '/v1/v1/balance/multi', 'the current path is GET /v1/balance/multi'],
  ['a trailing slash', 'GET', '/v1/getfees/', 'the current path is GET /v1/getfees'],
  ['two slashes', 'GET', '/v1//getfees?x=1', 'the current path is GET /v1/getfees'],
  ['capitals', 'GET', '/v1/GetFees', 'the current path is GET /v1/getfees'],
  ['an id in capitals', 'GET', '/balance/user/AB', 'the current path is GET /v1/balance/user/AB'],
  ['the wrong method', 'PUT', '/v1/getfees', 'the current path is GET /v1/getfees'],
  ['a control under the version', 'GET', '/v1/_sandbox/clock', 'the current path is GET /_sandbox/clock'],
  ['the singular', 'GET', '/v1/getbankaccount', 'the current path is GET /v1/getbankaccounts'],
  ['an older name', 'POST', '/v1/fintechrequestwithdrawal', 'the current path is POST /v1/feewithdrawal'],
  ['an older spelling', 'POST', '/v1/verify-withdrawal', 'the current path is POST /v1/verifywithdrawal'],
  ['an older status path', 'GET', '/v1/cngnrampstatus', 'the current path is POST /v1/cngnonrampstatus'],
  ['a step that is gone', 'POST', '/v1/verifyotp', 'the service no longer has this step'],
];

describe('a request to a path with', () => {
  test.each(olderPaths)('%s names the current one', async (_what, method, url, detail) => {
    await using box = await openSandbox();
    const { status, envelope } = await ask(box, method, url);
    expect(status).toBe(404);
    expect(envelope.error).toBe(`no endpoint has this method and path; ${detail}`);
  });

  test('no similar one names nothing', async () => {
    await using box = await openSandbox();
    expect((await ask(box, 'GET', '/v1/nothing')).envelope.error).toBe('no endpoint has this method and path');
  });
});

const amounts: [amount: string, detail: RegExp][] = [
  ['1.234', /^amount: expected a number.*; at most 2 decimals are allowed$/],
  ['0.001', /; at most 2 decimals are allowed$/],
  ['1e30', /; the maximum is 10000000000 naira$/],
  ['10000000000.01', /; the maximum is 10000000000 naira$/],
  ['0', /^amount: expected a number, greater than 0(?!.*(decimals|maximum))/],
  ['"x"', /^amount: expected a number, greater than 0(?!.*(decimals|maximum))/],
];

describe('an amount in a request', () => {
  test.each(amounts)('of %s is rejected with what is allowed', async (amount, detail) => {
    await using box = await openSandbox();
    const { envelope } = await ask(box, 'POST', '/v1/cngnonramp', `{"userId":"u","amount":${amount}}`);
    expect(envelope).toMatchObject({ response_code: '01', error: expect.stringMatching(detail) });
  });

  test('in kobo with a fraction is rejected with what is allowed', async () => {
    await using box = await openSandbox();
    const body = '{"amount":100.5,"transactionType":"onramp"}';
    const { envelope } = await ask(box, 'POST', '/v1/fees/platform/preview', body);
    expect(envelope.error).toMatch(/^amount: .*; the number of kobo must be whole$/);
  });
});

const ambiguous: [what: string, body: string, detail: RegExp][] = [
  ['a repeated key', '{"bvn":"22222222222","bvn":"33333333333"}', /the key "bvn" appears more than once/],
  ['a repeated key, once escaped', '{"bvn":"1","\\u0062vn":"2"}', /the key "bvn"/],
  ['a repeated key deep inside', '{"a":[{"b":{"c":1,"d":[],"c":1}}]}', /the key "c"/],
  ['a repeated empty key', '{"":1,"":2}', /the key ""/],
  ['half a surrogate pair, escaped', '{"bvn":"\\ud800"}', /half of a surrogate pair/],
  ['half a surrogate pair in a key', '{"\\udc00":1}', /half of a surrogate pair/],
  ['half a surrogate pair as it is', '{"bvn":"\ud800"}', /half of a surrogate pair/],
];

describe('a body with', () => {
  test.each(ambiguous)('%s is rejected', async (_what, body, detail) => {
    await using box = await openSandbox();
    const { status, envelope } = await ask(box, 'POST', '/v1/onboarduser', body);
    expect({ status, response_code: envelope.response_code }).toEqual({ status: 400, response_code: '01' });
    expect(envelope.error).toMatch(detail);
  });

  test.each([
    '{"a":{"b":1},"b":{"a":1},"c":[{"a":1},{"a":2}]}',
    '{"a":"\\"b\\":1,\\"b\\":2","b":"{\\"a\\":1,"}',
    '{"a":"\\ud83d\\ude42","b":["a","a"]}',
  ])('equal keys in different objects, or text that looks like keys, is accepted: %s', async (body) => {
    await using box = await openSandbox();
    expect((await ask(box, 'POST', '/v1/getbankscode', body)).status).toBe(200);
  });

  test('a repeated key, from an unknown caller, is rejected for its API key', async () => {
    await using box = await openSandbox();
    const unknown = { apiKey: 'sandbox_wrong', address: '127.0.0.1' };
    const reply = replyOf(await box.fetch('POST', '/v1/onboarduser', '{"a":1,"a":2}', unknown));
    expect(reply.status).toBe(401);
  });
});

const queries: [query: string, status: number][] = [
  ['', 200],
  ['?', 200],
  ['?token=CNGN', 200],
  ['?token=cngn', 400],
  ['?token=', 400],
  ['?token=CNGN&token=USDC', 400],
  ['?unknown=1&unknown=1', 400],
  ['?token=%FF', 400],
  ['?unknown=%ED%A0%80', 400],
  ['?unknown=\u00e9', 400],
  ['?unknown=%C3%A9', 200],
  ['?networks=base,eth', 200],
  ['?networks=base%2Ceth', 200],
  ['?networks=', 400],
  ['?networks=moon', 400],
  ['?unknown=1', 200],
  ['?%', 200],
  ['?__proto__=1', 200],
];

describe('a query', () => {
  test.each(queries)('/balance/multi%s', async (query, status) => {
    await using box = await openSandbox();
    expect((await ask(box, 'GET', `/v1/balance/multi${query}`)).status).toBe(status);
  });

  test.each([
    ['true', 200],
    ['false', 200],
    ['yes', 400],
    ['1', 400],
  ])('/_sandbox/status?values=%s', async (value, status) => {
    await using box = await openSandbox();
    expect((await ask(box, 'GET', `/_sandbox/status?values=${value}`)).status).toBe(status);
  });

  test('is ignored for POST', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const body = JSON.stringify({ userId, amount: 5 });
    const { envelope } = await ask(box, 'POST', `/v1/cngnonramp?userId=somebody-else`, body);
    expect(envelope.response_code).toBe('00');
  });
});

describe('a parameter of the path', () => {
  test('is decoded', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const encoded = `%${userId.charCodeAt(0).toString(16)}${userId.slice(1)}`;
    expect((await ask(box, 'GET', `/v1/balance/user/${encoded}`)).envelope.data).toMatchObject({ userId });
  });

  test('takes precedence over a query parameter of that name', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const { status } = await ask(box, 'GET', `/v1/balance/user/nobody?userId=${userId}`);
    expect(status).toBe(404);
  });

  test.each([
    ['nothing', ''],
    ['a line break', 'a%0Ab'],
    ['a zero byte', '%00'],
  ])('that is %s is rejected', async (_what, part) => {
    await using box = await openSandbox();
    expect((await ask(box, 'GET', `/v1/balance/user/${part}`)).status).toBe(400);
  });

  test.each(['%FF', 'a%C3', '%ED%A0%80', '\u00e9'])('that is not UTF-8 is rejected: %s', async (part) => {
    await using box = await openSandbox();
    const { status, envelope } = await ask(box, 'GET', `/v1/balance/user/${part}`);
    expect({ status, response_code: envelope.response_code }).toEqual({ status: 400, response_code: '01' });
    expect(envelope.error).toMatch(/^path: .*UTF-8/);
  });

  test.each(['%zz', '%', 'a%2', '%00%g0'])('with an invalid encoding is rejected: %s', async (part) => {
    await using box = await openSandbox();
    const { status, envelope } = await ask(box, 'GET', `/v1/balance/user/${part}`);
    expect({ status, response_code: envelope.response_code }).toEqual({ status: 400, response_code: '01' });
    expect(envelope.error).toBe('path: expected two hexadecimal digits after each %');
  });
});

describe('HEAD', () => {
  test.each(['/v1/getfees', '/v1/balance/user/a', '/_sandbox/faults'])('of %s answers as its GET does', async (url) => {
    await using box = await openSandbox();
    const [head, get] = [await box.fetch('HEAD', url), await box.fetch('GET', url)];
    expect(head).toEqual(get);
  });

  test.each(['/v1/regenerateapikey', '/v1/createsandboxapikey', '/v1/onboarduser', '/_sandbox/settle'])(
    'of %s is not allowed, and does nothing',
    async (url) => {
      await using box = await openSandbox();
      const keys = () => box.inside(({ store }) => store.all('SELECT * FROM api_key ORDER BY key'), 'read');
      const before = await keys();
      const { status, body } = await box.fetch('HEAD', url);
      expect({ status, ...JSON.parse(body) }).toMatchObject({ status: 'Error', response_code: '02' });
      expect({ status, keys: await keys() }).toEqual({ status: 405, keys: before });
    },
  );
});

test('a body may start with a byte order mark', async () => {
  await using box = await openSandbox();
  const { status } = await box.fetch('POST', '/v1/onboarduser', '\ufeff{"bvn":"22222222222"}');
  expect(status).toBe(200);
});

test.each(['\u0000', 'a\u001b', '\u0085'])('text with a control character says so: %j', async (userId) => {
  await using box = await openSandbox();
  const { envelope } = await box.call('POST', '/setwebhook', {
    webhookUrl: 'https://hooks.example.ms/',
    enabled: true,
    secret: `secret${userId}`,
  });
  expect(envelope.error).toMatch(/^secret: expected .*, without control characters$/);
});

test('a threshold of automatic signing that is too large is rejected with the maximum', async () => {
  await using box = await openSandbox();
  const set = (usdThreshold: string) => box.call('POST', '/fx/auto-signing/threshold', { usdThreshold });
  expect((await set('1000000000000')).envelope.error).toMatch(/^usdThreshold: expected .*0 to 999999999999\.99/);
});
