import * as z from 'zod/mini';
import { changeProfile } from '../../account/changes.ts';
import { checkedServiceName, safeBaseUrl } from '../../account/profile.ts';
import {
  isOurStore,
  isTrusted,
  PROFILE_FILE,
  profileName,
  profileNames,
  type StoredProfile,
  type StoreSettings,
  trustedStore,
} from '../../account/stored-profile.ts';
import { advice } from '../../base/advice.ts';
import { CliError, jsonIn } from '../../base/errors.ts';
import { zoneName } from '../../base/zone.ts';
import type { Account } from '../../engine/account.ts';
import { journalLocationOf } from '../../engine/connection/journal-location.ts';
import { endDryRun } from '../../engine/requests.ts';
import { entryAt } from '../../files/inspect.ts';
import { migrated, versionOf } from '../../files/versioned-file.ts';
import { openJournalAt } from '../../journal/open.ts';
import { serverAddressOf } from '../../journal/postgres/server-address.ts';
import { requireUnmasked } from '../../present/result.ts';
import { visible } from '../../present/text.ts';
import { command } from '../../terminal/command.ts';
import { argument, optionalArgument, switchOn, word } from '../../terminal/parse/parameters.ts';
import { requireProfile } from './show.ts';

/** Serialises a profile for another machine. Profile files contain no secrets. */
async function exported(account: Account, stored: StoredProfile): Promise<object> {
  const { encryption, ...profile } = withoutDecisions(stored);
  const earlierJournal = await journalOf(account, stored);
  return { ...profile, store: withoutTrust(profile.store), ...withoutOwnKey(encryption), earlierJournal };
}

/** Returns the journal of a profile as another machine must know it: without it, used idempotency keys would be free there. */
async function journalOf({ world }: Account, stored: StoredProfile): Promise<StoredProfile['earlierJournal']> {
  if (stored.mode === 'embedded') return undefined;
  const place = journalLocationOf(world, stored);
  if (place.server) return { kind: 'server', location: serverAddressOf(place.server.url, place.server.from).name };
  if (!entryAt(place.path)) return stored.earlierJournal;
  const journal = await openJournalAt(place, world);
  try {
    const head = await journal.head();
    const isUsed = (await journal.list({ profile: stored.name, limit: 1 })).length > 0;
    if (!head || (stored.earlierJournal && !isUsed)) return stored.earlierJournal;
    return {
      kind: 'file',
      location: `${place.path} on ${world.host.name}`,
      id: journal.id(),
      head: { entry: Number(head.sequence), hash: head.hash },
    };
  } finally {
    await journal.close();
  }
}

/**
 * Returns a profile without what is decided on each machine, whatever another one says: whose signatures count, that a
 * state folder has a journal of its own, that plans are applied there alone, what is told about them, and where the copy and the inbox are.
 */
function withoutDecisions({
  independentJournal: _journal,
  soleHost: _host,
  planNotices: _notices,
  copy: _copy,
  inboxUrl: _inbox,
  ...profile
}: StoredProfile): StoredProfile {
  return profile;
}

/** A mark of trust holds on the machine where the user set it. */
function withoutTrust(store: StoreSettings): StoreSettings {
  return store.kind === 'command' ? { kind: 'command', command: store.command, isShell: store.isShell } : store;
}

/** Parses and validates an export; its key commands are not trusted, whatever the file says. Throws CliError usage that names the first problem. */
function parseExport(text: string, from: string): StoredProfile[] {
  const refuse = (why: string) =>
    new CliError('usage', `${from} ${why}; nothing was added`, {
      hint: advice`create an export with: [fiatrail profiles export]`,
    });
  const content = jsonIn(text);
  const { version, profiles } = (content ?? {}) as { readonly version?: unknown; readonly profiles?: unknown };
  if (!Array.isArray(profiles)) throw refuse('is not an export of profiles');
  if (!isKnownVersion(version)) throw refuse('was made by another version of fiatrail');
  return profiles.map((each: unknown, index) => {
    const verdict = PROFILE_FILE.check(migrated(typeof each === 'object' ? { ...each } : {}, version, PROFILE_FILE));
    if ('wrong' in verdict) throw refuse(`is invalid at profiles[${index}] (${verdict.wrong})`);
    return imported(verdict.value);
  });
}

/** Returns a profile of an export without what it may not decide on this machine. Throws CliError usage. */
function imported(given: StoredProfile): StoredProfile {
  const { encryptionPolicy, encryption, ...profile } = withoutDecisions(given);
  const { name, baseUrl, serviceName, timeZone, store, mode } = profile;
  if (serviceName !== undefined) checkedServiceName(serviceName);
  if (timeZone !== undefined) zoneName(timeZone);
  const url = baseUrl ? { baseUrl: safeBaseUrl(baseUrl) } : {};
  // The sandbox of this machine has other keys.
  const sealed =
    mode === 'embedded' ? {} : { ...(encryptionPolicy ? { encryptionPolicy } : {}), ...withoutOwnKey(encryption) };
  return { ...profile, name: profileName(name), store: withoutTrust(store), ...url, ...sealed };
}

