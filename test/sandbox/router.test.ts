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
  ['a path nobody has', 'GET', '/v1/nothing'],
  ['the root', 'GET', '/'],
  ['the version alone', 'GET', '/v1'],
  ['a path without its version', 'GET', '/getfees'],
  ['a path of the next version', 'GET', '/v2/getfees'],
  ['the version twice', 'GET', '/v1/v1/getfees'],
  ['a slash at the end', 'GET', '/v1/getfees/'],
  ['two slashes', 'GET', '/v1//getfees'],
  ['capitals', 'GET', '/v1/GetFees'],
  ['an encoded letter', 'GET', '/v1/%67etfees'],
  ['POST where GET is meant', 'POST', '/v1/getfees'],
  ['GET where POST is meant', 'GET', '/v1/onboarduser'],
  ['DELETE', 'DELETE', '/v1/getfees'],
  ['HEAD', 'HEAD', '/v1/getfees'],
  ['a method in small letters', 'get', '/v1/getfees'],
  ['too many parts for a parameter', 'GET', '/v1/balance/user/a/b'],
  ['no part for a parameter', 'GET', '/v1/balance/user'],
  ['a control below the version', 'GET', '/v1/_sandbox/clock'],
  ['an endpoint among the controls', 'GET', '/_sandbox/getfees'],
  ['a property every object has', 'GET', '/v1/__proto__'],
];

describe('no endpoint is at', () => {
  test.each(nowhere)('%s', async (_what, method, url) => {
    await using box = await openSandbox();
    const { status, envelope } = await ask(box, method, url);
    expect([status, envelope.response_code, envelope.status]).toEqual([404, '02', 'Error']);
  });
});

const all = [...endpoints, ...controls] as readonly Endpoint[];

describe('every endpoint of the contract is at its place', () => {
  test.each(all)('$method $path', async ({ method, path, area, request }) => {
    await using box = await openSandbox();
    const filled = pathParameters(path).reduce((so, name) => so.replace(`:${name}`, 'x'), path);
    const { status } = await ask(box, method, `${area === 'control' ? '' : '/v1'}${filled}`, '[]');
    // A list is no body: a POST that gets so far says so. 404 would be a user or an endpoint that is not there.
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

const bodies: [what: string, body: string, said: RegExp][] = [
  ['broken JSON', '{"bvn":', /one JSON object/],
  ['half a string', '{"bvn":"222', /one JSON object/],
  ['a list', '[{"bvn":"22222222222"}]', /one JSON object/],
  ['a string', '"22222222222"', /one JSON object/],
  ['null', 'null', /one JSON object/],
  ['true', 'true', /one JSON object/],
  ['a number', '5', /one JSON object/],
  ['two objects', '{}{}', /one JSON object/],
  ['a form', 'bvn=22222222222', /one JSON object/],
  ['no body at all', '', /^bvn: missing; expected a string/],
  ['an empty object', '{}', /^bvn: missing; expected a string/],
  ['a number for a BVN', '{"bvn":22222222222}', /^bvn: expected .*exactly 11 digits/],
  ['a field too many', '{"bvn":"22222222222","email":"a@b.c"}', /^email: unknown field/],
  ['a field of every object', '{"bvn":"22222222222","__proto__":{}}', /^__proto__: unknown field/],
];

describe('a body that is', () => {
  test.each(bodies)('%s', async (_what, body, said) => {
    await using box = await openSandbox();
    const { status, envelope } = await ask(box, 'POST', '/v1/onboarduser', body);
    expect([status, envelope.response_code]).toEqual([400, '01']);
    expect(envelope.error).toMatch(said);
  });

  test('a long number', async () => {
    await using box = await openSandbox();
    expect((await ask(box, 'POST', '/v1/listfintechusers', '12345678901234567890')).status).toBe(400);
  });

  test('is not looked at for GET', async () => {
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

  test('takes no part in a POST', async () => {
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

  test('wins over a query of its name', async () => {
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

  test('that is badly encoded names nobody', async () => {
    await using box = await openSandbox();
    const { status, envelope } = await ask(box, 'GET', '/v1/balance/user/%zz');
    expect([status, envelope.response_code]).toEqual([404, '02']);
  });
});
