import { getEventListeners, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { CliError, ExchangeError } from '../../src/base/errors.ts';
import { Secret } from '../../src/base/secret.ts';
import type { HttpRequest, HttpResponse } from '../../src/base/world.ts';
import { createClient } from '../../src/client/client.ts';
import { MAX_BODY_BYTES } from '../../src/client/network.ts';
import { validRequest } from '../../src/client/request.ts';
import { balanceMulti } from '../../src/contract/endpoints/balances.ts';
import { startOnramp } from '../../src/contract/endpoints/onramp.ts';
import { type Certificate, selfSigned } from '../support/certificate.ts';
import { success } from '../support/exchange.ts';
import {
  bodyOf,
  closedPort,
  httpServer,
  httpsServer,
  proxyServer,
  tcpServer,
  testNetwork,
} from '../support/loopback.ts';

const NEVER = new AbortController().signal;

function requestTo(url: string, more: Partial<HttpRequest> = {}): HttpRequest {
  return {
    method: 'POST',
    url,
    headers: { 'x-api-key': 'k', 'content-type': 'application/json' },
    body: '{"a":1}',
    ...more,
  };
}

/** Returns the error of an exchange that must fail. */
async function failure(exchange: Promise<HttpResponse>): Promise<ExchangeError> {
  const error = await exchange.then(
    ({ status }) => new Error(`the response was ${status}`),
    (reason: unknown) => reason,
  );
  if (error instanceof ExchangeError) return error;
  throw error;
}

const exchangeWith = (url: string) => testNetwork()(requestTo(`${url}/anything`), NEVER);

describe('a request and its response', () => {
  test('are passed on unchanged', async () => {
    const seen: unknown[] = [];
    const { baseUrl } = await httpServer(async (request, response) => {
      seen.push(request.method, request.url, request.headers['x-api-key'], await bodyOf(request));
      response.writeHead(201, { 'X-Something': 'Else', 'set-cookie': ['a=1', 'b=2'] }).end('₦ and more');
    });
    const answer = await testNetwork()(requestTo(`${baseUrl}/a%20b?c=d`, { body: '{"n":"₦"}' }), NEVER);
    expect(seen).toEqual(['POST', '/v1/a%20b?c=d', 'k', '{"n":"₦"}']);
    expect(answer).toMatchObject({ status: 201, body: '₦ and more', headers: { 'x-something': 'Else' } });
  });

  test('leave nothing behind on the signal, which lives as long as an export of many pages', async () => {
    const { baseUrl } = await httpServer((_, response) => response.end('{}'));
    const network = testNetwork();
    const { signal } = new AbortController();
    await network(requestTo(`${baseUrl}/first`), signal);
    await network(requestTo(`${baseUrl}/second`), signal);
    await expect.poll(() => getEventListeners(signal, 'abort').length).toBe(0);
  });

  test('have the header x-api-key once, in lower case on the wire', async () => {
    let names: string[] = [];
    const { baseUrl } = await httpServer((request, response) => {
      names = request.rawHeaders.filter((_, index) => index % 2 === 0);
      response.end();
    });
    await exchangeWith(baseUrl);
    expect(names.filter((name) => name.toLowerCase() === 'x-api-key')).toEqual(['x-api-key']);
  });

  test('a GET has no body', async () => {
    let headers: unknown;
    const { baseUrl } = await httpServer((request, response) => {
      headers = request.headers;
      response.end('{}');
    });
    await testNetwork()(requestTo(baseUrl, { method: 'GET', body: undefined, headers: {} }), NEVER);
    expect(Object.keys(headers as object)).not.toContain('content-length');
    expect(Object.keys(headers as object)).not.toContain('transfer-encoding');
  });

  test('a redirect is a response, and is not followed', async () => {
    let visits = 0;
    const elsewhere = await httpServer((_, response) => {
      visits += 1;
      response.end('{}');
    });
    const { baseUrl } = await httpServer((_, response) => {
      response.writeHead(302, { location: elsewhere.baseUrl }).end();
    });
    expect({ status: (await exchangeWith(baseUrl)).status, visits }).toEqual({ status: 302, visits: 0 });
  });

  test('does not decompress a response', async () => {
    let accepts: string | undefined;
    const { baseUrl } = await httpServer((request, response) => {
      accepts = request.headers['accept-encoding'];
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('not unpacked');
    });
    expect({ body: (await exchangeWith(baseUrl)).body, accepts }).toEqual({ body: 'not unpacked', accepts: undefined });
  });

  test('skips an early hint', async () => {
    const { baseUrl } = await httpServer((_, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.end('{"late":true}');
    });
    expect(await exchangeWith(baseUrl)).toMatchObject({ status: 200, body: '{"late":true}' });
  });
});

/** Waits for the whole request, then runs `talk`. */
const afterRequest = (talk: (socket: Socket) => void) => (socket: Socket) => {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
    if (text.endsWith('}')) talk(socket);
  });
};

