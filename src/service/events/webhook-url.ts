import { type IpRange, isWithin, parseRange } from '../../contract/cidr.ts';

/** Host names that always resolve to the local machine or a private network. Source: RFC 6761 and 6762. */
const PRIVATE_NAMES = /(^|\.)(localhost|local|internal)$/;

/**
 * Returns the host of a URL without brackets and final dot. The URL parser has already normalized every notation of an
 * IPv4 address.
 */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** Ranges that are not publicly routable: loopback, private, link-local and reserved addresses. */
const NOT_PUBLIC = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/3'],
  ...['::/127', 'fc00::/7', 'fe80::/10', 'ff00::/8'],
];

export function isPublicAddress(address: IpRange): boolean {
  return !NOT_PUBLIC.some((text) => {
    const range = parseRange(text);
    return range !== undefined && isWithin(address, range);
  });
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
