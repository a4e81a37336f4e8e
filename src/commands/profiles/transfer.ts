import * as z from 'zod/mini';
import { changeProfile } from '../../account/changes.ts';
import { areRulesTrusted, untrustedRules } from '../../account/evidence-rules.ts';
import { isOurStore, isTrusted, profileNames, type StoredProfile, trustedStore } from '../../account/stored-profile.ts';
import { parseExport, writeExport } from '../../account/transfer.ts';
import { endDryRun } from '../../engine/requests.ts';
import { visible } from '../../present/text.ts';
import { command } from '../../terminal/command.ts';
import { argument, optionalArgument, switchOn, word } from '../../terminal/parse/parameters.ts';
import type { Session } from '../../terminal/session.ts';
import { requireProfile } from './show.ts';

export const exportCommand = command({
  words: ['profiles', 'export'],
  summary: 'Export profiles without their secrets',
  examples: ['fiatrail profiles export > profiles.json', 'fiatrail profiles export main'],
  endpoints: [],
  prints: () => z.object({ version: z.int(), profiles: z.array(z.object({ name: z.string(), mode: z.string() })) }),
  isLocal: true,
  parameters: { name: optionalArgument('name', 'profile name (default: all profiles)', word) },
  run: async (session, { name }) => {
    const names = name === undefined ? profileNames(session.world) : [name];
    return { result: { data: writeExport(names.map((each) => requireProfile(session, each))), always: 'json' } };
  },
});

/** Adds a profile unless one with that name exists, even a broken one. */
async function addNew({ world }: Session, stored: StoredProfile): Promise<boolean> {
  if (profileNames(world).includes(stored.name)) return false;
  let isNew = false;
  await changeProfile(world, stored.name, (current) => {
    isNew = current === undefined;
    return current ?? stored;
  });
  return isNew;
}

const MAX_EXPORT_BYTES = 1024 * 1024;

/** Says how a new profile gets its key. */
async function noteKey(session: Session, { name, mode, store }: StoredProfile): Promise<void> {
  if (store.kind === 'command') {
    const shown = visible(store.command);
    // Printed with -q too: the command was chosen on another machine and would run on this one.
    await session.say(
      isTrusted(store)
        ? `profile ${name} gets its key from a command that will run on this machine: ${shown}`
        : `profile ${name} gets its key from a command that does not run until you trust it with "fiatrail profiles trust ${name}": ${shown}`,
    );
  } else if (isOurStore(store) && mode !== 'embedded') {
    await session.note(`profile ${name} has no key yet; add one with: fiatrail profiles add ${name} --key-stdin`);
  }
}

export const importCommand = command({
  words: ['profiles', 'import'],
  summary: 'Import profiles from another machine',
  details:
    'Reads the output of profiles export. Existing profiles are left unchanged. Keys are not part of an export; add them with: fiatrail profiles add NAME --key-stdin. A key command does not run until you trust it with: fiatrail profiles trust NAME',
  examples: [
    'fiatrail profiles import profiles.json',
    'ssh host fiatrail profiles export | fiatrail profiles import -',
  ],
  endpoints: [],
  prints: () => z.object({ profiles: z.array(z.object({ name: z.string(), mode: z.string(), outcome: z.string() })) }),
  isLocal: true,
  parameters: {
    file: argument('file', 'file written by profiles export, or - for standard input', word),
    trustCommands: switchOn('--trust-commands', 'trust the key commands in the file'),
  },
  run: async (session, { file, trustCommands }) => {
    const { world } = session;
    const text =
      file === '-' ? await world.stdin.readAll(MAX_EXPORT_BYTES) : await world.readFile(file, MAX_EXPORT_BYTES);
    const given = parseExport(text, file === '-' ? 'standard input' : file);
    endDryRun(session, { profiles: given.map(({ name }) => name) });
    const profiles = [];
    for (const { journalUrl, ...each } of given) {
      const stored = trustCommands ? { ...each, store: trustedStore(each.store) } : each;
      const exists = !(await addNew(session, stored));
      profiles.push({ name: stored.name, mode: stored.mode, outcome: exists ? 'already exists, unchanged' : 'added' });
      if (!exists) await noteKey(session, stored);
      // A journal of somebody else could say that a payment was made.
      if (!exists && journalUrl !== undefined)
        await session.say(
          `warning: the journal of profile ${stored.name} was not imported; set it with: fiatrail profiles journal set ${stored.name} --url URL`,
        );
      // Printed with -q too, like an untrusted key command.
      if (!exists && !areRulesTrusted(stored)) await session.say(`warning: ${untrustedRules(stored.name)}`);
    }
    return { result: { data: { profiles }, lists: 'profiles' } };
  },
});
