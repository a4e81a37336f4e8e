import { advice } from '../../base/advice.ts';
import { type Category, CliError, hintOf, withDetails } from '../../base/errors.ts';
import type { Reply } from '../../client/client.ts';
import {
  containment,
  fullyVisible,
  type IpRange,
  isWithin,
  matchesVisible,
  parseVisible,
  rangeText,
} from '../../contract/cidr.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import { ipAllowlist } from '../../contract/endpoints/allowlist.ts';
import type { Account } from '../../engine/account.ts';
import {
  type AllowlistEntry,
  type AllowlistState,
  entryText,
  PROPAGATION_MS,
  printAccess,
  readAllowlist,
  readEntries,
  verifyAccess,
} from '../../engine/evidence/allowlist.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import type { ShownLine } from '../../engine/plans/line.ts';
import { command } from '../../terminal/command.ts';
import { labelOption, lockMeOutOption } from '../../terminal/parse/field-options.ts';
import { missingError } from '../../terminal/parse/missing.ts';
import { option, optionalArgument, required, wholeNumber } from '../../terminal/parse/parameters.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { change } from '../../terminal/terminal.ts';
import { ipRange, wideLines, wouldLockOut } from './guard.ts';

/** The options that select an entry. */
const ENTRY = {
  address: optionalArgument('address', 'full address or range of the entry, as it was added', ipRange),
  index: option('--index <n>', 'index of the entry, from ip list', wholeNumber(0, 1_000_000)),
  myAddress: option(
    '--my-address <address>',
    'full address that this machine calls from, if the service masks it',
    ipRange,
  ),
} as const;

interface EntryInput {
  readonly address: IpRange | undefined;
  readonly index: number | undefined;
  readonly myAddress: IpRange | undefined;
}

/** Throws CliError usage if an entry is selected twice, or not at all without a terminal. */
function requireEntry(account: Account, { address, index }: EntryInput, example: string): void {
  if (address && index !== undefined) {
    throw new CliError('usage', '<address> cannot be combined with --index', {
      hint: 'use only one of them',
    });
  }
  if (!address && index === undefined && !account.notices.isInteractive) {
    throw missingError(['<address> or --index <n>'], {
      expected: 'an entry of the allowlist',
      hint: `for example: ${example}`,
    });
  }
}

