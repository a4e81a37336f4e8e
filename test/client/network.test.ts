import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import { ExchangeError } from '../../src/base/exchange-error.ts';
import { Secret } from '../../src/base/secret.ts';
import type { HttpRequest, HttpResponse } from '../../src/base/world.ts';
import { createClient } from '../../src/client/client.ts';
import { createNetwork, MAX_BODY_BYTES } from '../../src/client/network.ts';
import { balanceMulti } from '../../src/contract/endpoints/balances.ts';
import { startOnramp } from '../../src/contract/endpoints/onramp.ts';
import { type Certificate, selfSigned } from '../support/certificate.ts';
import { success } from '../support/exchange.ts';
import { bodyOf, closedPort, httpServer, httpsServer, proxyServer, tcpServer } from '../support/loopback.ts';

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

/** The error of an exchange that has to fail. */
async function failure(exchange: Promise<HttpResponse>): Promise<ExchangeError> {
  const error = await exchange.then(
    ({ status }) => new Error(`it was answered with ${status}`),
    (reason: unknown) => reason,
  );
  if (error instanceof ExchangeError) return error;
  throw error;
}

const exchangeWith = (url: string) => createNetwork({})(requestTo(`${url}/anything`), NEVER);

describe('a request and its answer', () => {
  test('pass as they are', async () => {
    const seen: unknown[] = [];
    const { baseUrl } = await httpServer(async (request, response) => {
      seen.push(request.method, request.url, request.headers['x-api-key'], await bodyOf(request));
      response.writeHead(201, { 'X-Something': 'Else', 'set-cookie': ['a=1', 'b=2'] }).end('₦ and more');
    });
    const answer = await createNetwork({})(requestTo(`${baseUrl}/a%20b?c=d`, { body: '{"n":"₦"}' }), NEVER);
    expect(seen).toEqual(['POST', '/v1/a%20b?c=d', 'k', '{"n":"₦"}']);
    expect(answer).toMatchObject({ status: 201, body: '₦ and more', headers: { 'x-something': 'Else' } });
  });

  test('the header x-api-key is spelled in lower case on the wire, and there once', async () => {
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
    await createNetwork({})(requestTo(baseUrl, { method: 'GET', body: undefined, headers: {} }), NEVER);
    expect(Object.keys(headers as object)).not.toContain('content-length');
    expect(Object.keys(headers as object)).not.toContain('transfer-encoding');
  });

  test('a redirect is an answer, and is not followed', async () => {
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

  test('a compressed answer is not unpacked: nobody asked for one', async () => {
    let accepts: string | undefined;
    const { baseUrl } = await httpServer((request, response) => {
      accepts = request.headers['accept-encoding'];
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('not unpacked');
    });
    expect({ body: (await exchangeWith(baseUrl)).body, accepts }).toEqual({ body: 'not unpacked', accepts: undefined });
  });

  test('an early hint is not the answer', async () => {
    const { baseUrl } = await httpServer((_, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.end('{"late":true}');
    });
    expect(await exchangeWith(baseUrl)).toMatchObject({ status: 200, body: '{"late":true}' });
  });

  test('each request has a connection of its own', async () => {
    const ports = new Set<number | undefined>();
    const { baseUrl } = await httpServer((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{}');
    });
    await exchangeWith(baseUrl);
    await exchangeWith(baseUrl);
    expect(ports.size).toBe(2);
  });
});

/** Waits for the whole request, then talks. */
const afterRequest = (talk: (socket: Socket) => void) => (socket: Socket) => {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
    if (text.endsWith('}')) talk(socket);
  });
};

