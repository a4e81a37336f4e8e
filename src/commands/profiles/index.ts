import * as z from 'zod/mini';
import { approvePin, deleteProfile, setDefaultProfile } from '../../account/changes.ts';
import { areRulesTrusted, untrustedRules } from '../../account/evidence-rules.ts';
import { unfinishedRotations } from '../../account/paths.ts';
import { writePin } from '../../account/pin.ts';
import { allProfileNames, chosenProfile } from '../../account/profile.ts';
import { modeForPeople } from '../../account/service-address.ts';
import {
  BUILT_IN,
  isOurStore,
  isTrusted,
  profileNames,
  readDefaultName,
  untrustedCommand,
} from '../../account/stored-profile.ts';
import { attempt, CliError, orUndefined } from '../../base/errors.ts';
import { getPlatformPublicKey } from '../../contract/endpoints/management.ts';
import { endDryRun } from '../../engine/requests.ts';
import { rotationFile } from '../../engine/rotation/files.ts';
import { isOpenStage } from '../../journal/rotations.ts';
import { paginationSchema } from '../../present/prints.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import { addProfile, neededForProfile, profileParameters } from '../../terminal/ask/new-profile.ts';
import { command } from '../../terminal/command.ts';
import { wholeList } from '../../terminal/list-command.ts';
import { argument, optionalArgument, picked, switchOn, word } from '../../terminal/parse/parameters.ts';
import type { Session } from '../../terminal/session.ts';
import { inboxCommands } from './inbox.ts';
import { journalCommands } from './journal.ts';
import { mirrorCommands } from './mirror.ts';
import { operatorCommands } from './operators.ts';
import { rulesCommands } from './rules.ts';
import { profileResult, profileSchema, requireProfile } from './show.ts';
import { exportCommand, importCommand } from './transfer.ts';
import { trustCommand } from './trust.ts';

