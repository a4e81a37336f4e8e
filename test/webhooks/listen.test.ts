import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Secret } from '../../src/base/secret.ts';
import { parseRange } from '../../src/contract/cidr.ts';
import { openWith } from '../../src/webhooks/body.ts';
import type { Inbox, StoredDelivery } from '../../src/webhooks/inbox/inbox.ts';
import { createInboxWriter } from '../../src/webhooks/listen/inbox-writer.ts';
import { createReceiver } from '../../src/webhooks/listen/receiver.ts';
import { listen } from '../../src/webhooks/listen/server.ts';
import type { Delivery } from '../../src/webhooks/verify.ts';
import { temporaryFolder } from '../support/sandbox.ts';
import { deliveryOf, NOW_MS, onboarded, SECRET, testInbox } from './support.ts';

type More = Partial<Parameters<typeof listen>[1]>;

async function listening(wrap: (inbox: Inbox) => Inbox = (inbox) => inbox, more: More = {}) {
  const { inbox, clock } = await testInbox();
  const receiver = createReceiver(
    createInboxWriter(
      wrap(inbox),
      openWith(async () => []),
    ),
    {
      account: { secrets: async () => [new Secret(SECRET)] },
      clock,
      gather: setImmediate,
    },
  );
  const refused: string[] = [];
  const server = await listen(receiver, {
    host: '127.0.0.1',
    port: 0,
    allowHosts: ['hooks.example.com'],
    heartbeat: 'beat',
    onRefused: ({ reason }) => void refused.push(reason),
    ...more,
  });
  onTestFinished(async () => {
    await server.close();
    await inbox.close();
  });
  return { inbox, refused, port: server.port, url: `http://127.0.0.1:${server.port}/` };
}

async function post(url: string, { headers, body }: Delivery, more: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...(headers as Record<string, string>), ...more },
    body: Buffer.from(body),
  });
  const retryAfter = response.headers.get('retry-after');
  return { status: response.status, text: (await response.text()).trim(), ...(retryAfter ? { retryAfter } : {}) };
}

test('a delivery is on disk before it is answered, and its copy is answered too', async () => {
  const { inbox, url } = await listening();
  const delivery = deliveryOf(onboarded(1));
  expect(await post(url, delivery)).toEqual({ status: 200, text: 'received' });
  expect(await inbox.list({ limit: 10 })).toHaveLength(1);
  expect(await post(url, delivery)).toEqual({ status: 200, text: 'received before' });
  expect(await inbox.list({ limit: 10 })).toHaveLength(1);
});

test('a hundred deliveries at once are all kept', async () => {
  const { inbox, url } = await listening();
  const all = Array.from({ length: 100 }, (_, index) => deliveryOf(onboarded(index)));
  const answers = await Promise.all(all.map((delivery) => post(url, delivery)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await inbox.counts()).events).toBe(100);
});

test.each([
  ['a forgery', deliveryOf(onboarded(1), { secret: 'another-secret' }), 401],
  ['no signature', { headers: {}, body: Buffer.from('{}') }, 400],
])('%s is rejected and not kept', async (_what, delivery, status) => {
  const { inbox, refused, url } = await listening();
  expect((await post(url, delivery)).status).toBe(status);
  expect([(await inbox.counts()).events, refused.length]).toEqual([0, 1]);
});

test.each([
  [-3_600_000, { isLate: true, isEarly: false }],
  [3_600_000, { isLate: false, isEarly: true }],
])('a delivery that is validly signed is kept when it was sent %i ms from now', async (fromNowMs, marks) => {
  const { inbox, url } = await listening();
  expect((await post(url, deliveryOf(onboarded(1), { sentAtMs: NOW_MS + fromNowMs }))).status).toBe(200);
  expect((await inbox.list({ limit: 1 }))[0]).toMatchObject(marks);
});

