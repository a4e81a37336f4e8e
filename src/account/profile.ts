import { CliError, orUndefined } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { World } from '../base/world.ts';
import { apiKeyFrom, isSandboxKey, requireKeyOf } from './api-key.ts';
import { safeBaseUrl } from './base-url.ts';
import type { Mode } from './mode.ts';
import { findPin } from './pin.ts';
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

/** Where the key of an account comes from, and how to get it: nothing is asked of a store before it is needed. */
interface KeySource {
  /** `FIATRAIL_API_KEY`, or the kind of the store. */
  readonly from: string;
  /** Throws CliError usage: the store has none, or cannot be read, or what it has is no key of this mode. */
  load(): Promise<Secret>;
}

/** The account a command speaks to. */
export interface Profile {
  readonly name: string;
  readonly mode: Mode;
  /** Without a slash at its end; for an embedded sandbox an address that no network has. */
  readonly baseUrl: string;
  /** The embedded sandbox knows its own key. */
  readonly key: KeySource | undefined;
  /** As it is kept; undefined for an account of the environment, and for a sandbox that nobody has settled anything for. */
  readonly stored: StoredProfile | undefined;
}

/** Who may name a profile, the first of them deciding. */
export interface Candidate {
  readonly source: 'flag' | 'environment' | 'directory' | 'default' | 'built-in';
  /** `--profile`, a variable, a file. */
  readonly where: string;
  readonly name: string;
}

type Naming = (flag: string | undefined, world: World) => Candidate | undefined;

/** Who may name a profile, in the order of who decides; undefined where they say nothing. Each throws CliError usage where it is broken. */
export const PROFILE_SOURCES: readonly Naming[] = [
  (flag) => (flag === undefined ? undefined : { source: 'flag', where: '--profile', name: flag }),
  (_flag, { env: { FIATRAIL_PROFILE: name } }) =>
    name ? { source: 'environment', where: 'FIATRAIL_PROFILE', name } : undefined,
  (_flag, { env }) =>
    env['FIATRAIL_BASE_URL'] && env['FIATRAIL_API_KEY']
      ? { source: 'environment', where: 'FIATRAIL_BASE_URL', name: OF_ENVIRONMENT }
      : undefined,
  (_flag, { cwd }) => {
    const pin = findPin(cwd);
    return pin && { source: 'directory', where: pin.path, name: pin.profile };
  },
  (_flag, world) => {
    const name = readDefaultName(world);
    return name === undefined ? undefined : { source: 'default', where: 'profiles use', name };
  },
  () => ({ source: 'built-in', where: '', name: BUILT_IN }),
];

/** Who decides which profile is used. What comes after them is not read. Throws CliError usage. */
export function chosenProfile(flag: string | undefined, world: World): Candidate {
  for (const naming of PROFILE_SOURCES) {
    const found = naming(flag, world);
    if (found) return found;
  }
  throw new Error('there is always a profile');
}

/** Which profile a command uses: flag, environment, folder, default. Throws CliError usage. */
export function resolveProfile(flag: string | undefined, world: World): Profile {
  const { FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: apiKey } = world.env;
  const chosen = chosenProfile(flag, world);
  // Both together are an account of their own, whoever else could name one after them.
  if (chosen.name === OF_ENVIRONMENT && chosen.where === 'FIATRAIL_BASE_URL')
    return fromEnvironment(baseUrl ?? '', apiKey ?? '', world);
  const profile = profileNamed(chosen, world);
  // A flag names the whole account: what the environment has of another one is not looked at.
  return chosen.source === 'flag' || !(baseUrl || apiKey) ? profile : withEnvironment(profile, chosen, world);
}

function profileNamed({ name, where, source }: Candidate, world: World): Profile {
  const stored = readProfile(world, name);
  if (stored) return fromStored(stored, world);
  if (name === BUILT_IN) return builtInProfile();
  const named = source === 'directory' || source === 'default' ? `, which ${where} names` : '';
  throw unknownProfile(name, named, world);
}

/** The error for a name that no profile has; `named` says who gave it, where that is not plain. */
export function unknownProfile(name: string, named: string, world: World): CliError {
  const all = allProfileNames(world);
  const others =
    all.length > 1
      ? `there are: ${all.join(', ')}`
      : `the profile ${BUILT_IN} is always there; add another with: fiatrail profiles add NAME --base-url URL --key-stdin`;
  return new CliError('usage', `there is no profile "${name.slice(0, 60)}"${named}`, {
    code: 'NO_PROFILE',
    hint:
      name === OF_ENVIRONMENT
        ? 'the account of FIATRAIL_BASE_URL and FIATRAIL_API_KEY is used where nothing else is named; see it with: fiatrail explain'
        : others,
  });
}

/** Every name that a flag may give: the built-in profile first. */
export function allProfileNames(world: World): readonly string[] {
  return [BUILT_IN, ...profileNames(world).filter((name) => name !== BUILT_IN)];
}

/** The sandbox in this process, as long as nobody has settled anything for it. */
export function builtInProfile(): Profile {
  return { name: BUILT_IN, mode: 'embedded', baseUrl: EMBEDDED_URL, key: undefined, stored: undefined };
}

