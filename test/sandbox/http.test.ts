import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type ServedSandbox, type ServeOptions, serve } from '../../src/sandbox/serve.ts';
import { countingIds, type Envelope, fakeClock, temporaryFolder } from '../support/sandbox.ts';

const KIBIBYTE = 1024;

interface Served extends AsyncDisposable {
  readonly served: ServedSandbox;
  readonly port: number;
}

async function openServed(more: Partial<ServeOptions> = {}): Promise<Served> {
  const folder = temporaryFolder();
  const options = { path: folder.file('sandbox.db'), port: 0, rateLimits: false, ...more };
  const served = await serve({ clock: fakeClock(), ids: countingIds() }, options);
  return {
    served,
    port: Number(new URL(served.url).port),
    [Symbol.asyncDispose]: async () => {
      await served.close();
      folder[Symbol.dispose]();
    },
  };
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Buffer;
  readonly host?: string;
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly envelope: Partial<Envelope>;
}

/** Sends a request with node:http, which passes a Host header on as it is given. */
async function send({ port, served }: Served, { path = '/v1/getfees', body, ...sent }: Sent = {}): Promise<Reply> {
  const headers = { 'x-api-key': served.apiKey, connection: 'close', ...sent.headers };
  const outgoing = httpRequest({ host: sent.host ?? '127.0.0.1', port, method: sent.method ?? 'GET', path, headers });
  outgoing.end(body);
  const [incoming] = await once(outgoing, 'response');
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
  return { status: incoming.statusCode, headers: incoming.headers, envelope: text === '' ? {} : JSON.parse(text) };
}

const post = (open: Served, body: string | Buffer, headers: Sent['headers'] = {}, path = '/v1/onboarduser') =>
  send(open, { method: 'POST', path, body, headers: { 'content-type': 'application/json', ...headers } });

/** Sends bytes on a socket, and returns everything received until the server closes the connection. */
async function raw(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  socket.write(bytes);
  await once(socket, 'close', { signal: AbortSignal.timeout(20_000) });
  return answer;
}

/** Returns the status and the envelope of a response text. Fails if the body is not an envelope. */
function parsed(answer: string): { status: number; response_code: unknown; envelopeStatus: unknown } {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const { status: envelopeStatus, response_code } = JSON.parse(body);
  return { status: Number(head.split(' ')[1]), response_code, envelopeStatus };
}

