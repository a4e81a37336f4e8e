import http from 'node:http';
import type { AgentOptions } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { TLSSocket } from 'node:tls';
import ky, { isTimeoutError } from 'ky';
import { ExchangeError, TOO_LATE } from '../base/errors.ts';
import type { Certificate, Clock, Exchange, HttpRequest, HttpResponse, Probe, World } from '../base/world.ts';
import { agentProxy, type Environment, proxyVariables } from './proxy.ts';

type Socket = http.IncomingMessage['socket'];

/** What the network needs of the World. */
interface NetworkWorld extends Pick<World, 'turn'> {
  readonly clock: Pick<Clock, 'now' | 'steadyMs'>;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** Far above any response of the service. Reading stops at this size. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

/**
 * Returns an Exchange over the network, on Node's HTTP client. It does not follow redirects or decompress bodies, and it
 * uses the proxy of the environment, except for loopback addresses. Requests one after the other share a connection, except through a
 * proxy. A change opens a new one if the last response is older than `FRESH_MS`. Throws CliError usage for an invalid proxy URL.
 */
export function createNetwork(env: Environment, { clock, turn }: NetworkWorld): Exchange {
  // An invalid proxy is rejected before the first request, whatever its URL.
  proxyVariables(env);
  const shared = new Map<boolean, Promise<OpenConnection>>();
  const freshness = createFreshness(clock, turn);
  return async (request, signal, isRead = false) => {
    const isTls = new URL(request.url).protocol === 'https:';
    const proxy = agentProxy(request.url, env);
    if (proxy.proxyEnv) return exchangeOnce(request, signal, await openConnection(isTls, proxy));
    const opening = shared.get(isTls) ?? openConnection(isTls, { keepAlive: true });
    shared.set(isTls, opening);
    const connection = { ...(await opening), close: () => {} };
    if (!isRead) await freshness.require(connection.agent);
    const checked = request.takesAddress && { lookup: await checkedLookup(request.takesAddress) };
    return exchangeOnce(request, signal, connection, { ...checked, onAnswered: freshness.note });
  };
}

/** Returns a look-up that finds only addresses that are taken, so that the address which was checked is the one connected to. */
async function checkedLookup(takesAddress: (address: string) => boolean): Promise<LookupFunction> {
  const { default: dns } = await import('node:dns');
  return (host, options, done) => {
    dns.lookup(host, { ...options, all: true }, (error, found) => {
      if (error) return done(error, []);
      const taken = found.filter(({ address }) => takesAddress(address));
      const [first] = taken;
      if (!first) return done(refusedAddress(), []);
      return options.all ? done(null, taken) : done(null, first.address, first.family);
    });
  };
}

const refusedAddress = () => Object.assign(new Error('rejected'), { code: 'ADDRESS_REFUSED' });

/**
 * How long a connection may have been idle before a change uses it. The longer, the likelier it is that the server closes it just then,
 * which would leave a payment with an unknown outcome.
 */
const FRESH_MS = 1_000;

function createFreshness({ now, steadyMs = now }: NetworkWorld['clock'], turn: NetworkWorld['turn']) {
  const answered = new WeakMap<Socket, { readonly nowMs: number; readonly steadyMs: number }>();
  const isFresh = (socket: Socket) => {
    const at = answered.get(socket);
    // The machine may have slept, or its clock may have been set.
    const idleMs = at ? Math.max(Math.abs(now() - at.nowMs), steadyMs() - at.steadyMs) : Infinity;
    return idleMs <= FRESH_MS;
  };
  return {
    /** Notes that a connection has just brought a response. */
    note: (socket: Socket) => void answered.set(socket, { nowMs: now(), steadyMs: steadyMs() }),
    /** Closes the idle connections of an agent that a change must not use. */
    require: async ({ freeSockets }: http.Agent) => {
      if (Object.keys(freeSockets).length === 0) return;
      // Node learns here which of them the server has closed by now.
      for (let turns = 0; turns < TURNS_TO_READ; turns++) await turn();
      for (const socket of Object.values(freeSockets).flat()) if (socket && !isFresh(socket)) socket.destroy();
    },
  };
}

/** The first turn of the event loop may be past the point where sockets are read; what is read reaches the socket in the one after. */
const TURNS_TO_READ = 2;

/** Node's agent for the connections of one or more requests. */
interface OpenConnection {
  readonly agent: http.Agent;
  readonly isTls: boolean;
  readonly isProxied: boolean;
  readonly request: typeof http.request;
  /** Closes the sockets. `agent.destroy()` alone leaves one open that waits for a proxy, and the process with it. */
  close(): void;
}

async function openConnection(isTls: boolean, options: AgentOptions): Promise<OpenConnection> {
  // TLS takes longer to load than everything else here, so plain HTTP does without it.
  const { Agent, request } = isTls ? await import('node:https') : http;
  const agent = new Agent(options);
  const connect = agent.createConnection.bind(agent);
  const waiting = new Set<{ destroy(): unknown }>();
  agent.createConnection = (target, done) => {
    const socket = connect(target, (error, connected) => {
      // From here on, TLS uses the socket and closes it.
      if (socket) waiting.delete(socket);
      done?.(error, connected);
    });
    if (socket && isTls && options.proxyEnv) limitProxy(socket);
    if (socket) waiting.add(socket.once('close', () => waiting.delete(socket)));
    return socket;
  };
  const close = () => {
    agent.destroy();
    for (const socket of waiting) socket.destroy();
  };
  return { agent, isTls, isProxied: options.proxyEnv !== undefined, request, close };
}

/** Node's own limit for the headers of every other response. */
const MAX_PROXY_BYTES = http.maxHeaderSize;

/**
 * Limits what a proxy says before the tunnel: Node keeps all of it, however long it is. Node reads that with `read`, and nothing after it.
 */
function limitProxy(socket: NonNullable<ReturnType<http.Agent['createConnection']>>): void {
  let size = 0;
  const read = socket.read.bind(socket);
  socket.read = (...given) => {
    const chunk: Buffer | null = read(...given);
    size += chunk?.length ?? 0;
    if (size <= MAX_PROXY_BYTES) return chunk;
    socket.destroy(Object.assign(new Error('the proxy said too much'), { code: 'PROXY_TOO_LONG' }));
    return null;
  };
}

function exchangeOnce(
  request: HttpRequest,
  signal: AbortSignal,
  { agent, isTls, isProxied, request: open, close }: OpenConnection,
  {
    lookup,
    onAnswered = () => {},
  }: { readonly lookup?: LookupFunction; readonly onAnswered?: (socket: Socket) => void } = {},
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let sent = false;
    const connecting = Promise.withResolvers<void>();
    const body = request.bytes ?? (request.body === undefined ? undefined : Buffer.from(request.body));
    const outgoing = open(request.url, {
      method: request.method,
      headers: { ...request.headers, ...(body ? { 'content-length': body.length } : {}) },
      agent,
      signal,
      ...(lookup ? { lookup } : {}),
    });
    const fail = (error: Error & { code?: string }) => {
      connecting.resolve();
      close();
      reject(new ExchangeError(reasonFor(error, isProxied), sent, error));
    };
    // Separate from the limit of the whole attempt: when this one passes, it is certain that nothing was sent.
    const connected = () => connecting.promise;
    withTimeLimit(request.url, CONNECT_TIMEOUT_MS, CONNECT_TIMED_OUT, connected).catch((error: Error) => {
      fail(error);
      outgoing.destroy(error);
    });
    outgoing.on('error', fail);
    // Without a socket, such as while a proxy hangs, an aborted request would not report an error.
    const abandon = () => fail(Object.assign(new Error('canceled'), { code: 'ABORT_ERR' }));
    signal.addEventListener('abort', abandon, { once: true });
    // The signal may outlive many requests, and a listener keeps all of its request in memory.
    connecting.promise.then(() => signal.removeEventListener('abort', abandon));
    outgoing.on('socket', (socket) => {
      const onConnected = () => {
        // Node writes the request after this listener, which was added first.
        if (lookup && !request.takesAddress?.(socket.remoteAddress ?? '')) return socket.destroy(refusedAddress());
        if (request.isLate?.()) return socket.destroy(new Error(TOO_LATE));
        sent = true;
        return connecting.resolve();
      };
      if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', onConnected);
      else onConnected();
    });
    const endedEarly = () => fail(new Error('the connection ended without a response'));
    outgoing.on('close', endedEarly);
    outgoing.on('response', (incoming) => {
      // From here on, the response reports how it ends.
      outgoing.removeListener('close', endedEarly);
      const { socket } = incoming;
      incoming.once('end', () => onAnswered(socket));
      readResponse(incoming, resolve, fail);
    });
    outgoing.on('upgrade', (_incoming, socket) => {
      socket.destroy();
      fail(new Error('the server switched to another protocol'));
    });
    outgoing.end(body);
  });
}

