import { changeProfile } from '../../account/changes.ts';
import {
  apiKeyFrom,
  checkedServiceName,
  fromStored,
  isSandboxKey,
  type Mode,
  modeForPeople,
  requireKeyOf,
  safeBaseUrl,
  storedProfileNamed,
} from '../../account/profile.ts';
import {
  BUILT_IN,
  ENCRYPTION_POLICIES,
  profileName,
  type StoredProfile,
  type StoreSettings,
  trustedStore,
  UNKNOWN_POLICIES,
} from '../../account/stored-profile.ts';
import { CliError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import type { Account } from '../../engine/account.ts';
import { tryAccount } from '../../engine/connection/connect.ts';
import { endDryRun } from '../../engine/requests.ts';
import { FORMATS } from '../../present/result.ts';
import { missingError } from '../parse/missing.ts';
import { argument, oneOf, option, switchOn, word } from '../parse/parameters.ts';
import type { Terminal } from '../terminal.ts';
import { confirmChange } from './confirm.ts';
import { askFor } from './input.ts';

/** Longer than any key. */
const MAX_KEY_BYTES = 4096;

export const profileParameters = {
  name: argument('name', 'lower case, such as main or acme-live', profileName, 'Name of the profile:'),
  baseUrl: option(
    '--base-url <url>',
    'https://host/v1; http only on this machine',
    safeBaseUrl,
    'Base URL, such as https://host/v1:',
  ),
  mode: option(
    '--mode <mode>',
    'live, sandbox or embedded (default: from the key; sandbox keys begin with sandbox_)',
    oneOf('live', 'sandbox', 'embedded'),
  ),
  serviceName: option('--service-name <name>', 'name of the service in its webhook headers', checkedServiceName),
  defaultOutput: option('--default-output <format>', 'default output format', oneOf(...FORMATS)),
  keyStdin: switchOn('--key-stdin', 'read the API key from standard input'),
  keyCommand: option('--key-command <command>', 'program that prints the API key, run without a shell', word),
  keyShell: option('--key-shell <command>', 'shell command that prints the API key', word),
  store: option(
    '--store <store>',
    'where to keep the key: file, keyring, command or environment (default file)',
    oneOf('file', 'keyring', 'command', 'environment'),
  ),
  encryptionPolicy: option(
    '--encryption <policy>',
    'encrypted responses: off, accept (plain ones too) or require (default off)',
    oneOf(...ENCRYPTION_POLICIES),
  ),
  unknown: option(
    '--unknown <policy>',
    'how unknown outcomes are resolved: auto (from the service’s lists) or ask (only a tag is proof, and you decide the rest), for an account from which other programs or people pay equal amounts (default auto)',
    oneOf(...UNKNOWN_POLICIES),
  ),
  check: switchOn('--check', 'verify that the key works'),
};

export type ProfileInput = {
  readonly [K in keyof typeof profileParameters]: ReturnType<(typeof profileParameters)[K]['parse']>;
};

/** A profile over the network needs an address; a secret is asked for after it. */
export function neededForProfile(
  { name, mode }: { readonly name?: string | undefined; readonly mode?: Mode | undefined },
  { world }: Account,
  _terminal: Terminal,
): readonly 'baseUrl'[] {
  if (mode === 'embedded' || name === BUILT_IN) return [];
  return name !== undefined && storedProfileNamed(name, world) ? [] : ['baseUrl'];
}

/** Chooses the store of the key from the input and the existing profile. Throws CliError usage. */
function storeOf(
  { store, keyCommand, keyShell, keyStdin }: ProfileInput,
  current: StoredProfile | undefined,
  isAsked: boolean,
): StoreSettings {
  const text = keyCommand ?? keyShell;
  if (keyCommand !== undefined && keyShell !== undefined) throw conflict('--key-command and --key-shell');
  if (text !== undefined) {
    if (keyStdin) throw conflict(`${keyCommand ? '--key-command' : '--key-shell'} and --key-stdin`);
    if (store !== undefined && store !== 'command') throw conflict(`--store ${store} and a key command`);
    return trustedStore({ kind: 'command', command: text, isShell: keyShell !== undefined });
  }
  if (store === 'command') {
    if (current?.store.kind === 'command' && !keyStdin) return current.store;
    throw new CliError('usage', '--store command needs a command that prints the key', {
      hint: 'add --key-command "PROGRAM ARGUMENTS"',
    });
  }
  if (store === 'environment' && keyStdin) throw conflict('--store environment and --key-stdin');
  if (store !== undefined) return { kind: store };
  const isReplaced =
    (keyStdin || isAsked) && (current?.store.kind === 'command' || current?.store.kind === 'environment');
  return current && !isReplaced ? current.store : { kind: 'file' };
}

const conflict = (both: string) =>
  new CliError('usage', `${both} cannot be used together`, { hint: 'remove one of them' });

/** The prompt for a key. */
export const API_KEY = {
  question: 'API key:',
  isSecret: true,
  parse: (text: string) => apiKeyFrom(text, 'the key'),
} as const;

/** Reads the new key; undefined if a command or the environment provides it, or the stored key stays. */
async function givenKey(
  account: Account,
  input: ProfileInput,
  store: StoreSettings,
  current: StoredProfile | undefined,
) {
  if (input.keyStdin) {
    const text = await account.world.stdin.readAll(MAX_KEY_BYTES);
    return apiKeyFrom(text.replace(/\r?\n$/, ''), 'the key on standard input');
  }
  const isElsewhere = store.kind === 'command' || store.kind === 'environment' || input.mode === 'embedded';
  if (isElsewhere || current?.store.kind === store.kind) return undefined;
  if (!account.notices.isInteractive) {
    throw missingError(['--key-stdin'], {
      expected: 'the API key on standard input',
      hint: 'for example: --key-stdin < key.txt; or name a program that prints it with --key-command',
    });
  }
  return askFor(API_KEY, account);
}

/** Chooses the mode from the input, the existing profile or the key's prefix. Throws CliError usage. */
function modeOf(given: Mode | undefined, current: StoredProfile | undefined, key: Secret | undefined) {
  const mode = given ?? current?.mode;
  if (mode) return mode;
  if (key) return isSandboxKey(key) ? 'sandbox' : 'live';
  throw missingError(['--mode <mode>'], {
    expected: 'live or sandbox, since there is no key that says it',
    hint: 'add --mode live or --mode sandbox',
  });
}

/** Chooses the base URL; undefined for an embedded sandbox. Throws CliError usage. */
function addressOf(input: ProfileInput, current: StoredProfile | undefined, mode: Mode, key: Secret | undefined) {
  if (mode === 'embedded') {
    const isNetwork = input.baseUrl ?? input.keyCommand ?? input.keyShell ?? key;
    if (isNetwork && input.name === BUILT_IN) throw builtInTaken();
    if (isNetwork) throw conflict('--mode embedded and a base URL or a key');
    return undefined;
  }
  if (input.name === BUILT_IN) throw builtInTaken();
  const baseUrl = input.baseUrl ?? current?.baseUrl;
  // The stored URL may have been edited by hand.
  if (baseUrl !== undefined) return safeBaseUrl(baseUrl);
  throw noAddress();
}

const noAddress = () =>
  missingError(['--base-url <url>'], {
    expected: 'the base URL of the service',
    hint: 'for example: --base-url https://host/v1',
  });

/** The built-in name always means the embedded sandbox, never another account. */
function builtInTaken(): CliError {
  return new CliError('usage', `the name ${BUILT_IN} is reserved for the embedded sandbox`, {
    code: 'INVALID_PROFILE_NAME',
    hint: 'choose another name',
  });
}

/** What a profile is made of: the parameters, and the global flags --tz and --mask, which no parameter can have the names of. */
interface ProfileSettings extends ProfileInput {
  readonly timeZone: string | undefined;
  readonly isMasked: boolean | undefined;
}

/** Builds the profile to store. Throws CliError usage for missing or conflicting input. */
function profileOf(
  input: ProfileSettings,
  current: StoredProfile | undefined,
  store: StoreSettings,
  key: Secret | undefined,
): StoredProfile {
  const mode = modeOf(input.mode, current, key);
  const baseUrl = addressOf(input, current, mode, key);
  if (key) requireKeyOf(mode, key, input.name, 'the key');
  return {
    // What no flag of this command sets stays as it is.
    ...current,
    name: input.name,
    mode,
    baseUrl,
    serviceName: input.serviceName ?? current?.serviceName,
    output: input.defaultOutput ?? current?.output,
    timeZone: input.timeZone ?? current?.timeZone,
    isMasked: input.isMasked ?? current?.isMasked,
    store,
    encryptionPolicy: input.encryptionPolicy ?? current?.encryptionPolicy,
    unknown: input.unknown ?? current?.unknown,
  };
}

/** Asks before a stored key is sent to another host. */
async function agreeToMove(
  terminal: Terminal,
  current: StoredProfile | undefined,
  next: StoredProfile,
  key: Secret | undefined,
) {
  const before = current?.baseUrl;
  if (before === undefined || next.baseUrl === undefined || key) return;
  if (URL.canParse(before) && new URL(before).origin === new URL(next.baseUrl).origin) return;
  await confirmChange(terminal.dialog, {
    summary: `send the key of ${next.name} to another host`,
    lines: [
      ['profile', `${next.name} (${modeForPeople(next.mode)})`],
      ['old address', before],
      ['new address', next.baseUrl],
    ],
  });
}

/** Makes one read with a profile that need not be stored. Throws CliError. */
export async function tryProfile(account: Account, stored: StoredProfile, key?: Secret): Promise<void> {
  const profile = fromStored(stored, account.world);
  const tried = key && profile.key ? { ...profile, key: { from: 'given', load: async () => key } } : profile;
  await tryAccount(account, tried);
}

/** Adds or changes a profile. `asked` is a key that was already prompted for. Throws CliError, in which case nothing is saved. */
export async function addProfile(
  account: Account,
  terminal: Terminal,
  given: ProfileInput,
  asked?: Secret,
): Promise<{ readonly next: StoredProfile; readonly isNew: boolean }> {
  const { world } = account;
  const { globals } = terminal;
  const timeZone = globals.isZoneChosen ? globals.zone.name : undefined;
  const input = { ...given, timeZone, isMasked: globals.isMasked };
  const current = storedProfileNamed(input.name, world);
  const store = storeOf(input, current, asked !== undefined);
  if (input.baseUrl === undefined && neededForProfile(input, account, terminal).length > 0) throw noAddress();
  const key = asked ?? (await givenKey(account, input, store, current));
  const next = profileOf(input, current, store, key);
  endDryRun(account, { ...next });
  await agreeToMove(terminal, current, next, key);
  if (input.check) {
    await account.notices.note(`profile ${next.name} · ${modeForPeople(next.mode)}`);
    await tryProfile(account, next, key);
  }
  const changed = await changeProfile(
    world,
    next.name,
    (found) => {
      const now = found ?? (next.name === BUILT_IN ? current : undefined);
      // The confirmation and the check applied to the profile as it was then, unless the input defines the whole account.
      const isWhole = key !== undefined && input.baseUrl !== undefined;
      if (!isWhole && !isSameAccount(now, current) && !isSameAccount(now, next)) throw changedConcurrently(next.name);
      return profileOf(input, now, storeOf(input, now, asked !== undefined), key);
    },
    key,
  );
  return { next: changed, isNew: current === undefined };
}

function isSameAccount(one: StoredProfile | undefined, other: StoredProfile | undefined): boolean {
  return one?.baseUrl === other?.baseUrl && one?.mode === other?.mode && one?.store.kind === other?.store.kind;
}

function changedConcurrently(name: string): CliError {
  return new CliError('usage', `another command changed profile ${name} in the meantime; nothing was saved`, {
    code: 'CONFIG_CHANGED',
    hint: 'run the command again',
  });
}
