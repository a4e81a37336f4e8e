import * as z from 'zod/mini';
import { approvalThresholdWords, withApprovalThresholds } from '../../account/approval-threshold.ts';
import {
  approvalThresholdsFrom,
  approverKey,
  approverName,
  ensureOwnKey,
  forgetOwnKey,
  ownApprover,
  requireApproverProfile,
} from '../../account/approvers.ts';
import { changeProfile } from '../../account/changes.ts';
import type { ApprovalThreshold } from '../../account/stored-profile.ts';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Account } from '../../engine/account.ts';
import type { ApproverChange, ApproverList, PendingChange } from '../../engine/plans/approver-list.ts';
import { approversOf } from '../../engine/plans/approver-list.ts';
import type { Author } from '../../engine/plans/plan.ts';
import { endDryRun } from '../../engine/requests.ts';
import { paginationSchema } from '../../present/prints.ts';
import { command } from '../../terminal/command.ts';
import { wholeList } from '../../terminal/list-command.ts';
import { argument, option, PLAN_OPTIONS, someArguments, switchOn } from '../../terminal/parse/parameters.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { consenting } from '../../terminal/terminal.ts';

/** Loaded when used: the other commands of profiles sign nothing. */
const listRoom = () => import('../../engine/plans/approver-list.ts');

const changeRoom = () => import('./approver-change.ts');

const COLUMNS = [
  { field: 'name', title: 'Name' },
  { field: 'publicKey', title: 'Public key' },
  { field: 'isYou', title: 'You' },
  { field: 'addedBy', title: 'Added by' },
  { field: 'addedAt', title: 'Added' },
] as const;

const pendingSchema = () =>
  z.object({ change: z.string(), askedBy: z.string(), askedAt: z.iso.datetime(), endsAt: z.iso.datetime() });

const personForPeople = ({ user, host, approver }: Author) =>
  `${approver ? `${approver.name}, ` : ''}${user} on ${host}`;

/** Who may have made a key. No approver agreed to one from outside, so that it counts as added by everyone who had the machine then. */
const adderForPeople = (addedBy: Author) =>
  addedBy.approver ? personForPeople(addedBy) : `anyone who was ${personForPeople(addedBy)}`;

async function shownPending(pending: PendingChange) {
  const { changeForPeople } = await listRoom();
  const { wanted, askedBy, askedAt, endsAt } = pending;
  return { change: changeForPeople(wanted), askedBy: personForPeople(askedBy), askedAt, endsAt };
}

/** Says of which account a list is, for a table, which has only the approvers. */
async function whoseList({ accounts, isOwn }: ApproverList): Promise<string> {
  const { accountForPeople } = await listRoom();
  const of = accounts.map(accountForPeople).join('; ');
  return isOwn ? `approvers of ${of}` : `this account has no approvers of its own, so those of ${of} count for it`;
}

const listCommand = wholeList(
  command({
    words: ['profiles', 'approvers', 'list'],
    summary: 'List the people who may approve plans',
    details:
      'Each account has its own list, in the journal, so every host that shares the journal has the same one. A live account without its own list uses those of the journal’s other live accounts that have two approvers. Compare a public key with its owner before you rely on it: over the phone, or in person.',
    examples: ['fiatrail profiles approvers list', 'fiatrail profiles approvers list --profile main -o json'],
    endpoints: [],
    prints: () =>
      z.object({
        approvers: z.array(
          z.object({
            name: z.string(),
            publicKey: z.string(),
            isYou: z.boolean(),
            addedBy: z.string(),
            addedAt: z.iso.datetime(),
          }),
        ),
        approvalThresholds: z.nullable(z.array(z.string())),
        accounts: z.array(
          z.object({ mode: z.enum(['live', 'sandbox', 'embedded']), baseUrl: z.string(), keyFingerprint: z.string() }),
        ),
        isOwn: z.boolean(),
        pending: z.nullable(pendingSchema()),
        pagination: paginationSchema(),
      }),
    parameters: {},
    run: async (account) => {
      const { approvalThresholdsOf } = await import('../../engine/plans/signatures.ts');
      const list = await approversOf(account);
      const own = await ownApprover(list.approvers, account.profile, account.world);
      const approvers = list.approvers.map(({ name, publicKey, addedBy, addedAt }) => ({
        name,
        publicKey,
        isYou: publicKey === own?.publicKey,
        addedBy: adderForPeople(addedBy),
        addedAt,
      }));
      const approvalThresholds = approvalThresholdWords(approvalThresholdsOf(account.profile, list));
      const pending = list.pending && (await shownPending(list.pending));
      const { accounts, isOwn } = list;
      if (accounts.length > 0) await account.notices.note(await whoseList(list));
      const data = { approvers, approvalThresholds, accounts, isOwn, pending };
      return { result: { data, lists: 'approvers', list: { isWhole: true }, columns: COLUMNS } };
    },
  }),
  { names: { called: 'name', fields: ['name'] }, time: 'addedAt' },
);

