import { join } from 'node:path';
import * as z from 'zod/mini';
import { advice } from '../base/advice.ts';
import { once } from '../base/calls.ts';
import { CliError } from '../base/errors.ts';
import { fileErrors, namesIn } from '../files/inspect.ts';
import { makeFolderPrivate } from '../files/private-folder.ts';
import { type FileKind, readVersioned, writeVersioned } from '../files/versioned-file.ts';
import { type Asset, TOKENS } from '../money/amount.ts';
import { configDir, type UserEnv, type WritableUserEnv } from './paths.ts';
import { type Rules, rulesSchema } from './rules.ts';

/** The built-in profile: always the sandbox in this process, never another account. */
export const BUILT_IN = 'sandbox';
/** The account of FIATRAIL_BASE_URL and FIATRAIL_API_KEY. */
export const OF_ENVIRONMENT = 'environment';

/** A stored account, without its secrets. */
export interface StoredProfile {
  readonly name: string;
  readonly mode: 'live' | 'sandbox' | 'embedded';
  /** Undefined for an embedded sandbox. */
  readonly baseUrl?: string | undefined;
  /** The service's name as in its webhook headers: `acme` in `X-Acme-Signature`. */
  readonly serviceName?: string | undefined;
  /** The default output format. */
  readonly output?: string | undefined;
  /** The zone of times that people read and of dates that they type; undefined is the default zone. */
  readonly timeZone?: string | undefined;
  /** Whether what is printed is masked, unless --no-mask is given. */
  readonly isMasked?: boolean | undefined;
  /** The store of its API key; an embedded sandbox only stores encryption keys. */
  readonly store: StoreSettings;
  /** What responses may be; undefined is `off`. */
  readonly encryptionPolicy?: EncryptionPolicy | undefined;
  readonly encryption?: EncryptionKeys | undefined;
  /** The URL of the PostgreSQL database with its journal, without a password; undefined for a file of this machine. */
  readonly journalUrl?: string | undefined;
  /** Whether each state folder may have a journal of its own, whose idempotency keys count there only. */
  readonly independentJournal?: boolean | undefined;
  /** Whether plans are applied on this machine alone, so that its journal knows of each of them. */
  readonly soleHost?: boolean | undefined;
  /** What is told when a plan waits or is decided. */
  readonly planNotices?: PlanNotices | undefined;
  /** The journal that an imported profile had where it was exported. */
  readonly earlierJournal?: EarlierJournal | undefined;
  /** The URL of the PostgreSQL database with its inbox, without a password; undefined for a file of this machine. */
  readonly inboxUrl?: string | undefined;
  /** The copy of the account's lists; undefined is a file of this machine that keeps what is personal for 90 days. */
  readonly copy?: CopySettings | undefined;
  /** Who ends an unknown outcome that no mark proves; undefined is `auto`. */
  readonly unknown?: UnknownPolicy | undefined;
  /** What is checked before a change is recorded and sent. */
  readonly rules?: Rules | undefined;
  /** Amounts of an import. They count besides those in the journal. At most one amount per asset. */
  readonly approvalThresholds?: readonly ApprovalThreshold[] | undefined;
}

/** What a profile tells when a plan waits or is decided. */
interface PlanNotices {
  /** A program and its arguments, as typed. No shell runs it. */
  readonly command?: string | undefined;
  /** Gets the facts as JSON. */
  readonly url?: string | undefined;
}

interface EarlierJournal {
  readonly kind: 'file' | 'server';
  /** The path of the file and its host, or the name of the server, for messages. */
  readonly location: string;
  /** The id of a file; a server is named by its URL. */
  readonly id?: string | undefined;
  /** Its last entry then; undefined if it had none. */
  readonly head?: { readonly entry: number; readonly hash: string } | undefined;
}

interface CopySettings {
  /** The URL of the PostgreSQL database that has it, without a password. */
  readonly url?: string | undefined;
  /** For how many days names and numbers of persons are kept. */
  readonly personalDays?: number | undefined;
}

export interface ApprovalThreshold {
  readonly asset: Asset;
  /** In minor units: kobo, or base units of a token. */
  readonly minor: string;
}

export const UNKNOWN_POLICIES = ['ask', 'auto'] as const;

/**
 * `auto`: a row that is equal in every field and appeared after the request is the request, and one that is proven to be in no list was not done.
 * `ask`: only a tag proves anything, and a person decides the rest, because others move equal amounts with the same account.
 */
export type UnknownPolicy = (typeof UNKNOWN_POLICIES)[number];

/** Returns who ends an unknown outcome of an account that no mark proves. An account without a stored profile has the default. */
export const unknownPolicyOf = ({ stored }: { readonly stored: StoredProfile | undefined }): UnknownPolicy =>
  stored?.unknown ?? 'auto';

export const ENCRYPTION_POLICIES = ['off', 'accept', 'require'] as const;

/** Whether encrypted responses are decrypted, and whether plain ones count: `off` is plain only, `require` is encrypted only. */
export type EncryptionPolicy = (typeof ENCRYPTION_POLICIES)[number];