/** The public key is useless elsewhere: its private half stays on the machine that made it. */
function withoutOwnKey(encryption: StoredProfile['encryption']): Pick<StoredProfile, 'encryption'> {
  return encryption ? { encryption: { platformKey: encryption.platformKey, requests: encryption.requests } } : {};
}

function isKnownVersion(version: unknown): version is number {
  return Number.isInteger(version) && Number(version) >= 1 && Number(version) <= versionOf(PROFILE_FILE);
}

export const exportCommand = command({
  words: ['profiles', 'export'],
  summary: 'Export profiles without their secrets',
  examples: ['fiatrail profiles export > profiles.json', 'fiatrail profiles export main'],
  endpoints: [],
  prints: () => z.object({ version: z.int(), profiles: z.array(z.object({ name: z.string(), mode: z.string() })) }),
  isLocal: true,
  parameters: { name: optionalArgument('name', 'profile name (default: all profiles)', word) },
  run: async (account, _terminal, { name }) => {
    requireUnmasked(account.globals.present, 'profiles export prints');
    const names = name === undefined ? profileNames(account.world) : [name];
    const profiles = [];
    for (const each of names) profiles.push(await exported(account, requireProfile(account, each)));
    return { result: { data: { version: versionOf(PROFILE_FILE), profiles }, always: 'json' } };
  },
});

/** Adds a profile unless one with that name exists, even a broken one. */
async function addNew({ world }: Account, stored: StoredProfile): Promise<boolean> {
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
async function noteKey(account: Account, { name, mode, store }: StoredProfile): Promise<void> {
  if (store.kind === 'command') {
    const shown = visible(store.command);
    // Printed with -q too: the command was chosen on another machine and would run on this one.
    await account.notices.say(
      isTrusted(store)
        ? `profile ${name} gets its key from a command that will run on this machine: ${shown}`
        : `profile ${name} gets its key from a command that does not run until you trust it with "fiatrail profiles trust ${name}": ${shown}`,
    );
  } else if (isOurStore(store) && mode !== 'embedded') {
    await account.notices.note(
      `profile ${name} has no key yet; add one with: fiatrail profiles add ${name} --key-stdin`,
    );
  }
}

/** Says what a new profile needs before it sends anything. Printed with -q too: another journal has its idempotency keys. */
async function noteJournal(account: Account, { name, earlierJournal }: StoredProfile): Promise<void> {
  if (!earlierJournal) return;
  const { kind, location } = earlierJournal;
  await account.notices.say(
    kind === 'server'
      ? `warning: profile ${name} has its journal on a server, ${visible(location)}, and sends nothing until you set it: fiatrail profiles journal set ${name} --url URL`
      : `warning: profile ${name} has its journal in ${visible(location)}, and sends nothing until you bring it here with its idempotency keys (there: fiatrail ops journal export --with-digest-key; here: fiatrail ops journal import) or share one (fiatrail profiles journal set ${name} --url URL)`,
  );
}

export const importCommand = command({
  words: ['profiles', 'import'],
  summary: 'Import profiles from another machine',
  details:
    'Reads the output of profiles export. Existing profiles are left unchanged. Keys are not part of an export; add them with: fiatrail profiles add NAME --key-stdin. The journal is not part of it either: the profile sends nothing until its journal is moved here (fiatrail ops journal export --with-digest-key, then fiatrail ops journal import) or is shared (fiatrail profiles journal set --url). A key command does not run until you trust it with: fiatrail profiles trust NAME',
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
  run: async (account, _terminal, { file, trustCommands }) => {
    const { world } = account;
    const text =
      file === '-' ? await world.stdin.readAll(MAX_EXPORT_BYTES) : await world.readFile(file, MAX_EXPORT_BYTES);
    const given = parseExport(text, file === '-' ? 'standard input' : file);
    endDryRun(account, { profiles: given.map(({ name }) => name) });
    const profiles = [];
    // A journal of someone else could say that a payment was made, so its URL is not taken.
    for (const { journalUrl: _, ...each } of given) {
      const stored = trustCommands ? { ...each, store: trustedStore(each.store) } : each;
      const exists = !(await addNew(account, stored));
      profiles.push({ name: stored.name, mode: stored.mode, outcome: exists ? 'already exists, unchanged' : 'added' });
      if (!exists) await noteKey(account, stored);
      if (!exists) await noteJournal(account, stored);
    }
    return { result: { data: { profiles }, lists: 'profiles' } };
  },
});
