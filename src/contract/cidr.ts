import { grouped } from '../money/decimal.ts';

/** An IP address or CIDR range, as stored in the allowlist. A single address is a range of one. */
export interface IpRange {
  readonly version: 4 | 6;
  /** The first address, as a number. */
  readonly first: bigint;
  /** The prefix length in bits: 32 or 128 for a single address. */
  readonly prefix: number;
}

const BITS = { 4: 32, 6: 128 } as const;

/** IPv4-mapped IPv6 addresses: `::ffff:1.2.3.4` is 1.2.3.4. */
const MAPPED = 0xffffn;
const MAPPED_PREFIX = 96;

/** Parses an address, or a range without host bits; returns undefined for any other text. */
export function parseRange(text: string): IpRange | undefined {
  const [, address = '', length] = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const value = parseV4(address) ?? parseV6(address);
  if (!value) return undefined;
  const prefix = length === undefined ? BITS[value.version] : Number(length);
  if (prefix > BITS[value.version]) return undefined;
  if (value.first & hostMask(value.version, prefix)) return undefined;
  const isMapped = value.version === 6 && value.first >> 32n === MAPPED && prefix >= MAPPED_PREFIX;
  return isMapped
    ? { version: 4, first: value.first & 0xffff_ffffn, prefix: prefix - MAPPED_PREFIX }
    : { ...value, prefix };
}

function hostMask(version: 4 | 6, prefix: number): bigint {
  return (1n << BigInt(BITS[version] - prefix)) - 1n;
}

type Address = Pick<IpRange, 'version' | 'first'>;

/** Four decimal numbers. Leading zeros are rejected, because they may be meant as octal. */
function parseV4(text: string): Address | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return undefined;
  return { version: 4, first: parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n) };
}

/** Eight groups; one run of zeros may be `::`, and the last two groups may be IPv4. Zone ids are rejected. */
function parseV6(text: string): Address | undefined {
  const tail = /^(.*:)([\d.]+\.[\d.]+)$/.exec(text);
  const v4 = tail ? parseV4(tail[2] ?? '') : undefined;
  if (tail && !v4) return undefined;
  const hex = v4 ? `${tail?.[1]}${(v4.first >> 16n).toString(16)}:${(v4.first & 0xffffn).toString(16)}` : text;
  const halves = hex.split('::');
  if (halves.length > 2) return undefined;
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')));
  const [head = [], rest = []] = groups;
  const missing = 8 - head.length - rest.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const all = [...head, ...Array<string>(missing).fill('0'), ...rest];
  if (!all.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  return { version: 6, first: all.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n) };
}

/** The widest ranges that one network usually has. Source: inferred. */
const WIDEST_USUAL = { 4: 24, 6: 64 } as const;

export const USUAL_RANGES = `at most a /${WIDEST_USUAL[4]}, or an IPv6 /${WIDEST_USUAL[6]}`;

/** Whether an address or range lets in more than one network usually has. Text that is neither counts as wide. */
export function isWide(text: string): boolean {
  const range = parseRange(text);
  return range === undefined || range.prefix < WIDEST_USUAL[range.version];
}

/** `65,536 addresses`, or `256 IPv6 networks`, of a /64 each. */
export function sizeInWords({ version, prefix }: IpRange): string {
  if (prefix === 0) return `every IPv${version} address`;
  const unit = version === 4 ? BITS[4] : WIDEST_USUAL[6];
  const count = 2n ** BigInt(Math.max(unit - prefix, 0));
  return `${grouped(count)} ${version === 4 ? 'addresses' : 'IPv6 networks'}`;
}

function groupsOf({ version, first }: IpRange): string[] {
  const count = version === 4 ? 4 : 8;
  const size = BITS[version] / count;
  const mask = (1n << BigInt(size)) - 1n;
  return Array.from({ length: count }, (_, index) =>
    ((first >> BigInt(size * (count - 1 - index))) & mask).toString(version === 4 ? 10 : 16),
  );
}

const suffixOf = ({ version, prefix }: IpRange) => (prefix === BITS[version] ? '' : `/${prefix}`);

/** Returns the canonical form of a range: lower case, with the longest run of zeros as `::`. */
export function rangeText(range: IpRange): string {
  const groups = groupsOf(range);
  if (range.version === 4) return groups.join('.') + suffixOf(range);
  const text = groups.join(':');
  const runs = [...text.matchAll(/\b0(:0)+\b/g)].map(([run]) => run);
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  const short = longest === '' ? text : text.replace(new RegExp(`(^|:)${longest}(:|$)`), '::');
  return short + suffixOf(range);
}

/** Masks a range after its first two numbers or groups. Source: interface; IPv6 and ranges are inferred. */
export function maskedRange(range: IpRange): string {
  const [first, second] = groupsOf(range);
  return `${first}${range.version === 4 ? `.${second}.*.*` : `:${second}:*`}${suffixOf(range)}`;
}

/** Whether `outer` contains every address of `inner`. */
export function isWithin(inner: IpRange, outer: IpRange): boolean {
  if (inner.version !== outer.version || inner.prefix < outer.prefix) return false;
  return (inner.first & ~hostMask(outer.version, outer.prefix)) === outer.first;
}

/** The part of an address or range that a response reveals. */
export interface VisibleRange {
  /** The visible bits, as a range. */
  readonly known: IpRange;
  /** The prefix length of the range itself; undefined if it is masked without one. */
  readonly prefix: number | undefined;
}

/** A range that is shown in full. */
export const fullyVisible = (range: IpRange): VisibleRange => ({ known: range, prefix: range.prefix });

/** Parses a masked range (`203.0.*.*`, `2001:db8:*`, optionally with a prefix length) or a full one; undefined for any other text. */
export function parseVisible(text: string): VisibleRange | undefined {
  const whole = parseRange(text);
  if (whole) return fullyVisible(whole);
  const [, head = '', length] = /^([\d.]+\.|[\da-fA-F:]+:)\*[*.:]*(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const parts = head.split(/[.:]/).slice(0, -1);
  const known = head.includes('.')
    ? parseRange(`${[...parts, 0, 0, 0].slice(0, 4).join('.')}/${parts.length * 8}`)
    : parseRange(`${parts.join(':')}::/${parts.length * 16}`);
  return parts.length > 0 && known ? { known, prefix: length === undefined ? undefined : Number(length) } : undefined;
}

/** Whether a range is consistent with its masked form. */
export function matchesVisible(range: IpRange, { known, prefix = range.prefix }: VisibleRange): boolean {
  return prefix === range.prefix && isWithin({ ...range, prefix: BITS[range.version] }, known);
}

type Containment = 'no' | 'maybe' | 'surely';

/** Whether a range contains an address, as far as the visible parts of both show it. */
export function containment(outer: VisibleRange | undefined, address: VisibleRange | undefined): Containment {
  if (!outer || !address) return 'maybe';
  const { known, prefix } = outer;
  if (prefix !== undefined && prefix <= known.prefix) {
    const range = { ...known, prefix, first: known.first & ~hostMask(known.version, prefix) };
    if (isWithin(address.known, range)) return 'surely';
    return isWithin(range, address.known) ? 'maybe' : 'no';
  }
  return isWithin(address.known, known) || isWithin(known, address.known) ? 'maybe' : 'no';
}

/** Returns the host of the URL for this machine, where a wildcard address is reached at a loopback address. */
export function hostInUrl(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
