import { CliError } from '../../base/errors.ts';
import {
  type AllowlistState,
  type Entry,
  entryText,
  PROPAGATION_MS,
  printAccess,
  readAllowlist,
  readEntries,
  verifyAccess,
} from '../../cli/allowlist.ts';
import { command } from '../../cli/command.ts';
import { option, optionalArgument, switchOn, wholeNumber } from '../../cli/parameters.ts';
import type { Line } from '../../cli/previews.ts';
import { outcomeOf, type Session } from '../../cli/session.ts';
import type { IpRange } from '../../contract/cidr.ts';
import { ipAllowlist } from '../../contract/endpoints/allowlist.ts';
import { ipRange } from './address.ts';
import { guardRemoval, lockOf, shownOf, type Target, targetAt, targetOf } from './guard.ts';

/** Which entry is meant: the two ways to name it. */
export const ENTRY = {
  address: optionalArgument('address', 'the entry, in full as it was added', ipRange),
  index: option('--index <n>', 'the entry, by its index in ip list', wholeNumber(0, 1_000_000)),
  myAddress: option(
    '--my-address <address>',
    'the address this machine calls from, in full: the service shows it masked',
    ipRange,
  ),
} as const;

interface EntryInput {
  readonly address: IpRange | undefined;
  readonly index: number | undefined;
  readonly myAddress: IpRange | undefined;
}

/** Throws CliError usage where an entry is named twice, or by nothing and there is nobody to ask. */
export function requireEntry(session: Session, { address, index }: EntryInput, example: string): void {
  if (address && index !== undefined) {
    throw new CliError('usage', 'the entry is given twice: by its address and with --index', {
      hint: 'leave one of them out',
    });
  }
  if (!address && index === undefined && !session.isInteractive) {
    throw new CliError('usage', 'this is missing: <address> or --index <n>', {
      code: 'MISSING_INPUT',
      hint: `for example: ${example}`,
    });
  }
}

/** The entry that is meant; on a terminal it is chosen where none was named. Throws CliError usage. */
export async function readTarget(
  session: Session,
  { entries }: AllowlistState,
  { address, index }: EntryInput,
): Promise<Target> {
  if (address) return targetOf(entries, address);
  if (index !== undefined || entries.length === 0) return targetAt(entries, index ?? 0);
  const prompter = await session.world.prompter();
  const choices = entries.map((entry) => ({ name: entryText(entry), value: entry.index }));
  return targetAt(entries, await prompter.select('Which entry?', choices));
}

/** The entry as the person who confirms sees it: what was typed, and what the list shows of it. */
export function entryLines(target: Target): readonly Line[] {
  const shown = shownOf(target);
  return target.range
    ? [['entry', target.name] as const, ['on the list', shown] as const]
    : [['entry', shown] as const];
}

/** What a removal does beyond the entry. An empty list lets everybody in. Source: inferred. */
export function consequences(standing: AllowlistState, target: Target, next?: IpRange): readonly Line[] {
  if (standing.entries.length === 1 && !next) return [['after it', 'the list is empty, and everybody may call']];
  const lock = lockOf(standing, target, next);
  return lock ? [['after it', `this machine ${lock.isCertain ? 'is' : 'may be'} shut out`]] : [];
}

/** Whether entries that were decided on are still what they were. */
export function isSame(before: readonly Entry[], during: readonly Entry[]): boolean {
  return before.length === during.length && before.every((entry, at) => isSameEntry(entry, during[at]));
}

function isSameEntry(one: Entry, other: Entry | undefined): boolean {
  return one.index === other?.index && one.ip === other.ip && one.label === other.label;
}

export const LIST_CHANGED = 'the list has changed meanwhile';

/** Throws CliError declined where the list is no longer what was decided on. */
async function requireSame(session: Session, { entries }: AllowlistState): Promise<void> {
  if (isSame(entries, await readEntries(session))) return;
  throw new CliError('declined', `${LIST_CHANGED}; nothing was sent`, {
    code: 'LIST_CHANGED',
    hint: 'look at it with: fiatrail ip list, then run the command again',
  });
}

/** Shows that this machine may still call after a change that is to leave it in; else says what has become of it. */
export async function showAfter(session: Session, standing: AllowlistState, isLockOutMeant: boolean): Promise<void> {
  if (!standing.access.isAllowed || isLockOutMeant) return printAccess(session);
  await verifyAccess(session, PROPAGATION_MS, 'let this machine in again with: fiatrail ip add <address>');
}

const REMOVED = [
  { field: 'removed', title: 'Removed' },
  { field: 'totalIps', title: 'Entries' },
  { field: 'message', title: 'Message' },
  { field: 'propagationTime', title: 'In force in' },
] as const;

const EXAMPLE = 'fiatrail ip remove 203.0.113.7';

export const removeCommand = command({
  words: ['ip', 'remove'],
  summary: 'Let an address call no more',
  details:
    'Addresses are shown masked, so that where entries look alike it is not certain which one lets this machine in: what may shut this machine out is refused. Indices move up after a removal.',
  examples: [EXAMPLE, 'fiatrail ip remove --index 0 --yes -o json --query totalIps'],
  endpoints: [ipAllowlist.id],
  parameters: { ...ENTRY, lockMeOut: switchOn('--lock-me-out', 'remove it even where that shuts this machine out') },
  run: async (session, { lockMeOut, ...input }) => {
    requireEntry(session, input, EXAMPLE);
    const standing = await readAllowlist(session, input.myAddress);
    const target = await readTarget(session, standing, input);
    if (!lockMeOut) guardRemoval(standing, target);
    const reply = await session.change(
      ipAllowlist,
      { action: 'remove', ...target.request },
      {
        summary: `removal of ${target.name} from the allowlist`,
        lines: [...entryLines(target), ...consequences(standing, target)],
        before: () => requireSame(session, standing),
      },
    );
    await showAfter(session, standing, Boolean(lockMeOut));
    return outcomeOf(session, ipAllowlist, reply, { columns: REMOVED });
  },
});
