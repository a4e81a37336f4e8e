import * as z from 'zod/mini';
import { approvePin, changeProfile, deleteProfile, setDefaultProfile } from '../../account/changes.ts';
import { unfinishedRotations } from '../../account/paths.ts';
import { findPin, isApproved, writePin } from '../../account/pin.ts';
import { allProfileNames, chosenProfile, modeForPeople } from '../../account/profile.ts';
import {
  BUILT_IN,
  isOurStore,
  isTrusted,
  type KeyCommand,
  profileNames,
  readDefaultName,
  type StoredProfile,
  trustedStore,
  untrustedCommand,
} from '../../account/stored-profile.ts';
import { advice } from '../../base/advice.ts';
import { attempt, CliError, orUndefined } from '../../base/errors.ts';
import { getPlatformPublicKey } from '../../contract/endpoints/management.ts';
import type { Account } from '../../engine/account.ts';
import { existingJournal } from '../../engine/connection/journal-location.ts';
import { endDryRun } from '../../engine/requests.ts';
import { rotationFile } from '../../engine/rotation/files.ts';
import { isOpenStage } from '../../journal/rotations.ts';
import { paginationSchema } from '../../present/prints.ts';
import { visible } from '../../present/text.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import { addProfile, neededForProfile, profileParameters } from '../../terminal/ask/new-profile.ts';
import { command } from '../../terminal/command.ts';
import { wholeList } from '../../terminal/list-command.ts';
import { argument, optionalArgument, picked, switchOn, word } from '../../terminal/parse/parameters.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { approverCommands } from './approvers.ts';
import { copyCommands } from './copy.ts';
import { inboxCommands } from './inbox.ts';
import { journalCommands } from './journal.ts';
import { planNoticeCommands } from './plan-notices.ts';
import { rulesCommands } from './rules.ts';
import { profileResult, profileSchema, requireProfile } from './show.ts';
import { exportCommand, importCommand } from './transfer.ts';

/** Returns the key command of a profile. Throws CliError usage if it has none. */
function keyCommandOf({ name, store }: StoredProfile): KeyCommand {
  if (store.kind === 'command') return store;
  throw new CliError('usage', `profile ${name} has no key command, so there is nothing to trust`, {
    hint: advice`see its settings with: [fiatrail profiles show ${name}]`,
  });
}

const changedInTheMeantime = (name: string) =>
  new CliError('usage', `another command changed profile ${name} in the meantime; nothing was saved`, {
    code: 'CONFIG_CHANGED',
    hint: 'run the command again',
  });

async function trustKeyCommand(
  account: Account,
  terminal: Terminal,
  { name, mode, baseUrl }: StoredProfile,
  shown: KeyCommand,
) {
  await confirmChange(terminal.dialog, {
    summary: `trust the key command of profile ${name}`,
    lines: [
      ['profile', `${name} (${modeForPeople(mode)})`],
      ['base URL', baseUrl ?? ''],
      [shown.isShell ? 'shell command' : 'program', visible(shown.command)],
    ],
  });
  await changeProfile(account.world, name, (now) => {
    if (now?.store.kind === 'command' && now.store.command === shown.command && now.store.isShell === shown.isShell)
      return { ...now, store: trustedStore(now.store) };
    throw changedInTheMeantime(name);
  });
}

/** Lets the file of this folder choose the live profile that it names, after asking. */
async function trustPin(account: Account, terminal: Terminal) {
  const { world } = account;
  const pin = findPin(world.cwd, world.userId);
  if (!pin)
    throw new CliError('usage', 'no .fiatrail.json was found in this folder or the folders above it', {
      hint: advice`create one with: [fiatrail profiles use NAME --here]`,
    });
  const { name, mode } = requireProfile(account, pin.profile);
  endDryRun(account, { name, mode, file: pin.path });
  if (mode === 'live' && !isApproved(world, pin)) {
    await confirmChange(terminal.dialog, {
      summary: `let a file choose the LIVE profile ${name}`,
      lines: [
        ['profile', `${name} (${modeForPeople(mode)})`],
        ['file', pin.path],
      ],
    });
    await approvePin(world, pin);
  }
  return { result: { data: { name, mode, file: pin.path, isTrusted: true } } };
}

