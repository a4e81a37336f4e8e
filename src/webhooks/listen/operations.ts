import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../base/world.ts';
import type { Inbox } from '../inbox/inbox.ts';
import type { Metrics } from './metrics.ts';
import { isKnownHost } from './server.ts';

interface Operated {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Host names accepted besides those of this machine. */
  readonly allowHosts: readonly string[];
  readonly inbox: Pick<Inbox, 'counts' | 'touch'>;
  /** What is left of the disk of the inbox, in bytes. Throws the system's error. */
  freeBytes(): number;
  readonly clock: Pick<Clock, 'now'>;
  /** Aborts when the listener takes nothing more. */
  readonly stopping: AbortSignal;
}

/** Each write is flushed, so that it is not repeated for every question. */
const FRESH_MS = 1_000;

interface Health {
  readonly status: 'ok' | 'failing';
  readonly problem: string | null;
  readonly events: number | null;
  readonly held: number | null;
  readonly dead: number | null;
  readonly waiting: number | null;
  readonly freeBytes: number | null;
}

const NOTHING = { events: null, held: null, dead: null, waiting: null, freeBytes: null };

/** Reads and writes the inbox. */
async function healthOf({ inbox, freeBytes }: Operated): Promise<Health> {
  const left = leftOf(freeBytes);
  try {
    const { events, held, dead, waiting } = await inbox.counts();
    const counts = { events, held, dead, waiting, freeBytes: left };
    if (await inbox.touch()) return { status: 'ok', problem: null, ...counts };
    return { status: 'failing', problem: 'another listener has taken the inbox', ...counts };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { ...NOTHING, status: 'failing', problem, freeBytes: left };
  }
}

function leftOf(freeBytes: () => number): number | null {
  try {
    return freeBytes();
  } catch {
    return null;
  }
}

/** Answers what watches over a listener: `/healthz`, `/readyz` and `/metrics`. Rejects with the listen error. */
export async function serveOperations(operated: Operated, metrics: Metrics) {
  const { clock, stopping } = operated;
  let known: { readonly health: Promise<Health>; readonly atMs: number } | undefined;
  const health = () => {
    if (!known || Math.abs(clock.now() - known.atMs) >= FRESH_MS)
      known = { health: healthOf(operated), atMs: clock.now() };
    return known.health;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (!isKnownHost(request, operated.allowHosts)) return write(response, 421, 'another host');
    if (request.method !== 'GET' && request.method !== 'HEAD') return write(response, 405, 'expected GET');
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname === '/metrics') {
      const { type, text } = await metrics.text(request.headers.accept ?? '');
      return write(response, 200, text, type);
    }
    const now = await health();
    if (pathname === '/healthz')
      return write(response, now.status === 'ok' ? 200 : 503, JSON.stringify(now), JSON_TYPE);
    if (pathname !== '/readyz') return write(response, 404, 'expected /healthz, /readyz or /metrics');
    if (stopping.aborted) return write(response, 503, 'stopping');
    return write(response, now.status === 'ok' ? 200 : 503, now.problem ?? 'ready');
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => write(response, 500, String(error)));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(operated.port, operated.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const JSON_TYPE = 'application/json';

function write(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  const body = text.endsWith('\n') ? text : `${text}\n`;
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
