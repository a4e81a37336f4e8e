import fc from 'fast-check';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { HttpResponse } from '../../src/base/world.ts';
import { LightHeaders, LightRequest, LightResponse } from '../../src/bundle/light-fetch.ts';
import { main } from '../../src/main.ts';
import { fiatrail, newHome, requireBuilt } from '../support/built.ts';
import { selfSigned } from '../support/certificate.ts';
import { html, json, listBefore, refusal, success, tooMany } from '../support/exchange.ts';
import { httpServer, httpsServer, testNetwork } from '../support/loopback.ts';
import { fakeWorld } from '../support/world.ts';

/** HTTP header names, except `set-cookie`, which is never joined and which fiatrail does not use. */
const name = fc
  .string({ unit: fc.constantFrom(..."abcXYZ019!#$%&'*+-.^_`|~"), minLength: 1, maxLength: 12 })
  .filter((text) => text.toLowerCase() !== 'set-cookie');
/** Printable ASCII, with spaces at either end too. */
const value = fc.oneof(
  fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) }),
  fc.constantFrom('', ' ', ' !', '! '),
);
const pairs = fc.array(fc.tuple(name, value), { maxLength: 8 });

type Step = readonly ['append' | 'set', string, string] | readonly ['get' | 'has' | 'delete', string];
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constantFrom('append' as const, 'set' as const), name, value),
  fc.tuple(fc.constantFrom('get' as const, 'has' as const, 'delete' as const), name),
);

/** Runs one step on either kind of headers. */
function take(headers: Headers | LightHeaders, [kind, key, text = '']: Step): unknown {
  if (kind === 'append' || kind === 'set') return headers[kind](key, text);
  return headers[kind](key);
}

describe("headers are as Node's", () => {
  test('made from pairs', () => {
    fc.assert(
      fc.property(pairs, (init) => {
        expect([...new LightHeaders(init)]).toEqual([...new Headers(init)]);
      }),
    );
  });

  test('made from a record', () => {
    fc.assert(
      fc.property(fc.dictionary(name, value, { noNullPrototype: true }), (init) => {
        expect([...new LightHeaders(init).entries()]).toEqual([...new Headers(init).entries()]);
      }),
    );
  });

  test('made from headers, which stay unchanged', () => {
    fc.assert(
      fc.property(pairs, step, (init, change) => {
        const [light, node] = [new LightHeaders(init), new Headers(init)];
        take(new LightHeaders(light), change);
        take(new Headers(node), change);
        expect([...light]).toEqual([...node]);
      }),
    );
  });

  test('after any steps', () => {
    fc.assert(
      fc.property(pairs, fc.array(step, { maxLength: 20 }), (init, steps) => {
        const [light, node] = [new LightHeaders(init), new Headers(init)];
        expect(steps.map((each) => take(light, each))).toEqual(steps.map((each) => take(node, each)));
        expect([...light]).toEqual([...node]);
      }),
    );
  });

  test('made without arguments', () => {
    expect([...new LightHeaders()]).toEqual([...new Headers()]);
  });
});

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'get', 'post', 'put', 'delete', 'Post'] as const;
const method = fc.constantFrom(...METHODS);
/** URLs as encodeRequest writes them, in normalized form. */
const url = fc.webUrl({ withQueryParameters: true, withFragments: false }).map((text) => new URL(text).href);

/** The parts of a request that ky reads. */
function seen({ method: verb, url: address, headers, body, signal }: Request | LightRequest): unknown[] {
  return [verb, address, [...headers], body, signal.aborted];
}

describe("requests are as Node's", () => {
  test('with method and headers', () => {
    fc.assert(
      fc.property(url, method, pairs, (address, verb, headers) => {
        const init = { method: verb, headers };
        expect(seen(new LightRequest(address, init))).toEqual(seen(new Request(address, init)));
      }),
    );
  });

  test('made from a URL, a string or a request, and cloned', () => {
    fc.assert(
      fc.property(url, method, pairs, (address, verb, headers) => {
        const [light, node] = [
          new LightRequest(new URL(address), { method: verb, headers }),
          new Request(new URL(address), { method: verb, headers }),
        ];
        expect(seen(light.clone())).toEqual(seen(node.clone()));
        expect(seen(new LightRequest(light))).toEqual(seen(new Request(node)));
        expect(seen(new LightRequest(light, { method: 'PUT' }))).toEqual(seen(new Request(node, { method: 'PUT' })));
      }),
    );
  });

  test.each(['itself', 'its clone', 'a request made from it'])('the signal reaches %s, with its reason', (which) => {
    const controller = new AbortController();
    const made = (kind: typeof Request | typeof LightRequest) => {
      const first = new kind('https://service.test/', { signal: controller.signal });
      return which === 'itself' ? first : which === 'its clone' ? first.clone() : new kind(first as never);
    };
    const [light, node] = [made(LightRequest), made(Request)];
    controller.abort(new Error('stop'));
    expect({ aborted: light.signal.aborted, reason: light.signal.reason }).toEqual({
      aborted: node.signal.aborted,
      reason: node.signal.reason,
    });
  });

  test('has a signal that never aborts if none is given', () => {
    expect(new LightRequest('https://service.test/').signal.aborted).toBe(false);
  });

  test('does not share headers with a clone', () => {
    const first = new LightRequest('https://service.test/', { headers: { a: '1' } });
    first.clone().headers.set('a', '2');
    expect(first.headers.get('a')).toBe('1');
  });
});

