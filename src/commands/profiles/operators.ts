import { changeProfile } from '../../account/changes.ts';
import {
  operatorKey,
  operatorName,
  signAboveFrom,
  signAboveWords,
  withSignAbove,
} from '../../account/operator-settings.ts';
import type { Operator, SignAbove, StoredProfile } from '../../account/stored-profile.ts';
import { CliError } from '../../base/errors.ts';
import { command } from '../../cli/command.ts';
import { accountLine, confirmConsent } from '../../cli/confirm.ts';
import { endDryRun } from '../../cli/dry-run.ts';
import { argument, option, someArguments, switchOn } from '../../cli/parameters.ts';
import type { Session } from '../../cli/session.ts';

/** Loaded when used: the other commands of profiles sign nothing. */
const operatorsRoom = () => import('../../account/operators.ts');

const COLUMNS = [
  { field: 'name', title: 'Name' },
  { field: 'publicKey', title: 'Public key' },
  { field: 'isYou', title: 'You' },
] as const;

const listCommand = command({
  words: ['profiles', 'operators', 'list'],
  summary: 'List the people whose signatures on plans count',
  details: 'Compare a public key with its owner before you rely on it: over the phone, or in person.',
  examples: ['fiatrail profiles operators list', 'fiatrail profiles operators list --profile main -o json'],
  endpoints: [],
  prints: {
    form: { operators: ['list of', { name: 'text', publicKey: 'text', isYou: 'flag' }], pagination: 'pagination' },
  },
  parameters: {},
  run: async (session) => {
    const { operatorsOf, ownOperator } = await operatorsRoom();
    const own = await ownOperator(session.profile, session.world);
    const operators = operatorsOf(session.profile).map(({ name, publicKey }) => ({
      ...{ name, publicKey, isYou: publicKey === own?.publicKey },
    }));
    return { result: { data: { operators }, lists: 'operators', list: { isWhole: true }, columns: COLUMNS } };
  },
});

const NAME = argument('name', 'name of the operator, such as ada', operatorName, 'Name of the operator:');

/** Asks before a list of operators changes, which decides whose signatures move money. */
async function agreeTo(session: Session, summary: string, { name, publicKey }: Partial<Operator>): Promise<void> {
  await confirmConsent(session, session.profile, {
    summary,
    lines: [
      accountLine(session.profile),
      ['operator', name ?? ''],
      ['public key', publicKey ?? 'a new one; its private half stays in the secret store of this profile'],
    ],
  });
}

const addCommand = command({
  words: ['profiles', 'operators', 'add'],
  summary: 'Add a person whose signatures on plans count',
  details:
    'With --generate, makes your own key pair: the private key goes into the secret store of this profile, and the public key is printed, for the others to add with --public-key. On a live profile, it asks in a terminal even with --yes.',
  examples: [
    'fiatrail profiles operators add ada --generate',
    'fiatrail profiles operators add bayo --public-key 7c5b060f3da68214db34253df3444c55b38196011f5a122bfc7c2a5030347beb',
  ],
  endpoints: [],
  prints: { form: { name: 'text', publicKey: 'text', isYou: 'flag' } },
  parameters: {
    name: NAME,
    generate: switchOn('--generate', 'make a key pair for yourself'),
    publicKey: option('--public-key <hex>', 'public key of somebody else, 64 hexadecimal digits', operatorKey),
  },
  run: async (session, { name, generate, publicKey }) => {
    const { world, profile } = session;
    const { addOperator, generateOperator, ownOperator, requireNew, requireOperatorProfile } = await operatorsRoom();
    const stored = requireOperatorProfile(profile);
    if ((generate === true) === (publicKey !== undefined))
      throw new CliError('usage', 'expected either --generate or --public-key', {
        hint: '--generate makes your own key; --public-key adds the key of somebody else',
      });
    requireNew(stored, { name, ...(publicKey === undefined ? {} : { publicKey }) });
    const own = await ownOperator(profile, world);
    if (generate && own)
      throw new CliError('usage', `you already are operator ${own.name} of profile ${profile.name}`, {
        code: 'OPERATOR_EXISTS',
        hint: `remove that key first with: fiatrail profiles operators remove ${own.name}`,
      });
    endDryRun(session, { profile: profile.name, name, publicKey: publicKey ?? null });
    await agreeTo(session, `let operator ${name} sign plans`, { name, ...(publicKey ? { publicKey } : {}) });
    if (publicKey === undefined) {
      const made = await generateOperator(world, stored, name);
      await session.note(
        `give the public key to the other operators, who add it with: fiatrail profiles operators add ${name} --public-key ${made.publicKey}`,
      );
      return { result: { data: { ...made, isYou: true } } };
    }
    await addOperator(world, stored, { name, publicKey });
    return { result: { data: { name, publicKey, isYou: false } } };
  },
});

