import { CliError } from '../../base/errors.ts';
import { type IpRange, parseRange } from '../../contract/cidr.ts';
import { printable } from '../../money/amount.ts';

const EXAMPLES = 'write an address such as 203.0.113.7 or 2001:db8::7, or a range such as 203.0.113.0/24';

interface Mistake {
  readonly pattern: RegExp;
  readonly is: string;
  readonly hint?: string;
}

/** What is written in the place of an address, in the order it is looked for. */
const MISTAKES: readonly Mistake[] = [
  { pattern: /^$/, is: 'is empty' },
  {
    pattern: /\*/,
    is: 'is masked',
    hint: 'write the address in full; an entry of the list can be named by its --index',
  },
  { pattern: /\s/, is: 'has a blank in it' },
  { pattern: /,|;/, is: 'is more than one address', hint: 'give one at a time' },
  { pattern: /^\w+:\/\//, is: 'is a URL', hint: 'write the address alone, such as 203.0.113.7' },
  { pattern: /^\[|\]/, is: 'has brackets', hint: 'write it without brackets and port, such as 2001:db8::7' },
  { pattern: /%/, is: 'has a zone', hint: 'write the address without it; the service never sees a zone' },
  { pattern: /^[\d.]+:\d+$/, is: 'has a port', hint: 'write the address alone, such as 203.0.113.7' },
  { pattern: /^[\d.]+-/, is: 'is a span', hint: 'write a range by its length, such as 203.0.113.0/24' },
  {
    pattern: /^[\d.]+\/[\d.]*\.[\d.]*$/,
    is: 'ends in a netmask',
    hint: 'write the range by its length, such as 203.0.113.0/24',
  },
  {
    pattern: /\/(0\d*[1-9]\d*|00+|\d*\D.*)?$/,
    is: 'does not end in a length',
    hint: 'write a range as in 203.0.113.0/24',
  },
  {
    pattern: /^(\d+\.){3}\d+\/(3[3-9]|[4-9]\d|\d{3,})$/,
    is: 'is too long a prefix',
    hint: 'an IPv4 range ends in /0 to /32',
  },
  {
    pattern: /^[\da-f:.]*:[\da-f:.]*\/(12[9]|1[3-9]\d|[2-9]\d\d|\d{4,})$/i,
    is: 'is too long a prefix',
    hint: 'an IPv6 range ends in /0 to /128',
  },
  { pattern: /^[\d.]*(^|\.)0\d[\d.]*(\/|$)/, is: 'has a number that begins with 0', hint: 'write it without the 0' },
  {
    pattern: /^(\d+\.){3}\d+(\/\d+)?$/,
    is: 'has a number above 255',
    hint: 'an IPv4 address has four numbers from 0 to 255',
  },
  { pattern: /^\d+(\.\d+)*$/, is: 'is no whole IPv4 address', hint: 'an IPv4 address has four numbers from 0 to 255' },
  { pattern: /^[\da-f:.]*:[\da-f:.]*(\/|$)/i, is: 'is no IPv6 address' },
  { pattern: /[a-z]/i, is: 'is a name', hint: `the list takes no names: ${EXAMPLES}` },
];

/** An IPv4 or IPv6 address, or a range in CIDR form. Throws CliError usage. */
export function ipRange(text: string): IpRange {
  const range = parseRange(text);
  if (range) return range;
  const [, address = '', length = ''] = /^([^/]+)\/(\d+)$/.exec(text) ?? [];
  const refuse = (is: string, hint = EXAMPLES) => new CliError('usage', `"${printable(text)}" ${is}`, { hint });
  // The address alone is right, and so is its length: only the two do not fit.
  if (parseRange(address) && parseRange(`${address.includes(':') ? '::' : '0.0.0.0'}/${length}`))
    throw refuse(
      `has bits beyond its /${length}`,
      'write the first address of the range, as in 203.0.113.0/24, or the one address alone',
    );
  const mistake = MISTAKES.find(({ pattern }) => pattern.test(text));
  throw refuse(mistake?.is ?? 'is no IP address', mistake?.hint);
}
