import { apiKeyFrom, isSandboxKey, requireKeyOf } from '../account/api-key.ts';
import { safeBaseUrl } from '../account/base-url.ts';
import { changeProfile } from '../account/changes.ts';
import { type Mode, modeForPeople } from '../account/mode.ts';
import { fromStored, storedProfileNamed } from '../account/profile.ts';
import { BUILT_IN, profileName, type StoredProfile, type StoreSettings } from '../account/stored-profile.ts';
import { CliError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import { FORMATS } from '../present/result.ts';
import { confirmChange } from './confirm.ts';
import { tryAccount } from './connect.ts';
import { endDryRun } from './dry-run.ts';
import { askFor } from './input.ts';
import { argument, oneOf, option, switchOn, word } from './parameters.ts';
import type { Session } from './session.ts';

/** Longer than any key. */
const MAX_KEY_BYTES = 4096;

const serviceName = (text: string) => {
  if (/^[A-Za-z0-9]([A-Za-z0-9-]{0,38}[A-Za-z0-9])?$/.test(text)) return text;
  throw new CliError('usage', 'this is no service name', {
    hint: 'write letters, digits and hyphens, as they stand in the headers of the webhooks: X-NAME-Signature',
  });
};

export const profileParameters = {
  name: argument('name', 'lower case, such as main or acme-live', profileName, 'Name of the profile:'),
  baseUrl: option('--base-url <url>', 'https://host/v1; http only on this machine', safeBaseUrl),
  mode: option(
    '--mode <mode>',
    'live, sandbox or embedded (default: by the key, which begins with sandbox_ or not)',
    oneOf('live', 'sandbox', 'embedded'),
  ),
  serviceName: option('--service-name <name>', 'of the service, as its webhook headers have it', serviceName),
  defaultOutput: option('--default-output <format>', 'what -o is when nobody says', oneOf(...FORMATS)),
  keyStdin: switchOn('--key-stdin', 'read the API key from standard input'),
  keyCommand: option('--key-command <command>', 'a program that prints the API key, run without a shell', word),
  keyShell: option('--key-shell <command>', 'the same, as a command line for the shell', word),
  store: option(
    '--store <store>',
    'where the key is kept: file (default), keyring, command or environment',
    oneOf('file', 'keyring', 'command', 'environment'),
  ),
  check: switchOn('--check', 'see whether the key works'),
};

export type ProfileInput = {
  readonly [K in keyof typeof profileParameters]: ReturnType<(typeof profileParameters)[K]['parse']>;
};

/** Where the key will be kept, by what was given and by what was before. Throws CliError usage. */
function storeOf(
  { store, keyCommand, keyShell, keyStdin }: ProfileInput,
  kept: StoredProfile | undefined,
  isAsked: boolean,
): StoreSettings {
  const text = keyCommand ?? keyShell;
  if (keyCommand !== undefined && keyShell !== undefined) throw conflict('--key-command and --key-shell');
  if (text !== undefined) {
    if (keyStdin) throw conflict(`${keyCommand ? '--key-command' : '--key-shell'} and --key-stdin`);
    if (store !== undefined && store !== 'command') throw conflict(`--store ${store} and a key command`);
    return { kind: 'command', command: text, isShell: keyShell !== undefined };
  }
  if (store === 'command') {
    if (kept?.store.kind === 'command' && !keyStdin) return kept.store;
    throw new CliError('usage', '--store command needs the command that prints the key', {
      hint: 'add --key-command "PROGRAM WORDS"',
    });
  }
  if (store === 'environment' && keyStdin) throw conflict('--store environment and --key-stdin');
  if (store !== undefined) return { kind: store };
  const isReplaced = (keyStdin || isAsked) && (kept?.store.kind === 'command' || kept?.store.kind === 'environment');
  return kept && !isReplaced ? kept.store : { kind: 'file' };
}

const conflict = (both: string) =>
  new CliError('usage', `${both} cannot go together`, { hint: 'leave one of them out' });

/** The question for a key. */
export const API_KEY = {
  question: 'API key:',
  isSecret: true,
  parse: (text: string) => apiKeyFrom(text, 'the key'),
} as const;

/** The key as it is given now; undefined when a command or the environment has it, or the one that is kept stays. */
async function givenKey(session: Session, input: ProfileInput, store: StoreSettings, kept: StoredProfile | undefined) {
  if (input.keyStdin) {
    const text = await session.world.stdin.readAll(MAX_KEY_BYTES);
    return apiKeyFrom(text.replace(/\r?\n$/, ''), 'the key on standard input');
  }
  const isElsewhere = store.kind === 'command' || store.kind === 'environment' || input.mode === 'embedded';
  if (isElsewhere || kept?.store.kind === store.kind) return undefined;
  if (!session.isInteractive) {
    throw new CliError('usage', 'the API key is missing', {
      code: 'MISSING_INPUT',
      hint: 'give it on standard input with --key-stdin, or say what prints it with --key-command',
    });
  }
  return askFor(API_KEY, session);
}

/** What kind of account it is: as given, as before, or by the look of its key. Throws CliError usage. */
function modeOf(given: Mode | undefined, kept: StoredProfile | undefined, key: Secret | undefined) {
  const mode = given ?? kept?.mode;
  if (mode) return mode;
  if (key) return isSandboxKey(key) ? 'sandbox' : 'live';
  throw new CliError('usage', 'the mode is missing: no key is given to tell it by', {
    code: 'MISSING_INPUT',
    hint: 'add --mode live or --mode sandbox',
  });
}

/** Its address; none for an embedded sandbox. Throws CliError usage. */
function addressOf(input: ProfileInput, kept: StoredProfile | undefined, mode: Mode, key: Secret | undefined) {
  if (mode === 'embedded') {
    const isNetwork = input.baseUrl ?? input.keyCommand ?? input.keyShell ?? key;
    if (isNetwork && input.name === BUILT_IN) throw builtInTaken();
    if (isNetwork) throw conflict('--mode embedded and a base URL or a key');
    return undefined;
  }
  if (input.name === BUILT_IN) throw builtInTaken();
  const baseUrl = input.baseUrl ?? kept?.baseUrl;
  // What was kept may have been changed by hand.
  if (baseUrl !== undefined) return safeBaseUrl(baseUrl);
  throw new CliError('usage', 'this is missing: --base-url', {
    code: 'MISSING_INPUT',
    hint: 'add --base-url https://host/v1',
  });
}

/** Nobody who means the sandbox in this program may reach another account by its name. */
function builtInTaken(): CliError {
  return new CliError('usage', `the name ${BUILT_IN} is taken by the embedded sandbox`, {
    code: 'INVALID_PROFILE_NAME',
    hint: 'choose another name',
  });
}

/** The profile as it is to be kept. Throws CliError usage for what is missing or does not fit. */
function profileOf(
  input: ProfileInput,
  kept: StoredProfile | undefined,
  store: StoreSettings,
  key: Secret | undefined,
): StoredProfile {
  const mode = modeOf(input.mode, kept, key);
  const baseUrl = addressOf(input, kept, mode, key);
  if (key) requireKeyOf(mode, key, input.name, 'the key');
  return {
    name: input.name,
    mode,
    baseUrl,
    serviceName: input.serviceName ?? kept?.serviceName,
    output: input.defaultOutput ?? kept?.output,
    store,
    sealing: kept?.sealing,
  };
}

/** A key that was meant for one host is not sent to another unless somebody says so. */
async function agreeToMove(
  session: Session,
  kept: StoredProfile | undefined,
  next: StoredProfile,
  key: Secret | undefined,
) {
  const before = kept?.baseUrl;
  if (before === undefined || next.baseUrl === undefined || key) return;
  if (URL.canParse(before) && new URL(before).origin === new URL(next.baseUrl).origin) return;
  await confirmChange(session, {
    summary: `send the key of ${next.name} to another host`,
    lines: [
      ['profile', `${next.name} (${modeForPeople(next.mode)})`],
      ['until now', before],
      ['from now on', next.baseUrl],
    ],
  });
}

/** Reads something with a profile that may not be kept yet. Throws CliError. */
export async function tryProfile(session: Session, stored: StoredProfile, key?: Secret): Promise<void> {
  const profile = fromStored(stored, session.world);
  const tried = key && profile.key ? { ...profile, key: { from: 'given', load: async () => key } } : profile;
  await tryAccount(session.world, tried, session.globals);
}

/** Adds a profile or changes one, with a key that was asked for already, or as it is given. Throws CliError; then nothing is kept. */
export async function addProfile(
  session: Session,
  input: ProfileInput,
  asked?: Secret,
): Promise<{ readonly next: StoredProfile; readonly isNew: boolean }> {
  const { world } = session;
  const kept = storedProfileNamed(input.name, world);
  const store = storeOf(input, kept, asked !== undefined);
  const key = asked ?? (await givenKey(session, input, store, kept));
  const next = profileOf(input, kept, store, key);
  endDryRun(session, { ...next });
  await agreeToMove(session, kept, next, key);
  if (input.check) {
    await session.note(`profile ${next.name} · ${modeForPeople(next.mode)}`);
    await tryProfile(session, next, key);
  }
  const changed = await changeProfile(
    world,
    next.name,
    (found) => {
      const now = found ?? (next.name === BUILT_IN ? kept : undefined);
      // What was asked and tried is about the profile as it was then, unless all of the account is given.
      const isWhole = key !== undefined && input.baseUrl !== undefined;
      if (!isWhole && !isSameAccount(now, kept) && !isSameAccount(now, next)) throw changedMeanwhile(next.name);
      return profileOf(input, now, storeOf(input, now, asked !== undefined), key);
    },
    key,
  );
  return { next: changed, isNew: kept === undefined };
}

function isSameAccount(one: StoredProfile | undefined, other: StoredProfile | undefined): boolean {
  return one?.baseUrl === other?.baseUrl && one?.mode === other?.mode && one?.store.kind === other?.store.kind;
}

function changedMeanwhile(name: string): CliError {
  return new CliError('usage', `another command changed the profile ${name} meanwhile; nothing was kept`, {
    code: 'CONFIG_CHANGED',
    hint: 'run the command again',
  });
}
