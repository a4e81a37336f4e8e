import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../src/base/secret.ts';
import { decodeAnswer, encodeRequest, type Target } from '../../src/client/codec.ts';
import { uncheckedRequest } from '../../src/client/request.ts';
import { controls, sandboxStatus } from '../../src/contract/control.ts';
import { type Endpoint, pathParameters } from '../../src/contract/endpoint.ts';
import { balanceMulti, balanceUser } from '../../src/contract/endpoints/balances.ts';
import { addBankAccount, listBanks } from '../../src/contract/endpoints/banks.ts';
import { getFees } from '../../src/contract/endpoints/fees.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { startOfframp } from '../../src/contract/endpoints/offramp.ts';
import { onrampStatus, startOnramp } from '../../src/contract/endpoints/onramp.ts';
import { onboard } from '../../src/contract/endpoints/users.ts';
import { type FieldRow, rowsOf } from '../../src/contract/rows.ts';
import { main } from '../../src/main.ts';
import { parseJson, type WireNumber, wireNumberText } from '../../src/money/decimal.ts';
import { createRouter } from '../../src/sandbox/app.ts';
import { json } from '../support/exchange.ts';
import { bodyOf, httpServer, testNetwork } from '../support/loopback.ts';
import { fakeWorld } from '../support/world.ts';

const TARGET: Target = { baseUrl: 'https://service.test/v1', apiKey: new Secret('the-key') };
const everything: readonly Endpoint[] = [...endpoints, ...controls];
const byId = everything.map((endpoint) => ({ id: endpoint.id, endpoint }));

/** Returns a recognizable value of a field's type. */
function markOf({ name, type }: FieldRow): unknown {
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return name.length + 0.5;
  return type === 'object' ? { inside: name } : `<${name}>`;
}

const topRows = (endpoint: Endpoint) => rowsOf(endpoint.request()).filter(({ name }) => !/[.[]/.test(name));

function markedInput(endpoint: Endpoint): Record<string, unknown> {
  return Object.fromEntries(topRows(endpoint).map((row) => [row.name, markOf(row)]));
}

describe.each(byId)('$id', ({ endpoint }) => {
  const input = markedInput(endpoint);
  const { method, url, headers, body } = encodeRequest(uncheckedRequest(endpoint, input as never), TARGET);
  const { origin, pathname, searchParams } = new URL(url);
  const inPath = pathParameters(endpoint.path);
  const elsewhere = Object.entries(input).filter(([name]) => !inPath.includes(name));
  const isQuery = (endpoint.fieldsIn ?? (endpoint.method === 'GET' ? 'query' : 'body')) === 'query';

  test('is sent to its own path, controls outside /v1', () => {
    const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(input[name])));
    expect({ method, origin }).toEqual({ method: endpoint.method, origin: 'https://service.test' });
    expect(pathname).toBe(endpoint.area === 'control' ? path : `/v1${path}`);
  });

  test('has its other fields in the query or the body only', () => {
    const asText = elsewhere.map(([name, value]) => [name, String(value)]);
    expect([...searchParams]).toEqual(isQuery ? asText : []);
    expect(body === undefined ? undefined : JSON.parse(body)).toEqual(
      isQuery || method === 'GET' || elsewhere.length === 0 ? undefined : Object.fromEntries(elsewhere),
    );
  });

  test('has the API key, and a content type if there is a body', () => {
    expect(headers).toEqual({
      accept: 'application/json',
      'x-api-key': 'the-key',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    });
  });

  test('is routed by the sandbox, with its path fields', async () => {
    const route = await createRouter()(method, url);
    expect(route?.endpoint.id).toBe(endpoint.id);
    expect(route?.path).toEqual(Object.fromEntries(inPath.map((name) => [name, String(input[name])])));
  });

  test('omits undefined fields', () => {
    const nothing = Object.fromEntries(elsewhere.map(([name]) => [name, undefined]));
    const request = encodeRequest(uncheckedRequest(endpoint, { ...input, ...nothing } as never), TARGET);
    expect(request.url).not.toContain('?');
    expect(request.body ?? '{}').toBe('{}');
  });
});

