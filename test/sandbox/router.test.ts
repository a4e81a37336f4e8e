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
  ['HEAD', 'HEAD', '/v1/getfees'],
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
  ['no body', '', /^bvn: missing; expected a string/],
  ['an empty object', '{}', /^bvn: missing; expected a string/],
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

const queries: [query: string, status: number][] = [
  ['', 200],
  ['?', 200],
  ['?token=CNGN', 200],
  ['?token=cngn', 400],
  ['?token=', 400],
  ['?token=CNGN&token=USDC', 200],
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
  ])('that is %s is refused', async (_what, part) => {
    await using box = await openSandbox();
    expect((await ask(box, 'GET', `/v1/balance/user/${part}`)).status).toBe(400);
  });

  test('with an invalid encoding matches nothing', async () => {
    await using box = await openSandbox();
    const { status, envelope } = await ask(box, 'GET', '/v1/balance/user/%zz');
    expect({ status, response_code: envelope.response_code }).toEqual({ status: 404, response_code: '02' });
  });
});
