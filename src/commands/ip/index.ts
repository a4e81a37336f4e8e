import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { containment, fullyVisible, type IpRange, isWide, rangeText } from '../../contract/cidr.ts';
import { ipAllowlist } from '../../contract/endpoints/allowlist.ts';
import type { Account } from '../../engine/account.ts';
import {
  type AllowlistState,
  accessText,
  PROPAGATION_MS,
  printAccess,
  readAllowlist,
  verifyAccess,
} from '../../engine/evidence/allowlist.ts';
import { type Outcome, outcomeOf } from '../../engine/outcome.ts';
import type { ShownLine } from '../../engine/plans/line.ts';
import { printLines } from '../../terminal/ask/confirm.ts';
import { askFor, showEquivalentCommand } from '../../terminal/ask/input.ts';
import { command, type Guided } from '../../terminal/command.ts';
import { wholeList } from '../../terminal/list-command.ts';
import { labelOption, lockMeOutOption, waitOption } from '../../terminal/parse/field-options.ts';
import { missingError } from '../../terminal/parse/missing.ts';
import { optionalArgument, plainText } from '../../terminal/parse/parameters.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { change } from '../../terminal/terminal.ts';
import { guardFirst, ipRange, wideLines } from './guard.ts';
import { removeCommand, replaceCommand } from './remove.ts';

const ADDED = [
  { field: 'ipAddress', title: 'Address' },
  { field: 'totalIps', title: 'Entries' },
  { field: 'message', title: 'Message' },
  { field: 'propagationTime', title: 'Takes effect in' },
] as const;

/** The entry to add. */
interface Addition {
  readonly range: IpRange;
  readonly label: string | undefined;
}

interface AddOptions {
  readonly allowLockOut: boolean;
  readonly waitMs: number;
}

const isElsewhere = (range: IpRange, { access }: AllowlistState) =>
  containment(fullyVisible(range), access.own) === 'no';

/** Adds an address and, if it may cover this machine, waits until the service lets this machine call. */
async function add(
  account: Account,
  terminal: Terminal,
  state: AllowlistState,
  { range, label }: Addition,
  { allowLockOut, waitMs }: AddOptions,
): Promise<Outcome> {
  const address = rangeText(range);
  if (!allowLockOut) guardFirst(state, range);
  const lines = consequencesOf(state, range);
  if (account.globals.dryRun && lines.length > 0) await printLines(account.world, account.notices.note, lines);
  const reply = await change(
    account,
    terminal,
    ipAllowlist,
    { action: 'add', ipAddress: address, description: label },
    { summary: `add ${address} to the allowlist`, lines, needsConsent: isFirst(state) },
  );
  if (allowLockOut) await printAccess(account);
  else if (isElsewhere(range, state)) {
    const { yourIp } = state.access;
    await account.notices.note(
      `this machine calls from another address (${yourIp}), so ${address} cannot be verified from here`,
    );
    // A check always reads the current list.
    await printAccess(account);
  } else {
    const hint = advice`add the address this machine calls from; show it with: [fiatrail ip check]`;
    await verifyAccess(account, waitMs, hint);
  }
  return outcomeOf(account, ipAllowlist, reply, { columns: ADDED });
}

/** The first entry takes access away from every other address. */
const isFirst = ({ entries }: AllowlistState) => entries.length === 0;

/** Describes the side effects of adding a range. */
function consequencesOf(state: AllowlistState, range: IpRange): readonly ShownLine[] {
  const others = range.prefix === 0 ? `IPv${range.version === 4 ? 6 : 4} address` : 'other address';
  const first: ShownLine = ['afterwards', `no ${others} can call the service, because the allowlist is empty now`];
  return [...(isFirst(state) ? [first] : []), ...wideLines(range)];
}

const countText = (count: number) =>
  count === 1 ? '; the allowlist has 1 entry' : `; the allowlist has ${count} entries`;

/** Whether the command asks before it adds a range; the wizard asks about the others. */
const asksItself = (state: AllowlistState, range: IpRange) => isFirst(state) || isWide(rangeText(range));

/** Prompts for the entry, after showing how the service sees this machine. Changes nothing. */
async function askAddition(
  account: Account,
  terminal: Terminal,
  state: AllowlistState,
  allowLockOut: boolean,
): Promise<Addition> {
  const { access, entries } = state;
  await account.notices.say(accessText(access) + (entries.length > 0 ? countText(entries.length) : ''));
  const parse = (text: string) => {
    const range = ipRange(text);
    if (!allowLockOut) guardFirst(state, range);
    return range;
  };
  const range = await askFor({ question: 'Address or range:', parse }, account);
  const label =
    (await askFor(
      { question: 'Label (Enter for none):', parse: (text) => (text === '' ? text : plainText(text)) },
      account,
    )) || undefined;
  const named = `${rangeText(range)}${label === undefined ? '' : ` (${label})`}`;
  if (terminal.globals.yes || asksItself(state, range)) return { range, label };
  const prompter = await account.world.prompter();
  if (!(await prompter.confirm(`Add ${named} to the allowlist. Continue?`)))
    throw new CliError('declined', 'declined; nothing was sent');
  return { range, label };
}