const line = (start: string, headers: readonly string[], body = '') =>
  [`${start} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, '', body].join('\r\n');

describe('the text of a body', () => {
  test('that is not UTF-8 is rejected', async () => {
    await using open = await openServed();
    const { status, envelope } = await post(open, Buffer.from('7b2262766e223a22ff227d', 'hex'));
    expect(status).toBe(400);
    expect(envelope).toMatchObject({ response_code: '01', error: 'body: expected UTF-8' });
  });

  test('with a repeated key is rejected, and nothing is done', async () => {
    await using open = await openServed();
    const { status, envelope } = await post(open, '{"bvn":"22222222222","bvn":"33333333333"}');
    expect(status).toBe(400);
    expect(envelope.error).toBe('body: the key "bvn" appears more than once in one object');
    const list = await post(open, '{}', {}, '/v1/listfintechusers');
    expect(list.envelope.data).toMatchObject({ pagination: { total: 0 } });
  });

  test('in a path that is not UTF-8 is rejected, percent-encoded or not', async () => {
    await using open = await openServed();
    const key = `x-api-key: ${open.served.apiKey}`;
    for (const id of ['%FF', '\u00ff']) {
      const answer = await raw(open.port, Buffer.from(line(`GET /v1/balance/user/${id}`, [key]), 'latin1'));
      expect(parsed(answer)).toMatchObject({ status: 400, response_code: '01' });
    }
  });
});

describe('a content type', () => {
  test.each([
    ['application/json', 200],
    ['Application/JSON; charset=UTF-8', 200],
    ['application/json;charset="utf-8"', 200],
    ['application/json; charset=iso-8859-1', 400],
    ['text/plain', 400],
    ['text/plain;charset=UTF-8', 400],
    ['application/x-www-form-urlencoded', 400],
    ['application/jsonp', 400],
    ['', 400],
  ])('of %j: HTTP %d', async (type, status) => {
    await using open = await openServed();
    const reply = await post(open, '{"bvn":"22222222222"}', { 'content-type': type });
    expect(reply.status).toBe(status);
    if (status === 400) expect(reply.envelope.error).toBe('content-type: expected application/json, in UTF-8');
  });

  test('may be missing, and is ignored without a body', async () => {
    await using open = await openServed();
    const path = '/v1/getbankscode';
    expect((await send(open, { method: 'POST', path, body: '{}' })).status).toBe(200);
    expect((await post(open, '', { 'content-type': 'text/plain' }, path)).status).toBe(200);
  });

  test('with a compressed body is rejected', async () => {
    await using open = await openServed();
    const { status, envelope } = await post(open, '{}', { 'content-encoding': 'gzip' });
    expect({ status, error: envelope.error }).toEqual({
      status: 400,
      error: 'content-encoding: expected a body that is not compressed',
    });
  });
});

const malformed: [what: string, text: string, status: number, code: string][] = [
  ['headers that are too large', line('GET /v1/getfees', [`x-a: ${'a'.repeat(17 * KIBIBYTE)}`]), 431, '01'],
  ['a path that is too long', line(`GET /v1/${'a'.repeat(17 * KIBIBYTE)}`, []), 431, '01'],
  ['another expectation', line('POST /v1/onboarduser', ['Expect: 200-ok', 'Content-Length: 0']), 417, '01'],
  ['CONNECT', line('CONNECT localhost:443', []), 404, '02'],
  ['no HTTP at all', 'hello\r\n\r\n', 400, '01'],
  ['an unknown method', line('HELLO /v1/getfees', []), 400, '01'],
  ['a start of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, '01'],
  ['a length that is no number', line('POST /v1/onboarduser', ['Content-Length: x']), 400, '01'],
  ['two lengths', line('POST /v1/onboarduser', ['Content-Length: 1', 'Content-Length: 2'], '{}'), 400, '01'],
  ['a length and chunks', line('POST /v1/x', ['Content-Length: 2', 'Transfer-Encoding: chunked'], '{}'), 400, '01'],
  ['a broken chunk', line('POST /v1/onboarduser', ['Transfer-Encoding: chunked'], 'zz\r\n'), 400, '01'],
  ['a space in a header name', line('GET /v1/getfees', ['x api: 1']), 400, '01'],
  ['no Host', 'GET /v1/getfees HTTP/1.1\r\nConnection: close\r\n\r\n', 400, '01'],
  ['two Hosts', line('GET /v1/getfees', ['Host: localhost']), 400, '01'],
  ['an empty Host', line('GET /v1/getfees', []).replace('localhost', ''), 400, '01'],
  ['a Host that is none', line('GET /v1/getfees', []).replace('localhost', 'a b'), 400, '01'],
];

describe('an HTTP request with', () => {
  test.each(malformed)('%s gets the envelope of the service', async (_what, text, status, response_code) => {
    await using open = await openServed();
    const answer = await raw(open.port, Buffer.from(text, 'latin1'));
    expect(parsed(answer)).toEqual({ status, response_code, envelopeStatus: 'Error' });
    expect((await send(open)).status).toBe(200);
  });

  test('no Host is accepted in HTTP/1.0', async () => {
    await using open = await openServed();
    const answer = await raw(open.port, `GET /v1/getfees HTTP/1.0\r\nx-api-key: ${open.served.apiKey}\r\n\r\n`);
    expect(parsed(answer)).toMatchObject({ status: 200, response_code: '00' });
  });

  test('rubbish behind a request does not get the response to that request', async () => {
    await using open = await openServed();
    const body = '{"bvn":"22222222222"}';
    const headers = [`x-api-key: ${open.served.apiKey}`, `Content-Length: ${body.length}`];
    const onboard = line('POST /v1/onboarduser', headers, body).replace('Connection: close', 'Connection: keep-alive');
    expect(await raw(open.port, `${onboard}rubbish\r\n\r\n`)).not.toContain('HTTP/1.1 400');
  });
});

describe('the Host of a request', () => {
  test.each([
    ['localhost', 200],
    ['LOCALHOST:80', 200],
    ['localhost.', 200],
    ['127.0.0.1:8787', 200],
    ['127.0.0.9', 200],
    ['[::1]:8787', 200],
    ['evil.test', 403],
    ['localhost.evil.test', 403],
    ['127.0.0.1.evil.test', 403],
    ['192.168.1.5', 403],
    ['0.0.0.0', 403],
  ])('%j: HTTP %d', async (host, status) => {
    await using open = await openServed();
    const reply = await send(open, { headers: { host } });
    expect(reply.status).toBe(status);
    if (status === 403) expect(reply.envelope).toMatchObject({ status: 'Error', response_code: '03' });
  });

  test('may be a name that was allowed', async () => {
    await using open = await openServed({ allowHosts: ['Sandbox.Internal', '::ffff:10.0.0.1'] });
    expect((await send(open, { headers: { host: 'sandbox.internal:8787' } })).status).toBe(200);
    expect((await send(open, { headers: { host: '10.0.0.1' } })).status).toBe(200);
    expect((await send(open, { headers: { host: 'other.internal' } })).status).toBe(403);
  });

  test('counts in an absolute URL too', async () => {
    await using open = await openServed();
    expect((await send(open, { path: 'http://evil.test/v1/getfees' })).status).toBe(403);
    expect((await send(open, { path: 'http://localhost/v1/getfees' })).status).toBe(200);
  });
});

const ORIGIN = 'http://localhost:3000';

describe('the Origin of a request', () => {
  test.each([ORIGIN, 'null', '', 'http://evil.test'])('%j is rejected unless it was allowed', async (origin) => {
    await using open = await openServed();
    const reply = await send(open, { headers: { origin } });
    expect(reply).toMatchObject({ status: 403, envelope: { status: 'Error', response_code: '03' } });
    expect(reply.headers['access-control-allow-origin']).toBeUndefined();
  });

  test('that was allowed gets responses and rejections that its pages may read', async () => {
    await using open = await openServed({ allowOrigins: ['http://localhost:4000', ORIGIN] });
    for (const [key, status] of [
      [open.served.apiKey, 200],
      ['sandbox_wrong', 401],
    ] as const) {
      const reply = await send(open, { headers: { origin: ORIGIN, 'x-api-key': key } });
      expect(reply.status).toBe(status);
      expect(reply.headers).toMatchObject({ 'access-control-allow-origin': ORIGIN, vary: 'Origin' });
    }
    expect((await send(open, { headers: { origin: 'http://localhost:3001' } })).status).toBe(403);
    expect((await send(open)).headers['access-control-allow-origin']).toBeUndefined();
  });

  test('that was allowed gets its preflight request answered', async () => {
    await using open = await openServed({ allowOrigins: [ORIGIN] });
    const ask = (origin: string) =>
      send(open, {
        method: 'OPTIONS',
        path: '/v1/onboarduser',
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' },
      });
    const { status, headers } = await ask(ORIGIN);
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': 'GET, POST, PUT, DELETE',
      'access-control-allow-headers': 'x-api-key, content-type',
    });
    expect((await ask('http://evil.test')).status).toBe(403);
  });
});

describe('a sandbox on another address', () => {
  test('responds there, but its controls respond on loopback only', async () => {
    // All of 127.0.0.0/8 is loopback, so only a machine with another address can test the refusal.
    const { networkInterfaces } = await import('node:os');
    const address = Object.values(networkInterfaces())
      .flat()
      .find((each) => each?.family === 'IPv4' && !each.internal)?.address;
    await using open = await openServed({ host: '0.0.0.0' });
    expect(open.served.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect((await send(open, { path: '/_sandbox/clock' })).status).toBe(200);
    if (address === undefined) return;
    expect((await send(open, { host: address, path: '/v1/getfees' })).status).not.toBe(500);
    const refused = await send(open, { host: address, path: '/_sandbox/clock' });
    expect(refused).toMatchObject({ status: 403, envelope: { response_code: '03' } });
    expect((await send(open, { host: address, path: `http://${address}/_sandbox/clock` })).status).toBe(403);
  });

  test('has an IPv6 address in its URL in brackets', async () => {
    await using open = await openServed({ host: '::1' });
    expect(open.served.url).toMatch(/^http:\/\/\[::1\]:\d+\/v1$/);
    expect((await send(open, { host: '::1' })).status).toBe(200);
  });
});