/** The entry that a command refers to. */
interface TargetEntry {
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
const shownOf = ({ candidates }: TargetEntry): string => candidates.map(entryText).join(' or ');

const SEE_LIST = advice`list the entries with: [fiatrail ip list]`;

/** Finds the entry at an index. Throws CliError usage. */
function targetAt(entries: readonly AllowlistEntry[], index: number): TargetEntry {
  const entry = entries.find((each) => each.index === index);
  if (entry) return { name: entryText(entry), request: { index }, candidates: [entry], range: undefined };
  throw new CliError('usage', `--index: no entry at index ${index}; expected 0 to ${entries.at(-1)?.index}`, {
    hint: SEE_LIST,
  });
}

/** Finds the entries that may be an address. Throws CliError usage. */
function targetOf(entries: readonly AllowlistEntry[], range: IpRange): TargetEntry {
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
function lockOf(
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

/** Throws CliError declined if a removal would or might lock this machine out. */
function guardRemoval(state: AllowlistState, target: TargetEntry, next?: IpRange): void {
  const lock = lockOf(state, target, next);
  if (!lock) return;
  const effect = lock.isCertain ? 'would lock' : 'might lock';
  const isHidden = !lock.isCertain && state.access.own?.prefix === undefined;
  throw wouldLockOut(
    `removing ${shownOf(target)} ${effect} this machine (${state.access.yourIp}) out: ${lock.why}`,
    next
      ? 'use a range that contains this machine with --with, or add --lock-me-out to replace it anyway'
      : advice`${isHidden ? 'add --my-address with this machine’s full address, ' : ''}use [fiatrail ip replace], or add --lock-me-out to remove it anyway`,
  );
}

/** Returns the selected entry, prompting for it on a terminal if none was given. Throws CliError usage. */
async function readTarget(
  account: Account,
  { entries }: AllowlistState,
  { address, index }: EntryInput,
): Promise<TargetEntry> {
  if (entries.length === 0)
    throw new CliError('usage', 'the allowlist is empty, so it has no such entry; nothing was sent', {
      hint: advice`add an address with: [fiatrail ip add]`,
    });
  if (address) return targetOf(entries, address);
  if (index !== undefined) return targetAt(entries, index);
  const prompter = await account.world.prompter();
  const choices = entries.map((entry) => ({ name: entryText(entry), value: entry.index }));
  return targetAt(entries, await prompter.select('Which entry?', choices));
}

/** The entry as shown for confirmation: as typed and as listed. */
function entryLines(target: TargetEntry): readonly ShownLine[] {
  const shown = shownOf(target);
  return target.range ? [['entry', target.name] as const, ['listed as', shown] as const] : [['entry', shown] as const];
}

/** Side effects of a removal. An empty allowlist allows every address. Source: inferred. */
function consequences(state: AllowlistState, target: TargetEntry, next?: IpRange): readonly ShownLine[] {
  if (state.entries.length === 1 && !next)
    return [['afterwards', 'the allowlist is empty and every address is allowed']];
  const lock = lockOf(state, target, next);
  return lock ? [['afterwards', `this machine ${lock.isCertain ? 'is' : 'may be'} locked out`]] : [];
}

/** Whether the entries are unchanged since they were read. */
function isSame(before: readonly AllowlistEntry[], during: readonly AllowlistEntry[]): boolean {
  return before.length === during.length && before.every((entry, at) => isSameEntry(entry, during[at]));
}

function isSameEntry(one: AllowlistEntry, other: AllowlistEntry | undefined): boolean {
  return one.index === other?.index && one.ip === other.ip && one.label === other.label;
}

const LIST_CHANGED = 'the allowlist changed in the meantime';

/** Throws CliError declined if the list has changed since it was read. */
async function requireSame(account: Account, { entries }: AllowlistState): Promise<void> {
  if (isSame(entries, await readEntries(account))) return;
  throw new CliError('declined', `${LIST_CHANGED}; nothing was sent`, {
    code: 'LIST_CHANGED',
    hint: advice`check it with: [fiatrail ip list], then run the command again`,
  });
}

/** After a change, verifies that this machine is still allowed, or reports its access if a lockout was accepted. */
async function showAfter(account: Account, state: AllowlistState, allowLockOut: boolean): Promise<void> {
  if (!state.access.isAllowed || allowLockOut) return printAccess(account);
  await verifyAccess(account, PROPAGATION_MS, advice`allow this machine again with: [fiatrail ip add <address>]`);
}

const REMOVED = [
  { field: 'removed', title: 'Removed' },
  { field: 'totalIps', title: 'Entries' },
  { field: 'message', title: 'Message' },
  { field: 'propagationTime', title: 'Takes effect in' },
] as const;

const REMOVAL = 'fiatrail ip remove 203.0.113.7';

export const removeCommand = command({
  words: ['ip', 'remove'],
  summary: 'Remove an IP address from the allowlist',
  details:
    'A removal that might lock this machine out is rejected. The service shows addresses masked, so entries that look alike are treated as this machine. Indexes shift after a removal.',
  examples: [REMOVAL, 'fiatrail ip remove --index 0 --yes -o json --query totalIps'],
  endpoints: [ipAllowlist.id],
  prints: { response: ipAllowlist },
  parameters: {
    ...ENTRY,
    lockMeOut: lockMeOutOption,
  },
  run: async (account, terminal, { lockMeOut, ...input }) => {
    requireEntry(account, input, REMOVAL);
    const state = await readAllowlist(account, input.myAddress);
    const target = await readTarget(account, state, input);
    if (!lockMeOut) guardRemoval(state, target);
    const reply = await change(
      account,
      terminal,
      ipAllowlist,
      { action: 'remove', ...target.request },
      {
        summary: `remove ${target.name} from the allowlist`,
        lines: [...entryLines(target), ...consequences(state, target)],
        before: () => requireSame(account, state),
      },
    );
    await showAfter(account, state, Boolean(lockMeOut));
    return outcomeOf(account, ipAllowlist, reply, { columns: REMOVED });
  },
});

type AllowlistReply = Reply<ResponseOf<typeof ipAllowlist>>;

/** The replacement of one entry by another. */
interface Replacement {
  readonly target: TargetEntry;
  readonly next: IpRange;
  readonly label: string | undefined;
}

/** How far the replacement got, for error messages. */
interface ReplaceProgress {
  isAddSent: boolean;
  added: AllowlistReply | undefined;
}

/** Adds the new entry, verifies that this machine is still allowed, and checks that the old entry is unchanged. */
async function addFirst(
  account: Account,
  terminal: Terminal,
  { access, entries }: AllowlistState,
  { target, next, label }: Replacement,
  progress: ReplaceProgress,
): Promise<void> {
  progress.isAddSent = true;
  const ipAddress = rangeText(next);
  const addition = { summary: `add ${ipAddress} to the allowlist`, lines: [], isAgreed: true } as const;
  progress.added = await change(
    account,
    terminal,
    ipAllowlist,
    { action: 'add', ipAddress, description: label },
    addition,
  );
  const holds = containment(fullyVisible(next), access.own);
  if (holds === 'surely' || (holds === 'maybe' && access.isAllowed))
    await verifyAccess(
      account,
      PROPAGATION_MS,
      advice`show the address this machine calls from with: [fiatrail ip check]`,
    );
  const entriesNow = await readEntries(account);
  const old = entriesNow.filter(({ index }) => target.candidates.some((entry) => entry.index === index));
  const isNew = entriesNow.length > entries.length;
  if (!isNew && !target.range && target.candidates.some((entry) => mayBe(entry, next)))
    throw listChanged(`${ipAddress} was already on the allowlist and may be the selected entry`);
  if (entriesNow.length - entries.length > 1 || !isSame(target.candidates, old)) throw listChanged(LIST_CHANGED);
}

const listChanged = (why: string) => new CliError('failed', why, { code: 'LIST_CHANGED' });

function mayBe({ ip }: AllowlistEntry, range: IpRange): boolean {
  const shown = parseVisible(ip);
  return !shown || matchesVisible(range, shown);
}

/** Categories that describe how a change ended; any other would imply that nothing was sent. */
const FINAL: readonly Category[] = ['unknown', 'interrupted', 'pending', 'internal'];

/** Adds to an error what has been done so far and how to finish. */
function halfDone(error: unknown, { target, next }: Replacement, { isAddSent, added }: ReplaceProgress): unknown {
  if (!isAddSent || !(error instanceof CliError)) return error;
  const isUnknown = added !== undefined && error.category === 'unknown';
  const isAddUnknown = error.category === 'unknown' || error.category === 'interrupted';
  const addition = added ? 'was added' : isAddUnknown ? 'may have been added' : 'was not added';
  const old = `${target.name} ${isUnknown ? 'may have been removed' : 'was not removed'}`;
  const finish = target.range
    ? advice`[fiatrail ip remove ${target.name}]`
    : advice`[fiatrail ip remove --index <n>], with the index from [fiatrail ip list]`;
  return withDetails(error, {
    category: added && !FINAL.includes(error.category) ? 'failed' : error.category,
    message: `${rangeText(next)} ${addition} and ${old}: ${error.message}`,
    hint: added ? advice`check with: [fiatrail ip list]; finish with: ${finish}` : hintOf(error),
  });
}

const REPLACED = [
  { field: 'ipAddress', title: 'Added' },
  { field: 'removed', title: 'Removed' },
  { field: 'totalIps', title: 'Entries' },
  { field: 'propagationTime', title: 'Takes effect in' },
] as const;

const REPLACEMENT = 'fiatrail ip replace 203.0.113.7 --with 198.51.100.0/24 --label office';

export const replaceCommand = command({
  words: ['ip', 'replace'],
  summary: 'Replace an address on the allowlist',
  details:
    'The new address is added first. If it may cover this machine, the old one is removed only after a check and a read succeed from here. A replacement that might lock this machine out is rejected before anything is added.',
  examples: [REPLACEMENT, 'fiatrail ip replace --index 0 --with 198.51.100.7 --yes -o json'],
  endpoints: [ipAllowlist.id],
  prints: { response: ipAllowlist },
  parameters: {
    ...ENTRY,
    with: required('--with <address>', 'new address or range', ipRange, 'New address or range:'),
    label: labelOption,
    lockMeOut: lockMeOutOption,
  },
  run: async (account, terminal, { with: next, label, lockMeOut, ...input }) => {
    requireEntry(account, input, REPLACEMENT);
    if (input.address && rangeText(input.address) === rangeText(next)) {
      throw new CliError('usage', '--with is the address being replaced', {
        hint: advice`to change its label, use: [fiatrail ip add <address> --label <text>]`,
      });
    }
    const state = await readAllowlist(account, input.myAddress);
    const replacement = { target: await readTarget(account, state, input), next, label };
    if (!lockMeOut) guardRemoval(state, replacement.target, next);
    const { added, reply } = await replace(account, terminal, state, replacement);
    await showAfter(account, state, Boolean(lockMeOut));
    const data = { ...reply.data, ipAddress: added?.data.ipAddress };
    return outcomeOf(account, ipAllowlist, { ...reply, data }, { columns: REPLACED });
  },
});

/** Adds and removes after a single confirmation. */
async function replace(account: Account, terminal: Terminal, state: AllowlistState, replacement: Replacement) {
  const { target, next, label } = replacement;
  const progress: ReplaceProgress = { isAddSent: false, added: undefined };
  const named = `${rangeText(next)}${label === undefined ? '' : ` (${label})`}`;
  if (account.globals.dryRun) await account.notices.note(`${named} would be added first`);
  try {
    const reply = await change(
      account,
      terminal,
      ipAllowlist,
      { action: 'remove', ...target.request },
      {
        summary: `replace ${target.name} with ${rangeText(next)} on the allowlist`,
        lines: [
          ...entryLines(target),
          ['replacement', named],
          ...wideLines(next),
          ...consequences(state, target, next),
        ],
        before: () => addFirst(account, terminal, state, replacement, progress),
      },
    );
    return { added: progress.added, reply };
  } catch (error) {
    throw halfDone(error, replacement, progress);
  }
}