interface GivenEntry {
  readonly address?: IpRange | undefined;
  readonly label?: string | undefined;
  readonly lockMeOut?: boolean | undefined;
}

async function guide(
  account: Account,
  terminal: Terminal,
  { address, lockMeOut }: GivenEntry,
): Promise<Guided<GivenEntry> | undefined> {
  if (address) return undefined;
  const { range, label } = await askAddition(account, terminal, await readAllowlist(account), Boolean(lockMeOut));
  const words = ['ip', 'add', rangeText(range), ...(label === undefined ? [] : ['--label', label])];
  return {
    values: { address: range, label },
    end: () => showEquivalentCommand(account, terminal, [...words, ...(lockMeOut ? ['--lock-me-out'] : [])]),
  };
}

const addCommand = command({
  words: ['ip', 'add'],
  summary: 'Add an IP address or range to the allowlist',
  details:
    'If the address may cover this machine, the command waits until the service accepts a check and a read from here: up to 30 seconds, or as long as --wait says. The first entry of an empty allowlist locks out every other address, and a range wider than /24 (IPv6: /64) lets many in, so the command asks first; without a terminal, add --yes. Adding an address that is already listed changes its label. On a terminal, without an address, the command prompts for it.',
  examples: [
    'fiatrail ip add 203.0.113.7 --label office',
    'fiatrail ip add 203.0.113.0/24 --label office --wait 1m --yes -o json',
  ],
  endpoints: [ipAllowlist.id],
  prints: { response: ipAllowlist },
  parameters: {
    address: optionalArgument('address', 'IPv4 or IPv6 address, or a range such as 203.0.113.0/24', ipRange),
    label: labelOption,
    wait: {
      ...waitOption,
      help: 'wait until this machine is allowed to call, up to this long (default 10m; 30s without --wait)',
    },
    lockMeOut: lockMeOutOption,
  },
  guide,
  run: async (account, terminal, { address, label, wait, lockMeOut }) => {
    if (!address) {
      throw missingError(['<address>'], {
        expected: 'the IP address or range to add',
        hint: advice`for example: [fiatrail ip add 203.0.113.7 --label office]`,
      });
    }
    const options = { allowLockOut: Boolean(lockMeOut), waitMs: wait ?? PROPAGATION_MS };
    return add(account, terminal, await readAllowlist(account), { range: address, label }, options);
  },
});

const COLUMNS = [
  { field: 'index', title: 'Index', align: 'right' },
  { field: 'ip', title: 'Address' },
  { field: 'description', title: 'Label' },
] as const;

const listCommand = wholeList(
  command({
    words: ['ip', 'list'],
    summary: 'List the addresses on the allowlist',
    examples: ['fiatrail ip list', 'fiatrail ip list -o json --query "ipAddresses[].ip"'],
    endpoints: [ipAllowlist.id],
    prints: { response: ipAllowlist, lists: 'ipAddresses' },
    parameters: {},
    run: async (account) => {
      const { result } = await outcomeOf(account, ipAllowlist, await account.call(ipAllowlist, { action: 'list' }), {
        columns: COLUMNS,
      });
      return result ? { result: { ...result, lists: 'ipAddresses', list: { isWhole: true } } } : {};
    },
  }),
  { names: { called: 'address or label', fields: ['ip', 'description'] } },
);

const CHECKED = [
  { field: 'yourIp', title: 'Your address' },
  { field: 'isAllowed', title: 'Allowed' },
  { field: 'matchedRule', title: 'Matched entry' },
  { field: 'totalConfiguredIps', title: 'Entries' },
  { field: 'note', title: 'Note' },
] as const;

const checkCommand = command({
  words: ['ip', 'check'],
  summary: 'Show the address this machine calls from and whether it is allowed',
  examples: ['fiatrail ip check', 'fiatrail ip check -o json --query isAllowed'],
  endpoints: [ipAllowlist.id],
  prints: { response: ipAllowlist },
  parameters: {},
  run: async (account) =>
    outcomeOf(account, ipAllowlist, await account.call(ipAllowlist, { action: 'check' }), { columns: CHECKED }),
});

export const commands = [listCommand, addCommand, removeCommand, replaceCommand, checkCommand];