/** What goes wrong after a connection has come about: the request may have been done. */
const FAULTS: readonly (readonly [name: string, talk: (socket: Socket) => void, words: RegExp])[] = [
  ['a connection that closes at once', (socket) => socket.destroy(), /broke off|failed/],
  ['a connection that ends at once', (socket) => socket.end(), /broke off|failed/],
  ['a connection that closes after the request', afterRequest((socket) => socket.destroy()), /broke off/],
  ['a connection that ends after the request', afterRequest((socket) => socket.end()), /broke off/],
  ['a status line that is cut off', afterRequest((socket) => socket.end('HTTP/1.1 20')), /broke off|not HTTP/],
  [
    'headers that are cut off',
    afterRequest((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-')),
    /broke off|not HTTP/,
  ],
  [
    'a body that is cut off',
    afterRequest((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"response_code":"00"')),
    /broke off|ended without/,
  ],
  [
    'a body that is reset',
    afterRequest((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"response_code":"00"', () =>
        socket.resetAndDestroy(),
      );
    }),
    /broke off/,
  ],
  [
    'chunks that are garbage',
    afterRequest((socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzzzz\r\ngarbage')),
    /not HTTP|broke off/,
  ],
  [
    'chunks that are cut off',
    afterRequest((socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a')),
    /broke off|ended without/,
  ],
  ['bytes that are no HTTP', afterRequest((socket) => socket.end('220 mail.test ESMTP\r\n')), /not HTTP/],
  [
    'two lengths',
    afterRequest((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab')),
    /not HTTP/,
  ],
  [
    'headers without end',
    afterRequest((socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}`)),
    /not HTTP/,
  ],
  [
    'a switch of protocols that nobody asked for',
    afterRequest((socket) => socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n')),
    /switched|broke off|not HTTP/,
  ],
];

function clientOf(baseUrl: string, totalMs: number) {
  return createClient({
    exchange: createNetwork({}),
    target: { baseUrl, apiKey: new Secret('k') },
    clock: { now: () => Date.now(), sleep: () => Promise.reject(new Error('nobody sleeps here')) },
    totalMs,
    interrupted: NEVER,
  });
}

/** How a money request ends. */
async function paying(baseUrl: string, totalMs = 5_000): Promise<CliError> {
  const error = await clientOf(baseUrl, totalMs)
    .call(startOnramp, { userId: 'u', amount: 5 })
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );
  if (error instanceof CliError) return error;
  throw error ?? new Error('it went well');
}

describe.each(FAULTS)('%s', (_, talk, words) => {
  test('is told, and that the request may have left', async () => {
    const { baseUrl } = await tcpServer(talk);
    const error = await failure(exchangeWith(baseUrl));
    expect({ sent: error.sent, message: error.message }).toEqual({ sent: true, message: expect.stringMatching(words) });
  });

  test('leaves a money request in doubt, sent over one connection', async () => {
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
  /** A server that tells which of its connections each request came over. */
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

  test('are shared by reads, and by nothing else', async () => {
    const { over, baseUrl } = await counted();
    const network = createNetwork({});
    for (const isRead of [true, true, false, false, true]) await network(requestTo(baseUrl), NEVER, isRead);
    expect(over).toEqual([0, 0, 1, 2, 0]);
  });

  test('are never shared by payments, of a client either', async () => {
    const body = success({ requestId: 'r', status: 'requested', token: 'CNGN' }).body;
    const { over, baseUrl } = await counted((_, response) => {
      response.setHeader('content-type', 'application/json').end(body);
    });
    const client = clientOf(baseUrl, 5_000);
    const pay = () => client.call(startOnramp, { userId: 'u', amount: 5 });
    const read = () => client.call(balanceMulti, {});
    for (const call of [read, pay, pay, read, pay]) await call();
    expect(over).toEqual([0, 1, 2, 0, 3]);
  });

  test('that were closed in between cost a read nothing', async () => {
    const body = JSON.stringify({ status: 'Success', response_code: '00', data: { token: 'CNGN' } });
    const { over, baseUrl } = await counted((request, response) => {
      response.setHeader('content-type', 'application/json');
      // Said to stay open, and closed all the same.
      response.end(body, () => {
        if (request === 1) response.socket?.destroy();
      });
    });
    const client = createClient({
      exchange: createNetwork({}),
      target: { baseUrl, apiKey: new Secret('k') },
      clock: { now: () => Date.now(), sleep: () => Promise.resolve() },
      interrupted: NEVER,
      totalMs: 5_000,
    });
    await client.call(balanceMulti, {});
    await client.call(balanceMulti, {});
    expect(new Set(over)).toEqual(new Set([0, 1]));
  });
});

describe('nothing was sent', () => {
  test('when nobody listens', async () => {
    const error = await failure(exchangeWith(`http://127.0.0.1:${await closedPort()}/v1`));
    expect({ sent: error.sent, message: error.message }).toEqual({
      sent: false,
      message: 'the connection was refused',
    });
  });

  test('and a money request that nobody listens to is no doubt', async () => {
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

  test('when it was given up before', async () => {
    const { baseUrl } = await httpServer((_, response) => response.end());
    const error = await failure(createNetwork({})(requestTo(baseUrl), AbortSignal.abort()));
    expect({ sent: error.sent, message: error.message }).toEqual({ sent: false, message: 'the request was given up' });
  });
});

describe('a body without end', () => {
  const CHUNK = Buffer.alloc(1024 * 1024, 'x');
  const GIGABYTE = 1024 * CHUNK.length;

  /** Writes until the client has gone, and says how much that was. */
  async function pour(response: ServerResponse): Promise<number> {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': GIGABYTE });
    let written = 0;
    const gone = once(response, 'close');
    for (; written < GIGABYTE && !response.destroyed; written += CHUNK.length) {
      if (!response.write(CHUNK)) await Promise.race([gone, once(response, 'drain').catch(() => {})]);
    }
    return written;
  }

  test('is not read to its end, nor kept', async () => {
    const poured: Promise<number>[] = [];
    const { baseUrl } = await httpServer((_, response) => {
      poured.push(pour(response));
    });
    const before = process.memoryUsage().arrayBuffers;
    const error = await failure(exchangeWith(baseUrl));
    const kept = process.memoryUsage().arrayBuffers - before;
    expect({ sent: error.sent, message: error.message }).toEqual({
      sent: true,
      message: 'the answer is larger than 16 MiB',
    });
    expect(await poured[0]).toBeLessThan(8 * MAX_BODY_BYTES);
    expect(kept).toBeLessThan(8 * MAX_BODY_BYTES);
  });

  test('leaves a money request in doubt', async () => {
    const { baseUrl } = await httpServer((_, response) => {
      void pour(response);
    });
    expect((await paying(baseUrl)).category).toBe('unknown');
  });
});

describe('a service that is too slow', () => {
  const SLOW: readonly (readonly [name: string, talk: (socket: Socket) => void])[] = [
    ['says nothing', () => {}],
    ['stops after its status', afterRequest((socket) => socket.write('HTTP/1.1 200 OK\r\n'))],
    ['stops in its body', afterRequest((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{'))],
  ];

  test.each(SLOW)('leaves a money request in doubt when it %s', async (_, talk) => {
    const { baseUrl } = await tcpServer(talk);
    const error = await paying(baseUrl, 150);
    expect({ category: error.category, message: error.message }).toEqual({
      category: 'unknown',
      message: expect.stringContaining('no answer within 0.15 seconds'),
    });
  });

  test.each(SLOW)('gives a read no answer when it %s', async (_, talk) => {
    const { baseUrl } = await tcpServer(talk);
    const read = clientOf(baseUrl, 150).call(balanceMulti, {});
    await expect(read).rejects.toMatchObject({ category: 'network', code: 'TIMEOUT' });
  });

  test('is let go: its connection is closed', async () => {
    const closed: Promise<unknown>[] = [];
    const { baseUrl } = await tcpServer((socket) => {
      closed.push(once(socket.resume(), 'close'));
    });
    await paying(baseUrl, 150);
    await expect(closed[0]).resolves.toBeDefined();
  });
});

describe('a proxy', () => {
  const URL = 'http://service.test/v1/anything';
  const ANSWER = '{"from":"proxy"}';

  test.each(['HTTP_PROXY', 'http_proxy'])('named by %s takes plain requests', async (variable) => {
    const proxy = await proxyServer(ANSWER);
    const answer = await createNetwork({ [variable]: `http://127.0.0.1:${proxy.port}` })(requestTo(URL), NEVER);
    expect({ body: answer.body, asked: proxy.asked }).toEqual({ body: ANSWER, asked: [`POST ${URL}`] });
  });

  test.each(['HTTPS_PROXY', 'https_proxy'])('named by %s is asked for a tunnel', async (variable) => {
    const proxy = await proxyServer(ANSWER);
    const env = { [variable]: `http://127.0.0.1:${proxy.port}` };
    const error = await failure(createNetwork(env)(requestTo('https://service.test/v1'), NEVER));
    expect({ asked: proxy.asked, sent: error.sent }).toEqual({ asked: ['CONNECT service.test:443'], sent: false });
    expect(error.message).toContain('the proxy did not let the request through');
  });

  test('for plain requests leaves encrypted ones alone, and the other way round', async () => {
    const proxy = await proxyServer(ANSWER);
    const address = `http://127.0.0.1:${proxy.port}`;
    await failure(createNetwork({ HTTP_PROXY: address })(requestTo('https://nobody.invalid/v1'), NEVER));
    await failure(createNetwork({ HTTPS_PROXY: address })(requestTo('http://nobody.invalid/v1'), NEVER));
    expect(proxy.asked).toEqual([]);
  });

  test.each(['NO_PROXY', 'no_proxy'])('is left out for the hosts of %s', async (variable) => {
    const proxy = await proxyServer(ANSWER);
    const { baseUrl } = await httpServer((_, response) => response.end('direct'));
    const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, [variable]: 'example.com,127.0.0.1' };
    const answer = await createNetwork(env)(requestTo(baseUrl), NEVER);
    expect({ body: answer.body, asked: proxy.asked }).toEqual({ body: 'direct', asked: [] });
  });

  test('that is not there has sent nothing', async () => {
    const network = createNetwork({ HTTP_PROXY: `http://127.0.0.1:${await closedPort()}` });
    expect(await failure(network(requestTo(URL), NEVER))).toMatchObject({ sent: false });
  });

  test('that drops the line leaves a plain request in doubt', async () => {
    const { port } = await tcpServer(afterRequest((socket) => socket.destroy()));
    const network = createNetwork({ HTTP_PROXY: `http://127.0.0.1:${port}` });
    expect(await failure(network(requestTo(URL), NEVER))).toMatchObject({ sent: true });
  });
});

describe('encryption', () => {
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

  test('by a certificate that is not trusted has sent nothing', async () => {
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

  test('of a server that speaks in clear has sent nothing', async () => {
    const { port } = await httpServer((_, response) => response.end('{}'));
    const error = await failure(exchangeWith(`https://localhost:${port}/v1`));
    expect(error.sent).toBe(false);
  });

  test('of a server that hangs up in the handshake has sent nothing', async () => {
    const { port } = await tcpServer((socket) => {
      socket.once('data', () => socket.destroy());
    });
    const error = await failure(exchangeWith(`https://localhost:${port}/v1`));
    expect(error.sent).toBe(false);
  });

  test('by a certificate for another name has sent nothing', async () => {
    trust();
    const { port } = await httpsServer(certificate, (_, response) => response.end('{}'));
    const error = await failure(exchangeWith(`https://127.0.0.1:${port}/v1`));
    expect({ sent: error.sent, message: error.message }).toEqual({
      sent: false,
      message: expect.stringContaining('not trusted'),
    });
  });

  test('by a trusted certificate carries request and answer', async () => {
    trust();
    const { baseUrl } = await httpsServer(certificate, async (request, response) => {
      response.end(await bodyOf(request));
    });
    expect(await exchangeWith(baseUrl)).toMatchObject({ status: 200, body: '{"a":1}' });
  });

  test('that breaks after the request leaves it in doubt', async () => {
    trust();
    const { baseUrl } = await httpsServer(certificate, (request) => request.socket.destroy());
    expect(await failure(exchangeWith(baseUrl))).toMatchObject({ sent: true });
  });

  test('goes through a tunnel', async () => {
    trust();
    const { port } = await httpsServer(certificate, async (request, response) => {
      response.end(await bodyOf(request));
    });
    const proxy = await proxyServer('', port);
    const network = createNetwork({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
    const answer = await network(requestTo('https://service.test/v1'), NEVER);
    expect({ body: answer.body, asked: proxy.asked }).toEqual({ body: '{"a":1}', asked: ['CONNECT service.test:443'] });
  });

  test('in a tunnel that breaks after the request leaves it in doubt', async () => {
    trust();
    const { port } = await httpsServer(certificate, (request) => request.socket.destroy());
    const proxy = await proxyServer('', port);
    const network = createNetwork({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
    expect(await failure(network(requestTo('https://service.test/v1'), NEVER))).toMatchObject({ sent: true });
  });

  test('in a tunnel to a server that is not trusted has sent nothing', async () => {
    distrust();
    const { port } = await httpsServer(certificate, (_, response) => response.end('{}'));
    const proxy = await proxyServer('', port);
    const network = createNetwork({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
    const error = await failure(network(requestTo('https://service.test/v1'), NEVER));
    expect({ sent: error.sent, message: error.message }).toEqual({
      sent: false,
      message: expect.stringContaining('not trusted'),
    });
  });
});
