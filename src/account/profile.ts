import { advice } from '../base/advice.ts';
import { CliError, orUndefined } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import type { World } from '../base/world.ts';
import { isLoopback } from '../client/proxy.ts';
import { VERSION_PREFIX } from '../contract/paths.ts';
import { findPin, isApproved, type Pin, untrustedPin } from './pin.ts';
import {
  BUILT_IN,
  isOurStore,
  OF_ENVIRONMENT,
  profileNames,
  readDefaultName,
  readProfile,
  type StoredProfile,
} from './stored-profile.ts';
import type { SecretName } from './stores/secret-store.ts';

/** The origin of an account's key. The store is not touched until `load` is called. */
interface KeySource {
  /** `FIATRAIL_API_KEY`, or the kind of store. */
  readonly from: string;
  /** Throws CliError usage if the store has no key, cannot be read, or has a key of the other mode. */
  load(): Promise<Secret>;
}

/** The account a command speaks to. */
export interface Profile {
  readonly name: string;
  readonly mode: Mode;
  /** Without a trailing slash; a reserved address for an embedded sandbox. */
  readonly baseUrl: string;
  /** Undefined for the embedded sandbox, which knows its own key. */
  readonly key: KeySource | undefined;
  /** Undefined for an account from the environment, and for a built-in sandbox without settings. */
  readonly stored: StoredProfile | undefined;
}

/** A profile name and what chose it. */
export interface ProfileChoice {
  readonly source: 'flag' | 'environment' | 'directory' | 'default' | 'built-in';
  /** For messages: `--profile`, a variable or a file. */
  readonly where: string;
  readonly name: string;
  /** Why this folder's pin is trusted. */
  readonly trust?: string;
}

type ProfileSource = (flag: string | undefined, world: World) => ProfileChoice | undefined;

/** The places that may name a profile, in order of precedence. Each returns undefined if it names none, and throws CliError usage if it is invalid. */
export const PROFILE_SOURCES: readonly ProfileSource[] = [
  (flag) => (flag === undefined ? undefined : { source: 'flag', where: '--profile', name: flag }),
  (_flag, { env: { FIATRAIL_PROFILE: name } }) =>
    name ? { source: 'environment', where: 'FIATRAIL_PROFILE', name } : undefined,
  (_flag, { env }) =>
    env['FIATRAIL_BASE_URL'] && env['FIATRAIL_API_KEY']
      ? { source: 'environment', where: 'FIATRAIL_BASE_URL', name: OF_ENVIRONMENT }
      : undefined,
  (_flag, world) => {
    const pin = findPin(world.cwd, world.userId);
    return pin && { source: 'directory', where: pin.path, name: pin.profile, trust: trustIn(pin, world) };
  },
  (_flag, world) => {
    const name = readDefaultName(world);
    return name === undefined ? undefined : { source: 'default', where: 'profiles use', name };
  },
  () => ({ source: 'built-in', where: '', name: BUILT_IN }),
];

/** Returns the first choice in order of precedence; later ones are not read. Throws CliError usage. */
export function chosenProfile(flag: string | undefined, world: World): ProfileChoice {
  for (const source of PROFILE_SOURCES) {
    const found = source(flag, world);
    if (found) return found;
  }
  throw new Error('the built-in profile is always a choice');
}

/** Says why a pin may choose its profile. Throws CliError usage if it names a live profile and the user has not agreed to that. */
function trustIn(pin: Pin, world: World): string {
  const stored = orUndefined(() => readProfile(world, pin.profile));
  if (stored?.mode !== 'live') return 'trusted because only you can change it';
  if (isApproved(world, pin)) return 'trusted on this machine for LIVE';
  throw untrustedPin(
    pin.path,
    `profile ${pin.profile} is LIVE, and you have not agreed to that on this machine`,
    advice`agree with: [fiatrail profiles trust --here]; or choose a profile with --profile`,
  );
}

/** Resolves the profile of a command: flag, environment, folder, default. Throws CliError usage. */
export function resolveProfile(flag: string | undefined, world: World): Profile {
  const { FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: apiKey } = world.env;
  const chosen = chosenProfile(flag, world);
  // Both variables together are an account and take precedence over the folder and the default.
  if (chosen.name === OF_ENVIRONMENT && chosen.where === 'FIATRAIL_BASE_URL')
    return fromEnvironment(baseUrl ?? '', apiKey ?? '', world);
  const profile = profileNamed(chosen, world);
  // A flag chooses the whole account, so the environment is ignored.
  return chosen.source === 'flag' || !(baseUrl || apiKey) ? profile : withEnvironment(profile, chosen, world);
}

