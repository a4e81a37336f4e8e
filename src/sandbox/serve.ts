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
  /** 0 picks a free one. */
  readonly port: number;
  readonly pace?: PaceName | undefined;
  readonly rateLimits?: boolean | undefined;
}

/** A sandbox that listens on this machine. */
export interface ServedSandbox {
  /** Ends in /v1. */
  readonly url: string;
  readonly apiKey: string;
  /** Finishes what was asked, writes what was counted, and stops. */
  close(): Promise<void>;
}

/** For requests that are under way when the sandbox stops. */
const GRACE_MS = 1_000;

/** No request of the service comes near this. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * The sandbox behind node:http, on the loopback address only. Requests of one tick share a commit.
 * Rejects with the listen error (a port in use) or DatabaseError.
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
        // A line that is to drop: nobody is told anything.
        if (error instanceof ExchangeError) response.destroy();
        else write(response, failure(new Fault('INTERNAL_ERROR', 'the sandbox could not finish the request')));
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
      // Who says nothing, or half of something, is not waited for.
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
    return failure(new Fault('VALIDATION_ERROR', `the body: expected at most ${MAX_BODY_BYTES} bytes`));
  const request = { method: incoming.method ?? 'GET', url: incoming.url ?? '/', headers: {}, body };
  return sandbox.fetch(request, { apiKey: exactKey(incoming), address: incoming.socket.remoteAddress ?? '' });
}

/** The header's name is lower case on the wire; other spellings do not count. Source: interface. */
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
    // The rest is read and dropped: an answer before the end of a request is lost on some clients.
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString('utf8');
}

/** An answer that promises more than it has is sent as far as it goes, and then the line drops. */
function write(response: ServerResponse, { status, headers, body }: HttpResponse): void {
  const length = Buffer.byteLength(body);
  const promised = Number(headers['content-length'] ?? length);
  response.writeHead(status, { ...headers, 'content-length': promised });
  if (promised > length) response.write(body, () => response.destroy());
  else response.end(body);
}
