import { CliError } from '../../base/errors.ts';
import {
  containment,
  fullyVisible,
  type IpRange,
  isWithin,
  matchesVisible,
  parseRange,
  parseVisible,
  rangeText,
} from '../../contract/cidr.ts';
import { type AllowlistEntry, type AllowlistState, entryText } from '../../engine/allowlist.ts';
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

/** The entry that a command refers to. */
export interface TargetEntry {
  /** For messages. */
  readonly name: string;
  /** As sent to the service. */
  readonly request: { readonly ipAddress: string } | { readonly index: number };
  /** The matching entries; addresses are masked, so there may be several. */
  readonly candidates: readonly AllowlistEntry[];
  /** The full range, if the user typed it. */
  readonly range: IpRange | undefined;
}

/** The candidates, as the allowlist shows them. */
export const shownOf = ({ candidates }: TargetEntry): string => candidates.map(entryText).join(' or ');

const SEE_LIST = 'list the entries with: fiatrail ip list';

/** Finds the entry at an index. Throws CliError usage. */
export function targetAt(entries: readonly AllowlistEntry[], index: number): TargetEntry {
  const entry = entries.find((each) => each.index === index);
  if (entry) return { name: entryText(entry), request: { index }, candidates: [entry], range: undefined };
  throw new CliError('usage', `--index: no entry at index ${index}; expected 0 to ${entries.at(-1)?.index}`, {
    hint: SEE_LIST,
  });
}

/** Finds the entries that may be an address. Throws CliError usage. */
export function targetOf(entries: readonly AllowlistEntry[], range: IpRange): TargetEntry {
  const name = rangeText(range);
  const fitting = entries.filter(({ ip }) => {
    const shown = parseVisible(ip);
    return !shown || matchesVisible(range, shown);
  });
  // Prefer entries that show the same prefix length.
  const alike = fitting.filter(({ ip }) => parseVisible(ip)?.prefix === range.prefix);
  const candidates = alike.length > 0 ? alike : fitting;
  if (candidates.length > 0) return { name, request: { ipAddress: name }, candidates, range };
  throw new CliError('usage', `${name} is not on the allowlist: no entry matches it`, { hint: SEE_LIST });
}

/**
 * Decides whether this machine may be locked out once an entry is replaced by `next`, or removed. The service masks all
 * addresses, this machine's too; what cannot be seen counts as a risk. Returns why it would, or might, be; undefined if there is no risk.
 */
export function lockOf(
  { access, entries }: AllowlistState,
  target: TargetEntry,
  next?: IpRange,
): { readonly isCertain: boolean; readonly why: string } | undefined {
  const { own, isAllowed, matchedRule, total } = access;
  if (!isAllowed) return undefined;
  // A range typed in full that does not contain this machine cannot be the entry that allows it.
  if (target.range && containment(fullyVisible(target.range), own) === 'no') return undefined;
  if (total !== undefined && total !== entries.length)
    return { isCertain: false, why: 'the allowlist changed while it was being read' };
  const named = entries.filter(({ ip }) => ip === matchedRule);
  // A matched rule that looks like no entry may be any of them.
  const allowing = named.length > 0 ? named : entries;
  if (!target.candidates.some((entry) => allowing.includes(entry))) return undefined;
  const remaining = entries.filter((entry) => !target.candidates.includes(entry)).map(({ ip }) => parseVisible(ip));
  const after = [...remaining, ...(next ? [fullyVisible(next)] : [])].map((each) => containment(each, own));
  const isCovered = next !== undefined && target.range !== undefined && isWithin(target.range, next);
  if (isCovered || after.includes('surely')) return undefined;
  if (allowing.length > 1) {
    const alike = named.length > 0 ? 'entries look alike' : 'entries are listed';
    return { isCertain: false, why: `${allowing.length} ${alike}, and any of them may be the one that allows it` };
  }
  if (next && containment(fullyVisible(next), own) === 'maybe')
    return { isCertain: false, why: `${rangeText(next)} may not contain its address` };
  if (after.includes('maybe'))
    return { isCertain: false, why: 'that entry allows it, and no other entry certainly does' };
  const isSole = entries.length === 1 && !next;
  return {
    isCertain: true,
    why: isSole
      ? 'it is the only entry, and the effect of an empty allowlist is undocumented'
      : 'no other entry allows it',
  };
}

const wouldLockOut = (message: string, hint: string) =>
  new CliError('declined', `${message}; nothing was sent`, { code: 'WOULD_LOCK_OUT', hint });

/** Throws CliError declined if a removal would or might lock this machine out. */
export function guardRemoval(state: AllowlistState, target: TargetEntry, next?: IpRange): void {
  const lock = lockOf(state, target, next);
  if (!lock) return;
  const effect = lock.isCertain ? 'would lock' : 'might lock';
  const isHidden = !lock.isCertain && state.access.own?.prefix === undefined;
  throw wouldLockOut(
    `removing ${shownOf(target)} ${effect} this machine (${state.access.yourIp}) out: ${lock.why}`,
    next
      ? 'use a range that contains this machine with --with, or add --lock-me-out to replace it anyway'
      : `${isHidden ? 'add --my-address with this machine’s full address, ' : ''}use fiatrail ip replace, or add --lock-me-out to remove it anyway`,
  );
}

/** Throws CliError declined if the first entry of an empty list does not cover this machine. */
export function guardFirst({ access, entries }: AllowlistState, range: IpRange): void {
  const { own, yourIp } = access;
  if (entries.length > 0 || (own && containment(fullyVisible(range), own) !== 'no')) return;
  throw wouldLockOut(
    `${rangeText(range)} would be the only entry and would lock this machine (${yourIp}) out`,
    'add the address of this machine first, or add --lock-me-out to continue anyway',
  );
}
