import { lookup } from 'node:dns/promises';
import https from 'node:https';
import type { TLSSocket } from 'node:tls';
import { ExchangeError } from '../base/exchange-error.ts';
import type { Certificate, Probe } from '../base/world.ts';
import { wordsFor } from './network.ts';
import { agentProxy, type Environment } from './proxy.ts';

const LOOK_UP_MS = 5_000;
const HANDSHAKE_MS = 8_000;
const LATE = 'the connection did not come about in time';

/** Looks at the way to a server as the network of this environment goes it. */
export function createProbe(env: Environment): Probe {
  return { lookUp, certificate: (url) => certificate(url, env) };
}

async function lookUp(host: string): Promise<readonly string[]> {
  const limit = AbortSignal.timeout(LOOK_UP_MS);
  const late = new Promise<never>((_, reject) => {
    limit.addEventListener('abort', () => reject(new ExchangeError('the host name could not be looked up', false)));
  });
  const found = lookup(host, { all: true }).catch((error) => {
    throw new ExchangeError(wordsFor(error), false, error);
  });
  return (await Promise.race([found, late])).map(({ address }) => address);
}

/** A request that is never ended sends nothing: what comes about is the handshake. One that nobody trusts is looked at all the same. */
function certificate(url: string, env: Environment): Promise<Certificate> {
  const agent = new https.Agent({ ...agentProxy(url, env), rejectUnauthorized: false });
  return new Promise<Certificate>((resolve, reject) => {
    const outgoing = https.request(url, { agent, signal: AbortSignal.timeout(HANDSHAKE_MS) });
    outgoing.on('error', (error: Error & { code?: string }) =>
      reject(new ExchangeError(error.code === 'ABORT_ERR' ? LATE : wordsFor(error), false, error)),
    );
    outgoing.on('socket', (socket) => {
      const shown = () => resolve(shownBy(socket as TLSSocket));
      if (socket.connecting || (socket as TLSSocket).getProtocol?.() === null) socket.once('secureConnect', shown);
      else shown();
    });
  }).finally(() => agent.destroy());
}

function shownBy(socket: TLSSocket): Certificate {
  const { valid_to: validTo, issuer } = socket.getPeerCertificate();
  const [name] = [issuer?.O ?? issuer?.CN ?? 'nobody'].flat();
  return {
    // Node gives the code of the reason, where its types have an error.
    distrust: socket.authorized ? undefined : String(socket.authorizationError),
    validToMs: validTo ? Date.parse(validTo) : undefined,
    issuer: name ?? 'nobody',
  };
}