const addCommand = command({
  words: ['profiles', 'add'],
  summary: 'Add or change a profile',
  details:
    'Omitted settings stay unchanged. The global flag --tz sets the profile’s time zone. The key is read from standard input, from a hidden prompt, or from your own command each time it is needed. No request is sent unless --check is given.',
  examples: [
    'fiatrail profiles add main --base-url https://host/v1 --key-stdin < key.txt',
    'fiatrail profiles add main --base-url https://host/v1 --mode live --key-command "vault kv get -field=key kv/fiatrail"',
    'fiatrail profiles add sandbox --tz Europe/London',
  ],
  endpoints: [getPlatformPublicKey.id],
  prints: profileSchema,
  isLocal: true,
  parameters: profileParameters,
  asks: neededForProfile,
  run: async (session, input) => {
    const { next, isNew } = await addProfile(session, input);
    await session.note(
      `${isNew ? 'added' : 'changed'} profile ${next.name}; use it with --profile ${next.name}, or make it the default with: fiatrail profiles use ${next.name}`,
    );
    return profileResult(session, next);
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
function activeName({ world, globals }: Session): string | undefined {
  return orUndefined(() => chosenProfile(globals.profile, world).name);
}

function row(session: Session, name: string, used: string | undefined) {
  const isUsed = name === used;
  const found = attempt(() => requireProfile(session, name));
  if (found instanceof CliError)
    return { name, mode: null, baseUrl: null, store: null, isUsed, problem: found.message };
  const { mode, baseUrl, store } = found;
  const kind = mode === 'embedded' ? null : store.kind;
  const problems = [
    ...(isTrusted(store) ? [] : [untrustedCommand(name).message]),
    ...(areRulesTrusted(found) ? [] : [untrustedRules(name)]),
  ];
  const problem = problems.length > 0 ? problems.join('; ') : null;
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
    run: async (session) => {
      const used = activeName(session);
      if (used === undefined) await session.say(`warning: no profile can be used here${FIND_OUT}`);
      const profiles = allProfileNames(session.world).map((name) => row(session, name, used));
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
  run: async (session, { name }) =>
    profileResult(session, requireProfile(session, name ?? chosenProfile(session.globals.profile, session.world).name)),
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
  run: async (session, { name, here }) => {
    const { world } = session;
    const { mode } = requireProfile(session, name);
    endDryRun(session, { name, mode, isHere: here === true });
    if (here) {
      const pin = writePin(world.cwd, name, world.ids.uuid);
      if (mode === 'live') await approvePin(world, pin);
    } else await setDefaultProfile(world, name);
    const used = activeName(session);
    if (used !== name) {
      const other = used === undefined ? 'no profile can be used here' : `profile ${used} is still active here`;
      await session.say(`warning: ${other}${FIND_OUT}`);
    }
    return { result: { data: { name, mode, isHere: here === true } } };
  },
});

/** Describes what a removal deletes. A broken profile can be removed too. */
function removalLines(session: Session, name: string): (readonly [label: string, value: string])[] {
  try {
    const { mode, encryption, store } = requireProfile(session, name);
    const isKeyStored = mode !== 'embedded' && isOurStore(store);
    const deleted = [...(isKeyStored ? ['its API key'] : []), ...(encryption?.publicKey ? [SEALING_KEYS] : [])];
    return [
      ['profile', `${name} (${modeForPeople(mode)})`],
      ...(deleted.length > 0 ? [['also removes', deleted.join(' and ')] as const] : []),
    ];
  } catch (error) {
    if (!(error instanceof CliError) || !profileNames(session.world).includes(name)) throw error;
    return [
      ['profile', `${name} (${error.message})`],
      ['also removes', 'its API key if it is in a file; a key in the system keychain stays'],
    ];
  }
}

/** Describes the side effects of a removal: a new default profile, an unfinished rotation of its key, and unknown outcomes. */
async function consequences(session: Session, name: string): Promise<(readonly [label: string, value: string])[]> {
  const { world } = session;
  const isDefault = readDefaultName(world) === name;
  const open = await openRotation(session, name);
  const file = open && (rotationFile(world, open, 'key') ?? rotationFile(world, open, 'answer'));
  const inDoubt = await unknownOutcomes(session, name);
  return [
    ...(isDefault
      ? [['default', `${BUILT_IN} (${modeForPeople('embedded')}) becomes the default profile`] as const]
      : []),
    ...(open ? [['unfinished', 'the rotation of its API key: fiatrail keys rotate --resume'] as const] : []),
    ...(file ? [['stays', `${file}, which contains the new key`] as const] : []),
    ...(inDoubt > 0
      ? [['unknown', `the outcome of ${counted(inDoubt)}, which cannot be looked for without its key`] as const]
      : []),
  ];
}

/** Counts the operations of a profile with an unknown outcome. A journal that cannot be read does not keep a profile from being removed. */
async function unknownOutcomes(session: Session, name: string): Promise<number> {
  try {
    const journal = await session.existingJournal();
    return (await journal?.inDoubt(name)) ?? 0;
  } catch {
    return 0;
  }
}

const counted = (operations: number) => (operations === 1 ? '1 operation' : `${operations} operations`);

/** Returns the operation id of the profile's unfinished key rotation. Does not create a journal just to look. */
async function openRotation(session: Session, name: string): Promise<string | undefined> {
  const unfinished = unfinishedRotations(session.world);
  if (unfinished.length === 0) return undefined;
  const { rotations } = await session.journal();
  for (const id of unfinished) {
    const found = await rotations.find(id);
    if (found?.profile === name && isOpenStage(found.stage)) return id;
  }
  return undefined;
}

const SEALING_KEYS = 'its private keys for sealed responses';

const removeCommand = command({
  words: ['profiles', 'remove'],
  summary: 'Remove a profile and its secrets from this machine',
  examples: ['fiatrail profiles remove old', 'fiatrail profiles remove old --yes'],
  endpoints: [],
  prints: () => z.object({ name: z.string(), removed: z.boolean() }),
  isLocal: true,
  parameters: { name: NAME },
  run: async (session, { name }) => {
    if (name === BUILT_IN && !profileNames(session.world).includes(name)) {
      throw new CliError('usage', `the built-in profile ${BUILT_IN} cannot be removed`, {
        hint: 'reset the sandbox with: fiatrail sandbox reset',
      });
    }
    const changes = await consequences(session, name);
    const lines = [...removalLines(session, name), ...changes];
    endDryRun(session, { name, removed: true });
    await confirmChange(session, { summary: `remove profile ${name}`, lines });
    await deleteProfile(session.world, name);
    // Printed with --yes and -q too, because the next command may use another account.
    for (const [label, value] of changes) await session.say(`warning: ${label}: ${value}`);
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
  ...mirrorCommands,
  ...inboxCommands,
  ...rulesCommands,
  ...operatorCommands,
];
