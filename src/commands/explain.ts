import * as z from 'zod/mini';
import { configDir, stateDir } from '../account/paths.ts';
import type { Profile } from '../account/profile.ts';
import { OF_ENVIRONMENT, profileFile } from '../account/stored-profile.ts';
import { attempt, CliError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import { DEFAULT_ZONE } from '../base/zone.ts';
import { fingerprint } from '../crypto/digest.ts';
import type { Account } from '../engine/account.ts';
import { JOURNAL_VARIABLE, journalLocationOf } from '../engine/connection/journal-location.ts';
import { serverAddressOf } from '../journal/postgres/server-address.ts';
import { command } from '../terminal/command.ts';
import { choiceOf, type Decision } from '../terminal/show/chosen-profile.ts';
import type { Terminal } from '../terminal/terminal.ts';

const ADDRESS = 'environment: FIATRAIL_BASE_URL';
const KEY = 'environment: FIATRAIL_API_KEY';

const isOfEnvironment = (profile: Profile | undefined) => profile?.name === OF_ENVIRONMENT;

const fileOf = (profile: Profile, account: Account) =>
  profile.stored ? `profile: ${profileFile(account.world, profile.name)}` : 'built in';

function modeDecision(profile: Profile | undefined, account: Account): Decision {
  const decidedBy = profile && (isOfEnvironment(profile) ? KEY : fileOf(profile, account));
  return {
    setting: 'mode',
    value: profile?.mode ?? null,
    decidedBy: decidedBy ?? null,
    lost: [],
    problem: null,
  };
}

function addressDecision(profile: Profile | undefined, account: Account): Decision {
  const given = account.world.env['FIATRAIL_BASE_URL'];
  const isUsed = isOfEnvironment(profile);
  return {
    setting: 'base URL',
    value: profile && profile.mode !== 'embedded' ? profile.baseUrl : null,
    decidedBy: profile ? (isUsed ? ADDRESS : fileOf(profile, account)) : null,
    lost: given && !isUsed ? [`${hostOf(given)} (${ADDRESS})`] : [],
    problem: null,
  };
}

/** Shows only the host: a URL may contain a password, and text that is not a URL may be a key. */
function hostOf(url: string): string {
  return (URL.canParse(url) && new URL(url).host) || 'an invalid URL';
}

async function keyDecision(profile: Profile | undefined, account: Account) {
  const given = account.world.env['FIATRAIL_API_KEY'];
  const isUsed = profile?.key?.from === 'FIATRAIL_API_KEY' || profile?.key?.from === 'environment';
  const { value, error } = await printOf(profile);
  const storedIn = profile && keyLocation(profile, account);
  const decision: Decision = {
    setting: 'API key',
    value,
    decidedBy: (isUsed ? KEY : storedIn) ?? null,
    lost: [
      ...(given && !isUsed ? [`${fingerprint(new Secret(given))} (${KEY})`] : []),
      ...(isUsed && storedIn && profile.stored && profile.stored.store.kind !== 'environment' ? [storedIn] : []),
    ],
    problem: error?.message ?? null,
  };
  return { decision, error };
}

const keyLocation = (profile: Profile, account: Account) =>
  profile.key ? `${fileOf(profile, account)}, store ${profile.stored?.store.kind}` : 'stored by the sandbox';

async function printOf(profile: Profile | undefined): Promise<{ value: string | null; error?: CliError }> {
  if (!profile?.key) return { value: null };
  try {
    return { value: fingerprint(await profile.key.load()) };
  } catch (error) {
    if (error instanceof CliError) return { value: null, error };
    throw error;
  }
}

function outputDecision(profile: Profile | undefined, { world }: Account, { globals }: Terminal): Decision {
  const variable = world.env['FIATRAIL_OUTPUT'];
  const stored = profile?.stored?.output;
  const isFlag = globals.isFormatChosen && globals.present.format !== variable;
  const all: Sources = [
    ...(isFlag ? [['flag: --output', globals.present.format] as const] : []),
    ...(variable ? [['environment: FIATRAIL_OUTPUT', variable] as const] : []),
    ...(stored && profile ? [[`profile: ${profile.name}`, stored] as const] : []),
    ['built in', 'table'],
  ];
  return firstOf('output', all);
}

function zoneDecision(profile: Profile | undefined, { globals }: Terminal): Decision {
  const stored = profile?.stored?.timeZone;
  return firstOf('time zone', [
    ...(globals.isZoneChosen ? [['flag: --tz', globals.zone.name] as const] : []),
    ...(stored && profile ? [[`profile: ${profile.name}`, stored] as const] : []),
    ['built in', DEFAULT_ZONE],
  ]);
}

type Sources = readonly (readonly [from: string, value: string])[];

/** The first source decides; the others lost. */
function firstOf(setting: string, all: Sources): Decision {
  return {
    setting,
    value: all[0]?.[1] ?? null,
    decidedBy: all[0]?.[0] ?? null,
    lost: all.slice(1).map(([from, value]) => `${value} (${from})`),
    problem: null,
  };
}

/** The password is in neither setting; a URL with one is a problem, and is not shown. */
function journalDecision(profile: Profile | undefined, { world }: Account): Decision {
  const location = attempt(() => journalLocationOf(world, profile ?? { name: '' }));
  if (location instanceof CliError)
    return { setting: 'journal', value: null, decidedBy: null, lost: [], problem: location.message };
  const { path, server } = location;
  const stored = profile?.stored?.journalUrl;
  const named = (url: string, from: string) => attempt(() => serverAddressOf(url, from).name);
  const shown = server ? named(server.url, server.from) : path;
  const isVariable = server?.from === JOURNAL_VARIABLE;
  const lost = isVariable && stored !== undefined ? named(stored, '') : undefined;
  return {
    setting: 'journal',
    value: shown instanceof CliError ? null : shown,
    decidedBy: server ? (isVariable ? `environment: ${JOURNAL_VARIABLE}` : `profile: ${profile?.name}`) : 'built in',
    lost: typeof lost === 'string' ? [`${lost} (profile: ${profile?.name})`] : [],
    problem: shown instanceof CliError ? shown.message : null,
  };
}

function folderDecision(setting: string, value: string, names: readonly string[], { world }: Account): Decision {
  const found = names.find((name) => world.env[name]);
  return { setting, value, decidedBy: found ? `environment: ${found}` : 'built in', lost: [], problem: null };
}

const COLUMNS = [
  { field: 'setting', title: 'Setting' },
  { field: 'value', title: 'Value' },
  { field: 'decidedBy', title: 'Source' },
  { field: 'lost', title: 'Overridden' },
  { field: 'problem', title: 'Problem' },
] as const;

const explainCommand = command({
  words: ['explain'],
  summary: 'Show which flag, variable or file chose each setting',
  details:
    'Covers the profile, its mode, base URL and API key, the output format, the journal and the folders. Keys are shown as fingerprints: the first 12 hex digits of their SHA-256 hash.',
  examples: ['fiatrail explain', 'fiatrail explain --profile main -o json'],
  endpoints: [],
  prints: () =>
    z.object({
      decisions: z.array(
        z.object({
          setting: z.string(),
          value: z.nullable(z.string()),
          decidedBy: z.nullable(z.string()),
          lost: z.array(z.string()),
          problem: z.nullable(z.string()),
        }),
      ),
    }),
  isLocal: true,
  findsProfile: true,
  parameters: {},
  run: async (account, terminal) => {
    const { world } = account;
    const { decision, profile, error } = choiceOf(account, terminal.globals.profile);
    const key = await keyDecision(profile, account);
    const decisions = [
      decision,
      modeDecision(profile, account),
      addressDecision(profile, account),
      key.decision,
      outputDecision(profile, account, terminal),
      zoneDecision(profile, terminal),
      journalDecision(profile, account),
      folderDecision('configuration', configDir(world), ['FIATRAIL_CONFIG_DIR', 'XDG_CONFIG_HOME'], account),
      folderDecision('state', stateDir(world), ['FIATRAIL_STATE_DIR', 'XDG_STATE_HOME'], account),
    ];
    const problem = error ?? key.error;
    const columns = COLUMNS.filter(({ field }) => field !== 'problem' || problem);
    return { result: { data: { decisions }, lists: 'decisions', columns }, ...(problem ? { error: problem } : {}) };
  },
});

export const commands = [explainCommand];