const NAME = argument('name', 'name of the approver, such as ada', approverName, 'Name of the approver:');

const CHANGE_OPTIONS = {
  ...PLAN_OPTIONS,
  withoutApproval: switchOn(
    '--without-approval',
    'if no one else can approve: schedule the change, and run the command again after 48 hours',
  ),
} as const;

/** What keeps one person from changing the approvers alone; the same sentence in the help of each change. */
const SECOND =
  'Once there are two approvers, a second person must approve the change: write a plan of it with --plan, have them approve it with plans approve, then run plans apply.';

/** Makes a change, or announces it. Returns when it can be made; null if it is made. */
async function make(
  account: Account,
  terminal: Terminal,
  wanted: ApproverChange,
  input: { readonly withoutApproval?: unknown },
) {
  const { changeAfterWaiting, changeApprovers } = await changeRoom();
  if (input.withoutApproval !== true) {
    await changeApprovers(account, terminal, wanted);
    return null;
  }
  if (terminal.consent.plan)
    throw new CliError('usage', '--plan and --without-approval cannot be combined', {
      hint: 'a plan is for another approver to approve; omit one of them',
    });
  return (await changeAfterWaiting(account, terminal, wanted)) ?? null;
}

/** Puts the public key of a new pair into the plan: whoever applies it cannot make the pair. */
function planningKey(account: Account, terminal: Terminal, name: string, publicKey: string): Terminal {
  const mode = terminal.consent.plan;
  if (mode?.kind !== 'write') return terminal;
  const commandLine = `${account.command.line} ${name} --public-key ${publicKey}`;
  return consenting(terminal, { plan: { ...mode, typed: { ...mode.typed, input: { name, publicKey }, commandLine } } });
}

/** Throws CliError usage if this user has a key in the list. */
async function requireNoKey({ profile, world }: Account, { approvers }: ApproverList): Promise<void> {
  const own = await ownApprover(approvers, profile, world);
  if (!own) return;
  throw new CliError('usage', `you already are approver ${own.name}`, {
    code: 'APPROVER_EXISTS',
    hint: advice`remove that key first with: [fiatrail profiles approvers remove ${own.name}]`,
  });
}