const trustCommand = command({
  words: ['profiles', 'trust'],
  summary: 'Trust an imported key command, or a LIVE profile chosen by this folder',
  details:
    'With NAME, shows the profile’s key command, and asks before it may run; editing it in the profile file ends the trust. With --here, asks whether the .fiatrail.json of this folder may choose the LIVE profile that it names.',
  examples: ['fiatrail profiles trust main', 'fiatrail profiles trust --here'],
  endpoints: [],
  prints: () =>
    z.union([
      z.object({ name: z.string(), mode: z.string(), file: z.string(), isTrusted: z.boolean() }),
      z.object({
        name: z.string(),
        command: z.string(),
        isShell: z.boolean(),
        isTrusted: z.boolean(),
      }),
    ]),
  isLocal: true,
  parameters: {
    name: picked('profile', optionalArgument('name', 'profile name', word, 'Which profile?')),
    here: switchOn('--here', 'trust this folder’s choice of profile'),
  },
  asks: ({ here }) => (here ? [] : ['name']),
  run: async (account, terminal, { name, here }) => {
    if ((name === undefined) === (here !== true))
      throw new CliError('usage', 'expected either a profile name or --here', {
        hint: advice`run: [fiatrail profiles trust NAME], or: [fiatrail profiles trust --here]`,
      });
    if (name === undefined) return trustPin(account, terminal);
    const stored = requireProfile(account, name);
    const keyCommand = keyCommandOf(stored);
    const trusted = { name, command: keyCommand.command, isShell: keyCommand.isShell };
    endDryRun(account, trusted);
    if (!isTrusted(keyCommand)) await trustKeyCommand(account, terminal, stored, keyCommand);
    return { result: { data: { ...trusted, isTrusted: true } } };
  },
});

const addCommand = command({
  words: ['profiles', 'add'],
  summary: 'Add or change a profile',
  details:
    'Omitted settings stay unchanged. The global flags --tz and --mask set the profile’s time zone and mask its output by default. The key is read from standard input, from a hidden prompt, or from your own command each time it is needed. No request is sent unless --check is given.',
  examples: [
    'fiatrail profiles add main --base-url https://host/v1 --key-stdin < key.txt',
    'fiatrail profiles add main --base-url https://host/v1 --mode live --key-command "vault kv get -field=key kv/fiatrail"',
    'fiatrail profiles add sandbox --tz Europe/London',
    'fiatrail profiles add sandbox --mask',
  ],
  endpoints: [getPlatformPublicKey.id],
  prints: profileSchema,
  isLocal: true,
  parameters: profileParameters,
  asks: neededForProfile,
  run: async (account, terminal, input) => {
    const { next, isNew } = await addProfile(account, terminal, input);
    await account.notices.note(
      `${isNew ? 'added' : 'changed'} profile ${next.name}; use it with --profile ${next.name}, or make it the default with: fiatrail profiles use ${next.name}`,
    );
    return profileResult(account, next);
  },
});

const NAME = picked('profile', argument('name', 'profile name', word, 'Which profile?'));

const COLUMNS = [
  { field: 'name', title: 'Name' },
  { field: 'mode', title: 'Mode' },
  { field: 'baseUrl', title: 'Base URL' },
  { field: 'store', title: 'Key store' },
  { field: 'isUsed', title: 'Active' },
  { field: 'problem', title: 'Problem' },
] as const;

/** Returns the name of the active profile; undefined if the setting that names it is broken. */
function activeName({ world }: Account, { globals }: Terminal): string | undefined {
  return orUndefined(() => chosenProfile(globals.profile, world).name);
}

