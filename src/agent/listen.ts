import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { hostInUrl } from '../contract/cidr.ts';
import { sha256Hex } from '../crypto/digest.ts';
import { createConnections } from '../webhooks/listen/connections.ts';
import type { Calling } from './calls.ts';
import { type About, serverFactory } from './server.ts';

const CONNECTIONS = { most: 50, mostWaited: 50 };
const MAX_BODY_BYTES = 1024 * 1024;
const PATH = '/mcp';
/** How long a client may read nothing of an answer, which takes one of the connections. */
const UNREAD_MS = 30_000;

/** Who may call: whoever has the token, and no web page. */
interface ListenOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly token: string;
  readonly unreadMs?: number;
}

/** A server that listens on this machine. */
interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

interface Refusal {
  readonly status: number;
  readonly error: string;
}

/** Returns why a request is not answered: it is for another name (DNS rebinding), from a web page, without the token, or for nothing here. */
function refusalOf(
  { method, url = '', rawHeaders, headers }: IncomingMessage,
  hosts: ReadonlySet<string>,
  tokenDigest: string,
): Refusal | undefined {
  const sent = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host');
  if (sent.length !== 1 || !hosts.has(sent[0]?.toLowerCase() ?? ''))
    return { status: 403, error: 'Host: expected the address that the command printed' };
  // Every browser sends it with a POST, and no page is served here.
  const { origin } = headers;
  if (origin !== undefined && !(origin.startsWith('http://') && hosts.has(origin.slice('http://'.length))))
    return { status: 403, error: 'Origin: web pages may not call' };
  const [, token] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  // Of digests, no time tells where they differ.
  if (token === undefined || sha256Hex(token) !== tokenDigest)
    return { status: 401, error: 'Authorization: expected Bearer and the token' };
  if (new URL(url, 'http://localhost').pathname !== PATH) return { status: 404, error: `expected ${PATH}` };
  if (method !== 'POST') return { status: 405, error: 'expected POST' };
  return undefined;
}

/** Serves many clients over HTTP. Rejects with the listen error. */
export async function serveOverHttp(
  calling: Calling,
  about: About,
  { host, port, token, unreadMs = UNREAD_MS }: ListenOptions,
): Promise<Listening> {
  const handler = createMcpHandler(serverFactory(calling, about), {
    maxSubscriptions: 8,
    maxRequestBodySize: MAX_BODY_BYTES,
  });
  // Known once it listens; nothing is asked before.
  const hosts = new Set<string>();
  const connections = createConnections([], CONNECTIONS);
  const tokenDigest = sha256Hex(token);
  const server = createServer({ requireHostHeader: false, maxHeaderSize: 16 * 1024 }, (request, response) => {
    connections.begin(request);
    response.once('close', () => connections.set(request, true));
    const refusal = refusalOf(request, hosts, tokenDigest);
    if (refusal) return refuse(request, response, refusal);
    answer(handler, request, response, { isRead: () => connections.set(request, false), unreadMs }).catch(() =>
      response.destroy(),
    );
  });
  server.on('connection', connections.open);
  server.requestTimeout = 30_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: actual } = server.address() as AddressInfo;
  for (const name of ['127.0.0.1', 'localhost', '[::1]']) hosts.add(`${name}:${actual}`);
  return {
    url: `http://${hostInUrl(host)}:${actual}${PATH}`,
    close: async () => {
      await calling.turns.idle();
      await handler.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function refuse(request: IncomingMessage, response: ServerResponse, { status, error }: Refusal): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    // What was not read of a request must not become the next one.
    ...(request.complete ? {} : { connection: 'close' }),
  });
  response.end(JSON.stringify({ error }));
}

/** Answers a request through the handler of the package, which speaks in the classes of the web. */
async function answer(
  { fetch: handle }: McpHttpHandler,
  request: IncomingMessage,
  response: ServerResponse,
  { isRead, unreadMs }: { readonly isRead: () => void; readonly unreadMs: number },
): Promise<void> {
  const body = await bodyOf(request);
  isRead();
  if (body === undefined) return refuse(request, response, { status: 413, error: 'the body is too long' });
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined) headers.set(name, [value].flat().join(', '));
  const url = `http://${request.headers.host}${request.url}`;
  const answered = await handle(new Request(url, { method: 'POST', headers, body, signal: gone.signal }));
  response.writeHead(answered.status, { ...Object.fromEntries(answered.headers), 'cache-control': 'no-store' });
  for await (const part of answered.body ?? []) {
    if (gone.signal.aborted) break;
    if (response.write(part)) continue;
    cutOff(response, unreadMs);
    await new Promise<void>((resolve) => onceEither(response, resolve));
    response.setTimeout(0);
  }
  response.end();
  cutOff(response, unreadMs);
}

/** Ends the connection of a client that reads nothing from now on, unless the whole answer has left before. */
function cutOff(response: ServerResponse, unreadMs: number): void {
  if (!response.writableFinished) response.setTimeout(unreadMs, () => response.destroy());
}

function onceEither(response: ServerResponse, resolve: () => void): void {
  response.once('drain', resolve);
  response.once('close', resolve);
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
