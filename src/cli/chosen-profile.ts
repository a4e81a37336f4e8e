import { type Candidate, PROFILE_SOURCES, type Profile, resolveProfile } from '../account/profile.ts';
import { attempt, CliError, orUndefined } from '../base/errors.ts';
import type { Session } from './session.ts';

/** One value, who decided it, and who would have, had the others been silent. */
export interface Decision {
  readonly setting: string;
  /** Null where there is none, or none can be told. */
  readonly value: string | null;
  readonly decidedBy: string | null;
  readonly lost: readonly string[];
  /** Why there is no value, where there should be one. */
  readonly problem: string | null;
}

const SOURCE_WORDS: Readonly<Record<Candidate['source'], string>> = {
  flag: 'flag',
  environment: 'environment',
  directory: 'folder',
  default: 'default',
  'built-in': 'built in',
};

const by = ({ source, where }: Candidate) => SOURCE_WORDS[source] + (where ? `: ${where}` : '');

/** What decided the profile, what lost, and the error where that cannot be used. */
interface Choice {
  readonly decision: Decision;
  readonly profile: Profile | undefined;
  readonly error: CliError | undefined;
}

export function choiceOf({ globals, world }: Session): Choice {
  const said = PROFILE_SOURCES.flatMap((naming) => attempt(() => naming(globals.profile, world)) ?? []);
  const [won, ...lost] = said;
  const found = attempt(() => resolveProfile(globals.profile, world));
  const error = found instanceof CliError ? found : undefined;
  const named = won instanceof CliError ? undefined : won;
  return {
    decision: {
      setting: 'profile',
      value: named?.name ?? null,
      decidedBy: named ? by(named) : null,
      lost: lost.map((each) => (each instanceof CliError ? each.message : `${each.name} (${by(each)})`)),
      problem: error?.message ?? null,
    },
    // What is wrong may be in the variables: then the rest is that of the profile alone.
    profile: found instanceof CliError ? named && orUndefined(() => resolveProfile(named.name, world)) : found,
    error,
  };
}
