import { changeProfile, deleteProfile, setDefaultProfile } from '../../account/changes.ts';
import { modeForPeople } from '../../account/mode.ts';
import { writePin } from '../../account/pin.ts';
import { allProfileNames, chosenProfile, storedProfileNamed, unknownProfile } from '../../account/profile.ts';
import {
  BUILT_IN,
  isOurStore,
  profileNames,
  readDefaultName,
  type StoredProfile,
} from '../../account/stored-profile.ts';
import { parseExport, writeExport } from '../../account/transfer.ts';
import { attempt, CliError, orUndefined } from '../../base/errors.ts';
import { command } from '../../cli/command.ts';
import { confirmChange } from '../../cli/confirm.ts';
import { endDryRun } from '../../cli/dry-run.ts';
import { argument, optionalArgument, switchOn, word } from '../../cli/parameters.ts';
import type { Session } from '../../cli/session.ts';
import { isOpenStage } from '../../journal/rotations.ts';
import { rotationFile, unfinishedRotations } from '../../rotation/files.ts';
import { addCommand } from './add.ts';
import { profileResult } from './show.ts';

const COLUMNS = [
  { field: 'name', title: 'Name' },
  { field: 'mode', title: 'Mode' },
  { field: 'baseUrl', title: 'Base URL' },
  { field: 'store', title: 'Key in' },
  { field: 'isUsed', title: 'Used here' },
  { field: 'problem', title: 'Problem' },
] as const;

/** A profile by its name; the built-in one is always there. Throws CliError usage. */
function known(session: Session, name: string): StoredProfile {
  const found = storedProfileNamed(name, session.world);
  if (found) return found;
  throw unknownProfile(name, '', session.world);
}

/** The name that a command would use here; undefined where what names it is broken. */
function usedHere({ world, globals }: Session): string | undefined {
  return orUndefined(() => chosenProfile(globals.profile, world).name);
}

function row(session: Session, name: string, used: string | undefined) {
  const isUsed = name === used;
  const found = attempt(() => known(session, name));
  if (found instanceof CliError)
    return { name, mode: null, baseUrl: null, store: null, isUsed, problem: found.message };
  const { mode, baseUrl, store } = found;
  const kind = mode === 'embedded' ? null : store.kind;
  return { name, mode, baseUrl: baseUrl ?? null, store: kind, isUsed, problem: null };
}

const listCommand = command({
  words: ['profiles', 'list'],
  summary: 'List the profiles, and which one is used here',
  examples: ['fiatrail profiles list', "fiatrail profiles list -o json --query 'profiles[?isUsed].name | [0]'"],
  endpoints: [],
  isLocal: true,
  parameters: {},
  run: async (session) => {
    const used = usedHere(session);
    const profiles = allProfileNames(session.world).map((name) => row(session, name, used));
    const columns = COLUMNS.filter(({ field }) => field !== 'problem' || profiles.some(({ problem }) => problem));
    return { result: { data: { profiles }, lists: 'profiles', columns } };
  },
});

const showCommand = command({
  words: ['profiles', 'show'],
  summary: 'Show a profile: address, mode, where its key is, its key’s fingerprint',
  examples: ['fiatrail profiles show', 'fiatrail profiles show main -o json --query key.fingerprint'],
  endpoints: [],
  isLocal: true,
  parameters: { name: optionalArgument('name', 'default: the one that is used here', word) },
  run: async (session, { name }) =>
    profileResult(session, known(session, name ?? chosenProfile(session.globals.profile, session.world).name)),
});

const useCommand = command({
  words: ['profiles', 'use'],
  summary: 'Use a profile from now on, everywhere or in this folder',
  details: 'A flag and FIATRAIL_PROFILE come before a folder, and a folder before everywhere.',
  examples: ['fiatrail profiles use main', 'fiatrail profiles use sandbox --here'],
  endpoints: [],
  isLocal: true,
  parameters: {
    name: argument('name', 'of the profile', word),
    here: switchOn('--here', 'in this folder and below: writes .fiatrail.json'),
  },
  run: async (session, { name, here }) => {
    const { world } = session;
    const { mode } = known(session, name);
    endDryRun(session, { name, mode, isHere: here === true });
    if (here) writePin(world.cwd, name, world.ids.uuid);
    else await setDefaultProfile(world, name);
    const used = usedHere(session);
    if (used !== name) {
      const other = used === undefined ? 'nothing can be used here' : `${used} is used here all the same`;
      await session.say(`warning: ${other}; see why with: fiatrail explain`);
    }
    return { result: { data: { name, mode, isHere: here === true } } };
  },
});

/** What goes with a profile; one that is broken can be removed too. */
function removalLines(session: Session, name: string): (readonly [label: string, value: string])[] {
  try {
    const { mode, sealing, store } = known(session, name);
    const isKeyKept = mode !== 'embedded' && isOurStore(store);
    const gone = [...(isKeyKept ? ['its API key'] : []), ...(sealing?.publicKey ? [SEALING_KEYS] : [])];
    return [
      ['profile', `${name} (${modeForPeople(mode)})`],
      ...(gone.length > 0 ? [['goes too', gone.join(', and ')] as const] : []),
    ];
  } catch (error) {
    if (!(error instanceof CliError) || !profileNames(session.world).includes(name)) throw error;
    return [
      ['profile', `${name} (${error.message})`],
      ['goes too', 'its API key, where a file has it; one in the key store of the system stays'],
    ];
  }
}