export type StoreSettings =
  /** environment: nothing is stored; the key comes from FIATRAIL_API_KEY. */
  { readonly kind: 'file' | 'keyring' | 'environment' } | KeyCommand;

/** A command that prints the key. */
export interface KeyCommand {
  readonly kind: 'command';
  /** As typed: `op read "op://ops/fiatrail/key"`. */
  readonly command: string;
  /** Run it with the system's shell; otherwise its words are a program and its arguments. */
  readonly isShell: boolean;
  /** What the user trusted, as `trustOf` writes it. A command that came with an import has none. */
  readonly trusted?: string | undefined;
}

/** The text that trusting a key command records. It no longer matches once the command is edited. */
const trustOf = ({ command, isShell }: Pick<KeyCommand, 'command' | 'isShell'>) =>
  `${isShell ? 'shell' : 'program'}: ${command}`;

/** Marks the key command of a store as trusted; other stores stay unchanged. */
export function trustedStore(store: StoreSettings): StoreSettings {
  return store.kind === 'command' ? { ...store, trusted: trustOf(store) } : store;
}

/** Whether a store may be read: a key command runs only if the user trusted this exact text. */
export const isTrusted = (store: StoreSettings): boolean =>
  store.kind !== 'command' || store.trusted === trustOf(store);

/** The error for a key command that the user has not trusted yet. */
export function untrustedCommand(profile: string): CliError {
  return new CliError('usage', `the key command of profile ${profile} was imported or edited and is not trusted`, {
    code: 'COMMAND_UNTRUSTED',
    hint: advice`review it and trust it with: [fiatrail profiles trust ${profile}]`,
  });
}

/** Whether fiatrail can write to the store; a command and the environment are read-only. */
export const isOurStore = ({ kind }: StoreSettings): boolean => kind === 'file' || kind === 'keyring';

interface EncryptionKeys {
  /** The key that responses are encrypted with, 64 hexadecimal digits; the private half is a secret of the profile. */
  readonly publicKey?: string | undefined;
  /** The service's public key that the user accepted. */
  readonly platformKey?: string | undefined;
  /** Whether requests are encrypted with the platform key. */
  readonly requests: boolean;
}

const shapeWith = <R extends z.ZodMiniType>(rules: R) => {
  const key = z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/)));
  const store = z.union([
    z.strictObject({ kind: z.enum(['file', 'keyring', 'environment']) }),
    z.strictObject({
      kind: z.literal('command'),
      command: z.string(),
      isShell: z.boolean(),
      trusted: z.optional(z.string()),
    }),
  ]);
  const minor = z.string().check(z.regex(/^(0|[1-9]\d{0,39})$/));
  return z.strictObject({
    version: z.number(),
    name: z.string(),
    mode: z.enum(['live', 'sandbox', 'embedded']),
    baseUrl: z.optional(z.string()),
    serviceName: z.optional(z.string()),
    output: z.optional(z.string().check(z.regex(/^[a-z]{1,20}$/))),
    timeZone: z.optional(z.string()),
    isMasked: z.optional(z.boolean()),
    store,
    encryptionPolicy: z.optional(z.enum(ENCRYPTION_POLICIES)),
    encryption: z.optional(z.strictObject({ publicKey: key, platformKey: key, requests: z.boolean() })),
    journalUrl: z.optional(z.string()),
    independentJournal: z.optional(z.boolean()),
    soleHost: z.optional(z.boolean()),
    planNotices: z.optional(z.strictObject({ command: z.optional(z.string()), url: z.optional(z.string()) })),
    earlierJournal: z.optional(
      z.strictObject({
        kind: z.enum(['file', 'server']),
        location: z.string().check(z.regex(/^[^\p{Cc}]{1,2000}$/u)),
        id: z.optional(z.string().check(z.regex(/^[0-9a-f]{8}$/))),
        head: z.optional(
          z.strictObject({ entry: z.int().check(z.positive()), hash: z.string().check(z.regex(/^[\w-]{43}$/)) }),
        ),
      }),
    ),
    inboxUrl: z.optional(z.string()),
    copy: z.optional(
      z.strictObject({ url: z.optional(z.string()), personalDays: z.optional(z.int().check(z.positive())) }),
    ),
    unknown: z.optional(z.enum(UNKNOWN_POLICIES)),
    rules: z.optional(rules),
    approvalThresholds: z.optional(z.array(z.strictObject({ asset: z.enum(['NGN', ...TOKENS]), minor }))),
  });
};

/** Built on first use, because a command without a stored profile needs none, and once, because a command reads its profile often. */
const shapes = { withRules: once(() => shapeWith(rulesSchema())), withoutRules: once(() => shapeWith(z.never())) };

