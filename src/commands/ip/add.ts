import { CliError } from '../../base/errors.ts';
import {
  type AllowlistState,
  accessText,
  PROPAGATION_MS,
  printAccess,
  readAllowlist,
  verifyAccess,
} from '../../cli/allowlist.ts';
import { command, type Guided } from '../../cli/command.ts';
import { askFor } from '../../cli/input.ts';
import type { Outcome } from '../../cli/outcome.ts';
import { option, optionalArgument, switchOn, word } from '../../cli/parameters.ts';
import { outcomeOf, type Session } from '../../cli/session.ts';
import { waitOption } from '../../cli/wait.ts';
import { showEquivalentCommand } from '../../cli/wizard.ts';
import { holding, type IpRange, rangeText, shownWhole } from '../../contract/cidr.ts';
import { ipAllowlist } from '../../contract/endpoints/allowlist.ts';
import { ipRange } from './address.ts';
import { guardFirst } from './guard.ts';

const ADDED = [
  { field: 'ipAddress', title: 'Address' },
  { field: 'totalIps', title: 'Entries' },
  { field: 'message', title: 'Message' },
  { field: 'propagationTime', title: 'In force in' },
] as const;

/** What is to be added. */
interface Addition {
  readonly range: IpRange;
  readonly label: string | undefined;
}

interface AddOptions {
  readonly isLockOutMeant: boolean;
  readonly waitMs: number;
}

const isElsewhere = (range: IpRange, { access }: AllowlistState) => holding(shownWhole(range), access.own) === 'no';

/** Adds an address and, where it may be this machine's, waits until the service lets this machine call. */
async function add(
  session: Session,
  standing: AllowlistState,
  { range, label }: Addition,
  { isLockOutMeant, waitMs }: AddOptions,
): Promise<Outcome> {
  const address = rangeText(range);
  if (!isLockOutMeant) guardFirst(standing, range);
  if (standing.entries.length === 0)
    await session.say(`the list is empty: once ${address} is on it, nobody else may call`);
  if (range.prefix === 0) await session.say(`${address} lets every IPv${range.version} address call`);
  const reply = await session.call(ipAllowlist, { action: 'add', ipAddress: address, description: label });
  if (isLockOutMeant) await printAccess(session);
  else if (isElsewhere(range, standing)) {
    const { yourIp } = standing.access;
    await session.note(`this machine calls from elsewhere (${yourIp}), so that ${address} cannot be tried from here`);
    // The server that answers a check reads the list anew for it.
    await printAccess(session);
  } else {
    const hint = 'add the address that this machine calls from; see it with: fiatrail ip check';
    await verifyAccess(session, waitMs, hint);
  }
  return outcomeOf(session, ipAllowlist, reply, { columns: ADDED });
}

const countText = (count: number) => (count === 1 ? '; the list has 1 entry' : `; the list has ${count} entries`);

/** Asks what to add, with what the service sees of this machine. Sends nothing. */
async function askAddition(session: Session, standing: AllowlistState, isLockOutMeant: boolean): Promise<Addition> {
  const { access, entries } = standing;
  const prompter = await session.world.prompter();
  await session.say(accessText(access) + (entries.length > 0 ? countText(entries.length) : ''));
  const parse = (text: string) => {
    const range = ipRange(text);
    if (!isLockOutMeant) guardFirst(standing, range);
    return range;
  };
  let range: IpRange;
  do {
    range = await askFor({ question: 'Address or range:', parse }, session);
  } while (
    isElsewhere(range, standing) &&
    !(await prompter.confirm(`This machine calls from ${access.yourIp}: is ${rangeText(range)} meant?`))
  );
  const label = (await askFor({ question: 'Label (Enter for none):', parse: String }, session)) || undefined;
  const named = `${rangeText(range)}${label === undefined ? '' : ` (${label})`}`;
  if (!session.globals.yes && !(await prompter.confirm(`Let ${named} call: go ahead?`)))
    throw new CliError('declined', 'declined; nothing was sent');
  return { range, label };
}

interface Given {
  readonly address?: IpRange | undefined;
  readonly label?: string | undefined;
  readonly lockMeOut?: boolean | undefined;
}

async function guide(session: Session, { address, lockMeOut }: Given): Promise<Guided<Given> | undefined> {
  if (address) return undefined;
  const { range, label } = await askAddition(session, await readAllowlist(session), Boolean(lockMeOut));
  const words = ['ip', 'add', rangeText(range), ...(label === undefined ? [] : ['--label', label])];
  return {
    values: { address: range, label },
    end: () => showEquivalentCommand(session, [...words, ...(lockMeOut ? ['--lock-me-out'] : [])]),
  };
}

export const addCommand = command({
  words: ['ip', 'add'],
  summary: 'Let an address call',
  details:
    'On a terminal, without an address, it asks. Where the address may be that of this machine it waits up to 30 seconds until a check and a read pass. The first entry of an empty list shuts out everybody else. An address that is on the list gets the new label.',
  examples: [
    'fiatrail ip add 203.0.113.7 --label office',
    'fiatrail ip add 203.0.113.0/24 --label office --wait 1m -o json',
  ],
  endpoints: [ipAllowlist.id],
  parameters: {
    address: optionalArgument('address', 'an IPv4 or IPv6 address, or a range such as 203.0.113.0/24', ipRange),
    label: option('--label <text>', 'a name of your own for it', word),
    wait: waitOption('longer than 30s, until this machine may call'),
    lockMeOut: switchOn('--lock-me-out', 'let the first entry shut this machine out'),
  },
  guide,
  run: async (session, { address, label, wait, lockMeOut }) => {
    if (!address) {
      throw new CliError('usage', 'this is missing: <address>', {
        code: 'MISSING_INPUT',
        hint: 'for example: fiatrail ip add 203.0.113.7 --label office',
      });
    }
    const options = { isLockOutMeant: Boolean(lockMeOut), waitMs: wait ?? PROPAGATION_MS };
    return add(session, await readAllowlist(session), { range: address, label }, options);
  },
});
