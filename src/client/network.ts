import http from 'node:http';
import https from 'node:https';
import { ExchangeError } from '../base/exchange-error.ts';
import type { Exchange, HttpRequest, HttpResponse } from '../base/world.ts';
import { agentProxy, type Environment, proxyVariables } from './proxy.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** Far above any answer of the service; a body beyond it is not read to its end. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

/**
 * The network as an Exchange, on Node's own client: no redirect is followed, nothing is decompressed, a proxy is taken
 * from the environment. What changes something has a connection to itself: one that was idle may be gone when it is used
 * again, and leave a payment in doubt. Reads share theirs. A proxy is never used for this machine itself.
 * Throws CliError usage for a proxy that is no URL.
 */
export function createNetwork(env: Environment): Exchange {
  // An invalid proxy is rejected before the first request, whatever its URL.
  proxyVariables(env);
  const shared = new Map<boolean, http.Agent>();
  return (request, signal, isRead = false) => {
    const isTls = new URL(request.url).protocol === 'https:';
    const proxy = agentProxy(request.url, env);
    const isShared = isRead && !proxy.proxyEnv;
    const newAgent = () => agentOf(isTls, { ...proxy, keepAlive: isShared });
    const agent = (isShared && shared.get(isTls)) || newAgent();
    if (isShared) shared.set(isTls, agent);
    return exchangeOnce(request, signal, { agent, isTls, isShared });
  };
}

function agentOf(isTls: boolean, options: https.AgentOptions): http.Agent {
  return isTls ? new https.Agent(options) : new http.Agent(options);
}

/** How a request goes out. */
interface Way {
  readonly agent: http.Agent;
  readonly isTls: boolean;
  /** Others use the agent too. */
  readonly isShared: boolean;
}

function exchangeOnce(
  request: HttpRequest,
  signal: AbortSignal,
  { agent, isTls, isShared }: Way,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let sent = false;
    const body = request.body === undefined ? undefined : Buffer.from(request.body);
    const outgoing = (isTls ? https : http).request(request.url, {
      method: request.method,
      headers: { ...request.headers, ...(body ? { 'content-length': body.length } : {}) },
      agent,
      signal,
    });
    const fail = (error: Error & { code?: string }) => {
      // A tunnel that a proxy never opened has no request yet that could close it.
      if (!isShared) agent.destroy();
      reject(new ExchangeError(wordsFor(error), sent, error));
    };
    const isConnected = limitConnecting(outgoing, fail);
    outgoing.on('error', fail);
    outgoing.on('socket', (socket) => {
      const connected = () => {
        sent = true;
        isConnected();
      };
      if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', connected);
      else connected();
    });
    const endedEarly = () => fail(new Error('the connection ended without an answer'));
    outgoing.on('close', endedEarly);
    outgoing.on('response', (incoming) => {
      // From here on the answer itself says how it ends.
      outgoing.removeListener('close', endedEarly);
      readAnswer(incoming, resolve, fail);
    });
    outgoing.on('upgrade', (_incoming, socket) => {
      socket.destroy();
      fail(new Error('the server switched to another protocol'));
    });
    outgoing.end(body);
  });
}

/** Gives up on a connection that does not come about, its proxy's part included. Returns what to call when it has. */
function limitConnecting(outgoing: http.ClientRequest, fail: (error: Error) => void): () => void {
  const limit = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  const giveUp = () => {
    const error = Object.assign(new Error('connect'), { code: 'ETIMEDOUT' });
    fail(error);
    outgoing.destroy(error);
  };
  limit.addEventListener('abort', giveUp, { once: true });
  return () => limit.removeEventListener('abort', giveUp);
}

function readAnswer(
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
    resolve({ status: incoming.statusCode ?? 0, headers, body: Buffer.concat(chunks).toString('utf8') });
  });
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection broke off before the whole answer came',
  EPIPE: 'the connection broke off while sending',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up',
  ETIMEDOUT: 'the connection did not come about in time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  BODY_TOO_LARGE: `the answer is larger than ${MAX_BODY_BYTES / 1024 / 1024} MiB`,
  ABORT_ERR: 'the request was given up',
};

/** Why a connection failed, for people. */
export function wordsFor(error: Error & { code?: string }): string {
  const code = error.code ?? '';
  if (code.startsWith('HPE_')) return 'the answer is not HTTP';
  if (
    code.includes('CERT') ||
    code.includes('SELF_SIGNED') ||
    code.startsWith('ERR_TLS') ||
    code === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'
  ) {
    return `the server's certificate is not trusted (${code})`;
  }
  if (code.startsWith('ERR_PROXY')) return `the proxy did not let the request through (${code})`;
  return WORDS[code] ?? (code ? `the connection failed (${code})` : error.message || 'the connection failed');
}
