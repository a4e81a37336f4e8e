import { CliError } from '../../base/errors.ts';
import { type AllowlistState, type Entry, entryText } from '../../cli/allowlist.ts';
import { fitsShown, holding, type IpRange, isWithin, rangeText, readShown, shownWhole } from '../../contract/cidr.ts';

/** The entry that a command means. */
export interface Target {
  /** For messages. */
  readonly name: string;
  /** As the service takes it. */
  readonly request: { readonly ipAddress: string } | { readonly index: number };
  /** The entries that it may be: addresses are masked, so that more than one may fit. */
  readonly candidates: readonly Entry[];
  /** In full, where it was typed. */
  readonly range: IpRange | undefined;
}

/** The entries as the list shows them. */
export const shownOf = ({ candidates }: Target): string => candidates.map(entryText).join(' or ');

const SEE_LIST = 'see the list with: fiatrail ip list';

/** The entry at an index. Throws CliError usage. */
export function targetAt(entries: readonly Entry[], index: number): Target {
  const entry = entries.find((each) => each.index === index);
  if (entry) return { name: entryText(entry), request: { index }, candidates: [entry], range: undefined };
  const last = entries.at(-1)?.index;
  const there = last === undefined ? 'the list is empty' : `the list goes from 0 to ${last}`;
  throw new CliError('usage', `--index: no entry has index ${index}: ${there}`, { hint: SEE_LIST });
}

/** The entry of an address. Throws CliError usage. */
export function targetOf(entries: readonly Entry[], range: IpRange): Target {
  const name = rangeText(range);
  const fitting = entries.filter(({ ip }) => {
    const shown = readShown(ip);
    return !shown || fitsShown(range, shown);
  });
  // An entry that shows the same length is the likelier one than any that shows none.
  const alike = fitting.filter(({ ip }) => readShown(ip)?.prefix === range.prefix);
  const candidates = alike.length > 0 ? alike : fitting;
  if (candidates.length > 0) return { name, request: { ipAddress: name }, candidates, range };
  throw new CliError('usage', `${name} is not on the list: none of its entries looks like it`, { hint: SEE_LIST });
}

/** What the removal of an entry does to this machine, where it cannot be told to be harmless. */
interface Lock {
  readonly isCertain: boolean;
  readonly why: string;
}

/**
 * Whether this machine may be shut out once an entry is gone and `next`, if any, has come. Only masked addresses are
 * known, this machine's own too: what does not show counts as against it.
 */
export function lockOf({ access, entries }: AllowlistState, target: Target, next?: IpRange): Lock | undefined {
  const { own, isAllowed, matchedRule, total } = access;
  if (!isAllowed) return undefined;
  // What is typed in full, and does not hold this machine, is not what lets it in.
  if (target.range && holding(shownWhole(target.range), own) === 'no') return undefined;
  if (total !== undefined && total !== entries.length)
    return { isCertain: false, why: 'the list changed while it was read' };
  const named = entries.filter(({ ip }) => ip === matchedRule);
  // A rule that is written unlike every entry may be any of them.
  const lettingIn = named.length > 0 ? named : entries;
  if (!target.candidates.some((entry) => lettingIn.includes(entry))) return undefined;
  const staying = entries.filter((entry) => !target.candidates.includes(entry)).map(({ ip }) => readShown(ip));
  const after = [...staying, ...(next ? [shownWhole(next)] : [])].map((each) => holding(each, own));
  const isCovered = next !== undefined && target.range !== undefined && isWithin(target.range, next);
  if (isCovered || after.includes('surely')) return undefined;
  if (lettingIn.length > 1) {
    const alike = named.length > 0 ? 'entries look alike' : 'entries are on the list';
    return { isCertain: false, why: `${lettingIn.length} ${alike}, and which of them lets it in does not show` };
  }
  if (next && holding(shownWhole(next), own) === 'maybe')
    return { isCertain: false, why: `whether ${rangeText(next)} holds its address does not show` };
  if (after.includes('maybe'))
    return { isCertain: false, why: 'that entry lets it in, and whether another one does too does not show' };
  const isSole = entries.length === 1 && !next;
  return {
    isCertain: true,
    why: isSole
      ? 'it is the only entry, and that an empty list lets everybody in is documented nowhere'
      : 'no other entry lets it in',
  };
}

const shutOut = (message: string, hint: string) =>
  new CliError('declined', `${message}; nothing was sent`, { code: 'WOULD_LOCK_OUT', hint });

/** Throws CliError declined where a removal shuts this machine out, or may. */
export function guardRemoval(standing: AllowlistState, target: Target, next?: IpRange): void {
  const lock = lockOf(standing, target, next);
  if (!lock) return;
  const would = lock.isCertain ? 'would shut' : 'may shut';
  const isHidden = !lock.isCertain && standing.access.own?.prefix === undefined;
  throw shutOut(
    `without ${shownOf(target)} the service ${would} this machine (${standing.access.yourIp}) out: ${lock.why}`,
    next
      ? 'name with --with a range that holds this machine too; or go ahead all the same with --lock-me-out'
      : `${isHidden ? 'say which address is this machine’s with --my-address; ' : ''}put another address in its place with: fiatrail ip replace; or go ahead all the same with --lock-me-out`,
  );
}

/** Throws CliError declined where the first entry of a list leaves this machine out. */
export function guardFirst({ access, entries }: AllowlistState, range: IpRange): void {
  const { own, yourIp } = access;
  if (entries.length > 0 || (own && holding(shownWhole(range), own) !== 'no')) return;
  throw shutOut(
    `${rangeText(range)} would be the only entry, and the service would shut this machine (${yourIp}) out`,
    'add the address of this machine first; or go ahead all the same with --lock-me-out',
  );
}