/** The format of profile files. */
export const PROFILE_FILE: FileKind<StoredProfile> = {
  what: 'profile',
  madeBy: 'fiatrail profiles add',
  migrations: [],
  check: (content) => {
    const shape = content['rules'] === undefined ? shapes.withoutRules() : shapes.withRules();
    const { success, data, error } = shape.safeParse(content);
    if (!success) return { wrong: error.issues[0]?.path.join('.') || 'an unknown field' };
    const { version: _, ...profile } = data;
    if (profile.name === BUILT_IN && profile.mode !== 'embedded') return { wrong: 'mode' };
    return (profile.mode === 'embedded') === (profile.baseUrl === undefined)
      ? { value: profile }
      : { wrong: 'baseUrl' };
  },
};

/** Settings that apply to all profiles. */
interface SharedSettings {
  readonly defaultProfile?: string | undefined;
}

/** The format of the settings file. */
const SETTINGS_FILE: FileKind<SharedSettings> = {
  what: 'settings',
  madeBy: 'fiatrail profiles use',
  migrations: [],
  check: ({ defaultProfile }) => {
    if (defaultProfile !== undefined && typeof defaultProfile !== 'string') return { wrong: 'defaultProfile' };
    return { value: { defaultProfile } };
  },
};

/** `main`, `acme-live`, `ng.sandbox`: lower case only, because some file systems ignore case. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,39}$/;

/** What Windows takes for a device, also with an ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;

/** Whether a text is more like a key than like a name, which is printed everywhere: a long run of letters and digits. */
function resemblesKey(text: string): boolean {
  if (/^sandbox_[\da-f]{8,}/i.test(text)) return true;
  const runs = text.match(/[a-z\d]{16,}/gi) ?? [];
  return runs.some((run) => /\d/.test(run) && /[a-z]/i.test(run));
}

/** Validates a profile name; one that looks like a key is not repeated. Throws CliError usage. */
export function profileName(text: string): string {
  if (text === OF_ENVIRONMENT) {
    throw new CliError(
      'usage',
      `the name ${text} is reserved for the account in FIATRAIL_BASE_URL and FIATRAIL_API_KEY`,
      {
        code: 'INVALID_PROFILE_NAME',
        hint: 'choose another name',
      },
    );
  }
  if (resemblesKey(text))
    throw new CliError('usage', 'invalid profile name: it looks like an API key', {
      code: 'INVALID_PROFILE_NAME',
      hint: 'choose a name such as main, and give the key where it is asked for, or with --key-stdin',
    });
  if (DEVICE.test(text))
    throw new CliError('usage', `invalid profile name "${text}": Windows has no files of this name`, {
      code: 'INVALID_PROFILE_NAME',
      hint: 'choose another name',
    });
  if (NAME.test(text) && !text.endsWith('.')) return text;
  throw new CliError('usage', `invalid profile name "${text.slice(0, 60)}"`, {
    code: 'INVALID_PROFILE_NAME',
    hint: 'use 1 to 40 lower-case letters, digits, dots, hyphens or underscores, starting with a letter or digit',
  });
}

const profilesDir = (world: UserEnv) => join(configDir(world), 'profiles');
const settingsPath = (world: UserEnv) => join(configDir(world), 'settings.json');

/** The file of a profile. */
export function profileFile(world: UserEnv, name: string): string {
  return join(profilesDir(world), `${name}.json`);
}

/** Reads a stored profile; undefined if there is none. Throws CliError usage for an invalid or newer file. */
export function readProfile(world: UserEnv, name: string): StoredProfile | undefined {
  if (!isName(name)) return undefined;
  requireOwnConfig(world);
  return readVersioned(profileFile(world, name), kindNamed(name));
}

/** Restricts the configuration folder to its owner. Whoever owns it could replace the folders in it. Throws CliError usage. */
function requireOwnConfig(world: UserEnv): void {
  const folder = configDir(world);
  fileErrors('read', folder, () => makeFolderPrivate(folder));
}

const isName = (text: string) => NAME.test(text) && text !== OF_ENVIRONMENT;

/** Rejects a file copied by hand: it contains another profile's name and would use that profile's key. */
const kindNamed = (name: string): FileKind<StoredProfile> => ({
  ...PROFILE_FILE,
  check: (content) => {
    const verdict = PROFILE_FILE.check(content);
    return 'value' in verdict && verdict.value.name !== name ? { wrong: 'name' } : verdict;
  },
});

/** Returns the names of all stored profiles, sorted. */
export function profileNames(world: UserEnv): string[] {
  requireOwnConfig(world);
  const folder = profilesDir(world);
  const files = fileErrors('read', folder, () => (makeFolderPrivate(folder) ? namesIn(folder) : []));
  const names = files.flatMap((name) => /^(.+)\.json$/.exec(name)?.[1] ?? []);
  return names.filter(isName).sort();
}

export function readDefaultName(world: UserEnv): string | undefined {
  return readVersioned(settingsPath(world), SETTINGS_FILE)?.defaultProfile;
}

/** Changes settings. Throws CliError usage for invalid or newer ones, which are left unchanged. */
export async function writeSettings(world: WritableUserEnv, changed: SharedSettings): Promise<void> {
  const current = readVersioned(settingsPath(world), SETTINGS_FILE);
  await writeVersioned(settingsPath(world), SETTINGS_FILE, { ...current, ...changed }, world.ids.uuid);
}