function profileNamed({ name, where, source }: ProfileChoice, world: World): Profile {
  const stored = readProfile(world, name);
  if (stored) return fromStored(stored, world);
  if (name === BUILT_IN) return builtInProfile();
  const named = source === 'directory' || source === 'default' ? `, chosen by ${where}` : '';
  throw unknownProfile(name, named, world);
}

/** The error for an unknown profile name; `named` says where the name came from if that is not obvious. */
export function unknownProfile(name: string, named: string, world: World): CliError {
  const all = allProfileNames(world);
  const others =
    all.length > 1
      ? `known profiles: ${all.join(', ')}`
      : advice`only the built-in profile ${BUILT_IN} exists; add one with: [fiatrail profiles add NAME --base-url URL --key-stdin]`;
  return new CliError('usage', `unknown profile "${name.slice(0, 60)}"${named}`, {
    code: 'NO_PROFILE',
    hint:
      name === OF_ENVIRONMENT
        ? advice`the account in FIATRAIL_BASE_URL and FIATRAIL_API_KEY is used when no other profile is chosen; see: [fiatrail explain]`
        : others,
  });
}

/** Returns every profile name that a flag accepts, the built-in one first. */
export function allProfileNames(world: World): readonly string[] {
  return [BUILT_IN, ...profileNames(world).filter((name) => name !== BUILT_IN)];
}

/** The embedded sandbox without settings. */
export function builtInProfile(): Profile {
  return { name: BUILT_IN, mode: 'embedded', baseUrl: EMBEDDED_URL, key: undefined, stored: undefined };
}

/** The stored profile, or for the built-in sandbox the one that its first settings would create. */
export function storedOrBuiltIn({ name, mode, stored }: Profile): StoredProfile | undefined {
  return stored ?? (mode === 'embedded' ? { name, mode, store: { kind: 'file' } } : undefined);
}

/** Finds a stored or built-in profile by name. Throws CliError usage for an invalid file. */
export function storedProfileNamed(name: string, world: World): StoredProfile | undefined {
  return readProfile(world, name) ?? (name === BUILT_IN ? storedOrBuiltIn(builtInProfile()) : undefined);
}

const EMBEDDED_URL = 'http://sandbox.invalid/v1';

/** Turns a stored profile into the one that commands use. */
export function fromStored(stored: StoredProfile, world: World): Profile {
  const { name, mode, baseUrl, store } = stored;
  if (mode === 'embedded' || baseUrl === undefined)
    return { name, mode: 'embedded', baseUrl: EMBEDDED_URL, key: undefined, stored };
  const load = async () => {
    const key =
      store.kind === 'environment' ? keyFromVariable(stored, world) : await secretOf(stored, 'api-key', world);
    if (!key) throw noKey(stored);
    return checkedKey(key.reveal(), `the API key of profile ${name}`, mode, name);
  };
  return { name, mode, baseUrl: safeBaseUrl(baseUrl), key: { from: store.kind, load }, stored };
}

function keyFromVariable({ name, mode }: StoredProfile, { env }: World): Secret | undefined {
  const text = env['FIATRAIL_API_KEY'];
  return text ? checkedKey(text, 'FIATRAIL_API_KEY', mode, name) : undefined;
}

function noKey({ name, store: { kind } }: StoredProfile): CliError {
  return kind === 'environment'
    ? new CliError('usage', `profile ${name} takes its API key from FIATRAIL_API_KEY, which is not set`, {
        code: 'NO_KEY',
        hint: advice`set it, or store a key with: [fiatrail profiles add ${name} --key-stdin --store file]`,
      })
    : new CliError('usage', `profile ${name} has no API key in its store (${kind})`, {
        code: 'NO_KEY',
        hint: advice`store one with: [fiatrail profiles add ${name} --key-stdin]`,
      });
}

/** Reads a secret of a profile from its store; undefined if it has none. Throws CliError usage. */
export async function secretOf(stored: StoredProfile, name: SecretName, world: World): Promise<Secret | undefined> {
  const { openStore } = await import('./stores/stores.ts');
  return (await openStore(world, storeFor(stored, name))).read(stored.name, name);
}

