import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ExchangeError } from '../base/exchange-error.ts';
import type { HttpResponse, World } from '../base/world.ts';
import { Fault } from '../contract/faults.ts';
import type { PaceName } from '../service/pace.ts';
import { openService, type Service } from '../service/service.ts';
import { changeSettings } from '../service/settings.ts';
import { createSandbox, failure, type Sandbox } from './app.ts';

export interface ServeOptions {
  readonly path: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly pace?: PaceName | undefined;
  readonly rateLimits?: boolean | undefined;
}

/** A sandbox that listens on this machine. */
export interface ServedSandbox {
  /** Ends in /v1. */
  readonly url: string;
  readonly apiKey: string;
  /** Finishes open requests, saves the request counts, and stops. */
  close(): Promise<void>;
}

/** How long open requests may take when the sandbox stops. */
const GRACE_MS = 1_000;

/** Far above any request of the service. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Serves the sandbox over node:http, on the loopback address only. Requests of one tick share a commit. Rejects with
 * the listen error (a port in use) or DatabaseError.
 */
export async function serve(
  { clock, ids }: Pick<World, 'clock' | 'ids'>,
  options: ServeOptions,
): Promise<ServedSandbox> {
  const service = await openService({ path: options.path, clock, ids, gather: setImmediate });
  await applySettings(service, options);
  const sandbox = createSandbox(service);
  const server = createServer((request, response) => {
    answer(sandbox, request).then(
      (result) => write(response, result),
      (error) => {
        // An injected connection drop: the client gets no response.
        if (error instanceof ExchangeError) response.destroy();
        else write(response, failure(new Fault('INTERNAL_ERROR', 'the sandbox could not complete the request')));
      },
    );
  });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port, '127.0.0.1', resolve);
    });
  } catch (error) {
    await sandbox.close();
    throw error;
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    apiKey: sandbox.apiKey(),
    close: async () => {
      const ended = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      // Idle or half-sent requests must not delay the stop.
      AbortSignal.timeout(GRACE_MS).addEventListener('abort', () => server.closeAllConnections(), { once: true });
      await ended;
      await sandbox.close();
    },
  };
}

async function applySettings(service: Service, { pace, rateLimits }: ServeOptions): Promise<void> {
  await service.submit('write', ({ store }) => {
    changeSettings(store, { ...(pace ? { pace } : {}), ...(rateLimits === undefined ? {} : { rateLimits }) });
  });
}

async function answer(sandbox: Sandbox, incoming: IncomingMessage): Promise<HttpResponse> {
  const body = await readBody(incoming);
  if (body === undefined)
    return failure(new Fault('VALIDATION_ERROR', `body: expected at most ${MAX_BODY_BYTES} bytes`));
  const request = { method: incoming.method ?? 'GET', url: incoming.url ?? '/', headers: {}, body };
  return sandbox.fetch(request, { apiKey: exactKey(incoming), address: incoming.socket.remoteAddress ?? '' });
}

/** Returns the API key. The header name must be lower case on the wire. Source: interface. */
function exactKey({ rawHeaders }: IncomingMessage): string | undefined {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name === 'x-api-key');
  return at === -1 ? undefined : rawHeaders[at + 1];
}

async function readBody(incoming: IncomingMessage): Promise<string | undefined> {
  if (incoming.method === 'GET') return '';
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Reads the rest without keeping it: some clients lose a response sent before the end of the request.
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString('utf8');
}

/** A body shorter than its content-length is sent as is, and then the connection drops. */
function write(response: ServerResponse, { status, headers, body }: HttpResponse): void {
  const length = Buffer.byteLength(body);
  const promised = Number(headers['content-length'] ?? length);
  response.writeHead(status, { ...headers, 'content-length': promised });
  if (promised > length) response.write(body, () => response.destroy());
  else response.end(body);
}