/** A profile as it is kept, or as it would be: the embedded sandbox has settings as soon as somebody makes some. */
export function storedOrBuiltIn({ name, mode, stored }: Profile): StoredProfile | undefined {
  return stored ?? (mode === 'embedded' ? { name, mode, store: { kind: 'file' } } : undefined);
}

/** A profile by its name, as it is kept or built in; undefined where there is none. Throws CliError usage for a broken one. */
export function storedProfileNamed(name: string, world: World): StoredProfile | undefined {
  return readProfile(world, name) ?? (name === BUILT_IN ? storedOrBuiltIn(builtInProfile()) : undefined);
}

const EMBEDDED_URL = 'http://sandbox.invalid/v1';

/** A profile as it is used, from how it is kept. */
export function fromStored(stored: StoredProfile, world: World): Profile {
  const { name, mode, baseUrl, store } = stored;
  if (mode === 'embedded' || baseUrl === undefined)
    return { name, mode: 'embedded', baseUrl: EMBEDDED_URL, key: undefined, stored };
  const load = async () => {
    const key = store.kind === 'environment' ? ofVariable(stored, world) : await secretOf(stored, 'api-key', world);
    if (!key) throw noKey(stored);
    return checkedKey(key.reveal(), `the API key of the profile ${name}`, mode, name);
  };
  return { name, mode, baseUrl: safeBaseUrl(baseUrl), key: { from: store.kind, load }, stored };
}

function ofVariable({ name, mode }: StoredProfile, { env }: World): Secret | undefined {
  const text = env['FIATRAIL_API_KEY'];
  return text ? checkedKey(text, 'FIATRAIL_API_KEY', mode, name) : undefined;
}

function noKey({ name, store: { kind } }: StoredProfile): CliError {
  return kind === 'environment'
    ? new CliError('usage', `the profile ${name} takes its API key from FIATRAIL_API_KEY, which is not set`, {
        code: 'NO_KEY',
        hint: `set it, or keep a key: fiatrail profiles add ${name} --key-stdin --store file`,
      })
    : new CliError('usage', `the profile ${name} has no API key in its store (${kind})`, {
        code: 'NO_KEY',
        hint: `give it one: fiatrail profiles add ${name} --key-stdin`,
      });
}

/** A secret of a profile, from wherever it is kept. */
export async function secretOf(stored: StoredProfile, name: SecretName, world: World): Promise<Secret | undefined> {
  const { openStore } = await import('./stores/stores.ts');
  return (await openStore(world, storeFor(stored, name))).read(stored.name, name);
}

/** Which store has a secret: a command and the environment give API keys alone. */
export function storeFor({ store }: StoredProfile, name: SecretName): StoredProfile['store'] {
  return isOurStore(store) || name === 'api-key' ? store : { kind: 'file' };
}

function checkedKey(text: string, from: string, mode: Mode, name: string): Secret {
  const key = apiKeyFrom(text, from);
  requireKeyOf(mode, key, name, from);
  return key;
}

/** A profile with the environment's key in the place of its own. Throws CliError usage where the two are of different accounts. */
function withEnvironment(profile: Profile, { where }: Candidate, { env }: World): Profile {
  const { FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: apiKey } = env;
  if (profile.mode === 'embedded') throw where === 'FIATRAIL_PROFILE' ? twoAccounts(profile) : halfAnAccount(baseUrl);
  if (baseUrl && safeBaseUrl(baseUrl) !== profile.baseUrl) {
    throw new CliError(
      'usage',
      `FIATRAIL_BASE_URL is another address than that of the profile ${profile.name}, whose key it would get`,
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
    `FIATRAIL_PROFILE names ${name === BUILT_IN ? 'the embedded sandbox' : `an embedded sandbox (${name})`} and FIATRAIL_BASE_URL or FIATRAIL_API_KEY another account`,
    { code: 'TWO_ACCOUNTS', hint: 'unset FIATRAIL_PROFILE, or the other two' },
  );
}

function halfAnAccount(baseUrl: string | undefined): CliError {
  const [there, missing] = baseUrl
    ? ['FIATRAIL_BASE_URL', 'FIATRAIL_API_KEY']
    : ['FIATRAIL_API_KEY', 'FIATRAIL_BASE_URL'];
  return new CliError('usage', `${there} is set and ${missing} is not`, {
    hint: `set ${missing} too, or unset ${there} to use the embedded sandbox`,
  });
}

function fromEnvironment(baseUrl: string, text: string, world: World): Profile {
  const key = apiKeyFrom(text, 'FIATRAIL_API_KEY');
  const mode = isSandboxKey(key) ? 'sandbox' : 'live';
  const url = safeBaseUrl(baseUrl);
  // What the key looks like says its mode; what a profile says of the address must not gainsay it.
  const other = soundProfiles(world).find((each) => each.baseUrl === url && each.mode !== mode);
  if (other) requireKeyOf(other.mode, key, other.name, 'FIATRAIL_API_KEY');
  return {
    name: OF_ENVIRONMENT,
    mode,
    baseUrl: url,
    key: { from: 'FIATRAIL_API_KEY', load: async () => key },
    stored: undefined,
  };
}

/** The profiles that can be used: one that is broken stops only those who use it. */
function soundProfiles(world: World): Profile[] {
  return profileNames(world).flatMap(
    (name) =>
      orUndefined(() => {
        const stored = readProfile(world, name);
        return stored && fromStored(stored, world);
      }) ?? [],
  );
}