/** Returns the store of a secret; a command and the environment provide API keys only. */
export function storeFor({ store }: StoredProfile, name: SecretName): StoredProfile['store'] {
  return isOurStore(store) || name === 'api-key' ? store : { kind: 'file' };
}

function checkedKey(text: string, from: string, mode: Mode, name: string): Secret {
  const key = apiKeyFrom(text, from);
  requireKeyOf(mode, key, name, from);
  return key;
}

/** Replaces a profile's key with the one from the environment. Throws CliError usage if they belong to different accounts. */
function withEnvironment(profile: Profile, { where }: ProfileChoice, { env }: World): Profile {
  const { FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: apiKey } = env;
  if (profile.mode === 'embedded') throw where === 'FIATRAIL_PROFILE' ? twoAccounts(profile) : halfAnAccount(baseUrl);
  if (baseUrl && safeBaseUrl(baseUrl) !== profile.baseUrl) {
    throw new CliError(
      'usage',
      `FIATRAIL_BASE_URL differs from the address of profile ${profile.name}, whose key would be sent to it`,
      {
        code: 'TWO_ACCOUNTS',
        hint: 'unset FIATRAIL_BASE_URL, or set FIATRAIL_API_KEY too and unset FIATRAIL_PROFILE',
      },
    );
  }
  if (!apiKey) return profile;
  const key = checkedKey(apiKey, 'FIATRAIL_API_KEY', profile.mode, profile.name);
  return { ...profile, key: { from: 'FIATRAIL_API_KEY', load: async () => key } };
}

function twoAccounts({ name }: Profile): CliError {
  return new CliError(
    'usage',
    `FIATRAIL_PROFILE names ${name === BUILT_IN ? 'the embedded sandbox' : `an embedded sandbox (${name})`} but FIATRAIL_BASE_URL or FIATRAIL_API_KEY names another account`,
    { code: 'TWO_ACCOUNTS', hint: 'unset FIATRAIL_PROFILE, or unset the other two' },
  );
}

function halfAnAccount(baseUrl: string | undefined): CliError {
  const [present, missing] = baseUrl
    ? ['FIATRAIL_BASE_URL', 'FIATRAIL_API_KEY']
    : ['FIATRAIL_API_KEY', 'FIATRAIL_BASE_URL'];
  return new CliError('usage', `${present} is set but ${missing} is not`, {
    hint: `set ${missing} too, or unset ${present} to use the embedded sandbox`,
  });
}

function fromEnvironment(baseUrl: string, text: string, world: World): Profile {
  const key = apiKeyFrom(text, 'FIATRAIL_API_KEY');
  const mode = isSandboxKey(key) ? 'sandbox' : 'live';
  const url = safeBaseUrl(baseUrl);
  // The key's prefix decides the mode; a profile with the same address must agree with it.
  const other = validProfiles(world).find((each) => each.baseUrl === url && each.mode !== mode);
  if (other) requireKeyOf(other.mode, key, other.name, 'FIATRAIL_API_KEY');
  return {
    name: OF_ENVIRONMENT,
    mode,
    baseUrl: url,
    key: { from: 'FIATRAIL_API_KEY', load: async () => key },
    stored: undefined,
  };
}

/** Returns the valid profiles; an invalid one only affects commands that use it. */
function validProfiles(world: World): Profile[] {
  return profileNames(world).flatMap(
    (name) =>
      orUndefined(() => {
        const stored = readProfile(world, name);
        return stored && fromStored(stored, world);
      }) ?? [],
  );
}

/** Validates a base URL that a key may be sent to: https, or http on this machine, with the path /v1. Throws CliError usage. */
export function safeBaseUrl(text: string): string {
  const refuse = (why: string, write = 'https://host/v1, or http://127.0.0.1:PORT/v1 for a sandbox on this machine') =>
    new CliError('usage', `the base URL ${why}`, { code: 'INVALID_BASE_URL', hint: `write it as ${write}` });
  // URL parsing silently repairs these, and the key would go to a host other than the one that was typed.
  if (/[\s\p{Cc}\\]/u.test(text.trim())) throw refuse('contains a space, a line break or a backslash');
  if (!URL.canParse(text)) throw refuse('is not a valid URL');
  const url = new URL(text);
  if (url.username || url.password) throw refuse('contains a user name or password');
  if (url.search || url.hash) throw refuse('contains a query or a fragment');
  const isLocal = url.protocol === 'http:' && isLoopback(url.hostname);
  if (url.protocol !== 'https:' && !isLocal) throw refuse('is not https, so the key would be sent unencrypted');
  const path = url.pathname.replace(/\/+$/, '');
  if (path === VERSION_PREFIX) return url.origin + path;
  if (path === '') throw refuse(`does not end with ${VERSION_PREFIX}`, url.origin + VERSION_PREFIX);
  if (path.startsWith(`${VERSION_PREFIX}/`))
    throw refuse(`has more than ${VERSION_PREFIX} in its path`, url.origin + VERSION_PREFIX);
  throw refuse(`has a path other than ${VERSION_PREFIX}`, url.origin + VERSION_PREFIX);
}