function row(account: Account, name: string, used: string | undefined) {
  const isUsed = name === used;
  const found = attempt(() => requireProfile(account, name));
  if (found instanceof CliError)
    return { name, mode: null, baseUrl: null, store: null, isUsed, problem: found.message };
  const { mode, baseUrl, store } = found;
  const kind = mode === 'embedded' ? null : store.kind;
  const problem = isTrusted(store) ? null : untrustedCommand(name).message;
  return { name, mode, baseUrl: baseUrl ?? null, store: kind, isUsed, problem };
}

const listCommand = wholeList(
  command({
    words: ['profiles', 'list'],
    summary: 'List profiles and show the active one',
    examples: ['fiatrail profiles list', "fiatrail profiles list -o json --query 'profiles[?isUsed].name | [0]'"],
    endpoints: [],
    prints: () =>
      z.object({
        profiles: z.array(
          z.object({
            name: z.string(),
            mode: z.nullable(z.string()),
            baseUrl: z.nullable(z.string()),
            store: z.nullable(z.string()),
            isUsed: z.boolean(),
            problem: z.nullable(z.string()),
          }),
        ),
        pagination: paginationSchema(),
      }),
    isLocal: true,
    parameters: {},
    run: async (account, terminal) => {
      const used = activeName(account, terminal);
      if (used === undefined) await account.notices.say(`warning: no profile can be used here${FIND_OUT}`);
      const profiles = allProfileNames(account.world).map((name) => row(account, name, used));
      const columns = COLUMNS.filter(({ field }) => field !== 'problem' || profiles.some(({ problem }) => problem));
      return { result: { data: { profiles }, lists: 'profiles', list: { isWhole: true }, columns } };
    },
  }),
  { names: { called: 'name or base URL', fields: ['name', 'baseUrl'] } },
);

const FIND_OUT = '; find out why with: fiatrail explain';

const showCommand = command({
  words: ['profiles', 'show'],
  summary: 'Show a profile',
  details: 'Prints its base URL, its mode, where its key is stored and the key’s fingerprint.',
  examples: ['fiatrail profiles show', 'fiatrail profiles show main -o json --query key.fingerprint'],
  endpoints: [],
  prints: profileSchema,
  isLocal: true,
  parameters: { name: optionalArgument('name', 'profile name (default: the active profile)', word) },
  run: async (account, terminal, { name }) =>
    profileResult(
      account,
      requireProfile(account, name ?? chosenProfile(terminal.globals.profile, account.world).name),
    ),
});

const useCommand = command({
  words: ['profiles', 'use'],
  summary: 'Set the default profile, or the profile of this folder',
  details:
    '--profile and FIATRAIL_PROFILE take precedence over the folder’s profile, which takes precedence over the default.',
  examples: ['fiatrail profiles use main', 'fiatrail profiles use sandbox --here'],
  endpoints: [],
  prints: () => z.object({ name: z.string(), mode: z.string(), isHere: z.boolean() }),
  isLocal: true,
  parameters: {
    name: NAME,
    here: switchOn('--here', 'use it in this folder and its subfolders only; writes .fiatrail.json'),
  },
  run: async (account, terminal, { name, here }) => {
    const { world } = account;
    const { mode } = requireProfile(account, name);
    endDryRun(account, { name, mode, isHere: here === true });
    if (here) {
      const pin = writePin(world.cwd, name, world.ids.uuid);
      if (mode === 'live') await approvePin(world, pin);
    } else await setDefaultProfile(world, name);
    const used = activeName(account, terminal);
    if (used !== name) {
      const other = used === undefined ? 'no profile can be used here' : `profile ${used} is still active here`;
      await account.notices.say(`warning: ${other}${FIND_OUT}`);
    }
    return { result: { data: { name, mode, isHere: here === true } } };
  },
});