/** What else a removal changes: which account is used when nobody says, and a replacement of the key that has to be finished. */
async function consequences(session: Session, name: string): Promise<(readonly [label: string, value: string])[]> {
  const { world } = session;
  const isDefault = readDefaultName(world) === name;
  const open = await openRotation(session, name);
  const file = open && (rotationFile(world, open, 'key') ?? rotationFile(world, open, 'answer'));
  return [
    ...(isDefault ? [['default', `${BUILT_IN} (${modeForPeople('embedded')}) from then on`] as const] : []),
    ...(open ? [['unfinished', 'the replacement of its API key: fiatrail keys rotate --resume'] as const] : []),
    ...(file ? [['stays', `${file}, which has the new key`] as const] : []),
  ];
}

/** The replacement of its key that is not at an end, by its operation. No journal is made to look for one. */
async function openRotation(session: Session, name: string): Promise<string | undefined> {
  const kept = unfinishedRotations(session.world);
  if (kept.length === 0) return undefined;
  const { rotations } = await session.journal();
  return kept.find((id) => {
    const found = rotations.find(id);
    return found?.profile === name && isOpenStage(found.stage);
  });
}

const SEALING_KEYS = 'the private keys that open sealed answers';

const removeCommand = command({
  words: ['profiles', 'remove'],
  summary: 'Remove a profile and its secrets from this machine',
  examples: ['fiatrail profiles remove old', 'fiatrail profiles remove old --yes'],
  endpoints: [],
  isLocal: true,
  parameters: { name: argument('name', 'of the profile', word) },
  run: async (session, { name }) => {
    if (name === BUILT_IN && !profileNames(session.world).includes(name)) {
      throw new CliError('usage', `the profile ${BUILT_IN} is always there`, {
        hint: 'empty the sandbox with: fiatrail sandbox reset',
      });
    }
    const changes = await consequences(session, name);
    const lines = [...removalLines(session, name), ...changes];
    endDryRun(session, { name, removed: true });
    await confirmChange(session, { summary: `remove the profile ${name}`, lines });
    await deleteProfile(session.world, name);
    // Scripts that say --yes and -q are told too: what they run next goes elsewhere.
    for (const [label, value] of changes) await session.say(`warning: ${label}: ${value}`);
    return { result: { data: { name, removed: true } } };
  },
});

const exportCommand = command({
  words: ['profiles', 'export'],
  summary: 'Print profiles without their secrets, for another machine',
  examples: ['fiatrail profiles export > profiles.json', 'fiatrail profiles export main'],
  endpoints: [],
  isLocal: true,
  parameters: { name: optionalArgument('name', 'default: all of them', word) },
  run: async (session, { name }) => {
    const names = name === undefined ? profileNames(session.world) : [name];
    return { result: { data: writeExport(names.map((each) => known(session, each))), always: 'json' } };
  },
});

/** Keeps a profile unless there is one of its name, whatever its state. */
async function addNew({ world }: Session, stored: StoredProfile): Promise<boolean> {
  if (profileNames(world).includes(stored.name)) return false;
  let isNew = false;
  await changeProfile(world, stored.name, (kept) => {
    isNew = kept === undefined;
    return kept ?? stored;
  });
  return isNew;
}

const MAX_EXPORT_BYTES = 1024 * 1024;

const importCommand = command({
  words: ['profiles', 'import'],
  summary: 'Add the profiles that another machine exported; their keys are given here',
  details: 'A profile that is there already is left as it is.',
  examples: [
    'fiatrail profiles import profiles.json',
    'ssh host fiatrail profiles export | fiatrail profiles import -',
  ],
  endpoints: [],
  isLocal: true,
  parameters: { file: argument('file', 'as printed by profiles export; - for standard input', word) },
  run: async (session, { file }) => {
    const { world } = session;
    const text =
      file === '-' ? await world.stdin.readAll(MAX_EXPORT_BYTES) : await world.readFile(file, MAX_EXPORT_BYTES);
    const given = parseExport(text, file === '-' ? 'standard input' : file);
    endDryRun(session, { profiles: given.map(({ name }) => name) });
    const profiles = [];
    for (const stored of given) {
      const isThere = !(await addNew(session, stored));
      profiles.push({ name: stored.name, mode: stored.mode, outcome: isThere ? 'was there, left as it is' : 'added' });
      const needsKey = !isThere && isOurStore(stored.store) && stored.mode !== 'embedded';
      if (needsKey)
        await session.note(`${stored.name} has no key yet: fiatrail profiles add ${stored.name} --key-stdin`);
      // What runs a program of another machine's choice on this one is said.
      if (!isThere && stored.store.kind === 'command')
        await session.say(
          `${stored.name} gets its key from a command, which runs here when it is used: ${stored.store.command}`,
        );
    }
    return { result: { data: { profiles }, lists: 'profiles' } };
  },
});

export const commands = [listCommand, showCommand, addCommand, useCommand, removeCommand, exportCommand, importCommand];
