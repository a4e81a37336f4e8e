import { CliError } from '../../base/errors.ts';
import {
  containment,
  fullyVisible,
  type IpRange,
  isWithin,
  matchesVisible,
  parseVisible,
  rangeText,
} from '../../contract/cidr.ts';
import { type AllowlistState, type Entry, entryText } from '../../engine/allowlist.ts';

/** The entry that a command refers to. */
export interface Target {
  /** For messages. */
  readonly name: string;
  /** As sent to the service. */
  readonly request: { readonly ipAddress: string } | { readonly index: number };
  /** The matching entries; addresses are masked, so there may be several. */
  readonly candidates: readonly Entry[];
  /** The full range, if the user typed it. */
  readonly range: IpRange | undefined;
}

/** The candidates, as the allowlist shows them. */
export const shownOf = ({ candidates }: Target): string => candidates.map(entryText).join(' or ');

const SEE_LIST = 'list the entries with: fiatrail ip list';

/** Finds the entry at an index. Throws CliError usage. */
export function targetAt(entries: readonly Entry[], index: number): Target {
  const entry = entries.find((each) => each.index === index);
  if (entry) return { name: entryText(entry), request: { index }, candidates: [entry], range: undefined };
  throw new CliError('usage', `--index: no entry at index ${index}; expected 0 to ${entries.at(-1)?.index}`, {
    hint: SEE_LIST,
  });
}

/** Finds the entries that may be an address. Throws CliError usage. */
export function targetOf(entries: readonly Entry[], range: IpRange): Target {
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

/** Why removing an entry would, or might, lock this machine out. */
interface Lock {
  readonly isCertain: boolean;
  readonly why: string;
}

/**
 * Decides whether this machine may be locked out once an entry is replaced by `next`, or removed. The service masks all
 * addresses, this machine's too; what cannot be seen counts as a risk. Returns undefined if there is none.
 */
export function lockOf({ access, entries }: AllowlistState, target: Target, next?: IpRange): Lock | undefined {
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
export function guardRemoval(state: AllowlistState, target: Target, next?: IpRange): void {
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