/** Copied from the specification. */
const WRITTEN: readonly (readonly [endpoint: Endpoint, input: object, written: string])[] = [
  [listBanks, {}, 'POST https://service.test/v1/getbankscode'],
  [onboard, { bvn: '12345678901' }, 'POST https://service.test/v1/onboarduser {"bvn":"12345678901"}'],
  [startOnramp, { userId: 'u', amount: 500 }, 'POST https://service.test/v1/cngnonramp {"userId":"u","amount":500}'],
  [
    startOfframp,
    { userId: 'u', amount: 0.5, accountNumber: '0123456789', bankCode: '058', ticker: 'CNGN' },
    'POST https://service.test/v1/cngnofframp {"userId":"u","amount":0.5,"accountNumber":"0123456789","bankCode":"058","ticker":"CNGN"}',
  ],
  [balanceUser, { userId: 'u 1', token: 'USDC' }, 'GET https://service.test/v1/balance/user/u%201?token=USDC'],
  [balanceMulti, { networks: 'base,eth' }, 'GET https://service.test/v1/balance/multi?networks=base%2Ceth'],
  [sandboxStatus, { values: true }, 'GET https://service.test/_sandbox/status?values=true'],
];

test.each(WRITTEN)('encodes request %# as in the specification', (endpoint, input, written) => {
  const { method, url, body } = encodeRequest(uncheckedRequest(endpoint, input as never), TARGET);
  expect([method, url, body].filter((part) => part !== undefined).join(' ')).toBe(written);
});

describe('an id in a path', () => {
  const ODD = [
    'a/b',
    'a?b=c',
    'a#b',
    '100%',
    '%2F',
    'a b',
    'a+b',
    'a&b',
    'a;b',
    "a'b",
    'ünïcode',
    '…',
    'a\\b',
    '...',
    '.a',
    'a..',
    '~',
    '@:$,=',
    '🙂',
  ];
  const ids = fc
    .string({
      unit: fc
        .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0xa0, max: 0xd7ff }))
        .map((code) => String.fromCharCode(code)),
      minLength: 1,
      maxLength: 40,
    })
    .filter((id) => id !== '.' && id !== '..');
  const pathOf = (id: string) => encodeRequest(uncheckedRequest(balanceUser, { userId: id }), TARGET);

  test('reaches the sandbox unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(ids, async (id) => {
        const { method, url } = pathOf(id);
        expect((await createRouter()(method, url))?.path).toEqual({ userId: id });
      }),
    );
  });

  test.each(['', '.', '..'])('is rejected before anything is sent if a URL would lose it: %j', (userId) => {
    expect(() => pathOf(userId)).toThrow(`invalid id "${userId}"`);
  });

  test('survives a URL unchanged', () => {
    fc.assert(
      fc.property(ids, (id) => {
        const { url } = pathOf(id);
        expect(new URL(url).href).toBe(new URL(new URL(url).href).href);
        expect(decodeURIComponent(new URL(url).pathname)).toBe(`/v1/balance/user/${id}`);
      }),
    );
  });

  test.each(ODD)('is unchanged over HTTP: %s', async (id) => {
    let asked = '';
    const { baseUrl } = await httpServer((request, response) => {
      asked = request.url ?? '';
      response.end('{}');
    });
    const request = encodeRequest(uncheckedRequest(balanceUser, { userId: id }), { ...TARGET, baseUrl });
    await testNetwork()(request, new AbortController().signal);
    expect((await createRouter()('GET', asked))?.path).toEqual({ userId: id });
  });

  test.each(['.', '..'])('is rejected when a URL would resolve it: %s', async (id) => {
    const world = fakeWorld({ env: { FIATRAIL_BASE_URL: 'https://service.test/v1', FIATRAIL_API_KEY: 'k' } });
    expect(await main(['balances', 'user', id], world)).toBe(2);
  });
});