const removeCommand = command({
  words: ['profiles', 'operators', 'remove'],
  summary: 'Remove a person whose signatures on plans count',
  details: 'Plans that they wrote or signed can no longer be applied here. If it is you, your private key is deleted.',
  examples: ['fiatrail profiles operators remove bayo'],
  endpoints: [],
  prints: { form: { name: 'text', removed: 'flag' } },
  parameters: { name: NAME },
  run: async (session, { name }) => {
    const { world, profile } = session;
    const { operatorsOf, removeOperator, requireOperatorProfile } = await operatorsRoom();
    const found = operatorsOf(profile).find((each) => each.name === name);
    if (!found)
      throw new CliError('usage', `profile ${profile.name} has no operator named ${name}`, {
        code: 'NOT_FOUND',
        hint: 'see the operators with: fiatrail profiles operators list',
      });
    endDryRun(session, { profile: profile.name, name, removed: true });
    await agreeTo(session, `remove operator ${name}`, found);
    await removeOperator(world, requireOperatorProfile(profile), found);
    return { result: { data: { name, removed: true } } };
  },
});

/** Parses an amount, or `off`. */
const amountOrOff = (text: string): SignAbove | 'off' => (text === 'off' ? text : signAboveFrom(text));

const signAboveCommand = command({
  words: ['profiles', 'operators', 'sign-above'],
  summary: 'Set the amounts above which another operator must sign',
  details:
    'A command that moves more than the amount stops with exit 9, unless it is applied from a plan that its author and another operator signed. Each asset has its own amount, but Naira and cNGN count as one; an asset without an amount needs no signature, and neither does an onramp. A request that does not say how much it moves, such as a trade on a quote, always needs one. "off" removes every amount.',
  examples: [
    'fiatrail profiles operators sign-above "NGN 1000000" "CNGN 1000000" "USDC 500"',
    'fiatrail profiles operators sign-above off',
  ],
  endpoints: [],
  prints: { form: { profile: 'text', signAbove: ['null or', ['list of', 'text']] } },
  parameters: {
    amounts: someArguments('amount', 'amount with its asset, such as "NGN 1000000", or off', amountOrOff, 'Amount:'),
  },
  run: async (session, { amounts }) => {
    const { world, profile } = session;
    const { requireOperatorProfile } = await operatorsRoom();
    const stored = requireOperatorProfile(profile);
    const given = amounts.filter((each) => each !== 'off');
    if (given.length > 0 && given.length < amounts.length)
      throw new CliError('usage', 'off cannot be combined with amounts', { hint: 'give amounts, or only off' });
    const next = (kept: StoredProfile) => (given.length === 0 ? undefined : withSignAbove(kept.signAbove ?? [], given));
    const shown = (limits: readonly SignAbove[] | undefined) => signAboveWords(limits)?.join(', ') ?? 'never';
    endDryRun(session, { profile: profile.name, signAbove: signAboveWords(next(stored)) });
    await confirmConsent(session, profile, {
      summary: 'change when another operator must sign',
      lines: [accountLine(profile), ['before', shown(stored.signAbove)], ['after', shown(next(stored))]],
    });
    const changed = await changeProfile(world, stored.name, (kept = stored) => ({ ...kept, signAbove: next(kept) }));
    return { result: { data: { profile: profile.name, signAbove: signAboveWords(changed.signAbove) } } };
  },
});

export const operatorCommands = [listCommand, addCommand, removeCommand, signAboveCommand];
