import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ExchangeError } from '../../base/errors.ts';
import type { Clock, Exchange } from '../../base/world.ts';
import type { IpRange } from '../../contract/cidr.ts';
import { WebhookError } from '../error.ts';
import { CONNECTIONS, type Connections, createConnections } from './connections.ts';
import { type Receiver, refusalOf } from './receiver.ts';

/** Far above any event of the service. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Nobody sends an event of this size by mistake. */
const CUT_OFF_BYTES = 8 * MAX_BODY_BYTES;
const MAX_HEADER_BYTES = 16 * 1024;

interface ListenOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Host names accepted besides loopback names: those under which the public reaches this listener. */
  readonly allowHosts: readonly string[];
  /** The certificate and its key, in PEM; without them the listener speaks plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Answered to a GET, so that a heartbeat through the public URL can distinguish this listener from anything else. */
  readonly heartbeat: string;
  /** Proxies whose X-Forwarded-For says the address of the client. */
  readonly trustedProxies?: readonly IpRange[];
  onRefused(refusal: Refusal): void;
  readonly limits?: Partial<typeof LIMITS & typeof CONNECTIONS>;
}

/** A request that was not taken. */
export interface Refusal {
  /** One of a few words, to count by; `NOT_STORED` if the inbox failed. */
  readonly kind: string;
  readonly reason: string;
  /** The client’s address. */
  readonly address: string;
  /** What the sender says of itself; nobody has checked it. */
  readonly webhookId: string | undefined;
}

/** The kind of a delivery that could not be stored. */
export const NOT_STORED = 'not_stored';

/** A listener that receives deliveries. */
interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens for deliveries. Rejects with the listen error, such as a port in use. */
export async function listen(receiver: Receiver, options: ListenOptions): Promise<Listening> {
  const connections = createConnections(options.trustedProxies ?? [], { ...CONNECTIONS, ...options.limits });
  const server = await serverFor(options, (request, response) => {
    const address = connections.begin(request);
    const id = request.headers['x-webhook-id'];
    const webhookId = typeof id === 'string' ? id : undefined;
    const refused = (kind: string, reason: string) => options.onRefused({ kind, reason, address, webhookId });
    response.once('close', () => connections.set(request, true));
    answer(receiver, request, response, { ...options, connections, refused }).catch((error: unknown) => {
      if (error instanceof SenderLeft) return refused('sender_left', error.message);
      const { status, message } = refusalOf(error);
      refused(error instanceof WebhookError ? error.code.toLowerCase() : NOT_STORED, message);
      write(response, status, message, status === 503 ? RETRY : {});
    });
  });
  server.on('connection', connections.open);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        AbortSignal.timeout(1_000).addEventListener('abort', () => server.closeAllConnections(), { once: true });
      }),
  };
}

/** Slow senders are cut off: the headers of a delivery arrive at once, and its body is short. */
const LIMITS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  /** Of a connection that says nothing, Node measures no time limit of headers. */
  silence: 5_000,
  headersTimeout: 5_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
};

async function serverFor({ tls, limits }: ListenOptions, listener: RequestListener): Promise<Server> {
  const { silence, ...options } = { ...LIMITS, ...limits };
  // TLS takes longer to load than everything else here.
  const server = tls
    ? (await import('node:https')).createServer({ ...options, ...tls }, listener)
    : createServer(options, listener);
  server.timeout = silence;
  // A sender that asks first whether a body may follow is told so once its headers are in order.
  server.on('checkContinue', listener);
  return server;
}

/** When to send again what could not be stored, in seconds. */
export const RETRY_AFTER_S = 30;
const RETRY = { 'retry-after': `${RETRY_AFTER_S}` };

interface Answering extends Pick<ListenOptions, 'allowHosts' | 'heartbeat'> {
  readonly connections: Connections;
  refused(kind: string, reason: string): void;
}

