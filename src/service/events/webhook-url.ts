import { isPublicAddress, parseRange } from '../../contract/cidr.ts';

/** Host names that always resolve to the local machine or a private network. Source: RFC 6761 and 6762. */
const PRIVATE_NAMES = /(^|\.)(localhost|local|internal)$/;

/**
 * Returns the host of a URL without brackets and final dot. The URL parser has already normalized every notation of an
 * IPv4 address.
 */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/**
 * Returns true if a service on the public network may call the URL: HTTPS and not a private host. Source: interface,
 * the hosts inferred.
 */
function isPublicHttps(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const host = hostOf(url);
  const address = parseRange(host);
  if (url.protocol !== 'https:' || url.username || url.password) return false;
  return address ? isPublicAddress(address) : host.includes('.') && !PRIVATE_NAMES.test(host);
}

/** Splits a URL into scheme, host and the rest, unchanged. */
function partsOf(url: string): [scheme: string, host: string, rest: string] {
  const [, scheme = '', host = '', rest = ''] = /^(https?:\/\/)([^/?#]*)(.*)$/i.exec(url) ?? [];
  return [scheme, host, rest];
}

const endOf = (host: string) => host.slice(Math.max(0, host.lastIndexOf('.')));

/**
 * Masks a URL as `htt***.ms/webhook`: the first three characters, the end of the host, the path. Source: public, for
 * one response only.
 */
export function maskedUrl(url: string): string {
  const [, host, rest] = partsOf(url);
  return `${url.slice(0, 3)}***${endOf(host)}${rest}`;
}

/**
 * Masks a URL as `https://abc***.ms/webhook`: like maskedUrl, but keeps the scheme. Source: public, for another
 * response.
 */
export function maskedHost(url: string): string {
  const [scheme, host, rest] = partsOf(url);
  return `${scheme}${host.slice(0, 3)}***${endOf(host)}${rest}`;
}

/** Returns true for a URL of this machine itself, over HTTP or HTTPS, without a user name. */
export function isLoopbackUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const isHttp = url.protocol === 'http:' || url.protocol === 'https:';
  return isHttp && !url.username && !url.password && /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(hostOf(url));
}

/** Whether an event may be sent to a URL: to a public one, or, where that is allowed, to this machine itself. Source: interface, inferred. */
export function isPermitted(url: string, { allowsLoopback }: { readonly allowsLoopback: boolean }): boolean {
  return isPublicHttps(url) || (allowsLoopback && isLoopbackUrl(url));
}
