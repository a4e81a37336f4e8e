import { configDir, stateDir } from '../account/paths.ts';
import { type Candidate, candidates, type Profile, resolveProfile } from '../account/profile.ts';
import { profileFile } from '../account/stored-profile.ts';
import { fingerprint } from '../crypto/fingerprint.ts';
import { CliError } from '../exit.ts';
import { Secret } from '../secret.ts';
import { command } from './command.ts';
import type { Session } from './session.ts';

/** One value, who decided it, and who would have, had the others been silent. */
export interface Decision {
  readonly setting: string;
  readonly value: string | null;
  readonly decidedBy: string | null;
  readonly lost: readonly string[];
}

const SOURCE_WORDS: Readonly<Record<Candidate['source'], string>> = {
  flag: 'flag',
  environment: 'environment',
  directory: 'folder',
  default: 'default',
  'built-in': 'built in',
};

const by = ({ source, where }: Candidate) => SOURCE_WORDS[source] + (where ? `: ${where}` : '');

/** Who names the profile, as far as these can be read. */
export function profileDecision(session: Session): {
  readonly decision: Decision;
  readonly error: CliError | undefined;
} {
  const found: Candidate[] = [];
  let error: CliError | undefined;
  try {
    for (const each of candidates(session.globals.profile, session.world)) found.push(each);
  } catch (problem) {
    if (!(problem instanceof CliError)) throw problem;
    error = problem;
  }
  const [won, ...lost] = found;
  const decision = {
    setting: 'profile',
    value: won?.name ?? null,
    decidedBy: won ? by(won) : null,
    lost: [...lost.map((each) => `${each.name} (${by(each)})`), ...(won && error ? [error.message] : [])],
  };
  return { decision, error: won ? undefined : error };
}

const ofProfile = (profile: Profile, session: Session) =>
  profile.stored ? `profile: ${profileFile(session.world, profile.name)}` : 'built in';

function addressDecision(profile: Profile, session: Session): Decision {
  const given = session.world.env['FIATRAIL_BASE_URL'];
  const isOfEnvironment = profile.mode !== 'embedded' && profile.stored === undefined;
  return {
    setting: 'base URL',
    value: profile.mode === 'embedded' ? null : profile.baseUrl,
    decidedBy: isOfEnvironment ? 'environment: FIATRAIL_BASE_URL' : ofProfile(profile, session),
    lost: given && !isOfEnvironment ? [`${withoutPassword(given)} (environment: FIATRAIL_BASE_URL)`] : [],
  };
}

/** A URL as it may be shown. */
export function withoutPassword(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'something that is no URL';
}

async function keyDecision(profile: Profile, session: Session): Promise<Decision> {
  const given = session.world.env['FIATRAIL_API_KEY'];
  const isOfVariable = profile.key?.from === 'FIATRAIL_API_KEY' || profile.key?.from === 'environment';
  return {
    setting: 'API key',
    value: await printOf(profile),
    decidedBy: isOfVariable ? 'environment: FIATRAIL_API_KEY' : keptIn(profile, session),
    lost: [
      ...(given && !isOfVariable ? [`${fingerprint(new Secret(given))} (environment: FIATRAIL_API_KEY)`] : []),
      ...(isOfVariable && profile.stored && profile.key?.from !== 'environment' ? [keptIn(profile, session)] : []),
    ],
  };
}

const keptIn = (profile: Profile, session: Session) =>
  profile.key ? `${ofProfile(profile, session)}, store ${profile.stored?.store.kind}` : 'the sandbox keeps its own';

async function printOf({ key }: Profile): Promise<string | null> {
  if (!key) return null;
  try {
    return fingerprint(await key.load());
  } catch (error) {
    if (error instanceof CliError) return `none: ${error.message}`;
    throw error;
  }
}

function outputDecision(profile: Profile | undefined, { globals, world }: Session): Decision {
  const variable = world.env['FIATRAIL_OUTPUT'];
  const kept = profile?.stored?.output;
  const isFlag = globals.isFormatChosen && globals.present.format !== variable;
  const all = [
    ...(isFlag ? [['flag: --output', globals.present.format]] : []),
    ...(variable ? [['environment: FIATRAIL_OUTPUT', variable]] : []),
    ...(kept && profile ? [[`profile: ${profile.name}`, kept]] : []),
    ['built in', 'table'],
  ] as const;
  return {
    setting: 'output',
    value: all[0][1] ?? null,
    decidedBy: all[0][0] ?? null,
    lost: all.slice(1).map(([from, value]) => `${value} (${from})`),
  };
}

function folderDecision(setting: string, value: string, names: readonly string[], { world }: Session): Decision {
  const found = names.find((name) => world.env[name]);
  return { setting, value, decidedBy: found ? `environment: ${found}` : 'built in', lost: [] };
}

const COLUMNS = [
  { field: 'setting', title: 'Setting' },
  { field: 'value', title: 'Value' },
  { field: 'decidedBy', title: 'Decided by' },
  { field: 'lost', title: 'Would have been' },
] as const;

const explainCommand = command({
  words: ['explain'],
  summary: 'Show which flag, variable or file decided profile, address, key and output',
  details: 'Keys are shown by their fingerprint: the first 12 digits of their SHA-256.',
  examples: ['fiatrail explain', 'fiatrail explain --profile main -o json'],
  endpoints: [],
  isLocal: true,
  findsProfile: true,
  parameters: {},
  run: async (session) => {
    const { world, globals } = session;
    const { decision, error } = profileDecision(session);
    let profile: Profile | undefined;
    let problem = error;
    try {
      profile = resolveProfile(globals.profile, world);
    } catch (failed) {
      if (!(failed instanceof CliError)) throw failed;
      problem ??= failed;
    }
    const ofAccount = profile
      ? [
          { setting: 'mode', value: profile.mode, decidedBy: decision.decidedBy, lost: [] },
          addressDecision(profile, session),
          await keyDecision(profile, session),
        ]
      : [];
    const decisions = [
      decision,
      ...ofAccount,
      outputDecision(profile, session),
      folderDecision('configuration', configDir(world), ['FIATRAIL_CONFIG_DIR', 'XDG_CONFIG_HOME'], session),
      folderDecision('state', stateDir(world), ['FIATRAIL_STATE_DIR', 'XDG_STATE_HOME'], session),
    ];
    return {
      result: { data: { decisions }, lists: 'decisions', columns: COLUMNS },
      ...(problem ? { error: problem } : {}),
    };
  },
});

export const commands = [explainCommand];
