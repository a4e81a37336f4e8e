import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { HttpResponse } from '../base/world.ts';
import { httpRefusal } from './answer.ts';
import { splitUrl } from './router.ts';

/** Where requests may come from and what they may call this server. */
export interface HostCheckOptions {
  /** Host names accepted besides loopback names and the address of the connection. */
  readonly allowHosts?: readonly string[] | undefined;
  /** Origins of web pages that may call the sandbox. */
  readonly allowOrigins?: readonly string[] | undefined;
}

/** A response that takes the place of the endpoint's, or undefined, and the headers to add to either. */
interface HostChecked {
  readonly response: HttpResponse | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Returns a function that checks a request's Host and Origin before anything else is read, so that a web page cannot
 * use the sandbox behind its owner's back, by name (DNS rebinding) or across origins. Controls accept this machine only.
 */
export function createHostCheck({
  allowHosts = [],
  allowOrigins = [],
}: HostCheckOptions): (incoming: IncomingMessage) => HostChecked {
  const hosts = new Set(allowHosts.map(hostKey));
  const origins = new Set(allowOrigins);
  return (incoming) => {
    const refusal = hostRefusal(incoming, hosts) ?? originRefusal(incoming, origins) ?? controlRefusal(incoming);
    if (refusal) return { response: refusal, headers: {} };
    const origin = incoming.headers.origin;
    if (origin === undefined) return { response: undefined, headers: {} };
    const isPreflight =
      incoming.method === 'OPTIONS' && incoming.headers['access-control-request-method'] !== undefined;
    const headers = { 'access-control-allow-origin': origin, vary: 'Origin' };
    return isPreflight
      ? { response: { status: 204, headers: PREFLIGHT_HEADERS, body: '' }, headers }
      : { response: undefined, headers };
  };
}

const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, POST, PUT, DELETE',
  'access-control-allow-headers': 'x-api-key, content-type',
  'access-control-max-age': '600',
};

/** Whether an address of a socket belongs to this machine's loopback interface. */
export function isLoopback(address: string | undefined): boolean {
  return /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/i.test(address ?? '');
}

function hostRefusal(incoming: IncomingMessage, allowed: ReadonlySet<string>): HttpResponse | undefined {
  const sent = valuesOf(incoming, 'host');
  const isOptional = incoming.httpVersion === '1.0';
  if (sent.length > 1 || (sent.length === 0 && !isOptional)) return httpRefusal(400, 'expected one Host header');
  const inTarget = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(incoming.url ?? '')?.[1];
  for (const host of [...sent, ...(inTarget === undefined ? [] : [inTarget])]) {
    const name = /^(\[[\da-f:.]+\]|[^\s:/?#@[\]]+)(?::\d{1,5})?$/i.exec(host)?.[1];
    if (name === undefined) return httpRefusal(400, 'Host: expected a host name, with or without a port');
    const key = hostKey(name);
    const isHere = key === 'localhost' || isLoopback(key) || key === hostKey(incoming.socket.localAddress ?? '');
    if (!isHere && !allowed.has(key))
      return httpRefusal(403, `the host ${printable(name)} is not allowed; allow it with: sandbox serve --allow-host`);
  }
  return undefined;
}

function originRefusal(incoming: IncomingMessage, allowed: ReadonlySet<string>): HttpResponse | undefined {
  const unknown = valuesOf(incoming, 'origin').find((origin) => !allowed.has(origin));
  if (unknown === undefined) return undefined;
  const detail = `the origin ${printable(unknown)} is not allowed; allow it with: sandbox serve --allow-origin`;
  return httpRefusal(403, detail);
}

function controlRefusal({ url = '/', socket }: IncomingMessage): HttpResponse | undefined {
  const isControl = splitUrl(url).pathname.startsWith('/_sandbox');
  if (!isControl || isLoopback(socket.remoteAddress)) return undefined;
  return httpRefusal(403, 'the controls of the sandbox accept requests from its own machine only');
}

/** Returns the values of a header, of which Node would keep only the first. */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at] ?? '';
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? '');
  }
  return values;
}

/** Returns a host name in the form that is compared: lower case, without brackets, a final dot or an IPv6 prefix of IPv4. */
function hostKey(host: string): string {
  const bare = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  const inner = /^::ffff:([\d.]+)$/.exec(bare)?.[1];
  return inner !== undefined && isIP(inner) === 4 ? inner : bare;
}

const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 100);
