import { isUtf8 } from 'node:buffer';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { ExchangeError } from '../base/errors.ts';
import type { HttpResponse, World } from '../base/world.ts';
import { hostInUrl } from '../contract/cidr.ts';
import { directory } from '../contract/directory.ts';
import { Fault } from '../contract/faults.ts';
import type { Service } from '../service/service.ts';
import { failure, httpRefusal, parseRefusal, type RefusalStatus, refusalText } from './answer.ts';
import type { Sandbox } from './app.ts';
import type { UnverifiedCaller } from './guard.ts';
import { createHostCheck, type HostCheckOptions } from './host-check.ts';
import { type ObservedExchange, observed } from './observe.ts';
import type { ReceivedRequest } from './request-handler.ts';
import { splitUrl } from './router.ts';
import { openRunning, type RunningOptions } from './running.ts';

/** What the HTTP server accepts from one client, and how long it waits. docs/contributing/inferred.md lists these values. */

const KIB = 1024;
const MIB = 1024 * KIB;

/** The request line and all headers together. */
const MAX_HEADER_BYTES = 16 * KIB;

/** Of a request whose API key is unknown, no more of the body is kept. */
export const MAX_BODY_BYTES_WITHOUT_KEY = 64 * KIB;

/** Far above any request of the service. */
export const MAX_BODY_BYTES = MIB;

/** The body of `sandbox restore`, which contains a whole state file. */
export const MAX_RESTORE_BODY_BYTES = 16 * MIB;

/** Limits of the server as a whole. */
interface ServerLimits {
  readonly connections: number;
  /** The command line reads no longer response. Only a snapshot can be longer, and its characters are single bytes. */
  readonly responseBytes: number;
  /** From the start of a request to the end of its headers. */
  readonly headersMs: number;
  /** From the start of a request to the end of its body. */
  readonly requestMs: number;
  /** How long a connection may be silent while a request is in progress. */
  readonly idleMs: number;
  /** How long a connection stays open between two requests. */
  readonly keepAliveMs: number;
  /** How often the server looks for requests that have exceeded a time limit. */
  readonly checkEveryMs: number;
}

export const SERVER_LIMITS: ServerLimits = {
  connections: 500,
  responseBytes: 16 * MIB,
  headersMs: 10_000,
  requestMs: 60_000,
  idleMs: 60_000,
  keepAliveMs: 5_000,
  checkEveryMs: 1_000,
};

/** How long open requests may take when the sandbox stops, and a client to read the answer to a malformed request. */
const GRACE_MS = 1_000;

export interface ServeOptions extends RunningOptions, HostCheckOptions {
  /** 0 picks a free port. */
  readonly port: number;
  /** The IP address to listen on; 127.0.0.1 by default. */
  readonly host?: string | undefined;
  readonly limits?: Partial<ServerLimits>;
  /** Gets each request once it is answered. */
  readonly observe?: ((exchange: ObservedExchange) => void) | undefined;
}

/** A sandbox that listens for HTTP requests. */
export interface ServedSandbox {
  /** Ends in /v1. */
  readonly url: string;
  readonly apiKey: string;
  /** What answers the requests, and what it answers from; for whoever shows what happened. */
  readonly inside: { readonly sandbox: Sandbox; readonly service: Service };
  /** Finishes open requests, saves the request counts, and stops. */
  close(): Promise<void>;
}

/**
 * Serves the sandbox over node:http. Requests of one tick share a commit. Rejects with the listen error (a port in use)
 * or DatabaseError.
 */