/** Returns a service's own name, as its webhook headers and some of its paths contain it. Throws CliError usage. */
export function checkedServiceName(text: string): string {
  if (/^[A-Za-z0-9]([A-Za-z0-9-]{0,38}[A-Za-z0-9])?$/.test(text)) return text;
  throw new CliError('usage', 'invalid service name', {
    hint: 'use letters, digits and hyphens, as in the webhook headers: X-NAME-Signature',
  });
}

/** Returns the name of a profile's service; for an account from the environment, that of FIATRAIL_SERVICE_NAME. Throws CliError usage. */
export function serviceNameOf(
  { stored }: { readonly stored: { readonly serviceName?: string | undefined } | undefined },
  env: World['env'],
): string | undefined {
  const name = stored ? stored.serviceName : env['FIATRAIL_SERVICE_NAME'];
  return name ? checkedServiceName(name) : undefined;
}

/** The kind of an account: the sandbox in this process, a sandbox over the network, or live money. */
export type Mode = 'embedded' | 'sandbox' | 'live';

const LABELS = {
  embedded: { short: 'embedded', long: 'embedded sandbox' },
  sandbox: { short: 'sandbox', long: 'sandbox' },
  live: { short: 'LIVE', long: 'LIVE' },
} as const;

/** A mode in a confirmation, where live money must stand out. */
export const modeForPeople = (mode: Mode): string => LABELS[mode].short;

/** A mode in the line above a command's output. */
export const modeInFull = (mode: Mode): string => LABELS[mode].long;

/** The prefix of sandbox keys; any other key is a live key. Source: interface. */
const SANDBOX_KEY = 'sandbox_';

/** Validates the text of an API key; `from` names its origin in messages. Throws CliError usage, which never contains the text. */
export function apiKeyFrom(text: string, from: string): Secret {
  const refuse = (why: string, hint = 'copy the whole key again, without quotes or line breaks') =>
    new CliError('usage', `${from} ${why}`, { code: 'INVALID_KEY', hint });
  if (text === '') throw refuse('is empty', 'give the API key as the service printed it');
  if (!/^[\x21-\x7e]+$/.test(text)) throw refuse('has spaces or characters that keys do not contain');
  if (text.length > 500) throw refuse('is longer than 500 characters');
  return new Secret(text);
}

export function isSandboxKey(key: Secret): boolean {
  return key.reveal().startsWith(SANDBOX_KEY);
}

/** Throws CliError usage if a live key would go to a sandbox or a sandbox key to a live account; `from` names the key in the message. */
export function requireKeyOf(mode: Mode, key: Secret, profile: string, from: string): void {
  const variableHint =
    from === 'FIATRAIL_API_KEY' ? 'unset FIATRAIL_API_KEY, or set the key of this account' : undefined;
  if (mode === 'live' && isSandboxKey(key))
    throw new CliError('usage', `profile ${profile} is live, but ${from} is a sandbox key`, {
      code: 'KEY_OF_OTHER_MODE',
      hint:
        variableHint ??
        advice`store a live key with: [fiatrail profiles add ${profile} --key-stdin]; or add a sandbox profile for this key`,
    });
  if (mode === 'sandbox' && !isSandboxKey(key))
    throw new CliError(
      'usage',
      `profile ${profile} is a sandbox, but ${from} is a live key, which a sandbox must never receive`,
      {
        code: 'KEY_OF_OTHER_MODE',
        hint:
          variableHint ?? advice`sandbox keys begin with ${SANDBOX_KEY}; create one with: [fiatrail keys sandbox add]`,
      },
    );
}
