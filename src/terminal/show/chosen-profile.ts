import { PROFILE_SOURCES, type Profile, type ProfileChoice, resolveProfile } from '../../account/profile.ts';
import { attempt, CliError, orUndefined } from '../../base/errors.ts';
import type { Account } from '../../engine/account.ts';

/** The value of a setting, what decided it, and the lower-precedence choices that it overrides. */
export interface Decision {
  readonly setting: string;
  /** Null if there is no value or it cannot be determined. */
  readonly value: string | null;
  readonly decidedBy: string | null;
  readonly lost: readonly string[];
  /** Why a required value is missing. */
  readonly problem: string | null;
}

const SOURCE_WORDS: Readonly<Record<ProfileChoice['source'], string>> = {
  flag: 'flag',
  environment: 'environment',
  directory: 'folder',
  default: 'default',
  'built-in': 'built in',
};

/** Finds out which profile is used and why; `typed` is the flag. Never throws CliError. */
export function choiceOf({ world }: Account, typed: string | undefined): ChosenProfile {
  const candidates = PROFILE_SOURCES.flatMap((source) => attempt(() => source(typed, world)) ?? []);
  const [won, ...lost] = candidates;
  const found = attempt(() => resolveProfile(typed, world));
  const error = found instanceof CliError ? found : undefined;
  const named = won instanceof CliError ? undefined : won;
  return {
    decision: {
      setting: 'profile',
      value: named?.name ?? null,
      decidedBy: named ? [originOf(named), named.trust].filter(Boolean).join(', ') : null,
      lost: lost.map((each) => (each instanceof CliError ? each.message : `${each.name} (${originOf(each)})`)),
      problem: error?.message ?? null,
    },
    // If the environment variables are invalid, the profile without them is returned.
    profile: found instanceof CliError ? named && orUndefined(() => resolveProfile(named.name, world)) : found,
    error,
  };
}

const originOf = ({ source, where }: ProfileChoice) => SOURCE_WORDS[source] + (where ? `: ${where}` : '');

/** The chosen profile, how it was chosen, and the error if it cannot be used. */
interface ChosenProfile {
  readonly decision: Decision;
  readonly profile: Profile | undefined;
  readonly error: CliError | undefined;
}
