import type { Hint } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import {
  containment,
  fullyVisible,
  type IpRange,
  isWide,
  parseRange,
  rangeText,
  sizeInWords,
} from '../../contract/cidr.ts';
import type { AllowlistState } from '../../engine/evidence/allowlist.ts';
import type { ShownLine } from '../../engine/plans/line.ts';
import { printable } from '../../money/amount.ts';

const EXAMPLES = 'use an address such as 203.0.113.7 or 2001:db8::7, or a range such as 203.0.113.0/24';

interface Mistake {
  readonly pattern: RegExp;
  readonly problem: string;
  readonly hint?: string;
}

/** Common mistakes, tried in this order. */
const MISTAKES: readonly Mistake[] = [
  { pattern: /^$/, problem: 'it is empty' },
  {
    pattern: /\*/,
    problem: 'it is masked',
    hint: 'write the full address, or select the entry with --index',
  },
  { pattern: /\s/, problem: 'it contains a space' },
  { pattern: /,|;/, problem: 'it is more than one address', hint: 'pass one address at a time' },
  { pattern: /^\w+:\/\//, problem: 'it is a URL', hint: 'write only the address, such as 203.0.113.7' },
  { pattern: /^\[|\]/, problem: 'it has brackets', hint: 'write it without brackets and port, such as 2001:db8::7' },
  { pattern: /%/, problem: 'it has a zone', hint: 'write the address without the zone, which the service never sees' },
  { pattern: /^[\d.]+:\d+$/, problem: 'it has a port', hint: 'write only the address, such as 203.0.113.7' },
  {
    pattern: /^[\d.]+-/,
    problem: 'it is a span',
    hint: 'write the range with a prefix length, such as 203.0.113.0/24',
  },
  {
    pattern: /^[\d.]+\/[\d.]*\.[\d.]*$/,
    problem: 'it has a netmask',
    hint: 'write the range with a prefix length, such as 203.0.113.0/24',
  },
  {
    pattern: /\/(0\d*[1-9]\d*|00+|\d*\D.*)?$/,
    problem: 'the prefix length is not a number',
    hint: 'write a range as in 203.0.113.0/24',
  },
  {
    pattern: /^(\d+\.){3}\d+\/(3[3-9]|[4-9]\d|\d{3,})$/,
    problem: 'the prefix is too long',
    hint: 'the prefix length of an IPv4 range is /0 to /32',
  },
  {
    pattern: /^[\da-f:.]*:[\da-f:.]*\/(12[9]|1[3-9]\d|[2-9]\d\d|\d{4,})$/i,
    problem: 'the prefix is too long',
    hint: 'the prefix length of an IPv6 range is /0 to /128',
  },
  {
    pattern: /^[\d.]*(^|\.)0\d[\d.]*(\/|$)/,
    problem: 'a number has a leading zero',
    hint: 'write it without the leading zero',
  },
  {
    pattern: /^(\d+\.){3}\d+(\/\d+)?$/,
    problem: 'a number is above 255',
    hint: 'an IPv4 address has four numbers from 0 to 255',
  },
  { pattern: /^\d+(\.\d+)*$/, problem: 'it is incomplete', hint: 'an IPv4 address has four numbers from 0 to 255' },
  { pattern: /^[\da-f:.]*:[\da-f:.]*(\/|$)/i, problem: 'it is not an IPv6 address' },
  { pattern: /[a-z]/i, problem: 'it is a host name', hint: EXAMPLES },
];

/** An IPv4 or IPv6 address, or a range in CIDR form. Throws CliError usage. */
export function ipRange(text: string): IpRange {
  const range = parseRange(text);
  if (range) return range;
  const [, address = '', length = ''] = /^([^/]+)\/(\d+)$/.exec(text) ?? [];
  const invalid = (problem: string, hint = EXAMPLES) =>
    new CliError('usage', `invalid address "${printable(text)}"; ${problem}`, { hint });
  // The address and the prefix length are each valid, but the address has bits set after the prefix.
  if (parseRange(address) && parseRange(`${address.includes(':') ? '::' : '0.0.0.0'}/${length}`))
    throw invalid(
      `it has bits set after the /${length} prefix`,
      'write the first address of the range, such as 203.0.113.0/24, or a single address without a prefix',
    );
  const mistake = MISTAKES.find(({ pattern }) => pattern.test(text));
  throw invalid(mistake?.problem ?? 'it is not an IP address', mistake?.hint);
}

export const wouldLockOut = (message: string, hint: Hint) =>
  new CliError('declined', `${message}; nothing was sent`, { code: 'WOULD_LOCK_OUT', hint });

/** Throws CliError declined if the first entry of an empty list does not cover this machine. */
export function guardFirst({ access, entries }: AllowlistState, range: IpRange): void {
  const { own, yourIp } = access;
  if (entries.length > 0 || (own && containment(fullyVisible(range), own) !== 'no')) return;
  throw wouldLockOut(
    `${rangeText(range)} would be the only entry and would lock this machine (${yourIp}) out`,
    'add the address of this machine first, or add --lock-me-out to continue anyway',
  );
}

/** Says how many addresses a wide range lets in. */
export const wideLines = (range: IpRange): readonly ShownLine[] =>
  isWide(rangeText(range)) ? [['allows', sizeInWords(range)]] : [];