function readResponse(
  incoming: http.IncomingMessage,
  resolve: (response: HttpResponse) => void,
  fail: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) incoming.destroy(Object.assign(new Error('too large'), { code: 'BODY_TOO_LARGE' }));
    else chunks.push(chunk);
  });
  incoming.on('error', fail);
  incoming.on('end', () => {
    const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
    const bytes = Buffer.concat(chunks);
    // A long response is kept once, not three times.
    chunks.length = 0;
    resolve({ status: incoming.statusCode ?? 0, headers, body: bytes.toString('utf8') });
  });
}

const CONNECT_TIMED_OUT = 'the connection timed out';

/** Reasons for people, by Node's error code. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was lost before the whole response arrived',
  EPIPE: 'the connection was lost while sending',
  ENOTFOUND: 'the host name was not found',
  EAI_AGAIN: 'the host name could not be resolved',
  ETIMEDOUT: CONNECT_TIMED_OUT,
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network is unreachable',
  BODY_TOO_LARGE: `the response is larger than ${MAX_BODY_BYTES / 1024 / 1024} MiB`,
  PROXY_TOO_LONG: `the proxy sent more than ${MAX_PROXY_BYTES / 1024} KiB before it opened a tunnel`,
  ADDRESS_REFUSED: 'the host is not at a public address',
  ABORT_ERR: 'the request was canceled',
};

/** Errors of opening a connection. Through a proxy, the only connection that we open is the one to the proxy. */
const CONNECT_ERRORS = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Returns why a connection failed, for people. */
function reasonFor(error: Error & { code?: string }, isProxied = false): string {
  const code = error.code ?? '';
  if (isProxied && CONNECT_ERRORS.has(code)) return `the proxy cannot be reached: ${REASONS[code]}`;
  if (code.startsWith('HPE_')) return 'the response is not HTTP';
  if (
    code.includes('CERT') ||
    code.includes('SELF_SIGNED') ||
    code.startsWith('ERR_TLS') ||
    code === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'
  ) {
    return `the server's certificate is not trusted (${code})`;
  }
  if (code.startsWith('ERR_PROXY')) return `the proxy refused the connection (${code})`;
  return REASONS[code] ?? (code ? `the connection failed (${code})` : error.message || 'the connection failed');
}