describe('the limits', () => {
  test('of a body are lower without a known key', async () => {
    await using open = await openServed();
    const body = (size: number) => '{}'.padEnd(size, ' ');
    const path = '/v1/getbankscode';
    const statusOf = async (size: number, key: string) =>
      (await post(open, body(size), { 'x-api-key': key }, path)).status;
    expect(await statusOf(64 * KIBIBYTE + 1, open.served.apiKey)).toBe(200);
    expect(await statusOf(64 * KIBIBYTE + 1, 'sandbox_wrong')).toBe(401);
    const nowhere = await post(open, body(64 * KIBIBYTE + 1), { 'x-api-key': 'sandbox_wrong' }, '/v1/nothing');
    expect(nowhere.status).toBe(404);
  });

  test.each([
    ['whole headers', { headersMs: 200 }, 'GET /v1/getfees HTTP/1.1\r\nHost: localhost\r\n'],
    ['a whole body', { headersMs: 200, requestMs: 400 }, line('POST /v1/onboarduser', ['Content-Length: 10'], '{')],
  ])('of time reject a request without %s', async (_what, limits, text) => {
    await using open = await openServed({ limits: { ...limits, checkEveryMs: 50 } });
    expect(parsed(await raw(open.port, text))).toMatchObject({ status: 408, response_code: '01' });
  });

  test('of time end a silent connection', async () => {
    await using open = await openServed({ limits: { idleMs: 200 } });
    const socket = connect(open.port, '127.0.0.1');
    // Without an error: the server ended it.
    expect(await once(socket, 'close', { signal: AbortSignal.timeout(5_000) })).toEqual([false]);
  });

  test('of a response reject a large snapshot', async () => {
    await using open = await openServed({ limits: { responseBytes: 10_000 } });
    const reply = await post(open, '{}', {}, '/_sandbox/snapshot');
    expect(reply).toMatchObject({ status: 413, envelope: { status: 'Error', response_code: '01' } });
    expect((await send(open)).status).toBe(200);
  });

  test('of connections turn further ones away', async () => {
    await using open = await openServed({ limits: { connections: 2 } });
    const sockets: Socket[] = [];
    for (let count = 0; count < 2; count++) {
      const socket = connect(open.port, '127.0.0.1');
      sockets.push(socket);
      await once(socket, 'connect');
    }
    const third = connect(open.port, '127.0.0.1').on('error', () => {});
    await once(third, 'close', { signal: AbortSignal.timeout(5_000) });
    for (const socket of sockets) socket.destroy();
    await Promise.all(sockets.map((socket) => once(socket, 'close')));
    await expect.poll(async () => (await send(open).catch(() => ({ status: 0 }))).status).toBe(200);
  });
});