const addCommand = command({
  words: ['profiles', 'approvers', 'add'],
  summary: 'Add a person who may approve plans',
  details: `With --generate, makes your own key pair: the private key goes into the secret store of this profile, and the public key is printed. If the account already has two approvers, it only makes the pair, and one of them adds the public key with --public-key. ${SECOND} You cannot approve a plan with a key that its author added. On a live profile, it asks in a terminal even with --yes.`,
  examples: [
    'fiatrail profiles approvers add ada --generate',
    'fiatrail profiles approvers add bayo --public-key 7c5b060f3da68214db34253df3444c55b38196011f5a122bfc7c2a5030347beb',
  ],
  endpoints: [],
  prints: () =>
    z.object({
      name: z.string(),
      publicKey: z.string(),
      isYou: z.boolean(),
      isListed: z.boolean(),
      pendingUntil: z.nullable(z.iso.datetime()),
    }),
  parameters: {
    name: NAME,
    generate: switchOn('--generate', 'make a key pair for yourself'),
    publicKey: option('--public-key <hex>', 'public key of someone else, 64 hexadecimal digits', approverKey),
    ...CHANGE_OPTIONS,
  },
  run: async (account, terminal, { name, generate, publicKey, ...input }) => {
    const { world, profile } = account;
    const { requireNew } = await listRoom();
    const stored = requireApproverProfile(profile);
    if ((generate === true) === (publicKey !== undefined))
      throw new CliError('usage', 'expected either --generate or --public-key', {
        hint: '--generate makes your own key; --public-key adds the key of someone else',
      });
    const list = await approversOf(account);
    requireNew(list, { name, ...(publicKey === undefined ? {} : { publicKey }) });
    if (generate) await requireNoKey(account, list);
    endDryRun(account, { profile: profile.name, name, publicKey: publicKey ?? null });
    if (publicKey !== undefined) {
      const pendingUntil = await make(account, terminal, { change: 'add', name, publicKey }, input);
      return { result: { data: { name, publicKey, isYou: false, isListed: pendingUntil === null, pendingUntil } } };
    }
    // Before a person is asked, because the question shows the key. A pair that nobody lists signs nothing.
    if (profile.mode === 'live' && !account.notices.isInteractive && !terminal.consent.plan)
      await requirePerson(account, terminal, name);
    const made = await ensureOwnKey(world, stored);
    const data = { name, publicKey: made, isYou: true };
    if (list.needsAnother && input.plan === undefined && !input.withoutApproval) {
      await account.notices.say(
        `you are not an approver yet; one of them adds you with: fiatrail profiles approvers add ${name} --public-key ${made} --plan`,
      );
      return { result: { data: { ...data, isListed: false, pendingUntil: null } } };
    }
    const planning = planningKey(account, terminal, name, made);
    const pendingUntil = await make(account, planning, { change: 'add', name, publicKey: made }, input);
    return { result: { data: { ...data, isListed: pendingUntil === null, pendingUntil } } };
  },
});

/** Throws CliError usage: nobody can agree to a new approver of a live account. */
async function requirePerson(account: Account, terminal: Terminal, name: string): Promise<void> {
  const { confirmConsent } = await import('../../terminal/ask/confirm.ts');
  await confirmConsent(terminal.dialog, account.profile, { summary: `let approver ${name} approve plans`, lines: [] });
}

const removeCommand = command({
  words: ['profiles', 'approvers', 'remove'],
  summary: 'Remove a person who may approve plans',
  details: `Plans that they wrote or approved can no longer be applied. If it is you, your private key is deleted. ${SECOND}`,
  examples: ['fiatrail profiles approvers remove bayo'],
  endpoints: [],
  prints: () => z.object({ name: z.string(), removed: z.boolean(), pendingUntil: z.nullable(z.iso.datetime()) }),
  parameters: { name: NAME, ...CHANGE_OPTIONS },
  run: async (account, terminal, { name, ...input }) => {
    const { world, profile } = account;
    const { requireListed } = await listRoom();
    const { publicKey } = requireListed(await approversOf(account), { name });
    endDryRun(account, { profile: profile.name, name, removed: true });
    const pendingUntil = await make(account, terminal, { change: 'remove', name, publicKey }, input);
    if (pendingUntil === null) await forgetOwnKey(world, requireApproverProfile(profile), publicKey);
    return { result: { data: { name, removed: pendingUntil === null, pendingUntil } } };
  },
});

/** An asset that no longer needs approval. */
interface AssetOff {
  readonly asset: ApprovalThreshold['asset'];
  readonly minor: 'off';
}

