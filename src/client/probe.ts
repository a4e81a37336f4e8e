import { lookup } from 'node:dns/promises';
import https from 'node:https';
import type { TLSSocket } from 'node:tls';
import { ExchangeError } from '../base/errors.ts';
import type { Certificate, Probe } from '../base/world.ts';
import { CONNECT_TIMED_OUT, type OpenConnection, openConnection, reasonFor, withTimeLimit } from './network.ts';
import { agentProxy, type Environment } from './proxy.ts';

const LOOKUP_TIMEOUT_MS = 5_000;
const HANDSHAKE_TIMEOUT_MS = 8_000;

/** Returns a Probe that connects as the network of this environment does. */
export function createProbe(env: Environment): Probe {
  return { lookUp, certificate: (url, limitMs) => certificate(url, limitMs, env) };
}

async function lookUp(host: string, limitMs: number): Promise<readonly string[]> {
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

function shake(url: string, { agent, isProxied }: OpenConnection, signal: AbortSignal): Promise<Certificate> {
  return new Promise((resolve, reject) => {
    const outgoing = https.request(url, { agent, signal });
    outgoing.on('error', (error) => reject(new ExchangeError(reasonFor(error, isProxied), false, error)));
    outgoing.on('socket', (socket) => {
      const connected = () => resolve(certificateOf(socket as TLSSocket));
      if (socket.connecting || (socket as TLSSocket).getProtocol?.() === null) socket.once('secureConnect', connected);
      else connected();
    });
  });
}

function certificateOf(socket: TLSSocket): Certificate {
  const { valid_to: validTo, issuer } = socket.getPeerCertificate();
  const [name] = [issuer?.O ?? issuer?.CN ?? 'nobody'].flat();
  return {
    // Node sets an error code here, although its types declare an Error.
    distrust: socket.authorized ? undefined : String(socket.authorizationError),
    validToMs: validTo ? Date.parse(validTo) : undefined,
    issuer: name ?? 'nobody',
  };
}