/** Failures of an open connection: the service may have acted on the request. */
const FAULTS: readonly (readonly [name: string, talk: (socket: Socket) => void, words: RegExp])[] = [
  ['a connection that closes at once', (socket) => socket.destroy(), /connection was lost|failed/],
  ['a connection that ends at once', (socket) => socket.end(), /connection was lost|failed/],
  ['a connection that closes after the request', afterRequest((socket) => socket.destroy()), /connection was lost/],
  ['a connection that ends after the request', afterRequest((socket) => socket.end()), /connection was lost/],
  [
    'a status line that is cut off',
    afterRequest((socket) => socket.end('HTTP/1.1 20')),
    /connection was lost|not HTTP/,
  ],
  [
    'headers that are cut off',
    afterRequest((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-')),
    /connection was lost|not HTTP/,
  ],
  [
    'a body that is cut off',
    afterRequest((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"response_code":"00"')),
    /connection was lost|ended without/,
  ],
  [
    'a body that is reset',
    afterRequest((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"response_code":"00"', () =>
        socket.resetAndDestroy(),
      );
    }),
    /connection was lost/,
  ],
  [
    'invalid chunks',
    afterRequest((socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzzzz\r\ngarbage')),
    /not HTTP|connection was lost/,
  ],
  [
    'chunks that are cut off',
    afterRequest((socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a')),
    /connection was lost|ended without/,
  ],
  ['bytes that are not HTTP', afterRequest((socket) => socket.end('220 mail.test ESMTP\r\n')), /not HTTP/],
  [
    'two lengths',
    afterRequest((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab')),
    /not HTTP/,
  ],
  [
    'endless headers',
    afterRequest((socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}`)),
    /not HTTP/,
  ],
  [
    'a protocol switch',
    afterRequest((socket) => socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n')),
    /switched|connection was lost|not HTTP/,
  ],
];

function clientOf(baseUrl: string, totalMs: number) {
  return createClient({
    exchange: testNetwork(),
    target: { baseUrl, apiKey: new Secret('k') },
    clock: { now: () => Date.now(), sleep: () => Promise.reject(new Error('nobody sleeps here')) },
    totalMs,
    interrupted: NEVER,
  });
}

/** Returns the error of a money request that must fail. */
async function paying(baseUrl: string, totalMs = 5_000): Promise<CliError> {
  const error = await clientOf(baseUrl, totalMs)
    .call(validRequest(startOnramp, { userId: 'u', amount: 5 }))
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );
  if (error instanceof CliError) return error;
  throw error ?? new Error('the request succeeded');
}

describe.each(FAULTS)('%s', (_, talk, words) => {
  test('is reported, with the request possibly sent', async () => {
    const { baseUrl } = await tcpServer(talk);
    const error = await failure(exchangeWith(baseUrl));
    expect({ sent: error.sent, message: error.message }).toEqual({ sent: true, message: expect.stringMatching(words) });
  });

  test('leaves a money request with an unknown outcome, after one connection', async () => {
    let connections = 0;
    const { baseUrl } = await tcpServer((socket) => {
      connections += 1;
      talk(socket);
    });
    expect({ category: (await paying(baseUrl)).category, connections }).toEqual({
      category: 'unknown',
      connections: 1,
    });
  });
});

describe('connections', () => {
  /** A server that records the connection of each request. */
  async function counted(
    answer: (request: number, response: ServerResponse) => void = (_, response) => response.end(),
  ) {
    const sockets: unknown[] = [];
    const over: number[] = [];
    const { baseUrl } = await httpServer((request, response) => {
      if (!sockets.includes(request.socket)) sockets.push(request.socket);
      over.push(sockets.indexOf(request.socket));
      answer(over.length, response);
    });
    return { over, baseUrl };
  }

  test('of a client are shared by reads and payments that follow at once', async () => {
    const body = success({ requestId: 'r', status: 'requested', token: 'CNGN' }).body;
    const { over, baseUrl } = await counted((_, response) => {
      response.setHeader('content-type', 'application/json').end(body);
    });
    const client = clientOf(baseUrl, 5_000);
    const pay = () => client.call(validRequest(startOnramp, { userId: 'u', amount: 5 }));
    const read = () => client.call(validRequest(balanceMulti, {}));
    for (const call of [read, pay, pay, read, pay]) await call();
    expect(over).toEqual([0, 0, 0, 0, 0]);
  });

  test.each<[what: string, nowMs: number, steadyMs: number]>([
    ['a second has passed', 1_001, 1_001],
    ['the machine slept', 60_000, 5],
    ['the clock was set back', -60_000, 5],
    ['the clock was set back to when the response came', 0, 1_001],
  ])('are used by a change only while they are fresh: not if %s', async (_what, nowMs, steadyMs) => {
    const { over, baseUrl } = await counted();
    const time = { nowMs: 5_000_000, steadyMs: 7_000 };
    const network = testNetwork({}, { now: () => time.nowMs, steadyMs: () => time.steadyMs });
    const send = (isRead: boolean) => network(requestTo(baseUrl), NEVER, isRead);
    const pass = () => {
      time.nowMs += nowMs;
      time.steadyMs += steadyMs;
    };
    await send(true);
    await send(false);
    pass();
    await send(true);
    pass();
    await send(false);
    await send(true);
    expect(over).toEqual([0, 0, 0, 1, 1]);
  });

  test('that the server has closed by now take no change', async () => {
    const { over, baseUrl } = await counted((request, response) => {
      // Closed in spite of keep-alive.
      response.end('', () => {
        if (request < 3) response.socket?.destroy();
      });
    });
    const network = testNetwork();
    for (const isRead of [true, false, false]) {
      await network(requestTo(baseUrl), NEVER, isRead);
      // As while a journal is flushed: the end of the connection arrives, and nothing reads it.
      await new Promise((resolve) => setImmediate(resolve));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
    expect(over).toEqual([0, 1, 2]);
  });

  test('that the server closed in between do not fail a read', async () => {
    const body = JSON.stringify({ status: 'Success', response_code: '00', data: { token: 'CNGN' } });
    const { over, baseUrl } = await counted((request, response) => {
      response.setHeader('content-type', 'application/json');
      // Closed in spite of keep-alive.
      response.end(body, () => {
        if (request === 1) response.socket?.destroy();
      });
    });
    const client = createClient({
      exchange: testNetwork(),
      target: { baseUrl, apiKey: new Secret('k') },
      clock: { now: () => Date.now(), sleep: () => Promise.resolve() },
      interrupted: NEVER,
      totalMs: 5_000,
    });
    await client.call(validRequest(balanceMulti, {}));
    await client.call(validRequest(balanceMulti, {}));
    expect(new Set(over)).toEqual(new Set([0, 1]));
  });
});

describe('nothing was sent', () => {
  test('when the connection is refused', async () => {
    const error = await failure(exchangeWith(`http://127.0.0.1:${await closedPort()}/v1`));
    expect({ sent: error.sent, message: error.message }).toEqual({
      sent: false,
      message: 'the connection was refused',
    });
  });

  test('of a money request when the connection is refused', async () => {
    const error = await paying(`http://127.0.0.1:${await closedPort()}/v1`);
    expect({ category: error.category, message: error.message }).toEqual({
      category: 'network',
      message: 'nothing was sent: the connection was refused',
    });
  });

  test('when the host has no address', async () => {
    const error = await failure(exchangeWith('http://nobody.invalid/v1'));
    expect({ sent: error.sent, message: error.message }).toEqual({
      sent: false,
      message: expect.stringMatching(/host name/),
    });
  });

  test('when the process was suspended while it connected', async () => {
    let bytes = 0;
    const closed = Promise.withResolvers<void>();
    const { port } = await tcpServer((socket) => {
      socket.on('close', () => closed.resolve()).on('error', () => {});
      socket.on('data', (data) => {
        bytes += data.length;
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
      });
    });
    const isLate = () => true;
    const error = await failure(testNetwork()(requestTo(`http://127.0.0.1:${port}/v1`, { isLate }), NEVER));
    await closed.promise;
    expect({ sent: error.sent, bytes }).toEqual({ sent: false, bytes: 0 });
    expect(error.message).toContain('was suspended');
  });

  test('when it was canceled before', async () => {
    const { baseUrl } = await httpServer((_, response) => response.end());
    const error = await failure(testNetwork()(requestTo(baseUrl), AbortSignal.abort()));
    expect({ sent: error.sent, message: error.message }).toEqual({ sent: false, message: 'the request was canceled' });
  });
});

describe('an endless body', () => {
  const CHUNK = Buffer.alloc(1024 * 1024, 'x');
  const GIGABYTE = 1024 * CHUNK.length;

  /** Writes until the client disconnects; returns the number of bytes. */
  async function pour(response: ServerResponse): Promise<number> {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': GIGABYTE });
    let written = 0;
    const gone = once(response, 'close');
    for (; written < GIGABYTE && !response.destroyed; written += CHUNK.length) {
      if (!response.write(CHUNK)) await Promise.race([gone, once(response, 'drain').catch(() => {})]);
    }
    return written;
  }

  test('is not read to its end or kept in memory', async () => {
    const poured: Promise<number>[] = [];
    const { baseUrl } = await httpServer((_, response) => {
      poured.push(pour(response));
    });
    const before = process.memoryUsage().arrayBuffers;
    const error = await failure(exchangeWith(baseUrl));
    const kept = process.memoryUsage().arrayBuffers - before;
    expect({ sent: error.sent, message: error.message }).toEqual({
      sent: true,
      message: 'the response is larger than 16 MiB',
    });
    expect(await poured[0]).toBeLessThan(8 * MAX_BODY_BYTES);
    expect(kept).toBeLessThan(8 * MAX_BODY_BYTES);
  });

  test('leaves a money request with an unknown outcome', async () => {
    const { baseUrl } = await httpServer((_, response) => {
      void pour(response);
    });
    expect((await paying(baseUrl)).category).toBe('unknown');
  });
});

describe('a service that is too slow', () => {
  const SLOW: readonly (readonly [name: string, talk: (socket: Socket) => void])[] = [
    ['sends nothing', () => {}],
    ['stops after its status', afterRequest((socket) => socket.write('HTTP/1.1 200 OK\r\n'))],
    ['stops in its body', afterRequest((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{'))],
  ];

  test.each(SLOW)('leaves a money request with an unknown outcome when it %s', async (_, talk) => {
    const { baseUrl } = await tcpServer(talk);
    // Long enough to connect and send on a busy machine.
    const error = await paying(baseUrl, 1_500);
    expect({ category: error.category, message: error.message }).toEqual({
      category: 'unknown',
      message: expect.stringContaining('no response within 1.5 seconds'),
    });
  });

  test.each(SLOW)('times out a read when it %s', async (_, talk) => {
    const { baseUrl } = await tcpServer(talk);
    const read = clientOf(baseUrl, 150).call(validRequest(balanceMulti, {}));
    await expect(read).rejects.toMatchObject({ category: 'network', code: 'TIMEOUT' });
  });

  test('has its connection closed', async () => {
    const closed: Promise<unknown>[] = [];
    const { baseUrl } = await tcpServer((socket) => {
      closed.push(once(socket.resume(), 'close'));
    });
    await paying(baseUrl, 150);
    await expect(closed[0]).resolves.toBeDefined();
  });
});

describe('the time limit for connecting', () => {
  afterEach(() => {
    vi.useRealTimers();
  });
  const fakeTimeouts = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

  test.each([true, false])(
    'ends a request whose proxy opens no tunnel, with nothing sent (read: %s)',
    async (isRead) => {
      fakeTimeouts();
      const asked = Promise.withResolvers<Socket>();
      const { port } = await tcpServer((socket) => socket.once('data', () => asked.resolve(socket)));
      const network = testNetwork({ HTTPS_PROXY: `http://127.0.0.1:${port}` });
      const ended = failure(network(requestTo('https://service.test/v1'), NEVER, isRead));
      const socket = await asked.promise;
      await vi.advanceTimersByTimeAsync(9_999);
      expect(vi.getTimerCount()).toBe(1);
      const closed = once(socket, 'close');
      await vi.advanceTimersByTimeAsync(1);
      expect(await ended).toMatchObject({ sent: false, message: 'the connection timed out' });
      await closed;
    },
  );

  test('does not apply to a response', async () => {
    fakeTimeouts();
    const asked = Promise.withResolvers<ServerResponse>();
    const { baseUrl } = await httpServer((_, response) => asked.resolve(response));
    const exchange = testNetwork()(requestTo(baseUrl), NEVER);
    const response = await asked.promise;
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(60_000);
    response.end('late');
    expect(await exchange).toMatchObject({ status: 200, body: 'late' });
  });

  test('leaves no timer after a refused connection', async () => {
    fakeTimeouts();
    await failure(exchangeWith(`http://127.0.0.1:${await closedPort()}/v1`));
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a proxy that hangs', () => {
  test.each(['HTTP_PROXY', 'HTTPS_PROXY'])(
    'does not outlast the time limit (%s)',
    async (variable) => {
      const isTls = variable === 'HTTPS_PROXY';
      const asked = Promise.withResolvers<void>();
      const closed = Promise.withResolvers<void>();
      const { port } = await tcpServer((socket) => {
        socket.once('data', () => asked.resolve()).once('close', () => closed.resolve());
      });
      const limit = new AbortController();
      const network = testNetwork({ [variable]: `http://127.0.0.1:${port}` });
      const ended = failure(network(requestTo(`http${isTls ? 's' : ''}://service.test/v1`), limit.signal));
      await asked.promise;
      limit.abort();
      // Without a tunnel, the request never left. A proxy for plain HTTP has the request itself.
      expect({ sent: (await ended).sent, message: (await ended).message }).toEqual({
        sent: !isTls,
        message: 'the request was canceled',
      });
      await closed.promise;
    },
    8_000,
  );
});

describe('a proxy', () => {
  const URL = 'http://service.test/v1/anything';
  const ANSWER = '{"from":"proxy"}';

  test.each(['HTTP_PROXY', 'http_proxy'])('in %s forwards plain requests', async (variable) => {
    const proxy = await proxyServer(ANSWER);
    const answer = await testNetwork({ [variable]: `http://127.0.0.1:${proxy.port}` })(requestTo(URL), NEVER);
    expect({ body: answer.body, asked: proxy.asked }).toEqual({ body: ANSWER, asked: [`POST ${URL}`] });
  });

  test.each(['http', 'https'])('that cannot be reached is named as the cause (%s)', async (scheme) => {
    const address = `http://127.0.0.1:${await closedPort()}`;
    const network = testNetwork({ HTTP_PROXY: address, HTTPS_PROXY: address });
    const { sent, message } = await failure(network(requestTo(`${scheme}://service.test/v1`), NEVER));
    expect({ sent, message }).toEqual({
      sent: false,
      message: 'the proxy cannot be reached: the connection was refused',
    });
  });

  test('may not say more than other responses have headers', async () => {
    const { port } = await tcpServer((socket) => {
      const pour = () => {
        while (socket.write(`x-more: ${'y'.repeat(1_000)}\r\n`));
      };
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n', pour)).on('drain', pour);
    });
    const network = testNetwork({ HTTPS_PROXY: `http://127.0.0.1:${port}` });
    expect(await failure(network(requestTo('https://service.test/v1'), NEVER))).toMatchObject({
      sent: false,
      message: 'the proxy sent more than 16 KiB before it opened a tunnel',
    });
  });

  test.each(['HTTPS_PROXY', 'https_proxy'])('in %s is asked for a tunnel', async (variable) => {
    const proxy = await proxyServer(ANSWER);
    const env = { [variable]: `http://127.0.0.1:${proxy.port}` };
    const error = await failure(testNetwork(env)(requestTo('https://service.test/v1'), NEVER));
    expect({ asked: proxy.asked, sent: error.sent }).toEqual({ asked: ['CONNECT service.test:443'], sent: false });
    expect(error.message).toContain('the proxy refused the connection');
  });

  test('for plain requests is not used for encrypted ones, and vice versa', async () => {
    const proxy = await proxyServer(ANSWER);
    const address = `http://127.0.0.1:${proxy.port}`;
    await failure(testNetwork({ HTTP_PROXY: address })(requestTo('https://nobody.invalid/v1'), NEVER));
    await failure(testNetwork({ HTTPS_PROXY: address })(requestTo('http://nobody.invalid/v1'), NEVER));
    expect(proxy.asked).toEqual([]);
  });

  test.each(['NO_PROXY', 'no_proxy'])('is bypassed for the hosts in %s', async (variable) => {
    const proxy = await proxyServer(ANSWER);
    const { baseUrl } = await httpServer((_, response) => response.end('direct'));
    const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, [variable]: 'example.com,127.0.0.1' };
    const answer = await testNetwork(env)(requestTo(baseUrl), NEVER);
    expect({ body: answer.body, asked: proxy.asked }).toEqual({ body: 'direct', asked: [] });
  });

  test('that refuses the connection has sent nothing', async () => {
    const network = testNetwork({ HTTP_PROXY: `http://127.0.0.1:${await closedPort()}` });
    expect(await failure(network(requestTo(URL), NEVER))).toMatchObject({ sent: false });
  });

  test('that drops the connection may have sent a plain request', async () => {
    const { port } = await tcpServer(afterRequest((socket) => socket.destroy()));
    const network = testNetwork({ HTTP_PROXY: `http://127.0.0.1:${port}` });
    expect(await failure(network(requestTo(URL), NEVER))).toMatchObject({ sent: true });
  });
});

describe('TLS', () => {
  const cleanUps: (() => void | Promise<void>)[] = [];
  const usual = getCACertificates();
  let certificate: Certificate;
  beforeAll(() => {
    certificate = selfSigned((cleanUp) => cleanUps.push(cleanUp));
  });
  afterAll(async () => {
    setDefaultCACertificates(usual);
    for (const cleanUp of cleanUps) await cleanUp();
  });
  const trust = () => setDefaultCACertificates([...usual, certificate.cert]);
  const distrust = () => setDefaultCACertificates(usual);

  test('with an untrusted certificate sends nothing', async () => {
    distrust();
    let requests = 0;
    const { baseUrl } = await httpsServer(certificate, (_, response) => {
      requests += 1;
      response.end('{}');
    });
    const error = await failure(exchangeWith(baseUrl));
    expect({ sent: error.sent, requests }).toEqual({ sent: false, requests: 0 });
    expect(error.message).toContain("the server's certificate is not trusted");
  });

  test('with a server that does not use TLS sends nothing', async () => {
    const { port } = await httpServer((_, response) => response.end('{}'));
    const error = await failure(exchangeWith(`https://localhost:${port}/v1`));
    expect(error.sent).toBe(false);
  });

  test('with a server that disconnects during the handshake sends nothing', async () => {
    const { port } = await tcpServer((socket) => {
      socket.once('data', () => socket.destroy());
    });
    const error = await failure(exchangeWith(`https://localhost:${port}/v1`));
    expect(error.sent).toBe(false);
  });

  test('with a certificate for another name sends nothing', async () => {
    trust();
    const { port } = await httpsServer(certificate, (_, response) => response.end('{}'));
    const error = await failure(exchangeWith(`https://127.0.0.1:${port}/v1`));
    expect({ sent: error.sent, message: error.message }).toEqual({
      sent: false,
      message: expect.stringContaining('not trusted'),
    });
  });

  test('with a trusted certificate carries request and response', async () => {
    trust();
    const { baseUrl } = await httpsServer(certificate, async (request, response) => {
      response.end(await bodyOf(request));
    });
    expect(await exchangeWith(baseUrl)).toMatchObject({ status: 200, body: '{"a":1}' });
  });

  test('sends nothing if the process was suspended during the handshake', async () => {
    trust();
    let requests = 0;
    const { baseUrl } = await httpsServer(certificate, (_, response) => {
      requests += 1;
      response.end('{}');
    });
    const error = await failure(testNetwork()(requestTo(baseUrl, { isLate: () => true }), NEVER));
    expect({ sent: error.sent, requests }).toEqual({ sent: false, requests: 0 });
  });

  test('that breaks after the request may have sent it', async () => {
    trust();
    const { baseUrl } = await httpsServer(certificate, (request) => request.socket.destroy());
    expect(await failure(exchangeWith(baseUrl))).toMatchObject({ sent: true });
  });

  test('works through a tunnel', async () => {
    trust();
    const { port } = await httpsServer(certificate, async (request, response) => {
      response.end(await bodyOf(request));
    });
    const proxy = await proxyServer('', port);
    const network = testNetwork({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
    const answer = await network(requestTo('https://service.test/v1'), NEVER);
    expect({ body: answer.body, asked: proxy.asked }).toEqual({ body: '{"a":1}', asked: ['CONNECT service.test:443'] });
  });

  test('in a tunnel that breaks after the request may have sent it', async () => {
    trust();
    const { port } = await httpsServer(certificate, (request) => request.socket.destroy());
    const proxy = await proxyServer('', port);
    const network = testNetwork({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
    expect(await failure(network(requestTo('https://service.test/v1'), NEVER))).toMatchObject({ sent: true });
  });

  test('in a tunnel to an untrusted server sends nothing', async () => {
    distrust();
    const { port } = await httpsServer(certificate, (_, response) => response.end('{}'));
    const proxy = await proxyServer('', port);
    const network = testNetwork({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
    const error = await failure(network(requestTo('https://service.test/v1'), NEVER));
    expect({ sent: error.sent, message: error.message }).toEqual({
      sent: false,
      message: expect.stringContaining('not trusted'),
    });
  });
});