/**
 * Runs one step of a connection (a look-up, a handshake) under ky's time limit, without retries. `run` must stop when
 * its signal aborts. Throws ExchangeError `reason`, with nothing sent, when the limit passes first.
 */
async function withTimeLimit<T>(
  url: string,
  limitMs: number,
  reason: string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const results: T[] = [];
  const fetch = async (request: unknown) => {
    results.push(await run((request as Request).signal));
    return new globalThis.Response(null);
  };
  try {
    await ky(url, { timeout: limitMs, retry: 0, fetch });
  } catch (error) {
    throw isTimeoutError(error) ? new ExchangeError(reason, false, error) : error;
  }
  return results[0] as T;
}

const LOOKUP_TIMEOUT_MS = 5_000;
const HANDSHAKE_TIMEOUT_MS = 8_000;

/** Returns a Probe that connects as the network of this environment does. */
export function createProbe(env: Environment): Probe {
  return { lookUp, certificate: (url, limitMs) => certificate(url, limitMs, env) };
}

async function lookUp(host: string, limitMs: number): Promise<readonly string[]> {
  const { lookup } = await import('node:dns/promises');
  const url = `https://${host.includes(':') ? `[${host}]` : host}`;
  const found = await withTimeLimit(
    url,
    Math.min(LOOKUP_TIMEOUT_MS, limitMs),
    'the host name could not be resolved in time',
    () =>
      lookup(host, { all: true }).catch((error) => {
        throw new ExchangeError(reasonFor(error), false, error);
      }),
  );
  return found.map(({ address }) => address);
}

/** Completes the TLS handshake without sending a request, and reports an untrusted certificate instead of failing. */
async function certificate(url: string, limitMs: number, env: Environment): Promise<Certificate> {
  const connection = await openConnection(true, { ...agentProxy(url, env), rejectUnauthorized: false });
  const handshake = withTimeLimit(url, Math.min(HANDSHAKE_TIMEOUT_MS, limitMs), CONNECT_TIMED_OUT, (signal) =>
    shake(url, connection, signal),
  );
  return handshake.finally(connection.close);
}

function shake(url: string, { agent, isProxied, request }: OpenConnection, signal: AbortSignal): Promise<Certificate> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, signal });
    outgoing.on('error', (error) => reject(new ExchangeError(reasonFor(error, isProxied), false, error)));
    outgoing.on('socket', (socket) => {
      const connected = () => resolve(certificateOf(socket as TLSSocket));
      if (socket.connecting || (socket as TLSSocket).getProtocol?.() === null) socket.once('secureConnect', connected);
      else connected();
    });
  });
}

const UNKNOWN_ISSUER = 'an unknown issuer';

function certificateOf(socket: TLSSocket): Certificate {
  const { valid_to: validTo, issuer } = socket.getPeerCertificate();
  const [name] = [issuer?.O ?? issuer?.CN ?? UNKNOWN_ISSUER].flat();
  return {
    // Node sets an error code here, although its types declare an Error.
    distrust: socket.authorized ? undefined : String(socket.authorizationError),
    validToMs: validTo ? Date.parse(validTo) : undefined,
    issuer: name ?? UNKNOWN_ISSUER,
  };
}
