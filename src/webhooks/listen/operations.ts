import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../base/world.ts';
import type { Inbox } from '../inbox/inbox.ts';
import type { Metrics } from './metrics.ts';
import { isKnownHost, MAX_BODY_BYTES, RETRY_AFTER_S } from './server.ts';

interface Operated {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Host names accepted besides those of this machine. */
  readonly allowHosts: readonly string[];
  readonly inbox: Pick<Inbox, 'counts' | 'holds'>;
  /** Writes to the inbox as an event is written. */
  readonly writer: Pick<Inbox, 'tryRoom'>;
  /** What is left of the disk of the inbox, in bytes; undefined if it is on a server. Throws the system's error. */
  freeBytes(): number | undefined;
  /** Returns random bytes: a database makes others smaller. */
  bytes(length: number): Uint8Array;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** Aborts when the listener takes nothing more. */
  readonly stopping: AbortSignal;
}

/** What was read is not read again for every question. */
const FRESH_MS = 1_000;
/** A row as large as the largest event is written less often, unless that failed. */
const ROOM_MS = 5_000;
/** An encrypted event is kept as it came and opened, with its headers. */
const ROOM_BYTES = 2 * MAX_BODY_BYTES;
/** With less of a disk, the log and the indexes of an inbox may not grow any more. */
const LEAST_BYTES = 16 * 1024 * 1024;
/** A sender that waits for longer may give up. */
const SLOW_MS = 5_000;

interface Health {
  readonly status: 'ok' | 'failing';
  readonly problem: string | null;
  readonly events: number | null;
  readonly quarantined: number | null;
  readonly dead: number | null;
  readonly waiting: number | null;
  readonly freeBytes: number | null;
}

const NOTHING = { events: null, quarantined: null, dead: null, waiting: null };

type Tried = Omit<Health, 'status' | 'freeBytes'>;

const SLOW: Tried = { ...NOTHING, problem: `storing an event takes longer than ${SLOW_MS / 1_000} seconds` };

/** Answers what watches over a listener: `/healthz`, `/readyz` and `/metrics`. Rejects with the listen error. */
export async function serveOperations(operated: Operated, metrics: Metrics) {
  const { stopping } = operated;
  const { health, notStored } = watchOver(operated);
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
    notStored,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Returns a function that reads and writes the inbox, as far as that was not done a moment ago. */
function trialOf({ inbox, writer, bytes, clock }: Operated): () => Promise<Tried> {
  let filler: string | undefined;
  let roomAtMs = Number.NEGATIVE_INFINITY;
  return async () => {
    try {
      const { events, quarantined, dead, waiting } = await inbox.counts();
      const counts = { events, quarantined, dead, waiting };
      if (!(await inbox.holds())) return { problem: 'another listener has taken the inbox', ...counts };
      if (Math.abs(clock.now() - roomAtMs) >= ROOM_MS) {
        filler ??= Buffer.from(bytes((ROOM_BYTES / 4) * 3)).toString('base64');
        const begunMs = clock.now();
        await writer.tryRoom(filler);
        // What took long may take as long again.
        if (clock.now() - begunMs < SLOW_MS) roomAtMs = clock.now();
      }
      return { problem: null, ...counts };
    } catch (error) {
      roomAtMs = Number.NEGATIVE_INFINITY;
      return { ...NOTHING, problem: error instanceof Error ? error.message : String(error) };
    }
  };
}

function leftOf(freeBytes: Operated['freeBytes']): number | null {
  try {
    return freeBytes() ?? null;
  } catch {
    return null;
  }
}

/** What says whether the inbox can keep what arrives. */
interface Watch {
  health(): Promise<Health>;
  /** Notes that an event could not be stored. */
  notStored(): void;
}

function watchOver(operated: Operated): Watch {
  const { clock, freeBytes } = operated;
  const trial = trialOf(operated);
  let notStoredAtMs = Number.NEGATIVE_INFINITY;
  let running: { readonly trial: Promise<Tried>; readonly begunMs: number } | undefined;
  let known: { readonly tried: Promise<Tried>; readonly atMs: number } | undefined;
  /** One that has not ended is not begun again, and is waited for no longer than a sender would. */
  const inTime = async (): Promise<Tried> => {
    const begun = () => ({
      trial: trial().finally(() => {
        running = undefined;
      }),
      begunMs: clock.now(),
    });
    running ??= begun();
    const { trial: own, begunMs } = running;
    const ended = new AbortController();
    const late = clock.sleep(Math.max(0, SLOW_MS - (clock.now() - begunMs)), ended.signal).then(() => SLOW);
    // It is aborted if the trial ends first.
    late.catch(() => {});
    const tried = await Promise.race([own, late]);
    ended.abort();
    // A slow file lets nothing else happen, so the time is noticed only afterwards.
    const isSlow = tried.problem === null && clock.now() - begunMs >= SLOW_MS;
    return isSlow ? { ...tried, problem: SLOW.problem } : tried;
  };
  const problemAround = (left: number | null): string | null => {
    if (Math.abs(clock.now() - notStoredAtMs) < RETRY_AFTER_S * 1_000)
      return `an event could not be stored in the last ${RETRY_AFTER_S} seconds`;
    return left !== null && left < LEAST_BYTES ? `only ${left} bytes of the disk are left` : null;
  };
  return {
    health: async () => {
      if (!known || Math.abs(clock.now() - known.atMs) >= FRESH_MS) known = { tried: inTime(), atMs: clock.now() };
      const { problem, ...counts } = await known.tried;
      const left = leftOf(freeBytes);
      const found = problem ?? problemAround(left);
      return { status: found === null ? 'ok' : 'failing', problem: found, ...counts, freeBytes: left };
    },
    notStored: () => {
      notStoredAtMs = clock.now();
    },
  };
}

const JSON_TYPE = 'application/json';

function write(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  const body = text.endsWith('\n') ? text : `${text}\n`;
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