export async function serve(world: Pick<World, 'clock' | 'ids'>, options: ServeOptions): Promise<ServedSandbox> {
  const sandbox = await openRunning(world, options);
  const { observe } = options;
  const answering = observe ? { ...sandbox, fetch: observed(sandbox, observe, world.clock) } : sandbox;
  try {
    const { url, close } = await listen(answering, options);
    return {
      url,
      apiKey: sandbox.apiKey(),
      inside: { sandbox, service: sandbox.service },
      close: async () => {
        await close();
        await sandbox.close();
      },
    };
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

/** Takes HTTP requests for a sandbox. Rejects with the listen error. */
export async function listen(
  sandbox: Sandbox,
  options: Pick<ServeOptions, 'port' | 'host' | 'limits' | keyof HostCheckOptions>,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = serverFor(sandbox, options);
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, host, resolve);
  });
  return {
    url: `http://${hostInUrl(host)}:${(server.address() as AddressInfo).port}/v1`,
    close: async () => {
      const ended = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      // Idle or half-sent requests must not delay the stop.
      AbortSignal.timeout(GRACE_MS).addEventListener('abort', () => server.closeAllConnections(), { once: true });
      await ended;
    },
  };
}

function serverFor(sandbox: Sandbox, options: Pick<ServeOptions, 'limits' | keyof HostCheckOptions>): Server {
  const checkHost = createHostCheck(options);
  const limits = { ...SERVER_LIMITS, ...options.limits };
  const inProgress = new WeakMap<Duplex, Set<IncomingMessage>>();
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      // Checked by the host check, whose refusal has the service's envelope.
      requireHostHeader: false,
    },
    (request, response) => {
      const ofSocket = inProgress.get(request.socket) ?? new Set();
      inProgress.set(request.socket, ofSocket.add(request));
      response.once('close', () => ofSocket.delete(request));
      const { response: early, headers } = checkHost(request);
      if (early) return write(response, early, headers);
      answer(sandbox, request, limits).then(
        (result) => write(response, result, { ...headers, ...sandbox.timeHeaders() }),
        (error) => {
          // An injected connection drop, or a client that left before the end of its request: nobody gets a response.
          if (error instanceof ExchangeError || !request.complete) response.destroy();
          else
            write(
              response,
              failure(new Fault('INTERNAL_ERROR', 'the sandbox could not complete the request')),
              headers,
            );
        },
      );
    },
  );
  server.maxConnections = limits.connections;
  server.setTimeout(limits.idleMs);
  server.on('checkExpectation', (request, response) => {
    write(response, checkHost(request).response ?? httpRefusal(417, 'Expect: only 100-continue is supported'), {});
  });
  server.on('connect', (_request, socket) => {
    refuse(socket, 404, 'this is not a proxy; CONNECT is not supported');
  });
  server.on('clientError', (error: Error & { readonly code?: string }, socket) => {
    // The client would take a refusal for the response to an earlier request, which may well be performed.
    const isAwaited = [...(inProgress.get(socket) ?? [])].some(({ complete }) => complete);
    if (!socket.writable || error.code === 'ECONNRESET' || isAwaited) socket.destroy();
    else refuse(socket, ...parseRefusal(error.code));
  });
  return server;
}

/** Refuses whatever arrived on a connection and closes it, leaving the client a moment to read the response. */
function refuse(socket: Duplex, status: RefusalStatus, error: string): void {
  socket.on('error', () => socket.destroy());
  socket.end(refusalText(status, error));
  AbortSignal.timeout(GRACE_MS).addEventListener('abort', () => socket.destroy(), { once: true });
}

async function answer(
  sandbox: Sandbox,
  incoming: IncomingMessage,
  { responseBytes }: ServerLimits,
): Promise<HttpResponse> {
  const response = await sandbox.fetch(...(await readIncoming(incoming, sandbox)));
  if (response.body.length <= responseBytes) return response;
  return httpRefusal(413, `the response is larger than ${responseBytes} bytes; copy the state file on its machine`);
}

/** A body shorter than its content-length is sent as is, and then the connection drops. */
function write(
  response: ServerResponse,
  { status, headers, body }: HttpResponse,
  more: Readonly<Record<string, string>>,
): void {
  const length = Buffer.byteLength(body);
  const promised = Number(headers['content-length'] ?? length);
  // A response without content must not have a length.
  response.writeHead(status, { ...headers, ...more, ...(status === 204 ? {} : { 'content-length': promised }) });
  if (promised > length) response.write(body, () => response.destroy());
  else response.end(body);
}

