import { type IpRange, isWithin, parseRange } from '../../contract/cidr.ts';
import { Fault } from '../../contract/faults.ts';

/** Host names that always resolve to the local machine or a private network. Source: RFC 6761 and 6762. */
const PRIVATE_NAMES = /(^|\.)(localhost|local|internal)$/;

export function isPublicAddress(address: IpRange): boolean {
  if (!isIn([NAT64], address)) return !isIn(NOT_PUBLIC, address);
  return !isIn(NOT_PUBLIC, { version: 4, first: address.first & 0xffff_ffffn, prefix: address.prefix - 96 });
}

/**
 * Returns the host of a URL without brackets and final dot. The URL parser has already normalized every notation of an
 * IPv4 address.
 */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** Ranges that are not publicly routable: loopback, private, link-local and reserved addresses. */
const NOT_PUBLIC = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3',
  '::/96',
  '64:ff9b:1::/48',
  '2001::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

/** This machine itself. */
const LOOPBACK = ['127.0.0.0/8', '::1'];

/** Where networks without IPv4 find an IPv4 address, in the last 32 bits. Source: RFC 6052. */
const NAT64 = '64:ff9b::/96';

function isIn(ranges: readonly string[], address: IpRange): boolean {
  return ranges.some((text) => {
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
function isLoopbackUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const isHttp = url.protocol === 'http:' || url.protocol === 'https:';
  return isHttp && !url.username && !url.password && /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(hostOf(url));
}

/** What a sandbox permits beside public addresses. */
interface Permission {
  readonly allowsLoopback: boolean;
}

/** Whether an event may be sent to a URL: to a public one, or, where that is allowed, to this machine itself. Source: interface, inferred. */
export function isPermitted(url: string, { allowsLoopback }: Permission): boolean {
  return isPublicHttps(url) || (allowsLoopback && isLoopbackUrl(url));
}

/** Whether an event may be sent to an IP address that the host of a permitted URL resolves to. A name proves nothing. */
export function isPermittedAddress(address: string, { allowsLoopback }: Permission): boolean {
  const range = parseRange(address);
  return range !== undefined && (isPublicAddress(range) || (allowsLoopback && isIn(LOOPBACK, range)));
}

/** Throws VALIDATION_ERROR for a URL that no event may be sent to. */
export function requirePermitted(url: string, field: string, permission: Permission): void {
  if (isPermitted(url, permission)) return;
  const hint = isLoopbackUrl(url) ? '; sandbox serve --webhooks-to-loopback permits this machine' : '';
  throw new Fault('VALIDATION_ERROR', `${field}: expected a public HTTPS URL, not one on a private network${hint}`);
}