test('a full disk is answered with 503, so that the sender tries again', async () => {
  const { url } = await listening((inbox) => ({
    ...inbox,
    add: () => {
      throw Object.assign(new Error('full'), { name: 'DatabaseError' });
    },
  }));
  expect(await post(url, deliveryOf(onboarded(1)))).toEqual({
    status: 503,
    text: 'the event could not be stored; send it again',
    retryAfter: '30',
  });
});

test('a body of 2 MB is rejected, one of 50 MB is cut off, and neither is kept', async () => {
  const { inbox, url } = await listening();
  expect((await post(url, deliveryOf('x'.repeat(2 * 1024 * 1024)))).status).toBe(413);
  const parts = Array.from({ length: 50 }, () => new Uint8Array(1024 * 1024));
  const unmeasured = { method: 'POST', body: ReadableStream.from(parts), duplex: 'half' } as RequestInit;
  await expect(fetch(url, unmeasured)).rejects.toThrow();
  expect((await inbox.counts()).events).toBe(0);
});

/** Reads a socket until a text has arrived. */
async function textOf(socket: Socket, wanted: string, { isLeftOpen = false } = {}): Promise<string> {
  let text = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: !isLeftOpen })) {
    text += String(chunk);
    if (text.includes(wanted)) break;
  }
  return text;
}

const HEAD = 'POST / HTTP/1.1\r\nHost: localhost\r\n';

test.each([
  ['Content-Length: 2000000', '413'],
  ['Content-Length: 50000000', '413'],
  ['Content-Length: 2000000\r\nExpect: 100-continue', '413'],
  ['Content-Length: 2\r\nExpect: 100-continue', '100'],
])('a request with %j is answered with %s before its body', async (more, status) => {
  const { port } = await listening();
  const socket = connect(port, '127.0.0.1');
  socket.write(`${HEAD}${more}\r\n\r\n`);
  expect(await textOf(socket, '\r\n\r\n')).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});

const turn = () => new Promise((resolve) => setTimeout(resolve, 30));

/** Opens connections that begin with a text, and returns which of them the server has closed. */
async function silent(port: number, count: number, begun: (index: number) => string = () => '') {
  const closed = new Set<number>();
  const sockets: Socket[] = [];
  for (let index = 0; index < count; index += 1) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {}).on('close', () => closed.add(index));
    sockets.push(socket);
    await once(socket, 'connect');
    if (begun(index) !== '') socket.write(begun(index));
    await turn();
  }
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return closed;
}

const TRUSTED = [parseRange('127.0.0.0/8')].flatMap((range) => range ?? []);
const half = (client: string) => `${HEAD}X-Forwarded-For: ${client}\r\nContent-Length: 100\r\n\r\n{`;

test.each([
  ['from one address', { mostWaited: 3 }, undefined, () => '', [0, 1]],
  [
    'from one address, with a claim of others',
    { mostWaited: 3 },
    undefined,
    (index: number) => half(`${index}`),
    [0, 1],
  ],
  ['at all', { most: 3 }, undefined, () => '', [0, 1]],
  ['from a proxy', { mostWaited: 3 }, TRUSTED, () => '', []],
  ['from clients of a proxy', { mostWaited: 1 }, TRUSTED, (index: number) => half(`192.0.2.${index}`), []],
  ['from one client of a proxy', { mostWaited: 2 }, TRUSTED, (index: number) => half(`${index}, 192.0.2.1`), [0, 1, 2]],
])('of five silent connections %s, the oldest give way to the newest, and a delivery arrives', async (...given) => {
  const [_where, limits, trustedProxies, begun, gone] = given;
  const { inbox, url, port } = await listening(undefined, { limits, ...(trustedProxies ? { trustedProxies } : {}) });
  const closed = await silent(port, 5, begun);
  await vi.waitFor(() => expect([...closed]).toEqual(gone), { timeout: 30_000 });
  expect((await post(url, deliveryOf(onboarded(1)))).status).toBe(200);
  expect((await inbox.counts()).events).toBe(1);
});

