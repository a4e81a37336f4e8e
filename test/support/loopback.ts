import { createServer as createHttp, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect, createServer as createTcp, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/base/world.ts';
import { createNetwork } from '../../src/client/network.ts';
import type { AtEnd } from './built.ts';
import type { Certificate } from './certificate.ts';

/** The network of this machine, for requests between which no time passes unless `clock` says so. */
export function testNetwork(
  env: Readonly<Record<string, string>> = {},
  clock: Pick<Clock, 'now' | 'steadyMs'> = { now: () => 0 },
) {
  return createNetwork(env, { clock, turn: () => new Promise((resolve) => setImmediate(resolve)) });
}

/** A server on this machine that is closed when the test has finished. */
export interface Loopback {
  readonly port: number;
  /** Includes the version segment. */
  readonly baseUrl: string;
}

function listen(server: Server, scheme = 'http', host = '127.0.0.1', atEnd: AtEnd = onTestFinished): Promise<Loopback> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    // Many tests are about a client that disconnects.
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  atEnd(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      resolve({ port, baseUrl: `${scheme}://${host}:${port}/v1` });
    });
  });
}

/** Starts a raw TCP server. */
export function tcpServer(onConnection: (socket: Socket) => void): Promise<Loopback> {
  return listen(createTcp(onConnection));
}

/** Starts a server. Tests that run at once say with `atEnd` which of them it is for. */
export function httpServer(answer: RequestListener, atEnd?: AtEnd): Promise<Loopback> {
  return listen(createHttp(answer), 'http', '127.0.0.1', atEnd);
}

export function httpsServer({ key, cert }: Certificate, answer: RequestListener): Promise<Loopback> {
  const server = createHttps({ key, cert }, answer);
  server.on('tlsClientError', () => {});
  return listen(server, 'https', 'localhost');
}

/** A proxy and a record of its requests, in order. */
export interface Proxy extends Loopback {
  readonly asked: string[];
}

/** Starts a proxy that answers plain requests with `body` and connects every tunnel to `tunnelPort`, or rejects it with a 403. */
export async function proxyServer(body: string, tunnelPort?: number): Promise<Proxy> {
  const asked: string[] = [];
  const server = createHttp((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  server.on('connect', (request, client) => {
    asked.push(`${request.method} ${request.url}`);
    if (tunnelPort === undefined) {
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const target = connect(tunnelPort, '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
    client.on('error', () => target.destroy()).on('close', () => target.destroy());
    target.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.pipe(target).pipe(client);
  });
  return { ...(await listen(server)), asked };
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Returns a port on which nothing is listening. */
export async function closedPort(): Promise<number> {
  const server = createTcp();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
  await new Promise((resolve) => server.close(resolve));
  return port;
}