/** Describes what a removal deletes. A broken profile can be removed too. */
function removalLines(account: Account, name: string): (readonly [label: string, value: string])[] {
  try {
    const { mode, encryption, store } = requireProfile(account, name);
    const isKeyStored = mode !== 'embedded' && isOurStore(store);
    const deleted = [...(isKeyStored ? ['its API key'] : []), ...(encryption?.publicKey ? [ENCRYPTION_KEYS] : [])];
    return [
      ['profile', `${name} (${modeForPeople(mode)})`],
      ...(deleted.length > 0 ? [['also removes', deleted.join(' and ')] as const] : []),
    ];
  } catch (error) {
    if (!(error instanceof CliError) || !profileNames(account.world).includes(name)) throw error;
    return [
      ['profile', `${name} (${error.message})`],
      ['also removes', 'its API key if it is in a file; a key in the system keychain stays'],
    ];
  }
}

/** Describes the side effects of a removal: a new default profile, an unfinished rotation of its key, and unknown outcomes. */
async function consequences(account: Account, name: string): Promise<(readonly [label: string, value: string])[]> {
  const { world } = account;
  const isDefault = readDefaultName(world) === name;
  const open = await openRotation(account, name);
  const file = open && (rotationFile(world, open, 'key') ?? rotationFile(world, open, 'answer'));
  const unknown = await unknownOutcomes(account, name);
  return [
    ...(isDefault
      ? [['default', `${BUILT_IN} (${modeForPeople('embedded')}) becomes the default profile`] as const]
      : []),
    ...(open ? [['unfinished', 'the rotation of its API key: fiatrail keys rotate --resume'] as const] : []),
    ...(file ? [['stays', `${file}, which contains the new key`] as const] : []),
    ...(unknown > 0
      ? [['unknown', `the outcome of ${counted(unknown)}, which cannot be looked for without its key`] as const]
      : []),
  ];
}

/** Counts the operations of a profile with an unknown outcome. A journal that cannot be read does not keep a profile from being removed. */
async function unknownOutcomes(account: Account, name: string): Promise<number> {
  try {
    const journal = await existingJournal(account);
    return (await journal?.unknownOutcomes(name)) ?? 0;
  } catch {
    return 0;
  }
}

const counted = (operations: number) => (operations === 1 ? '1 operation' : `${operations} operations`);

/** Returns the operation id of the profile's unfinished key rotation. Does not create a journal just to look. */
async function openRotation(account: Account, name: string): Promise<string | undefined> {
  const unfinished = unfinishedRotations(account.world);
  if (unfinished.length === 0) return undefined;
  const { rotations } = await account.journal();
  for (const id of unfinished) {
    const found = await rotations.find(id);
    if (found?.profile === name && isOpenStage(found.stage)) return id;
  }
  return undefined;
}

const ENCRYPTION_KEYS = 'its private keys for encrypted responses';

const removeCommand = command({
  words: ['profiles', 'remove'],
  summary: 'Remove a profile and its secrets from this machine',
  examples: ['fiatrail profiles remove old', 'fiatrail profiles remove old --yes'],
  endpoints: [],
  prints: () => z.object({ name: z.string(), removed: z.boolean() }),
  isLocal: true,
  parameters: { name: NAME },
  run: async (account, terminal, { name }) => {
    if (name === BUILT_IN && !profileNames(account.world).includes(name)) {
      throw new CliError('usage', `the built-in profile ${BUILT_IN} cannot be removed`, {
        hint: advice`reset the sandbox with: [fiatrail sandbox reset]`,
      });
    }
    const changes = await consequences(account, name);
    const lines = [...removalLines(account, name), ...changes];
    endDryRun(account, { name, removed: true });
    await confirmChange(terminal.dialog, { summary: `remove profile ${name}`, lines });
    await deleteProfile(account.world, name);
    // Printed with --yes and -q too, because the next command may use another account.
    for (const [label, value] of changes) await account.notices.say(`warning: ${label}: ${value}`);
    return { result: { data: { name, removed: true } } };
  },
});

export const commands = [
  listCommand,
  showCommand,
  addCommand,
  useCommand,
  removeCommand,
  exportCommand,
  importCommand,
  trustCommand,
  ...journalCommands,
  ...copyCommands,
  ...inboxCommands,
  ...planNoticeCommands,
  ...rulesCommands,
  ...approverCommands,
];