/** JSON numbers of any length. */
const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.bigInt({ min: 0n, max: 10n ** 30n }),
    fc.option(fc.stringMatching(/^[0-9]{1,20}$/), { nil: undefined }),
  )
  .map(([sign, whole, fraction]) => `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}`);

/** Removes trailing zeros of a fraction. */
const shortest = (text: string) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text).replace(/^-0$/, '0');

describe('a number', () => {
  test('keeps every digit in a body', () => {
    fc.assert(
      fc.property(numberText, (text) => {
        const amount = parseJson(text) as WireNumber;
        const { body } = encodeRequest(uncheckedRequest(startOnramp, { userId: 'u', amount }), TARGET);
        const sent = /"amount":([^}]*)}/.exec(body ?? '')?.[1] ?? '';
        expect(shortest(sent)).toBe(shortest(text));
      }),
    );
  });

  test('keeps every digit in a query', () => {
    const amount = parseJson('12345678901234567890.123456') as WireNumber;
    const { url } = encodeRequest(uncheckedRequest(balanceMulti, { amount } as never), TARGET);
    expect(new URL(url).searchParams.get('amount')).toBe('12345678901234567890.123456');
  });

  test('keeps every digit in a response', () => {
    fc.assert(
      fc.property(numberText, (text) => {
        const answer = decodeAnswer(getFees, json(200, `{"response_code":"00","data":{"fintechId":"f","n":${text}}}`));
        const data = answer.kind === 'success' ? (answer.data as Record<string, unknown>) : {};
        expect(shortest(wireNumberText(data['n'] as WireNumber))).toBe(shortest(text));
      }),
    );
  });
});

describe('a response', () => {
  test('is a success by status and code, whatever its message', () => {
    const body = '{"status":"Success","response_code":"00","message":"Failed","data":{"fintechId":"f"}}';
    expect(decodeAnswer(getFees, json(200, body))).toEqual({
      kind: 'success',
      httpStatus: 200,
      data: { fintechId: 'f' },
      body,
      problems: [],
      isOnlyIncomplete: true,
    });
  });

  test.each([
    ['{"status":"Error","response_code":"00","message":"Failed","data":{"fintechId":"f"}}'],
    ['{"status":"failed","response_code":"00","data":{"fintechId":"f"}}'],
    ['{"success":false,"response_code":"00","data":{"fintechId":"f"}}'],
    ['{"status":"error","response_code":"00","fintechId":"f"}'],
  ])('is neither a success nor a rejection if its words deny its code: %s', (body) => {
    for (const status of [200, 201])
      expect(decodeAnswer(getFees, json(status, body))).toMatchObject({
        kind: 'unusable',
        httpStatus: status,
        reason: expect.stringContaining('its code is that of a success'),
      });
  });

  test('without data has a state of its own: failed work is a success of the read', () => {
    const body = '{"status":"failed","response_code":"00","fintechId":"f"}';
    expect(decodeAnswer(getFees, json(200, body))).toMatchObject({ kind: 'success', data: { status: 'failed' } });
  });

  test('is a rejection by status and code, whatever its message', () => {
    const answer = decodeAnswer(
      getFees,
      json(400, '{"status":"Success","response_code":"01","message":"All is well"}'),
    );
    expect(answer).toEqual({
      kind: 'rejected',
      httpStatus: 400,
      responseCode: '01',
      message: 'All is well',
      isDefinite: false,
    });
  });

  test.each([301, 302, 307])('with status %s is a redirect, whatever its body', (status) => {
    const answer = decodeAnswer(getFees, { status, headers: { location: 'https://other.test/' }, body: '' });
    expect(answer).toMatchObject({ kind: 'unusable', reason: expect.stringContaining('redirect') });
  });

  test('names the fields that do not match the contract', () => {
    const answer = decodeAnswer(addBankAccount, json(200, '{"response_code":"00","data":{"isValidated":"yes"}}'));
    expect(answer).toMatchObject({ kind: 'success', problems: ['verifiedAccountName', 'isValidated'] });
  });

  test('may lack optional fields', () => {
    const answer = decodeAnswer(
      onrampStatus,
      json(200, '{"response_code":"00","data":{"requestId":"r","status":null}}'),
    );
    expect(answer).toMatchObject({ kind: 'success', problems: [] });
  });
});

