import { CliError } from '../../base/errors.ts';
import type { IpRange } from '../../contract/cidr.ts';
import { ipAllowlist } from '../../contract/endpoints/allowlist.ts';
import {
  type AllowlistState,
  type Entry,
  entryText,
  PROPAGATION_MS,
  printAccess,
  readAllowlist,
  readEntries,
  verifyAccess,
} from '../../engine/allowlist.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import type { Line } from '../../engine/previews.ts';
import { command } from '../../terminal/command.ts';
import { option, optionalArgument, switchOn, wholeNumber } from '../../terminal/parse/parameters.ts';
import type { Session } from '../../terminal/session.ts';
import { ipRange } from './address.ts';
import { guardRemoval, lockOf, shownOf, type Target, targetAt, targetOf } from './guard.ts';

/** The options that select an entry. */
export const ENTRY = {
  address: optionalArgument('address', 'full address or range of the entry, as it was added', ipRange),
  index: option('--index <n>', 'index of the entry, from ip list', wholeNumber(0, 1_000_000)),
  myAddress: option(
    '--my-address <address>',
    'full address that this machine calls from, which the service only shows masked',
    ipRange,
  ),
} as const;

interface EntryInput {
  readonly address: IpRange | undefined;
  readonly index: number | undefined;
  readonly myAddress: IpRange | undefined;
}

/** Throws CliError usage if an entry is selected twice, or not at all without a terminal. */
export function requireEntry(session: Session, { address, index }: EntryInput, example: string): void {
  if (address && index !== undefined) {
    throw new CliError('usage', '<address> cannot be combined with --index', {
      hint: 'use only one of them',
    });
  }
  if (!address && index === undefined && !session.isInteractive) {
    throw new CliError('usage', 'missing required input: <address> or --index <n>', {
      code: 'VALIDATION_ERROR',
      hint: `for example: ${example}`,
    });
  }
}

/** Returns the selected entry, prompting for it on a terminal if none was given. Throws CliError usage. */
export async function readTarget(
  session: Session,
  { entries }: AllowlistState,
  { address, index }: EntryInput,
): Promise<Target> {
  if (entries.length === 0)
    throw new CliError('usage', 'the allowlist is empty, so it has no such entry; nothing was sent', {
      hint: 'add an address with: fiatrail ip add',
    });
  if (address) return targetOf(entries, address);
  if (index !== undefined) return targetAt(entries, index);
  const prompter = await session.world.prompter();
  const choices = entries.map((entry) => ({ name: entryText(entry), value: entry.index }));
  return targetAt(entries, await prompter.select('Which entry?', choices));
}

/** The entry as shown for confirmation: as typed and as listed. */
export function entryLines(target: Target): readonly Line[] {
  const shown = shownOf(target);
  return target.range ? [['entry', target.name] as const, ['listed as', shown] as const] : [['entry', shown] as const];
}

/** Side effects of a removal. An empty allowlist allows every address. Source: inferred. */
export function consequences(state: AllowlistState, target: Target, next?: IpRange): readonly Line[] {
  if (state.entries.length === 1 && !next)
    return [['afterwards', 'the allowlist is empty and every address is allowed']];
  const lock = lockOf(state, target, next);
  return lock ? [['afterwards', `this machine ${lock.isCertain ? 'is' : 'may be'} locked out`]] : [];
}

/** Whether the entries are unchanged since they were read. */
export function isSame(before: readonly Entry[], during: readonly Entry[]): boolean {
  return before.length === during.length && before.every((entry, at) => isSameEntry(entry, during[at]));
}

function isSameEntry(one: Entry, other: Entry | undefined): boolean {
  return one.index === other?.index && one.ip === other.ip && one.label === other.label;
}

export const LIST_CHANGED = 'the allowlist changed in the meantime';

/** Throws CliError declined if the list has changed since it was read. */
async function requireSame(session: Session, { entries }: AllowlistState): Promise<void> {
  if (isSame(entries, await readEntries(session))) return;
  throw new CliError('declined', `${LIST_CHANGED}; nothing was sent`, {
    code: 'LIST_CHANGED',
    hint: 'check it with: fiatrail ip list, then run the command again',
  });
}

/** After a change, verifies that this machine is still allowed, or reports its access if a lockout was accepted. */
export async function showAfter(session: Session, state: AllowlistState, allowLockOut: boolean): Promise<void> {
  if (!state.access.isAllowed || allowLockOut) return printAccess(session);
  await verifyAccess(session, PROPAGATION_MS, 'allow this machine again with: fiatrail ip add <address>');
}

const REMOVED = [
  { field: 'removed', title: 'Removed' },
  { field: 'totalIps', title: 'Entries' },
  { field: 'message', title: 'Message' },
  { field: 'propagationTime', title: 'Takes effect in' },
] as const;

const EXAMPLE = 'fiatrail ip remove 203.0.113.7';

export const removeCommand = command({
  words: ['ip', 'remove'],
  summary: 'Remove an IP address from the allowlist',
  details:
    'A removal that might lock this machine out is refused. The service shows addresses masked, so entries that look alike all count as a risk. Indexes shift after a removal.',
  examples: [EXAMPLE, 'fiatrail ip remove --index 0 --yes -o json --query totalIps'],
  endpoints: [ipAllowlist.id],
  prints: { response: ipAllowlist },
  parameters: {
    ...ENTRY,
    lockMeOut: switchOn('--lock-me-out', 'remove the entry even if that locks this machine out'),
  },
  run: async (session, { lockMeOut, ...input }) => {
    requireEntry(session, input, EXAMPLE);
    const state = await readAllowlist(session, input.myAddress);
    const target = await readTarget(session, state, input);
    if (!lockMeOut) guardRemoval(state, target);
    const reply = await session.change(
      ipAllowlist,
      { action: 'remove', ...target.request },
      {
        summary: `remove ${target.name} from the allowlist`,
        lines: [...entryLines(target), ...consequences(state, target)],
        before: () => requireSame(session, state),
      },
    );
    await showAfter(session, state, Boolean(lockMeOut));
    return outcomeOf(session, ipAllowlist, reply, { columns: REMOVED });
  },
});