/** Parses an amount, `off`, or `NGN off`. */
function amountOrOff(text: string): ApprovalThreshold | AssetOff | 'off' {
  if (text === 'off') return text;
  const [, asset] = /^\s*(ngn|cngn|usdc|usdt)\s+off\s*$/i.exec(text) ?? [];
  if (asset === undefined) return approvalThresholdsFrom(text);
  return { asset: asset.toUpperCase() as AssetOff['asset'], minor: 'off' };
}

const isOff = (each: ApprovalThreshold | AssetOff): each is AssetOff => each.minor === 'off';

const approvalThresholdCommand = command({
  words: ['profiles', 'approval-threshold', 'set'],
  summary: 'Set the amounts above which a second person must approve',
  details: `A command that moves more than the amount stops with exit 9, unless it is applied from a plan that its author and a second person approved. Each asset has its own amount, but Naira and cNGN count as one; an asset without an amount needs no approval, and neither does an onramp. A request that does not say how much it moves, such as a trade on a quote, always needs approval. "NGN off" removes the amount of one asset, "off" every amount. ${SECOND}`,
  examples: [
    'fiatrail profiles approval-threshold set "NGN 1000000" "CNGN 1000000" "USDC 500"',
    'fiatrail profiles approval-threshold set "USDC off"',
    'fiatrail profiles approval-threshold set off',
  ],
  endpoints: [],
  prints: () =>
    z.object({
      profile: z.string(),
      approvalThresholds: z.nullable(z.array(z.string())),
      pendingUntil: z.nullable(z.iso.datetime()),
    }),
  parameters: {
    amounts: someArguments(
      'amount',
      'amount with its asset, such as "NGN 1000000", an asset and off, or off for all',
      amountOrOff,
      'Amount:',
    ),
    ...CHANGE_OPTIONS,
  },
  run: async (account, terminal, { amounts, ...input }) => {
    const { world, profile } = account;
    const { approvalThresholdsOf } = await import('../../engine/plans/signatures.ts');
    const stored = requireApproverProfile(profile);
    const given = amounts.filter((each) => each !== 'off');
    if (given.length > 0 && given.length < amounts.length)
      throw new CliError('usage', 'off cannot be combined with amounts', { hint: 'give amounts, or only off' });
    // The amounts of an import, which are in the profile, move to the journal.
    const current = approvalThresholdsOf(profile, await approversOf(account));
    const others = current.filter(({ asset }) => !given.some((each) => each.asset === asset && isOff(each)));
    const set = given.filter((each) => !isOff(each));
    const both = set.find(({ asset }) => given.some((each) => each.asset === asset && isOff(each)));
    if (both) throw new CliError('usage', `${both.asset} has an amount and is off`, { hint: 'give one of them' });
    const limits = given.length === 0 ? [] : withApprovalThresholds(others, set);
    endDryRun(account, { profile: profile.name, approvalThresholds: approvalThresholdWords(limits) });
    const pendingUntil = await make(account, terminal, { change: 'approval-threshold', limits }, input);
    if (pendingUntil === null && stored.approvalThresholds)
      await changeProfile(world, stored.name, ({ approvalThresholds: _, ...rest } = stored) => rest);
    const approvalThresholds = approvalThresholdWords(pendingUntil === null ? limits : current);
    return { result: { data: { profile: profile.name, approvalThresholds, pendingUntil } } };
  },
});

const cancelCommand = command({
  words: ['profiles', 'approvers', 'cancel'],
  summary: 'Cancel the pending change of approvers',
  details:
    'A change asked for with --without-approval waits for 48 hours. Any approver can cancel it until it is applied.',
  examples: ['fiatrail profiles approvers cancel'],
  endpoints: [],
  prints: () => z.object({ cancelled: pendingSchema() }),
  parameters: {},
  run: async (account, terminal) => {
    const { pending } = await approversOf(account);
    endDryRun(account, { cancelled: pending && (await shownPending(pending)) });
    const { cancelPending } = await changeRoom();
    return { result: { data: { cancelled: await shownPending(await cancelPending(account, terminal)) } } };
  },
});

export const approverCommands = [listCommand, addCommand, removeCommand, approvalThresholdCommand, cancelCommand];