async function answer(
  receiver: Receiver,
  request: IncomingMessage,
  response: ServerResponse,
  { allowHosts, heartbeat, connections, refused }: Answering,
): Promise<void> {
  if (!isKnownHost(request, allowHosts)) {
    refused('other_host', 'a request for another host');
    return write(response, 421, 'this listener does not serve the host of the request');
  }
  if (request.method === 'GET' || request.method === 'HEAD') return write(response, 200, heartbeat);
  if (request.method !== 'POST') return write(response, 405, 'expected POST');
  const length = Number(request.headers['content-length'] ?? 0);
  if (length <= MAX_BODY_BYTES && request.headers.expect !== undefined) response.writeContinue();
  const body = length > MAX_BODY_BYTES ? undefined : await bodyOf(request);
  if (body === undefined) {
    refused('too_long', 'a body that is too long');
    const cutsOff = length > CUT_OFF_BYTES ? { connection: 'close' } : {};
    return write(response, 413, `the body is longer than ${MAX_BODY_BYTES} bytes`, cutsOff);
  }
  connections.set(request, false);
  // However long the inbox takes, the sender has said all.
  request.socket.setTimeout(0);
  const stored = await receiver.receive({ headers: pairsOf(request), body });
  write(response, 200, stored.isCopy ? 'received before' : 'received');
}

/** Whether a request is meant for this listener. Another site must not reach it by a name of its own (DNS rebinding). */
export function isKnownHost({ headers, socket }: IncomingMessage, allowed: readonly string[]): boolean {
  const host = (headers.host ?? '').toLowerCase().replace(/:\d{1,5}$/, '');
  const isHere = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host) || host === socket.localAddress;
  return isHere || allowed.some((each) => each.toLowerCase() === host);
}

/** The headers as they arrived, with their repetitions, of which Node keeps only some. */
function pairsOf({ rawHeaders }: IncomingMessage): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) pairs.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  return pairs;
}

/** Nobody waits for an answer any more. */
class SenderLeft extends Error {
  override name = 'SenderLeft';
}

/** Reads a body; undefined if it is too long. Reads the rest of a long one without keeping it. Rejects with SenderLeft. */
function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) chunks.length = 0;
      else chunks.push(chunk);
      if (size > CUT_OFF_BYTES) request.destroy();
    });
    request.once('end', () =>
      resolve(size > MAX_BODY_BYTES ? undefined : chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)),
    );
    const left = () =>
      reject(new SenderLeft(size > MAX_BODY_BYTES ? 'a body that is too long' : 'a sender that left before the end'));
    request.once('error', left);
    request.once('aborted', left);
  });
}

function write(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  const body = `${text}\n`;
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

const EVERY_MS = 60_000;
const TIMEOUT_MS = 10_000;

interface Watching {
  readonly clock: Clock;
  readonly network: Exchange;
  /** Told whenever it changes whether events can arrive; without a problem, they can. */
  report(problem: string | undefined): void;
}

/**
 * Calls the public URL every minute, and reports when this listener is not behind it, and when it is again: a listener that nobody can
 * reach looks exactly like one without events.
 */
export async function watchHeartbeat(
  url: string,
  heartbeat: string,
  { clock, network, report }: Watching,
  stopping: AbortSignal,
): Promise<void> {
  let before: string | null | undefined = null;
  while (!stopping.aborted) {
    const problem = await problemOf(url, heartbeat, network, stopping);
    if (stopping.aborted) return;
    if (problem !== before) report(problem);
    before = problem;
    await clock.sleep(EVERY_MS, stopping).catch(() => {});
  }
}

async function problemOf(
  url: string,
  heartbeat: string,
  network: Exchange,
  stopping: AbortSignal,
): Promise<string | undefined> {
  const limit = AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const { status, body } = await network({ method: 'GET', url, headers: {}, body: undefined }, limit, true);
    if (status === 200 && body.trim() === heartbeat) return undefined;
    return `${url} is answered by something else (HTTP ${status})`;
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    return `${url} cannot be reached: ${error.message}`;
  }
}