describe("responses are as Node's", () => {
  const status = fc.integer({ min: 200, max: 599 });

  test('with status and headers, and cloned', async () => {
    await fc.assert(
      fc.asyncProperty(status, pairs, async (code, headers) => {
        const init = { status: code, headers };
        const [light, node] = [new LightResponse(null, init), new Response(null, init)];
        for (const [ours, theirs] of [[light, node] as const, [light.clone(), node.clone()] as const]) {
          const read = async (one: Response | LightResponse) => [
            one.status,
            one.ok,
            one.type,
            one.body,
            [...one.headers],
            await one.text(),
          ];
          expect(await read(ours)).toEqual(await read(theirs));
        }
      }),
    );
  });

  test('without arguments', () => {
    expect({ status: new LightResponse(null).status, ok: new LightResponse(null).ok }).toEqual({
      status: new Response(null).status,
      ok: true,
    });
  });
});

const BALANCE = success({ token: 'CNGN', totalBalance: '5.000000' });
const READ = ['balances', 'account', '-q', '-o', 'json', '--query', 'totalBalance.value'];
const PAY = ['onramp', 'create', 'somebody', '--amount', '5', '--yes', '-q', '-o', 'json', '--query', 'requestId'];
const at0 = { 'retry-after': '0' };

/** What ky does with a series of responses, with both kinds of classes. */
const SERIES: readonly (readonly [
  name: string,
  argv: readonly string[],
  answers: readonly HttpResponse[],
  exit: number,
])[] = [
  ['503, 503, 200 to a read', READ, [json(503, '{}'), json(503, ''), BALANCE], 0],
  ['429, 502, 200 to a read', READ, [tooMany(at0), html(502), BALANCE], 0],
  ['400 to a read', READ, [refusal(400, '01', 'no')], 3],
  ['302 to a read', READ, [json(302, '', { location: '/v1/elsewhere' })], 5],
  [
    '429, 200 to a payment',
    PAY,
    [tooMany({}, { retry_after: 0 }), success({ requestId: 'r' }), refusal(400, '01', 'no account')],
    0,
  ],
  ['429, 429 to a payment', PAY, [tooMany(at0), tooMany(at0)], 7],
  ['429 with HTML to a payment', PAY, [html(429)], 6],
  ['429, 503 to a payment', PAY, [tooMany(at0), json(503, '{}')], 6],
  ['401 to a payment', PAY, [refusal(401, '03', 'no')], 4],
  ['429 for an hour to a payment', PAY, [tooMany({ 'retry-after': '3600' })], 7],
];

/** A service that sends the responses in order, then 418, with which no series ends. The list before a payment needs none. */
async function service(answers: readonly HttpResponse[]) {
  let count = 0;
  const { baseUrl } = await httpServer((request, response) => {
    const before = listBefore({ url: `http://service.test${request.url}` });
    const { status, headers, body } = before ?? answers[count] ?? { status: 418, headers: {}, body: '' };
    if (!before) count += 1;
    request.resume().on('end', () => response.writeHead(status, headers).end(body));
  });
  const env = { FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: 'sandbox_a-key' };
  return { env, served: () => count };
}

describe.each(SERIES)('ky with %s', (_, argv, answers, exit) => {
  beforeAll(requireBuilt);

  test('behaves identically in the bundle, with our classes', async () => {
    const { env, served } = await service(answers);
    const { code } = await fiatrail(newHome(onTestFinished), argv, { env });
    expect({ code, served: served() }).toEqual({ code: exit, served: answers.length });
  });

  test("works on Node's, from the source", async () => {
    const { env, served } = await service(answers);
    const network = testNetwork();
    const code = await main(argv, fakeWorld({ env, network, clock: { now: () => Date.now(), sleep: async () => {} } }));
    expect({ code, served: served() }).toEqual({ code: exit, served: answers.length });
  });
});

describe('the bundle', () => {
  test('prints the response of a retried read', async () => {
    const { env } = await service([json(503, '{}'), json(503, '{}'), BALANCE]);
    const { stdout, stderr } = await fiatrail(newHome(onTestFinished), READ, { env });
    expect({ stdout, stderr }).toEqual({ stdout: '"5.000000"\n', stderr: '' });
  });

  test('uses https with a certificate that Node trusts', async () => {
    const certificate = selfSigned(onTestFinished);
    const { baseUrl } = await httpsServer(certificate, (_, response) => {
      response.writeHead(200, BALANCE.headers).end(BALANCE.body);
    });
    const env = { FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: 'sandbox_a-key' };
    const home = newHome(onTestFinished);
    const trusted = await fiatrail(home, READ, { env: { ...env, NODE_EXTRA_CA_CERTS: certificate.path } });
    const distrusted = await fiatrail(home, PAY, { env });
    expect({ trustedCode: trusted.code, stdout: trusted.stdout, distrustedCode: distrusted.code }).toEqual({
      trustedCode: 0,
      stdout: '"5.000000"\n',
      distrustedCode: 5,
    });
    expect(distrusted.stderr).toContain('not trusted');
  });
});