/** Sends a request for another host, which fetch does not allow. */
function statusFor(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

test.each([
  ['127.0.0.1:80', 200],
  ['localhost', 200],
  ['[::1]:4777', 200],
  ['hooks.example.com', 200],
  ['HOOKS.example.com:443', 200],
  ['evil.test', 421],
  ['hooks.example.com.evil.test', 421],
  ['127.1.2.3', 200],
  ['127.evil.test', 421],
  ['127.0.0.evil.test', 421],
  ['127.0.0.1.evil.test:80', 421],
])('a request for the host %j is answered with %i', async (host, status) => {
  const { port } = await listening();
  expect(await statusFor(port, host)).toBe(status);
});

test('a GET returns the heartbeat, and another method is rejected', async () => {
  const { url } = await listening();
  expect((await (await fetch(url)).text()).trim()).toBe('beat');
  expect((await fetch(url, { method: 'DELETE' })).status).toBe(405);
});

test('a sender that leaves in the middle of a body leaves nothing', async () => {
  const { inbox, refused, port } = await listening();
  const socket = connect(port, '127.0.0.1');
  socket.write(`${HEAD}Content-Length: 100\r\nExpect: 100-continue\r\n\r\n`);
  // The server waits for the body.
  expect(await textOf(socket, '\r\n\r\n', { isLeftOpen: true })).toMatch(/^HTTP\/1.1 100 /);
  socket.write('{');
  socket.destroy();
  while (refused.length === 0) await turn();
  expect(refused).toEqual(['a sender that left before the end']);
  expect((await inbox.counts()).events).toBe(0);
});

/** Reads a socket to its end. */
const endOf = (socket: Socket) =>
  new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    socket.once('close', () => resolve(text));
  });

test.each([
  ['headers', 'POST / HTTP/1.1\r\nHost: localhost\r\nX-'],
  ['a body', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{'],
])('a sender that does not go on with %s is cut off', async (_what, begun) => {
  const limits = { headersTimeout: 200, requestTimeout: 200, connectionsCheckingInterval: 20 };
  const { inbox, port } = await listening(undefined, { limits });
  const socket = connect(port, '127.0.0.1');
  socket.write(begun);
  expect(await endOf(socket)).toContain('408 Request Timeout');
  expect((await inbox.counts()).events).toBe(0);
});

test('a connection that says nothing is cut off, and one that waits for its answer is not', async () => {
  const { port } = await listening(undefined, { limits: { silence: 300 } });
  const socket = connect(port, '127.0.0.1');
  expect(await endOf(socket)).toBe('');
  const slow = {
    receive: () => new Promise<StoredDelivery>((resolve) => setTimeout(resolve, 900, { id: 1n, isCopy: false })),
  };
  const options = { host: '127.0.0.1', port: 0, allowHosts: [], heartbeat: '', onRefused: () => {} };
  const server = await listen(slow, { ...options, limits: { silence: 300 } });
  onTestFinished(server.close);
  expect((await post(`http://127.0.0.1:${server.port}/`, deliveryOf(onboarded(1)))).status).toBe(200);
});

test('a delivery over TLS is received with the certificate that was given', async () => {
  using folder = temporaryFolder();
  const [certFile, keyFile] = [folder.file('cert.pem'), folder.file('key.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', ['req', '-x509', ...curve, ...names, '-keyout', keyFile, '-out', certFile], {
    stdio: 'ignore',
  });
  const [cert, key] = [certFile, keyFile].map((path) => readFileSync(path, 'utf8'));
  const { inbox, port } = await listening(undefined, { tls: { cert: cert ?? '', key: key ?? '' } });
  const { headers, body } = deliveryOf(onboarded(1));
  const status = await new Promise((resolve, reject) => {
    const given = headers as Record<string, string>;
    const options = { host: '127.0.0.1', servername: 'localhost', port, method: 'POST', ca: cert, headers: given };
    httpsRequest({ ...options, headers: { ...given, host: 'localhost' } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end(body);
  });
  expect([status, (await inbox.counts()).events]).toEqual([200, 1]);
});