/** Runs a command against a local service that responds to every request with `body`. */
async function against(body: string, argv: readonly string[]) {
  const asked: string[] = [];
  const { baseUrl } = await httpServer(async (request, response) => {
    asked.push(`${request.method} ${request.url} ${await bodyOf(request)}`);
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  const env = { FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: 'sandbox_a-key' };
  const world = fakeWorld({ env, network: testNetwork() });
  const code = await main([...argv, '-q'], world);
  return { code, stdout: world.stdout.text(), stderr: world.stderr.text(), asked };
}

describe('a command', () => {
  const DATA =
    '{"fintechId":"f","price":1.50,"big":12345678901234567890,"tiny":0.000000000000000000001,"e":1E5,"list":[0.10,1.0]}';
  const ENVELOPE = `{"status":"Success","response_code":"00","message":"done","data":${DATA}}`;

  test('prints the data to the digit with -o raw', async () => {
    const { code, stdout } = await against(ENVELOPE, ['api', 'GET', '/getfees', '-o', 'raw']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${DATA}\n` });
  });

  test('keeps the order of fields with -o raw, and prints null for no data', async () => {
    const { stdout } = await against('{"response_code":"00","data":{"z":1,"fintechId":"f","a":2}}', [
      'fees',
      'show',
      '-o',
      'raw',
    ]);
    expect(stdout).toBe('{"z":1,"fintechId":"f","a":2}\n');
  });

  test('prints the whole response with -o raw if its fields or its list stand alone', async () => {
    const flat = '{"fintechId":"f","rate":1.50}';
    expect((await against(flat, ['fees', 'show', '-o', 'raw'])).stdout).toBe(`${flat}\n`);
    const list = '[{"accountId":"a"}]';
    expect((await against(list, ['bank-accounts', 'list', '-o', 'raw'])).stdout).toBe(`${list}\n`);
  });

  test.each(['json', 'ndjson', 'yaml'])('prints every digit of a long number with -o %s', async (format) => {
    const { code, stdout } = await against(ENVELOPE, ['fees', 'show', '-o', format]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('12345678901234567890') });
  });

  test('prints every digit of an amount', async () => {
    const body = '{"response_code":"00","data":{"summary":{"availableForWithdrawal":12345678901234567}}}';
    const { stdout } = await against(body, [
      'fees',
      'earned',
      '-o',
      'json',
      '--query',
      'summary.availableForWithdrawal.value',
    ]);
    expect(stdout).toBe('"123456789012345.67"\n');
  });

  test('sends every digit of an amount', async () => {
    const body = '{"response_code":"00","data":{"requestId":"r"}}';
    const { asked } = await against(body, ['onramp', 'create', 'u', '--amount', '9999999999.99', '--yes']);
    expect(asked).toContain('POST /v1/cngnonramp {"userId":"u","amount":9999999999.99}');
  });

  test('sends every digit with api', async () => {
    const body = '{"response_code":"00","data":{"requestId":"r"}}';
    const fields = ['-f', 'userId=u', '-f', 'amount=12345678901234567890.10'];
    const { asked } = await against(body, ['api', 'POST', '/cngnonramp', ...fields, '--yes']);
    expect(asked.at(-1)).toBe('POST /v1/cngnonramp {"userId":"u","amount":12345678901234567890.10}');
  });

  test('sends an id with special characters unchanged', async () => {
    const { asked } = await against('{"response_code":"00","data":{}}', [
      'balances',
      'user',
      'a/b?c#d%e',
      '-o',
      'json',
    ]);
    expect(asked).toEqual(['GET /v1/balance/user/a%2Fb%3Fc%23d%25e ']);
  });
});
