import { isPublicAddress, parseRange } from '../contract/cidr.ts';

/** Names that lead to the machine itself or into a private network, whatever resolves them. Source: RFC 6761 and 6762. */
const PRIVATE_NAMES = /(^|\.)(localhost|local|internal)$/;

/** A host as a URL has it, its brackets and final dot taken off. The URL's own parser has made every way to write an IPv4 address one. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** Whether a URL is one that a service on the public network may call: HTTPS, and not to a private host. Source: interface, the hosts inferred. */
export function isPublicHttps(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const host = hostOf(url);
  const address = parseRange(host);
  if (url.protocol !== 'https:' || url.username || url.password) return false;
  return address ? isPublicAddress(address) : host.includes('.') && !PRIVATE_NAMES.test(host);
}

/** Whether the sandbox takes a host for one that answers. It calls nobody: names below `.invalid` never answer. Source: inferred. */
export function isReachable(text: string): boolean {
  return !/(^|\.)invalid$/.test(hostOf(new URL(text)));
}

/** Scheme, host and the rest, as the text has them. */
function partsOf(url: string): [scheme: string, host: string, rest: string] {
  const [, scheme = '', host = '', rest = ''] = /^(https:\/\/)([^/?#]*)(.*)$/i.exec(url) ?? [];
  return [scheme, host, rest];
}

const endOf = (host: string) => host.slice(Math.max(0, host.lastIndexOf('.')));

/** `htt***.ms/webhook`: the first three characters, the end of the host, the path. Source: public, of one answer alone. */
export function maskedUrl(url: string): string {
  const [, host, rest] = partsOf(url);
  return `${url.slice(0, 3)}***${endOf(host)}${rest}`;
}

/** `https://abc***.ms/webhook`: as above, and the scheme stays. Source: public, of another answer. */
export function maskedHost(url: string): string {
  const [scheme, host, rest] = partsOf(url);
  return `${scheme}${host.slice(0, 3)}***${endOf(host)}${rest}`;
}
