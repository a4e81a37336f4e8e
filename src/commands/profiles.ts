import { forgetProfile, keepDefault, keepProfile } from '../account/keeping.ts';
import { writePin } from '../account/pin.ts';
import { BUILT_IN, builtInProfile, candidates, storedOrBuiltIn } from '../account/profile.ts';
import { profileNames, readProfile, type StoredProfile } from '../account/stored-profile.ts';
import { parseExport, writeExport } from '../account/transfer.ts';
import { CliError } from '../exit.ts';
import { command } from './command.ts';
import { argument, optionalArgument, switchOn, word } from './parameters.ts';
import { addCommand } from './profiles-add.ts';
import { profileResult } from './profiles-show.ts';
import { agree, endDryRun, type Session } from './session.ts';

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
  const found = readProfile(session.world, name) ?? (name === BUILT_IN ? storedOrBuiltIn(builtInProfile()) : undefined);
  if (found) return found;
  throw new CliError('usage', `there is no profile "${name.slice(0, 60)}"`, {
    code: 'NO_PROFILE',
    hint: 'see them with: fiatrail profiles list',
  });
}

/** The name that a command would use here; undefined where what names it is broken. */
function usedHere({ world, globals }: Session): string | undefined {
  try {
    return candidates(globals.profile, world).next().value?.name;
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

function row(session: Session, name: string, used: string | undefined) {
  const isUsed = name === used;
  try {
    const { mode, baseUrl, store } = known(session, name);
    return {
      name,
      mode,
      baseUrl: baseUrl ?? null,
      store: mode === 'embedded' ? null : store.kind,
      isUsed,
      problem: null,
    };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { name, mode: null, baseUrl: null, store: null, isUsed, problem: error.message };
  }
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
    const names = [BUILT_IN, ...profileNames(session.world).filter((name) => name !== BUILT_IN)];
    const profiles = names.map((name) => row(session, name, used));
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
  run: async (session, { name }) => profileResult(session, known(session, name ?? usedHere(session) ?? BUILT_IN)),
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
    else await keepDefault(world, name);
    const used = usedHere(session);
    if (used !== name) await session.say(`warning: ${used} is used here all the same; see why with: fiatrail explain`);
    return { result: { data: { name, mode, isHere: here === true } } };
  },
});

const removeCommand = command({
  words: ['profiles', 'remove'],
  summary: 'Remove a profile and its secrets from this machine',
  examples: ['fiatrail profiles remove old', 'fiatrail profiles remove old --yes'],
  endpoints: [],
  isLocal: true,
  parameters: { name: argument('name', 'of the profile', word) },
  run: async (session, { name }) => {
    const stored = known(session, name);
    if (!readProfile(session.world, name)) {
      throw new CliError('usage', `the profile ${BUILT_IN} is always there`, {
        hint: 'empty the sandbox with: fiatrail sandbox reset',
      });
    }
    endDryRun(session, { name, removed: true });
    await agree(session, {
      summary: `remove the profile ${name}`,
      lines: [
        ['profile', `${name} (${stored.mode})`],
        [
          'goes too',
          stored.sealing?.publicKey ? 'its API key, and the private keys that open sealed answers' : 'its API key',
        ],
      ],
    });
    await forgetProfile(session.world, stored);
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

const MAX_EXPORT_BYTES = 1024 * 1024;

const importCommand = command({
  words: ['profiles', 'import'],
  summary: 'Add the profiles that another machine exported; their keys are given here',
  details: 'A profile that is there already is left as it is, unless it is the same.',
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
      const isThere = readProfile(world, stored.name) !== undefined;
      if (!isThere) await keepProfile(world, stored, undefined);
      profiles.push({ name: stored.name, mode: stored.mode, outcome: isThere ? 'was there, left as it is' : 'added' });
      const needsKey =
        !isThere && (stored.store.kind === 'file' || stored.store.kind === 'keyring') && stored.mode !== 'embedded';
      if (needsKey)
        await session.note(`${stored.name} has no key yet: fiatrail profiles add ${stored.name} --key-stdin`);
    }
    return { result: { data: { profiles }, lists: 'profiles' } };
  },
});

export const commands = [listCommand, showCommand, addCommand, useCommand, removeCommand, exportCommand, importCommand];