/** Reads a request of node:http. Rejects if the connection is lost before its end. */
export async function readIncoming(
  incoming: IncomingMessage,
  sandbox: Sandbox,
): Promise<[ReceivedRequest, UnverifiedCaller]> {
  const caller = { ...keyOf(incoming), address: incoming.socket.remoteAddress ?? '' };
  const { method = 'GET', url = '/', headers } = incoming;
  const about = {
    ...(headers['content-type'] === undefined ? {} : { 'content-type': headers['content-type'] }),
    ...(headers['content-encoding'] === undefined ? {} : { 'content-encoding': headers['content-encoding'] }),
  };
  const body =
    method === 'GET' || method === 'HEAD'
      ? { body: '' }
      : await readBody(incoming, () => limitFor(incoming, caller, sandbox));
  return [{ method, url, headers: about, ...body }, caller];
}

/** Returns the API key. The header name must be lower case on the wire. Source: interface. */
function keyOf({ rawHeaders }: IncomingMessage): Pick<UnverifiedCaller, 'apiKey' | 'isKeyRepeated'> {
  let apiKey: string | undefined;
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    // Servers that pass headers on as variables read an underscore as a hyphen.
    if (name.length !== KEY_HEADER.length || name.toLowerCase().replaceAll('_', '-') !== KEY_HEADER) continue;
    count += 1;
    if (name === KEY_HEADER) apiKey = rawHeaders[at + 1];
  }
  return { apiKey, isKeyRepeated: count > 1 };
}

const KEY_HEADER = 'x-api-key';

function limitFor({ method, url = '/' }: IncomingMessage, { apiKey }: UnverifiedCaller, sandbox: Sandbox): number {
  if (apiKey === undefined || !sandbox.knowsKey(apiKey)) return MAX_BODY_BYTES_WITHOUT_KEY;
  const { pathname } = splitUrl(url);
  const isRestore = directory.some(
    (each) => each.id === 'sandbox.restore' && each.method === method && each.path === pathname,
  );
  return isRestore ? MAX_RESTORE_BODY_BYTES : MAX_BODY_BYTES;
}

type Body = Pick<ReceivedRequest, 'body' | 'bodyProblem'>;

/**
 * Reads the body. The limit is looked up only for a body that is longer than a request without a key may have. With events
 * rather than an iterator, which would cost a short body more than the rest of its reading.
 */
function readBody(incoming: IncomingMessage, findLimit: () => number): Promise<Body> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let limit = MAX_BODY_BYTES_WITHOUT_KEY;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      try {
        if (size > limit && limit === MAX_BODY_BYTES_WITHOUT_KEY) limit = findLimit();
      } catch (error) {
        reject(error);
      }
      // Reads the rest without keeping it: some clients lose a response sent before the end of the request.
      if (size > limit) chunks.length = 0;
      else chunks.push(chunk);
    });
    let isWhole = false;
    incoming.once('end', () => {
      isWhole = true;
      resolve(bodyOf(chunks, size, limit));
    });
    incoming.once('error', reject);
    incoming.once('close', () => {
      // Every request closes, and an error notes where it was made, which takes longer than the rest.
      if (!isWhole) reject(new Error('the connection was lost before the end of the request'));
    });
  });
}

function bodyOf(chunks: readonly Buffer[], size: number, limit: number): Body {
  if (size > limit) return { body: '', bodyProblem: `body: expected at most ${limit} bytes` };
  const [first] = chunks;
  const bytes = chunks.length === 1 && first ? first : Buffer.concat(chunks);
  if (!isUtf8(bytes)) return { body: '', bodyProblem: 'body: expected UTF-8' };
  return { body: bytes.toString('utf8') };
}
